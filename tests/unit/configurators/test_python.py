"""Users' own configurators, run as jobs run them: in a process of their own, with a task that answers."""

from __future__ import annotations

import asyncio
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.configurators.protocol import Basis, Conversation, Result, SubTask
from ansible_ensemble.configurators.python import PythonConfigurator
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.orders import Command, ModuleCall, Outcome
from ansible_ensemble.core.sensitive import SensitiveStr
from ansible_ensemble.execution.conversation import converse
from ansible_ensemble.execution.process import run_command
from ansible_ensemble.instances.status import Status

from .conftest import FakeTask

#: Answers orders other than the conversation itself.
Answer = Callable[[Any], Any]


async def drive(steps: Any, answer: Answer) -> Any:
    step, value = steps.send, None
    while True:
        try:
            order = step(value)
        except StopIteration as stop:
            return stop.value
        step = steps.send
        if isinstance(order, Conversation):
            value = await talk(order, answer)
            continue
        value = answer(order)
        if isinstance(value, Exception):
            step = steps.throw


async def talk(conversation: Conversation, answer: Answer) -> Outcome:
    return await converse(
        conversation.order, lambda question: drive(conversation.answer(question), answer), run_command
    )


def refuse(order: Any) -> Any:
    raise AssertionError(f"nothing was to be ordered, but {order}")


class QueriedTask(FakeTask):
    """Its instance's name is `app`, `.known` is 7, and all else is an error."""

    def query(self, expression: Any) -> Any:
        known = {".name": "app", ".known": 7, ".::known": 7, ".names": {"known": 7}, ".::gone": None}
        if expression not in known:
            raise InvalidInput(f"nobody knows {expression}")
        return known[expression]

    def evaluate(self, value: Any, variables: Any = None) -> Any:
        return {"{{ who }}": "me", "{{ x }}": (variables or {}).get("x")}.get(value, value)


@pytest.fixture
def run(tmp_path: Path, task: Any) -> Callable[..., Result]:
    """Run the class `Mine` of a module's text."""

    def run_text(
        text: str, *, answer: Answer = refuse, implementation: Any = "x", member: str = "Mine", **given: Any
    ) -> Result:
        file = tmp_path / "mine.py"
        file.write_text("from ansible_ensemble.configurators.api import *\n" + textwrap.dedent(text))
        made = task(implementation, **given)
        one = QueriedTask(**{name: getattr(made, name) for name in made.__dataclass_fields__})
        configurator = PythonConfigurator(f"{file}#{member}")
        configurator.render(one)
        return asyncio.run(drive(configurator.run(one), answer))

    return run_text


def test_a_function(run: Any) -> None:
    result = run(
        """
        def Mine(task):
            print("hello")
            assert (task.name, task.operation, task.workflow) == ("app", "Standard.create", "deploy")
            assert list(task.inputs) == ["port", "secret"] and task.inputs["port"] == 80
            assert task.inputs["secret"] == "s3cret" and "x" not in task.inputs
            assert task.vars["who"] == "me" and task.evaluate("{{ x }}", {"x": 5}) == 5
            assert task.query(".known") == 7 and task.add_dependency(".known") == 7
            assert task.environ == {"A": "1", "B": "2"}
            import os
            assert os.environ["A"] == "1" and os.getcwd() == str(task.base)
            (task.folder / "made").write_text("made")
            task.add_message("well")
            return task.done(True, True, "degraded", outputs={"id": 3}, attributes={"free": 1}, result={"url": "u"})
        """,
        inputs={"port": 80, "secret": SensitiveStr("s3cret")},
        environment={"A": "0", "B": "2"},
        implementation={"primary": "x", "environment": {"A": 1}},
        attributes=frozenset({"url"}),
    )
    assert result.success, result
    assert (result.modified, result.status, result.messages) == (True, Status.DEGRADED, ["well"])
    assert (result.outputs, result.attributes) == ({"id": 3}, {"free": 1, "url": "u"})
    assert result.outcome is not None and result.outcome.stdout == "hello\n"


