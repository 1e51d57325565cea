from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from ansible_ensemble.configurators.footprint import Footprint
from ansible_ensemble.configurators.module import ModuleConfigurator
from ansible_ensemble.configurators.protocol import Conversation, Note, Progress, Result
from ansible_ensemble.core.orders import ModuleCall, Outcome

USER = {"module": "user", "kept": {"name": "name"}, "more": {"state": "absent"}}
COPY = {"module": "ansible.builtin.file", "kept": {"dest": "path"}, "more": {"state": "absent"}}


def run(one: Any, answer: Callable[[ModuleCall], Outcome], module: str) -> tuple[Result, dict[str, Any], list[Any]]:
    """Drive an operation; returns its result, the last note and its orders."""
    configurator = ModuleConfigurator(module)
    configurator.render(one)
    steps, orders, reply = configurator.run(one), [], None
    noted: dict[str, Any] = dict(one.made)
    try:
        while True:
            order = steps.send(reply)
            orders.append(order)
            if isinstance(order, Conversation):
                for note in asked(order, answer):
                    orders.append(note)
                    noted = one.made = note.made
                order = replace(order.order, first=())
                orders.append(order)
            reply = answer(order) if isinstance(order, ModuleCall) else None
            if isinstance(order, Note):
                noted = one.made = order.made
    except StopIteration as stop:
        return stop.value, noted, orders


def asked(conversation: Conversation, answer: Callable[[ModuleCall], Outcome]) -> Iterator[Any]:
    """What a module call orders by what it runs first prints."""
    call = conversation.order
    assert isinstance(call, ModuleCall)
    looked = answer(ModuleCall("ansible.builtin.command", {"argv": [*call.first]}))
    yield from conversation.answer({"code": 0 if looked.ok else 1, "stdout": looked.result["stdout"]})


def told(*lines: str) -> Outcome:
    return Outcome(ok=True, changed=True, result={"stdout": "\n".join([*lines, "//"])})


@pytest.fixture
def deploying(task: Any) -> Callable[..., Any]:
    def make(module: str, teardown: Mapping[str, Any], inputs: Mapping[str, Any], made: Any = None) -> Any:
        return task({"primary": module, "teardown": teardown}, name="configure", inputs=inputs, made=made or {})

    return make


@pytest.mark.parametrize(("there", "kept"), [(True, "it was there before"), (False, None)])
def test_an_account_that_was_there_is_kept(deploying: Any, there: bool, kept: str | None) -> None:
    def answer(call: ModuleCall) -> Outcome:
        if call.check:
            assert call.args == {"name": "app", "state": "absent"}
            return Outcome(ok=True, changed=there)
        return Outcome(ok=True, changed=True)

    one = deploying("user", USER, {"name": "app"})
    _result, noted, orders = run(one, answer, "user")
    assert noted.get("kept") == kept
    assert [type(order) for order in orders][:2] == [ModuleCall, Note], "it is noted before the module runs"
    _again, later, orders = run(one, answer, "user")
    assert later == noted
    assert not any(isinstance(order, ModuleCall) and order.check for order in orders), "it is asked once"


def test_packages_of_a_list_that_were_there_stay(task: Any, deploying: Any) -> None:
    installed = {"old"}

    def answer(call: ModuleCall) -> Outcome:
        return Outcome(ok=True, changed=bool(installed & set(call.args["name"])))

    apt = {"module": "apt", "kept": {"name": "name"}, "more": {"state": "absent"}}
    one = deploying("ansible.builtin.apt", apt, {"name": ["old", "new"]})
    _result, noted, _orders = run(one, answer, "ansible.builtin.apt")
    assert noted["items"] == ["new"]
    gone = task(
        {"primary": "apt", "teardown": {"way": "state"}},
        name="delete",
        inputs={"name": ["old", "new"], "state": "absent"},
        made=noted,
    )
    _result, _noted, orders = run(gone, lambda _call: Outcome(ok=True, changed=True), "apt")
    assert [order.args for order in orders] == [{"name": ["new"], "state": "absent"}]


