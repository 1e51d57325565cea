from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.configurators.command import CommandConfigurator, ScriptConfigurator, as_text
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.orders import Command, Host, ModuleCall, Outcome
from ansible_ensemble.core.sensitive import REDACTED, SensitiveStr, mark_sensitive
from ansible_ensemble.documents.scalars import as_read
from ansible_ensemble.instances.status import Status

from .conftest import FakeTask, carry_out

REMOTE = Host("web1", {"ansible_host": "192.0.2.1"})


def order(configurator: Any, task: FakeTask) -> Any:
    _, orders = carry_out(configurator, task, Outcome(ok=True, rc=0))
    assert len(orders) == 1
    return orders[0]


#: target, inputs, check -> argv
COMMANDS = {
    "text": ("echo a b", {}, False, ("echo a b",)),
    "an input": ("", {"command": "echo a"}, False, ("echo a",)),
    "an input of Unfurl's": ("", {"cmd": "echo a"}, False, ("echo a",)),
    "a list": ("", {"command": ["echo", "a b", 7]}, False, ("echo", "a b", "7")),
    "arguments": ("tool", {"arguments": {"name": "a b", "n": 1}}, False, ("tool --name 'a b' --n 1",)),
    "lines": ("a\n b", {}, False, ("a\n b",)),
    "lines that are joined": ("a\n b\n", {"keeplines": False}, False, ("a  b",)),
    "lines that are kept": ("a\n b", {"keeplines": True}, False, ("a\n b",)),
    "no shell": ("tool 'a b' $x", {"shell": False}, False, ("tool", "a b", "$x")),
    "no shell but arguments": ("tool", {"shell": False, "arguments": {"n": "a b"}}, False, ("tool", "--n", "a b")),
    "dry run": ("tool", {"dryrun": "--dry"}, True, ("tool --dry",)),
    "dry run in its place": ("tool %dryrun% x", {"dryrun": "--dry"}, True, ("tool --dry x",)),
    "real run of a place": ("tool %dryrun% x", {"dryrun": "--dry"}, False, ("tool  x",)),
    "real run": ("tool", {"dryrun": "--dry"}, False, ("tool",)),
    "harmless": ("tool", {"dryrun": True}, True, ("tool",)),
    "dry run of a list": ("", {"command": ["tool", "x"], "dryrun": "--dry"}, True, ("tool", "x", "--dry")),
    "a place in a list": ("", {"command": ["tool", "%dryrun%", "x"], "dryrun": "--dry"}, True, ("tool", "--dry", "x")),
    "real run of a list": ("", {"command": ["tool", "%dryrun%", "x"], "dryrun": "--dry"}, False, ("tool", "x")),
}


@pytest.mark.parametrize("target,inputs,check,argv", COMMANDS.values(), ids=COMMANDS)
def test_argv(task: Any, target: str, inputs: dict[str, Any], check: bool, argv: tuple[str, ...]) -> None:
    made = order(CommandConfigurator(target), task(inputs=inputs, check=check))
    assert isinstance(made, Command)
    assert made.argv == argv
    assert made.shell == (
        None if isinstance(inputs.get("command"), list) or inputs.get("shell") is False else "/bin/sh"
    )


@pytest.mark.parametrize(
    "dryrun,possible",
    [
        ({}, False),
        ({"dryrun": "--dry"}, True),
        ({"dryrun": True}, True),
        ({"dryrun": False}, False),
        ({"dryrun": None}, False),
    ],
)
def test_can_dry_run(task: Any, dryrun: dict[str, Any], possible: bool) -> None:
    for configurator in (CommandConfigurator("x"), ScriptConfigurator("x")):
        assert configurator.can_dry_run(task(inputs=dryrun)) is possible


BAD = {
    "there is no command": [("", {}), ("  ", {}), ("", {"command": []}), ("", {"command": [" "]})],
    "arguments must be a map": [("x", {"arguments": ["a"]})],
}


@pytest.mark.parametrize("words", BAD)
def test_bad_inputs_are_refused_when_rendered(task: Any, words: str) -> None:
    for target, inputs in BAD[words]:
        with pytest.raises(InvalidInput, match=rf"service.yaml:7:3: .*{words}"):
            CommandConfigurator(target).render(task(inputs=inputs))


