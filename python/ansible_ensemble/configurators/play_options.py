"""What Unfurl's Ansible configurator is told beside its playbook: inventory, options, keys of results to keep."""

from __future__ import annotations

import json
import shlex
from argparse import ArgumentError, ArgumentParser
from collections.abc import Iterator
from typing import Any

from ansible_ensemble.configurators.protocol import Task
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import reveal
from ansible_ensemble.documents.atomic import write_atomically

#: The inputs that are no variables of a play, unless the operation declares them.
OPTION_INPUTS = frozenset({"inventory", "playbookArgs", "resultKeys"})
_INVENTORY = "inventory.yml"
#: What tasks return that templates see by the names that a command's result has.
_RETURNED = ("stdout", "stderr", "msg", "rc")


def option(task: Task, name: str) -> Any:
    """One of `OPTION_INPUTS`; None where it is missing, or a variable that the operation declares."""
    is_own = name in task.inputs and name not in task.operation.input_definitions
    return task.inputs[name] if is_own else None


def inventory_of(task: Task) -> str | None:
    """The path of the inventory that the play has in place of the job's; one that is written inline becomes a file.

    Raises:
        InvalidInput: it is neither a file of the project nor a map.
    """
    given = option(task, "inventory")
    if not given:
        return None
    if isinstance(given, str) and "\n" not in given:
        return str(task.evaluate({"eval": {"abspath": [given, "src"]}}))
    if not isinstance(given, dict | str):
        raise InvalidInput("the input inventory must be a file or a map", task.operation.place)
    file = task.folder / _INVENTORY
    text = given if isinstance(given, str) else json.dumps(reveal(given), default=str)
    write_atomically(file, str(reveal(text)), mode=0o600)
    return str(file)


def keys_of(task: Task) -> tuple[str, ...]:
    """The keys of its tasks' results that templates of the operation's result see.

    Raises:
        InvalidInput: the input resultKeys is no list of names.
    """
    given = option(task, "resultKeys")
    names = [given] if isinstance(given, str) else given or []
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise InvalidInput("the input resultKeys must be a list of names", task.operation.place)
    return (*_RETURNED, *map(str, names))


def options_of(task: Task) -> dict[str, Any]:
    """The options of `ansible-playbook` in the input `playbookArgs`, by the names that Ansible has for them.

    Raises:
        InvalidInput: it is no list of words, or one of them is no option that a play in a job can have.
    """
    given = option(task, "playbookArgs")
    words = given if isinstance(given, list | tuple) else [given] if given else []
    try:
        found, left = _parser().parse_known_args([word for one in words for word in _words(reveal(one))])
    except (ArgumentError, ValueError) as error:  # or a quote without its end
        raise InvalidInput(f"the input playbookArgs: {error}", task.operation.place) from None
    if left:
        message = f'the input playbookArgs has "{left[0]}", which a play in a job cannot have'
        known = ", ".join(action.option_strings[-1] for action in _parser()._actions)
        raise InvalidInput(message, task.operation.place, f"it takes {known}; others are options of the job")
    return {name: value for name, value in vars(found).items() if value is not None and name != "verbosity"}


def _words(argument: Any) -> Iterator[str]:
    """An argument as it stands in a list; one that holds an option and its value is taken apart."""
    text = str(argument)
    yield from shlex.split(text) if text.startswith("-") and " " in text else [text]


def _parser() -> ArgumentParser:
    parser = ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("-e", "--extra-vars", dest="extra_vars", action="append")
    parser.add_argument("-t", "--tags", action="append")
    parser.add_argument("--skip-tags", action="append")
    parser.add_argument("--start-at-task")
    parser.add_argument("-b", "--become", action="store_true", default=None)
    parser.add_argument("--become-method")
    parser.add_argument("--become-user")
    parser.add_argument("-u", "--user", dest="remote_user")
    parser.add_argument("-v", "--verbose", dest="verbosity", action="count")
    return parser