def test_what_a_killed_job_made_is_known_to_be_ours(deploying: Any) -> None:
    """The look before counts, which is noted before the module runs, and not one of what it had made by then."""
    one = deploying("ansible.builtin.copy", COPY, {"dest": "/etc/app", "content": "x"})

    def killed(call: ModuleCall) -> Outcome:
        if call.module != "ansible.builtin.copy":
            return told("/etc/app", "/etc", "")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(one, killed, "ansible.builtin.copy")
    assert one.made["before"]["near"] == "/etc"

    def again(call: ModuleCall) -> Outcome:
        assert call.module == "ansible.builtin.copy", "it does not look again"
        return Outcome(ok=True, changed=False, result={"dest": "/etc/app", "state": "file"})

    _result, noted, _orders = run(one, again, "ansible.builtin.copy")
    assert noted == {"way": "files", "path": "/etc/app", "paths": ["/etc/app"]}


@pytest.mark.parametrize(
    ("made", "removed"),
    [
        ({"way": "files", "path": "/a", "kept": "it was there before"}, False),
        ({}, False),  # of what was deployed before there were notes, a folder is not removed
        ({"way": "files", "path": "/a", "paths": ["/a/b", "/a"]}, True),
    ],
)
def test_only_what_was_made_is_taken_away(task: Any, made: Any, removed: bool) -> None:
    one = task(
        {"primary": "ansible.builtin.file", "teardown": {"way": "files"}},
        name="delete",
        inputs={"path": "/a", "state": "absent"},
        made=made,
    )

    def answer(call: ModuleCall) -> Outcome:
        if "stdin" in call.args:
            assert call.args["stdin"] == "/a/b\n/a\n"
            return Outcome(ok=True, result={"stdout": "-"})
        assert "find" in str(call.args), "nothing else runs"
        return told("/a", "/a", "/", "/a/theirs")

    result, _noted, orders = run(one, answer, "ansible.builtin.file")
    assert result.success and result.outcome is not None
    assert result.outcome.changed is removed
    assert any(isinstance(order, Progress) for order in orders) is not removed


def test_a_note_is_read_as_it_was_written(tmp_path: Path) -> None:
    one = Footprint("files", "/a", paths=["/a"], whole={"path": "/a", "digest": "x"})
    assert Footprint.of(one.note().made) == one
    assert Footprint.of({}) is None


@pytest.mark.parametrize(
    ("module", "inputs", "returned", "made"),
    [
        ("ansible.builtin.unarchive", {"src": "/a.tgz", "remote_src": True}, {"files": ["./", "./d/x"]}, ["d", "d/x"]),
        (
            "ansible.builtin.unarchive",
            {"src": "/a.tgz", "remote_src": True, "extra_opts": ["--strip-components=1"]},
            {"files": ["app-1/", "app-1/d/x"]},
            ["d", "d/x"],
        ),
        ("ansible.builtin.unarchive", {"src": "/a.tgz", "remote_src": True, "creates": "/opt/d"}, {}, []),
        ("ansible.builtin.copy", {"src": "d", "dest": "/opt/"}, {}, ["d", "d/x"]),
        ("ansible.builtin.copy", {"src": "/srv/d", "remote_src": True}, {}, ["d", "d/x"]),
        ("ansible.builtin.copy", {"src": "/srv/", "remote_src": True}, {}, []),
        ("ansible.builtin.git", {"repo": "/a"}, {}, ["d", "d/x", "theirs"]),
    ],
)
def test_what_others_put_into_the_folder_meanwhile_is_not_taken_for_made(
    deploying: Any, module: str, inputs: Any, returned: Any, made: list[str]
) -> None:
    one = deploying(module, COPY, {"dest": "/opt", **inputs})
    (one.base / "files/d").mkdir(parents=True)
    (one.base / "files/d/x").write_text("x")
    looks = iter([told("/opt", "/opt", "/", "/opt/old"), told("/opt", "/opt", "/", *_NEW)])

    def answer(call: ModuleCall) -> Outcome:
        if call.module != module:
            return next(looks)
        assert (call.args.get("list_files") is True) is module.endswith("unarchive")
        return Outcome(ok=True, changed=True, result={"dest": "/opt", "state": "directory", **returned})

    result, noted, _orders = run(one, answer, module)
    assert noted.get("paths", []) == [f"/opt/{name}" for name in made]
    assert bool(noted.get("kept")) is not bool(made)
    assert "files" not in str(result.outputs), "the list is not shown, for nobody asked for it"


_NEW = ("/opt/old", "/opt/d", "/opt/d/x", "/opt/theirs")