def test_environment_must_be_a_map(task: Any) -> None:
    with pytest.raises(InvalidInput, match="the environment of the implementation must be a map"):
        CommandConfigurator("x").render(task({"primary": "x", "environment": ["A=1"]}))


def test_inputs_are_environment_variables(task: Any) -> None:
    inputs = {
        "port": 80,
        "name": "a",
        "none": None,
        "list": [1, "é"],
        "cwd": "sub",
        "input": "in",
        "done": {},
        "yes": True,
    }
    one = task(
        {"primary": "x", "environment": {"name": "lower", "OWN": 1, "PYTHON": as_read("3.10")}},
        inputs=inputs,
        environment={"OWN": "lowest", "HOME_OF": "h"},
        timeout=3.0,
    )
    made = order(CommandConfigurator("x"), one)
    assert made.environment == {
        "HOME_OF": "h",
        "OWN": "1",
        "PYTHON": "3.10",
        "port": "80",
        "name": "a",
        "none": "",
        "list": '[1, "é"]',
        "yes": "true",
    }
    assert (made.cwd, made.stdin, made.timeout) == (str(one.base / "sub"), "in", 3.0)
    assert order(CommandConfigurator("x"), task()).cwd == str(one.base)


def test_secrets_reach_the_command_as_they_are(task: Any) -> None:
    secret = SensitiveStr("s3cret")
    inputs = {"token": secret, "command": ["tool", secret], "deep": {"a": mark_sensitive(["x1y2"])}, "input": secret}
    made = order(CommandConfigurator(), task(inputs=inputs))
    assert made.argv == ("tool", "s3cret")
    assert made.environment == {"token": "s3cret", "deep": '{"a": ["x1y2"]}'}
    assert made.stdin == "s3cret"
    assert REDACTED not in repr(made), "these are plain strings, for a process cannot take others"
    assert as_text(mark_sensitive(7)) == "7"


#: implementation, inputs, target -> module, arguments
REMOTES = {
    "text": ("x", {}, "ansible.builtin.shell", {"_raw_params": "tool -v", "executable": "/bin/sh"}),
    "folder": (
        "x",
        {"cwd": "/srv"},
        "ansible.builtin.shell",
        {"_raw_params": "tool -v", "executable": "/bin/sh", "chdir": "/srv"},
    ),
    "a list": ("x", {"command": ["/bin/sh", "-c", "x"]}, "ansible.builtin.command", {"argv": ["/bin/sh", "-c", "x"]}),
    "standard input": (
        "x",
        {"command": ["cat"], "input": "in"},
        "ansible.builtin.command",
        {"argv": ["cat"], "stdin": "in"},
    ),
}


@pytest.mark.parametrize("implementation,inputs,module,args", REMOTES.values(), ids=REMOTES)
def test_another_host(
    task: Any, implementation: str, inputs: dict[str, Any], module: str, args: dict[str, Any]
) -> None:
    one = task({"primary": implementation, "become": True}, inputs={**inputs, "port": 80}, host=REMOTE, timeout=9.0)
    made = order(CommandConfigurator("tool -v"), one)
    assert isinstance(made, ModuleCall)
    assert (made.module, made.args, made.host, made.timeout) == (module, args, REMOTE, 9.0)
    assert made.keywords == {"become": True, "environment": {"port": "80"}}
    assert not made.check, "a command with an input dryrun runs in check mode, or nothing is learnt from it"


def test_another_user_takes_ansible(task: Any) -> None:
    made = order(CommandConfigurator("id"), task({"primary": "id", "become": True, "become_user": "web"}))
    assert isinstance(made, ModuleCall)
    assert made.keywords == {"become": True, "become_user": "web", "environment": {}}


def script(folder: Path, name: str, executable: bool) -> str:
    file = folder / name
    file.write_text("true")
    file.chmod(0o755 if executable else 0o644)
    return str(file)


