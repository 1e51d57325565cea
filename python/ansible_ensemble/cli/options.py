"""The options that commands share, and the job options that they give."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible_ensemble.cli.console import Console
from ansible_ensemble.cli.parser import PassOn
from ansible_ensemble.core.errors import UsageError
from ansible_ensemble.core.option import Option
from ansible_ensemble.ensembles.options import OPTIONS, JobOptions

APPROVE = "ANSIBLE_ENSEMBLE_APPROVE"
SKIP_UPSTREAM_CHECK = "ANSIBLE_ENSEMBLE_SKIP_UPSTREAM_CHECK"

#: Arguments before the words of a command, which the parser itself takes.
_WORDS = "--"

#: Formats of what a command tells.
FORMATS: tuple[str, ...] = ("text", "json")

ENSEMBLE = "an ensemble.yaml, its folder, or a TOSCA service template"
ENSEMBLE_OR_PLAN = "an ensemble.yaml, its folder, a TOSCA service template, or a saved plan"


def add_ensemble(parser: argparse.ArgumentParser, help_text: str = ENSEMBLE) -> None:
    """Add the positional argument ENSEMBLE."""
    parser.add_argument("ensemble", metavar="ENSEMBLE", nargs="?", default=".", help=f"{help_text} (default: here)")


def add_ensemble_option(parser: argparse.ArgumentParser) -> None:
    """Add `--ensemble`, for commands whose arguments are other names."""
    parser.add_argument("--ensemble", metavar="PATH", default=".", help="the ensemble (default: the one here)")


def add_mesh(parser: argparse.ArgumentParser) -> None:
    """Add `--mesh`."""
    parser.add_argument(
        "--mesh", metavar="SOCKET", required=True, help="the socket of the control service of a Receptor node here"
    )


def add_common(parser: argparse.ArgumentParser, formats: Sequence[str] = FORMATS) -> None:
    """Add the options of every command."""
    under = group(parser, "output")
    under.add_argument(
        "-v",
        "--verbose",
        action="count",
        default=0,
        help="show more; -vv also shows what operations wait for, and Ansible's output; -vvv also the log",
    )
    under.add_argument(
        "--log-file",
        metavar="FILE",
        default=None,
        help="write a log of checks and decisions to this file (also $ANSIBLE_ENSEMBLE_LOG)",
    )
    under.add_argument("--output", choices=formats, default="text", help="output format (default: text)")
    under.add_argument("--no-color", dest="no_colour", action="store_true", default=False, help="disable colours")


def add_job(parser: argparse.ArgumentParser, command: str, formats: Sequence[str] = FORMATS) -> None:
    """Add the options of a command that runs a job."""
    add_values(parser)
    add_options(parser, command)
    add_ansible(parser)
    add_common(parser, formats)
    group(parser, "output").add_argument(
        "--query",
        metavar="EXPRESSION",
        dest="queries",
        action="append",
        default=[],
        help="show the value of this expression after the job; may be repeated",
    )
    group(parser, "output").add_argument(
        "--junit", metavar="FILE", help="write the job's operations and drift to this file, as JUnit's XML"
    )


def add_job_of_names(parser: argparse.ArgumentParser, command: str) -> None:
    """Add the options of a command that runs a job, and whose arguments are other names than the ensemble's."""
    add_ensemble_option(parser)
    add_approval(parser)
    add_job(parser, command)


def add_options(parser: argparse.ArgumentParser, command: str) -> None:
    """Add the job options that a command takes, by the table, and what belongs to them."""
    for one in OPTIONS:
        if command in one.commands and one.flags != (_WORDS,):
            _add(group(parser, one.heading), one)
            if one.name == "vault_ids":
                group(parser, one.heading).add_argument(
                    "-J", "--ask-vault-pass", action="store_true", default=False, help="ask for the vault password"
                )


def add_declared(parser: argparse.ArgumentParser, declared: Iterable[Option]) -> None:
    """Add options by their declarations."""
    for one in declared:
        _add(group(parser, one.heading), one)


def given(arguments: argparse.Namespace, declared: Iterable[Option]) -> dict[str, Any]:
    """The options that the user gave, of those that are declared."""
    return {one.name: getattr(arguments, one.name) for one in declared if hasattr(arguments, one.name)}


def group(parser: argparse.ArgumentParser, heading: str) -> argparse._ArgumentGroup:
    """The group of this heading, which is made where there is none."""
    found = [one for one in parser._action_groups if one.title == heading]
    return found[0] if found else parser.add_argument_group(heading)


def _add(under: argparse._ArgumentGroup, one: Option) -> None:
    """Add an option by its declaration."""
    keywords: dict[str, Any] = {"dest": one.name, "help": _help(one)}
    if one.kind == "bool":
        keywords["action"] = "store_false" if one.default else "store_true"
    elif one.kind == "list[str]":
        keywords |= {"metavar": one.metavar, "action": "append"}
    else:
        keywords |= {"metavar": one.metavar, "choices": one.choices or None, "type": _TYPES[one.kind]}
    under.add_argument(*one.flags, **keywords)


def _help(one: Option) -> str:
    text = (one.flag_help or _inside(one.help)).replace("`", "")
    if one.kind == "list[str]":
        return f"{text} (may be repeated)"
    known = one.otherwise or (f"{one.default:g}" if one.kind == "float" else one.default if one.choices else "")
    return f"{text} (default: {known})" if known else text


def _inside(sentence: str) -> str:
    """A sentence without its capital letter, unless that begins an acronym."""
    return sentence if sentence[1:2].isupper() else sentence[:1].lower() + sentence[1:]