ENDS = {
    "done": ("return task.done()", True, None, None),
    "nothing": ("pass", True, None, None),
    "true": ("return True", True, None, None),
    "false": ("return False", False, None, "it did not succeed"),
    "a map": ("return {'id': 3}", True, None, None),
    "failure": ("return task.done(False, False, error='no disk')", False, False, "no disk"),
    "anything else": ("return 5", False, None, "must return task.done"),
    "no plain data": ("return task.done(outputs={'a': object()})", False, None, "not plain data"),
    "an exception": ("raise ValueError('bad')", False, None, "ValueError: bad"),
    "the job's error": ("task.query('.gone')", False, None, "nobody knows .gone"),
    "exit": ("raise SystemExit(0)", False, None, "SystemExit"),
    "a sudden end": ("import os; os._exit(0)", False, None, "ended without a result"),
    "a crash": ("import os; os.abort()", False, None, "SIGABRT"),
    "no status": ("return task.done(status='fine')", False, None, 'there is no status "fine"'),
    "no instance": ("task.update_instances({'name': 'x', 'template': 5})", False, None, "template must be text"),
}


@pytest.mark.parametrize("body,success,modified,error", ENDS.values(), ids=ENDS)
def test_ends(run: Any, body: str, success: bool, modified: bool | None, error: str | None) -> None:
    result = run(f"class Mine:\n    def run(self, task):\n        {body}\n")
    assert (result.success, result.modified) == (success, modified)
    assert result.error is None if error is None else error in result.error


def test_traceback_is_in_the_record(run: Any) -> None:
    result = run("def Mine(task):\n    raise ValueError('bad')\n")
    assert "raise ValueError" in result.outcome.stderr


HOOKS = {
    "can_run": (
        "def can_run(self, task): return 'no docker here'",
        False,
        False,
        "it cannot run: no docker here",
        True,
    ),
    "can_run without a word": ("def can_run(self, task): return False", False, False, "it cannot run", True),
    "should_run": ("def should_run(self, task): return False", False, True, None, False),
    "dry run": ("pass", True, True, None, False),
    "dry run that it can": ("def can_dry_run(self, task): return True", True, True, None, True),
    "render": ("def render(self, task): self.said = 'rendered'", False, True, None, True),
    "digest": ("def digest(self, task): return ['.known']", False, True, None, True),
    "digest of what is not there": (
        "def digest(self, task): return ['.gone']",
        False,
        False,
        "nobody knows .gone",
        None,
    ),
}


@pytest.mark.parametrize("hook,check,success,error,ran", HOOKS.values(), ids=HOOKS)
def test_hooks(run: Any, *, hook: str, check: bool, success: bool, error: str | None, ran: bool | None) -> None:
    text = f"""
class Mine:
    {hook}
    def run(self, task):
        task.add_message("ran")
        return task.done(modified=True)
"""
    result = run(text, check=check)
    assert result.success is success
    assert error is None or error in result.error
    assert ("ran" in result.messages) is (ran is True and success)
    if not ran and ran is not None:
        assert (result.basis, result.modified) == (Basis.NOT_RUN, False)


def test_the_base_class_needs_run_only(run: Any) -> None:
    assert run("class Mine(Configurator):\n    def run(self, task):\n        return True\n").success
    result = run("class Mine(Configurator):\n    pass\n")
    assert "cannot run Standard.create: it has no method run" in result.error


def test_a_generator_yields_orders(run: Any) -> None:
    answers = {
        SubTask: Result(success=True, modified=True, status=Status.OK, outputs={"id": 3}),
        Command: Outcome(ok=True, rc=0, stdout="out"),
        ModuleCall: Outcome(ok=False, error="no"),
    }
    orders: list[Any] = []

    def answer(order: Any) -> Any:
        orders.append(order)
        return answers[type(order)]

    result = run(
        """
        class Mine:
            def run(self, task):
                done = yield task.create_sub_task("configure", "db", {"a": 1})
                assert done.success and done.modified and done.status == "ok" and done.outputs == {"id": 3}
                outcome = yield Command(("echo", "x"))
                assert outcome.ok and outcome.stdout == "out"
                outcome = task.perform(ModuleCall("ansible.builtin.ping"))
                assert not outcome.ok and outcome.error == "no"
                yield task.done(outputs={"a": 1})
                raise AssertionError
        """,
        answer=answer,
        check=False,
    )
    assert result.success, result
    assert orders[0] == SubTask("configure", "db", {"a": 1})
    assert (orders[1].argv, orders[2].module) == (("echo", "x"), "ansible.builtin.ping")


def test_an_order_that_is_refused_can_be_caught(run: Any) -> None:
    text = """
        def Mine(task):
            try:
                task.perform(task.create_sub_task("x"))
            except TaskError as error:
                return task.done(error=str(error), outputs={"said": str(error)})
        """
    result = run(text, answer=lambda order: InvalidInput("there is no x"))
    assert result.outputs == {"said": "there is no x"}