@pytest.mark.parametrize(
    "name,executable,interpreter",
    [
        ("a.sh", True, ()),
        ("a.sh", False, ("/bin/sh",)),
        ("a.py", False, (sys.executable,)),
        ("a.pl", False, ("perl",)),
        ("a", False, ()),
    ],
)
def test_script(task: Any, tmp_path: Path, name: str, executable: bool, interpreter: tuple[str, ...]) -> None:
    file = script(tmp_path, name, executable)
    made = order(ScriptConfigurator(file), task(inputs={"arguments": ["a b", 1], "port": 80}))
    assert made.argv == (*interpreter, file, "a b", "1")
    assert (made.shell, made.environment) == (None, {"port": "80"})
    made = order(ScriptConfigurator(file), task(inputs={"dryrun": "-n"}, check=True))
    assert made.argv == (*interpreter, file, "-n")


@pytest.mark.parametrize(
    "name,executable,extra",
    [("a b.sh", True, {}), ("a b.sh", False, {"executable": "/bin/sh"}), ("a b.py", False, {"executable": "python3"})],
)
def test_script_on_another_host(task: Any, tmp_path: Path, name: str, executable: bool, extra: dict[str, str]) -> None:
    file = script(tmp_path, name, executable)
    made = order(ScriptConfigurator(file), task(inputs={"arguments": ["x y"], "cwd": "/srv"}, host=REMOTE))
    assert made.module == "ansible.builtin.script"
    assert made.args == {"cmd": f"'{file}' 'x y'", "chdir": "/srv", **extra}
    with pytest.raises(InvalidInput, match="gets no standard input"):
        order(ScriptConfigurator(file), task(inputs={"input": "x"}, host=REMOTE))


def test_script_arguments_are_a_list_or_a_map(task: Any, tmp_path: Path) -> None:
    file = script(tmp_path, "a.sh", True)
    made = order(ScriptConfigurator(file), task(inputs={"arguments": {"user": "a b", "n": 1}}))
    assert made.argv == (file, "--user", "a b", "--n", "1")
    with pytest.raises(InvalidInput, match="arguments must be a list or a map"):
        order(ScriptConfigurator(file), task(inputs={"arguments": "a"}))


def test_what_it_prints_is_its_result(task: Any) -> None:
    printed = '{"url": "u", "id": 7, "status": "degraded", "modified": true, "attributes": {"free": 1}}'
    one = task(outputs={"id": ["SELF", "id"]}, attributes=frozenset({"url"}))
    result, _ = carry_out(CommandConfigurator("x"), one, Outcome(ok=True, rc=0, stdout=printed))
    assert (result.outputs, result.attributes) == ({"id": 7}, {"url": "u", "free": 1})
    assert (result.status, result.modified) == (Status.DEGRADED, True)


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ('{"status": "Error"}', "it printed the status 'Error'"),
        ('{"status": "down"}', "it printed the status 'down'"),
        ('{"status": 404}', "it printed the status 404"),
        ('{"status": true}', "it printed the status True"),
        ('{"modified": "no"}', "it printed that modified is 'no'"),
        ('{"modified": 0}', "it printed that modified is 0"),
    ],
)
@pytest.mark.parametrize("name", ["create", "check"])
def test_what_says_nothing_is_no_success(task: Any, printed: str, said: str, name: str) -> None:
    result, _ = carry_out(CommandConfigurator("x"), task(name), Outcome(ok=True, rc=0, stdout=printed))
    assert (result.success, result.status, result.modified) == (False, None, None)
    assert result.error.startswith(said)


@pytest.mark.parametrize("printed", ['{"status": "UP", "modified": "today"}', '{"status": {"phase": "up"}}'])
def test_data_of_these_names_is_data(task: Any, printed: str) -> None:
    one = task(outputs={"modified": ["SELF", "modified"]}, attributes=frozenset({"status"}))
    result, _ = carry_out(CommandConfigurator("x"), one, Outcome(ok=True, rc=0, stdout=printed))
    assert (result.success, result.status, result.modified) == (True, None, None)
    assert result.attributes["status"] == json.loads(printed)["status"]


@pytest.mark.parametrize("printed", ['{"status": "hunter2"}', '{"status": 4711}', '{"modified": "hunter2"}'])
def test_what_may_not_be_shown_is_not_shown_where_it_says_nothing(task: Any, printed: str) -> None:
    outcome = Outcome(ok=True, rc=0, stdout=printed, hidden={"stdout": printed})
    result, _ = carry_out(CommandConfigurator("x"), task(), outcome)
    assert not result.success
    assert "hunter2" not in result.error
    assert "4711" not in result.error


