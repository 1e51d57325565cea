"""Shell commands and scripts: local ones without Ansible, those for another host by Ansible's own modules."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, cast

from msgspec.structs import replace

from ansible_ensemble.configurators.base import BaseConfigurator
from ansible_ensemble.configurators.environment import as_text, implementation_environment
from ansible_ensemble.configurators.keywords import BY_ANSIBLE
from ansible_ensemble.configurators.looks import as_other
from ansible_ensemble.configurators.play import task_keywords
from ansible_ensemble.configurators.protocol import Result, Steps, Task
from ansible_ensemble.configurators.results import (
    RESERVED_INPUTS,
    as_map,
    as_values,
    check_words,
    returned,
    spoil,
    to_result,
)
from ansible_ensemble.core.environment import Changes, with_changes
from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.core.orders import Command, ModuleCall, Order, Outcome
from ansible_ensemble.core.regex import regex
from ansible_ensemble.core.sensitive import is_sensitive, mark_sensitive, reveal
from ansible_ensemble.documents.scalars import as_written, is_written
from ansible_ensemble.language.playbook_keywords import CONNECTION, TASK_KEYS

#: Task keywords that hold for the files as they do for the command.
_REACH = CONNECTION | {"delegate_to"}


def run_with_files(task: Task, call: ModuleCall) -> Generator[ModuleCall, Outcome, Outcome]:
    """Call a command's module in a folder of the host with the task's files; the outcome may be of what copies them."""
    made = yield as_other(call, "ansible.builtin.tempfile", {"state": "directory", "suffix": ".ensemble"}, _REACH)
    if not made.ok:
        return _failed(made)
    folder = str(made.result["path"])
    for file in task.files:
        copied = yield as_other(
            call, "ansible.builtin.copy", {"src": str(file), "dest": f"{folder}/", "mode": "preserve"}, _REACH
        )
        if not copied.ok:
            outcome = _failed(copied)
            break
    else:
        chdir = str(PurePosixPath(folder, call.args.get("chdir", "")))
        outcome = yield replace(call, args={**call.args, "chdir": chdir})
    yield as_other(call, "ansible.builtin.file", {"path": folder, "state": "absent"}, _REACH)
    return outcome


def _failed(outcome: Outcome) -> Outcome:
    """The command has not run, as one that cannot be started, and so has changed nothing."""
    return replace(outcome, changed=False, rc=126, error=f"its files could not be copied to the host: {outcome.error}")


#: One command with its words: what the shell does with others depends on how they end.
_SIMPLE = regex(r"([\w.+/-]+)(?:[ \t][^|;&<>$`(){}\n\\]*)?\s*")
#: Words that a shell knows itself [POSIX, "Shell Command Language"].
_OF_SHELL = frozenset(
    {".", ":", "alias", "bg", "break", "cd", "command", "continue", "eval", "exec", "exit", "export", "false", "fg"}
    | {"getopts", "hash", "jobs", "kill", "local", "printf", "pwd", "read", "readonly", "return", "set", "shift"}
    | {"source", "test", "time", "times", "trap", "true", "type", "ulimit", "umask", "unalias", "unset", "wait"}
    | {"if", "for", "while", "until", "case", "echo", "function"}
)


def program_fault(
    task: Task, argv: Sequence[str], shell: str | None, environment: Mapping[str, str | None]
) -> InvalidInput | None:
    """The error for a command whose program is not there; None if it is, or may be once the command runs."""
    if not task.plans_on_controller or shell not in (None, "/bin/sh", "/bin/bash", "sh", "bash"):
        return None
    found = _SIMPLE.fullmatch(argv[0].strip()) if shell is not None else None
    program = argv[0] if shell is None else found[1] if found is not None else ""
    if not program or (shell is not None and program in _OF_SHELL) or "=" in program:
        return None
    path = environment.get("PATH") or os.environ.get("PATH") or os.defpath
    relative = "/" in program and not program.startswith("/")
    where = str(task.directory / program) if relative else program
    if shutil.which(where, path=path) or Path(where).exists():
        return None
    if task.may_be_made([task.directory / program]) or task.may_be_installed():
        return None
    message = f"there is no program {program} for {task.operation.full_name}"
    return InvalidInput(message, task.operation.place, "install it, or correct its name")


_INTERPRETERS = {".py": sys.executable, ".sh": "/bin/sh", ".bash": "bash", ".pl": "perl", ".rb": "ruby"}
_PLACEHOLDER = "%dryrun%"
_PARTS = ("arguments", "dryrun")  #: inputs that are a part of the command
_OWN_INPUTS = RESERVED_INPUTS | {"command", "cmd", "cwd", "shell", "input", "arguments", "keeplines"}


class CommandConfigurator(BaseConfigurator):
    """Runs a shell command: the implementation's text, or the input `command` (a string or a list).

    Inputs are environment variables of the command [TOSCA 1.3, 5.8.4.3], and `inputs.name` in its templates. What it
    prints as a JSON object names outputs and attributes; `status` in it sets the status. Further inputs: `cwd`,
    `input` (standard input), `shell` (path of the shell; false: none, the words are the program and its arguments),
    `keeplines` (false: lines are joined), `arguments` (a map, appended as --name value), `dryrun`
    (check mode replaces `%dryrun%` by it, or appends it; true: the command is harmless as it is).
    """

    name = "command"
    on_host = True
    keys = TASK_KEYS

    def can_dry_run(self, task: Task) -> bool:
        """Only with an input `dryrun`: what a shell command does cannot be predicted."""
        return bool(task.inputs.get("dryrun"))

    def render(self, task: Task) -> None:
        """Evaluate the command and its environment."""
        super().render(task)
        argv, shell = self._argv(task)
        fault = program_fault(task, argv, shell, environment_of(task))
        if fault is not None:
            raise fault

    def run(self, task: Task) -> Steps:
        """Run the command."""
        argv, shell = self._argv(task)
        # templates of the result see the command, and a secret in it has to stay sensitive
        secret = any(map(is_sensitive, (self._text(task), *(task.inputs.get(name) for name in _PARTS))))
        result = yield from run_argv(task, argv, shell, secret=secret)
        return result

    def _text(self, task: Task) -> Any:
        text = task.inputs.get("command", task.inputs.get("cmd"))
        return task.evaluate(self._target) if text is None else text

    def _argv(self, task: Task) -> tuple[tuple[str, ...], str | None]:
        text = self._text(task)
        word = _dryrun(task)
        if isinstance(text, (list, tuple)):
            parts = [_word(part) for part in text]
            if not parts or not parts[0].strip():
                raise InvalidInput("there is no command to run", task.operation.place)
            return tuple(_with_word(parts, word)), None
        text = _word(text)
        if task.inputs.get("keeplines", True) is False:
            text = " ".join(text.splitlines())
        if not text.strip():
            raise InvalidInput("there is no command to run", task.operation.place)
        for name, value in as_map(task.inputs.get("arguments"), "the input arguments must be", task).items():
            text += f" --{name} {_quote(value)}"
        if _PLACEHOLDER in text:
            text = text.replace(_PLACEHOLDER, word)
        elif word:
            text += f" {word}"
        shell = task.inputs.get("shell")
        if shell is False:
            return _words(text, task), None
        return (text,), shell if isinstance(shell, str) else "/bin/sh"


def _dryrun(task: Task) -> str:
    """What check mode adds to a command; empty in a real run."""
    word = task.inputs.get("dryrun") if task.check else None
    return "" if word is None or isinstance(word, bool) else _word(word)


def _with_word(parts: list[str], word: str) -> list[str]:
    if any(_PLACEHOLDER in part for part in parts):
        replaced = [part.replace(_PLACEHOLDER, word) for part in parts]
        return [new for new, old in zip(replaced, parts, strict=True) if new or old != _PLACEHOLDER]
    return [*parts, word] if word else parts


def _words(text: str, task: Task) -> tuple[str, ...]:
    """The words of a command that no shell reads."""
    from shlex import split

    try:
        return tuple(split(text))
    except ValueError as error:
        raise InvalidInput(f"the command cannot be taken apart: {error}", task.operation.place) from None


def _quote(value: Any) -> str:
    from shlex import quote

    return quote(_word(value))


def _word(value: Any) -> str:
    """A value as a word of a command; a number from a file is as it is written there."""
    return as_written(value if is_written(value) else reveal(value))


class ScriptConfigurator(BaseConfigurator):
    """Runs a script file; inputs are its environment variables, `arguments` (a list or a map) its arguments."""

    name = "script"
    on_host = True
    keys = TASK_KEYS

    def can_dry_run(self, task: Task) -> bool:
        """Only with an input `dryrun`, which is then its last argument (true: it is harmless as it is)."""
        return bool(task.inputs.get("dryrun"))

    def render(self, task: Task) -> None:
        """Evaluate its environment."""
        super().render(task)
        environment_of(task)

    def run(self, task: Task) -> Steps:
        """Run the script."""
        given = task.inputs.get("arguments") or []
        if not isinstance(given, (list, tuple, Mapping)):
            raise InvalidInput(f"the input arguments must be a list or a map, not {given!r}", task.operation.place)
        if isinstance(given, Mapping):  # as a command takes them
            given = [word for name, value in given.items() for word in (f"--{name}", value)]
        secret = is_sensitive(given)
        arguments = [_word(value) for value in given]
        if word := _dryrun(task):
            arguments.append(word)
        file = Path(self._target)
        interpreter = None if os.access(file, os.X_OK) else _INTERPRETERS.get(file.suffix)
        if is_local(task):
            words = (*filter(None, [interpreter]), str(file), *arguments)
            result = yield from run_argv(task, words, None, secret=secret)
            return result
        if task.inputs.get("input") is not None:
            raise InvalidInput("a script on another host gets no standard input", task.operation.place)
        # the interpreter of the other host, found by its PATH
        there = "python3" if interpreter == sys.executable else interpreter
        if task.files:
            words = (*filter(None, [there]), f"./{file.name}", *arguments)
            call = _module_call(task, "ansible.builtin.command", {"argv": list(words)})
            result = yield from run_order(task, call, _line(words, secret=secret))
            return result
        args: dict[str, Any] = {"cmd": " ".join(map(_quote, (file, *arguments)))}
        if there is not None:
            args["executable"] = there
        ran = _line((str(file), *arguments), secret=secret)
        result = yield from run_order(task, _module_call(task, "ansible.builtin.script", args), ran)
        return result


def environment_of(task: Task) -> Changes:
    """Environment of a command: the task's, its implementation's, and its inputs (other than text as JSON)."""
    environment = implementation_environment(task)
    for name in task.inputs:
        if name not in _OWN_INPUTS:
            environment[name] = as_text(task.inputs[name])
    return environment


def run_argv(task: Task, argv: tuple[str, ...], shell: str | None, *, secret: bool = False) -> Steps:
    """Run a command where the task runs, and make its result."""
    line = _line(argv, secret=secret, is_line=shell is not None)
    result = yield from run_order(task, _order(task, argv, shell), line)
    return result


def _line(argv: tuple[str, ...], *, secret: bool, is_line: bool = False) -> str:
    """A command as one writes it into a shell; sensitive if a part of it is."""
    text = argv[0] if is_line else " ".join(map(_quote, argv))
    return cast("str", mark_sensitive(text)) if secret else text


def run_order(task: Task, order: Order, line: str | None = None) -> Steps:
    """Carry out the order of a command or script, and make its result from what it printed."""
    if task.files and isinstance(order, ModuleCall):
        outcome = yield from run_with_files(task, order)
    else:
        outcome = yield order
    printed = outcome.stdout or str(returned(outcome).get("stdout", ""))
    try:
        values = as_values(printed)
        if outcome.hidden:
            values = {name: mark_sensitive(value) for name, value in values.items()}
        if outcome.ok and task.operation.interface != "run":
            check_words(task, values)
    except InvalidInput as error:
        spoiled = to_result(task, outcome, {"stdout": printed}, None)
        spoil(spoiled, error)
        return spoiled
    modified = values.get("modified")
    if not isinstance(modified, bool):
        modified = False if outcome.rc in (126, 127) else None
    result: Result = to_result(task, outcome, values, modified, line)
    printed = outcome.stdout.strip()
    if outcome.cut and result.success and printed.startswith("{") and values == {"stdout": printed}:
        text = f"it printed a JSON object that is {outcome.cut} bytes too long to be read"
        spoil(result, EnsembleError(text, hint="print less, or write it to a file and print the file's name"))
    return result


def is_local(task: Task) -> bool:
    """Whether the task's commands run on the controller as its user, and nothing else is asked of Ansible."""
    if task.host.name != "localhost":
        return False
    keywords = task_keywords(task)
    return not any(name in keywords for name in BY_ANSIBLE if name != "become") and not keywords.get("become")


def _order(task: Task, argv: tuple[str, ...], shell: str | None) -> Order:
    stdin = task.inputs.get("input")
    if is_local(task):
        cwd = task.inputs.get("cwd")
        return Command(
            argv=argv,
            shell=shell,
            cwd=str(task.directory / str(cwd)) if cwd else str(task.directory),
            environment=environment_of(task),
            stdin=None if stdin is None else as_text(stdin),
            timeout=task.timeout,
        )
    args: dict[str, Any] = {"argv": list(argv)} if shell is None else {"_raw_params": argv[0], "executable": shell}
    if stdin is not None:
        args["stdin"] = as_text(stdin)
    return _module_call(task, "ansible.builtin.command" if shell is None else "ansible.builtin.shell", args)


def _module_call(task: Task, module: str, args: dict[str, Any]) -> ModuleCall:
    cwd = task.inputs.get("cwd")
    return ModuleCall(
        module=module,
        args={**args, "chdir": str(cwd)} if cwd else args,
        host=task.host,
        keywords={**task_keywords(task), "environment": with_changes({}, environment_of(task))},
        timeout=task.timeout,
        diff=task.diff,
        fast=task.setting("fast", True) is not False,
        base=str(task.base),
    )