def test_instances(run: Any) -> None:
    text = "def Mine(task):\n    task.update_instances([{'name': 'a', 'template': 'T'}, {'attributes': {'n': 1}}])\n"
    result = run(text)
    assert result.instances == [{"name": "a", "template": "T"}]
    assert result.attributes == {"n": 1}


def test_it_is_ended_when_it_takes_too_long(run: Any) -> None:
    result = run("def Mine(task):\n    import time\n    time.sleep(60)\n", timeout=0.5)
    assert not result.success and result.outcome.timed_out


TARGETS = {
    "mine_of_a_test.Mine": None,
    "mine_of_a_test.Other": 'has no "Other"',
    "nowhere_to_be.Mine": 'there is no configurator "nowhere_to_be.Mine"',
}


@pytest.mark.parametrize("target", TARGETS)
def test_by_its_dotted_name(tmp_path: Path, task: Any, target: str) -> None:
    (tmp_path / "mine_of_a_test.py").write_text("class Mine:\n    def run(self, task):\n        return True\n")
    made = task()
    one = QueriedTask(**{name: getattr(made, name) for name in made.__dataclass_fields__})
    result = asyncio.run(drive(PythonConfigurator(target).run(one), refuse))
    error = TARGETS[target]
    assert result.success is (error is None)
    assert error is None or error in result.error


WRONG = {
    'result="text"': "result of its result must be a map",
    "error=5": "error of its result must be text",
    'success="yes"': "success of its result must be true or false",
    "modified=1": "modified of its result must be true, false or null",
    "outputs=[1]": "outputs of its result must be a map",
    "attributes=None": "attributes of its result must be a map",
    "status=3": "status of its result must be text",
}


@pytest.mark.parametrize("wrong", WRONG)
def test_an_end_of_the_wrong_kind_fails_the_operation(run: Any, wrong: str) -> None:
    result = run(f"def Mine(task):\n    return Done({wrong})\n")
    assert (result.success, result.modified) == (False, None)
    assert WRONG[wrong] in result.error


def test_a_name_is_needed(task: Any) -> None:
    with pytest.raises(InvalidInput, match="no Python class"):
        PythonConfigurator("").render(task())


def test_a_configurator_of_unfurl(run: Callable[..., Result]) -> None:
    text = """
        from unfurl.configurator import Configurator, Status
        from unfurl.support import NodeState

        class Mine(Configurator):
            def can_run(self, task):
                return task.configSpec.operation == "create" and not task.dry_run

            def render(self, task):
                return task.inputs["word"]

            def run(self, task):
                target = task.target
                target.attributes["seen"] = [target.name, target.attributes["known"], task.rendered]
                target.attributes["again"] = target.attributes.get("seen")[:1]
                target.attributes["gone"] = 1
                assert target.attributes.pop("gone") == 1 and target.attributes.pop("gone", 2) == 2
                assert "gone" not in target.attributes and set(target.attributes) == {"known", "again", "seen"}
                job, errors = task.update_instances("- {name: a, template: b}")
                assert job is None and not errors and NodeState.started == "started"
                yield task.done(True, True, Status.degraded)
    """
    result = run(text, inputs={"word": "w"})
    assert (result.success, result.modified, result.status) == (True, True, Status.DEGRADED), result.error
    assert result.attributes == {"seen": ["app", 7, "w"], "again": ["app"], "gone": None}
    assert [one["name"] for one in result.instances] == ["a"]


@pytest.mark.parametrize(
    ("ended", "success", "status"),
    [
        ("Status.ok", True, Status.OK),
        ("Status.error", False, Status.ERROR),
        ("task.done(status=Status.error)", False, Status.ERROR),
        ("task.done(True, status=Status.error)", True, Status.ERROR),
        ("task.done(captureException=ValueError('no'))", False, None),
        ("False", False, None),
        ("None", True, None),
    ],
)
def test_how_a_configurator_of_unfurl_ends(
    run: Callable[..., Result], ended: str, success: bool, status: Status | None
) -> None:
    text = f"""
        from unfurl.configurator import Configurator, Status

        class Mine(Configurator):
            def run(self, task):
                return {ended}
    """
    result = run(text)
    assert (result.success, result.status) == (success, status)