def test_what_a_failed_command_printed_does_not_hide_why_it_failed(task: Any) -> None:
    outcome = Outcome(ok=False, rc=1, error="exit code 1", stdout='{"status": "down", "modified": "no"}')
    result, _ = carry_out(CommandConfigurator("x"), task(), outcome)
    assert (result.error, result.status, result.modified) == ("exit code 1", None, None)


@pytest.mark.parametrize(
    ("stdout", "read"),
    [
        ('{"port": \n[... 7 bytes cut ...]\n80}', False),
        ('{"line": 1}\n[... 7 bytes cut ...]\n{"port": 80}', True),
        ('{"line": 1}\n[... 7 bytes cut ...]\n{"stdout": 80}', True),
        ("text\n[... 7 bytes cut ...]\ntext", True),
    ],
    ids=["an object", "lines of objects", "its stdout is a number", "text"],
)
def test_an_object_that_is_too_long_to_be_read_is_no_success(task: Any, stdout: str, read: bool) -> None:
    result, _ = carry_out(CommandConfigurator("true"), task(), Outcome(ok=True, rc=0, stdout=stdout, cut=7))
    assert (result.success, result.modified) == (read, None)
    assert read or "7 bytes too long to be read" in result.error


@pytest.mark.parametrize("rc,modified", [(1, None), (126, False), (127, False), (None, None)])
def test_a_command_that_was_not_found_modified_nothing(task: Any, rc: int | None, modified: bool | None) -> None:
    result, _ = carry_out(CommandConfigurator("x"), task(), Outcome(ok=False, rc=rc, error="no"))
    assert (result.success, result.modified) == (False, modified)
    assert result.error == "no"


#: implementation, inputs, host -> the command that templates see
RAN: dict[str, tuple[Any, dict[str, Any], Host, str]] = {
    "a text": (CommandConfigurator("echo 'a b'"), {}, Host(), "echo 'a b'"),
    "arguments": (CommandConfigurator("tool"), {"arguments": {"n": "a b"}}, Host(), "tool --n 'a b'"),
    "a list": (CommandConfigurator(""), {"command": ["echo", "a b"]}, Host(), "echo 'a b'"),
    "a script": (ScriptConfigurator("/s.sh"), {"arguments": ["a b"]}, Host(), "/bin/sh /s.sh 'a b'"),
    "on another host": (CommandConfigurator("echo"), {}, REMOTE, "echo"),
    "a script on another host": (ScriptConfigurator("/s.sh"), {"arguments": ["a b"]}, REMOTE, "/s.sh 'a b'"),
}


@pytest.mark.parametrize("configurator,inputs,host,ran", RAN.values(), ids=RAN)
def test_templates_see_what_ran(task: Any, configurator: Any, inputs: dict[str, Any], host: Host, ran: str) -> None:
    template = {"resultTemplate": lambda seen: {"attributes": {"cmd": seen["cmd"], "same": seen["result"]["cmd"]}}}
    result, _ = carry_out(configurator, task(inputs={**inputs, **template}, host=host), Outcome(ok=True, rc=0))
    assert result.attributes == {"cmd": ran, "same": ran}


@pytest.mark.parametrize(
    "configurator,inputs",
    [
        (CommandConfigurator("x"), {"arguments": {"p": mark_sensitive("s3cret")}}),
        (CommandConfigurator(""), {"command": mark_sensitive("x s3cret")}),
        (CommandConfigurator(mark_sensitive("x s3cret")), {}),
        (ScriptConfigurator("/s.sh"), {"arguments": ["x", mark_sensitive("s3cret")]}),
    ],
    ids=["arguments", "command", "text", "script"],
)
def test_a_command_with_a_secret_is_one(task: Any, configurator: Any, inputs: dict[str, Any]) -> None:
    template = {"resultTemplate": lambda seen: {"attributes": {"cmd": seen["cmd"]}}}
    result, _ = carry_out(configurator, task(inputs={**inputs, **template}), Outcome(ok=True, rc=0))
    assert isinstance(result.attributes["cmd"], SensitiveStr)


def test_a_command_without_a_shell_that_has_no_words_is_an_error(task: Any) -> None:
    with pytest.raises(InvalidInput, match="cannot be taken apart"):
        CommandConfigurator("tool 'x").render(task(inputs={"shell": False}))
