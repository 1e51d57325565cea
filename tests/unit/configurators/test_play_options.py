"""The inputs of Unfurl's Ansible configurator that are options of the play."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.configurators.play import PlayConfigurator
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.orders import RETURNED, Outcome, Play
from ansible_ensemble.language.definitions import ParameterDefinition, Schema

from .conftest import carry_out

OPTIONS: list[tuple[Any, dict[str, Any]]] = [
    (None, {}),
    ([], {}),
    ("--extra-vars=who=me", {"extra_vars": ["who=me"]}),
    (["-e", "a=1", "-e", '{"b": 2}', "-vvv"], {"extra_vars": ["a=1", '{"b": 2}']}),
    (["--tags a,b", "--skip-tags=c"], {"tags": ["a,b"], "skip_tags": ["c"]}),
    (["-b", "--become-user", "web", "-u", "me"], {"become": True, "become_user": "web", "remote_user": "me"}),
    (["--start-at-task", "the second"], {"start_at_task": "the second"}),
]


def order(task: Any, **inputs: Any) -> Play:
    _, (play,) = carry_out(PlayConfigurator("playbook", "/p/x.yml"), task(inputs=inputs), Outcome(ok=True))
    assert isinstance(play, Play)
    return play


@pytest.mark.parametrize(("given", "options"), OPTIONS, ids=str)
def test_options(task: Any, given: Any, options: dict[str, Any]) -> None:
    play = order(task, playbookArgs=given, port=80)
    assert (play.options, play.variables) == (options, {"port": 80})


@pytest.mark.parametrize("given", [["-i", "hosts"], ["--check"], ["--extra-var", "a=1"], "site.yml", ["-e"], ["-e 'a"]])
def test_an_option_that_a_play_in_a_job_cannot_have_is_refused(task: Any, given: Any) -> None:
    with pytest.raises(InvalidInput, match="the input playbookArgs"):
        PlayConfigurator("playbook", "/p/x.yml").render(task(inputs={"playbookArgs": given}))


def test_an_inline_inventory_is_a_file_of_the_task(task: Any) -> None:
    inventory = {"all": {"hosts": {"one": {"v": 1}}}}
    assert json.loads(Path(str(order(task, inventory=inventory).inventory)).read_text()) == inventory
    text = "[web]\none\n"
    assert Path(str(order(task, inventory=text).inventory)).read_text() == text
    assert order(task, inventory=None).inventory is None


@pytest.mark.parametrize(("name", "value"), [("inventory", 3), ("resultKeys", {"a": 1}), ("resultKeys", [1])])
def test_refused(task: Any, name: str, value: Any) -> None:
    with pytest.raises(InvalidInput, match=f"the input {name} must be"):
        order(task, **{name: value, "resultTemplate": None})


def test_inputs_of_these_names_that_the_operation_declares_are_variables(task: Any) -> None:
    one = task(inputs={"inventory": 3, "playbookArgs": ["-i"]})
    for name in one.inputs:
        one.operation.input_definitions[name] = ParameterDefinition(name, Schema("any"))
    _, (play,) = carry_out(PlayConfigurator("playbook", "/p/x.yml"), one, Outcome(ok=True))
    assert (play.variables, play.options, play.inventory) == ({"inventory": 3, "playbookArgs": ["-i"]}, {}, None)


def test_templates_of_the_result_see_what_tasks_returned(task: Any) -> None:
    seen: dict[str, Any] = {}
    inputs = {"resultKeys": ["stat"], "resultTemplate": lambda variables: seen.update(variables) or {}}
    told = {RETURNED: {"stdout": "hi", "rc": 3, "stat": {"isdir": True}}, "tasks": []}
    _, (play,) = carry_out(PlayConfigurator("playbook", "/p"), task(inputs=inputs), Outcome(ok=True, result=told))
    assert isinstance(play, Play)
    assert play.keys == ("stdout", "stderr", "msg", "rc", "stat")
    assert (seen["stdout"], seen["returncode"], seen["stat"]) == ("hi", 3, {"isdir": True})
    assert seen["result"]["stdout"] == "hi"
    assert order(task, resultKeys=["stat"]).keys == ()


def test_a_play_that_names_inputs_has_them_as_a_map(task: Any, tmp_path: Path) -> None:
    file = tmp_path / "play.yml"
    file.write_text('- debug: {msg: "{{ inputs.port }}"}\n')
    configurator = PlayConfigurator("playbook", str(file))
    _, (play,) = carry_out(configurator, task(inputs={"port": 80, "done": {}}), Outcome(ok=True))
    assert isinstance(play, Play)
    assert play.variables == {"inputs": {"port": 80}, "port": 80}


PLAYS: list[tuple[Any, Any]] = [
    ([{"ping": None}], [{"hosts": "all", "gather_facts": False, "tasks": [{"ping": None}]}]),
    ([{"tasks": [1]}], [{"hosts": "all", "gather_facts": False, "tasks": [1]}]),
    ([{"roles": ["a"], "gather_facts": True}], [{"hosts": "all", "gather_facts": True, "roles": ["a"]}]),
    ([{"hosts": "web"}, {"import_playbook": "a"}], [{"hosts": "web"}, {"import_playbook": "a"}]),
]


@pytest.mark.parametrize(("given", "written"), PLAYS, ids=str)
def test_inline_plays_run_where_the_operation_does_unless_they_say_otherwise(
    task: Any, given: Any, written: Any
) -> None:
    made: list[Any] = []
    one = task(inputs={"playbook": given})
    steps = PlayConfigurator("playbook").run(one)
    made.append(json.loads(Path(next(steps).source).read_text()))
    steps.close()
    assert made == [written]