def add_values(parser: argparse.ArgumentParser) -> None:
    """Add the options that give inputs and variables."""
    under = group(parser, "inputs and variables")
    under.add_argument("--input", metavar="NAME=VALUE", dest="input", action="append", help="set a topology input")
    under.add_argument("--inputs", metavar="FILE", dest="input_files", action="append", help="inputs from a YAML file")
    under.add_argument("--var", metavar=("NAME", "VALUE"), nargs=2, dest="var", action="append", help="set a variable")
    under.add_argument(
        "-e", "--extra-vars", metavar="VARS", dest="extra_vars", action="append",
        help="variables as key=value, YAML or @file, as in Ansible",
    )  # fmt: skip


def add_approval(parser: argparse.ArgumentParser) -> None:
    """Add `--approve`."""
    parser.add_argument(
        "-a", "-y", "--approve", action="store_true", default=False, help=f"do not ask for approval (also ${APPROVE}=1)"
    )


def add_ansible(parser: argparse.ArgumentParser) -> None:
    """Add the options that are passed on to ansible-playbook."""
    under = group(parser, "passed on to Ansible")
    under.add_argument("-u", "--user", metavar="NAME", action=PassOn, help="connect as this user")
    under.add_argument("-c", "--connection", metavar="TYPE", action=PassOn, help="connection type")
    under.add_argument("--private-key", "--key-file", metavar="FILE", action=PassOn, help="private key file")
    under.add_argument("-T", "--timeout", metavar="SECONDS", action=PassOn, help="timeout of the connection")
    under.add_argument("--ssh-common-args", metavar="ARGS", action=PassOn, help="arguments for ssh")
    under.add_argument("-b", "--become", nargs=0, action=PassOn, help="become another user")
    under.add_argument("--become-method", metavar="NAME", action=PassOn, help="how to become it")
    under.add_argument("--become-user", metavar="NAME", action=PassOn, help="which user to become")
    under.add_argument("-k", "--ask-pass", action="store_true", default=False, help="ask for the connection password")
    under.add_argument(
        "-K", "--ask-become-pass", action="store_true", default=False, help="ask for the become password"
    )


def job_options(arguments: argparse.Namespace, environment: Mapping[str, str]) -> dict[str, Any]:
    """The job options that the user gave by arguments or environment variables, by their names in `JobOptions`."""
    options = given(arguments, (one for one in OPTIONS if one.flags))
    if any(hasattr(arguments, name) for name in ("input", "input_files", "var", "extra_vars")):
        from ansible_ensemble.cli.values import inputs_of, variables_of

        vault = JobOptions(
            vault_ids=options.get("vault_ids", []), vault_password_file=options.get("vault_password_file")
        ).open_vault()
        inputs = inputs_of(getattr(arguments, "input_files", []), getattr(arguments, "input", []), vault)
        variables = variables_of(getattr(arguments, "extra_vars", []), getattr(arguments, "var", []), vault)
        options.update({name: values for name, values in (("inputs", inputs), ("variables", variables)) if values})
    if "service_template" in options:
        options["service_template"] = _beside(arguments.ensemble, options["service_template"])
    if is_true(environment.get(SKIP_UPSTREAM_CHECK)):
        options["skip_upstream_check"] = True
    return options


def _beside(ensemble: str, file: str) -> str:
    """The path of a file as the ensemble names it: relative to its folder."""
    from ansible_ensemble.ensembles.location import locate

    folder = Path(ensemble).parent if is_plan_file(ensemble) else locate(ensemble).ensemble.parent
    return os.path.relpath(file, folder)


def ansible_options(arguments: argparse.Namespace) -> list[str]:
    """The options to pass on to ansible-playbook."""
    passed = list(getattr(arguments, "ansible", []))
    for option, name in (("--inventory", "inventory"), ("--extra-vars", "extra_vars"), ("--vault-id", "vault_ids")):
        for value in getattr(arguments, name, []):
            passed += [option, value]
    if hasattr(arguments, "vault_password_file"):
        passed += ["--vault-password-file", arguments.vault_password_file]
    passed += [option for option, name in (("--check", "check"), ("--diff", "diff")) if getattr(arguments, name, False)]
    return passed


def is_true(text: str | None) -> bool:
    """Whether an environment variable is true."""
    return text is not None and text.lower() in ("1", "true", "yes", "on")


def is_approved(arguments: argparse.Namespace, console: Console) -> bool:
    """Whether the user agreed beforehand, by option or by environment variable."""
    return getattr(arguments, "approve", False) or is_true(console.environment.get(APPROVE))


def is_plan_file(path: str) -> bool:
    """Whether the path is a saved plan's."""
    from ansible_ensemble.records.saved_plans import is_plan_file

    return is_plan_file(Path(path))


def positive(text: str) -> int:
    """The number of an option that counts something; a type for argparse."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f'"{text}" is not a number of at least 1')
    return number


def seconds(text: str) -> float:
    """Seconds; `90`, `1.5`, `30s`, `3m` and `1h` are understood."""
    units = {"s": 1.0, "m": 60.0, "h": 3600.0}
    number, unit = (text[:-1], units[text[-1]]) if text[-1:] in units else (text, 1.0)
    try:
        found = float(number) * unit
    except ValueError:
        found = -1.0
    if not 0 <= found < float("inf"):
        raise UsageError(f'"{text}" is not a duration', hint="give seconds, or for instance 30s, 3m, 1h")
    return found


_TYPES: dict[str, Callable[[str], Any]] = {"str": str, "int": positive, "float": seconds}
