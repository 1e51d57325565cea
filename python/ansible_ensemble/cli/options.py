"""The options that commands share, and the job options that they give."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible_ensemble.cli.console import Console
from ansible_ensemble.cli.parser import PassOn
from ansible_ensemble.core.errors import UsageError

APPROVE = "ANSIBLE_ENSEMBLE_APPROVE"
SKIP_UPSTREAM_CHECK = "ANSIBLE_ENSEMBLE_SKIP_UPSTREAM_CHECK"

ENSEMBLE = "an ensemble.yaml, its folder, or a TOSCA service template"
ENSEMBLE_OR_PLAN = "an ensemble.yaml, its folder, a TOSCA service template, or a saved plan"

#: Names of options that go to the job as they are; the parser stores them under the names of `JobOptions`.
_JOB_OPTIONS = (
    "instances",
    "templates",
    "force",
    "repair",
    "change_detection",
    "skip_new",
    "check_first",
    "upgrade",
    "prune",
    "replace",
    "destroy_unmanaged",
    "operation",
    "command",
    "host",
    "module",
    "save",
    "environment",
    "jobs",
    "jobs_per_host",
    "fail_fast",
    "fast",
    "stock_modules",
    "check",
    "diff",
    "commit",
    "push",
    "message",
    "dirty",
    "lock_timeout",
    "skip_upstream_check",
    "locked",
    "vault_ids",
    "vault_password_file",
    "inventory",
    "grace",
)


def add_ensemble(parser: argparse.ArgumentParser, help_text: str = ENSEMBLE) -> None:
    """Add the positional argument ENSEMBLE."""
    parser.add_argument("ensemble", metavar="ENSEMBLE", nargs="?", default=".", help=f"{help_text} (default: here)")


def add_ensemble_option(parser: argparse.ArgumentParser) -> None:
    """Add `--ensemble`, for commands whose arguments are other names."""
    parser.add_argument("--ensemble", metavar="PATH", default=".", help="the ensemble (default: the one here)")


def add_common(parser: argparse.ArgumentParser, formats: Sequence[str] = ("text", "json")) -> None:
    """Add the options of every command."""
    group = parser.add_argument_group("output")
    group.add_argument(
        "-v",
        "--verbose",
        action="count",
        default=0,
        help="tell more; -vv also what waits for what, and Ansible's output",
    )
    group.add_argument("--output", choices=formats, default="text", help="form of the result (default: text)")
    group.add_argument("--no-color", dest="no_colour", action="store_true", default=False, help="use no colour")


def add_job(parser: argparse.ArgumentParser, formats: Sequence[str] = ("text", "json")) -> None:
    """Add the options of every command that runs a job."""
    add_values(parser)
    add_execution(parser)
    add_environment(parser)
    add_common(parser, formats)


def add_job_of_names(parser: argparse.ArgumentParser) -> None:
    """Add the options of a command that runs a job, and whose arguments are other names than the ensemble's."""
    add_ensemble_option(parser)
    add_approval(parser)
    add_job(parser)


def add_environment(parser: argparse.ArgumentParser) -> None:
    """Add the options that decide how an ensemble is read."""
    group = parser.add_argument_group("reading the ensemble")
    group.add_argument("--environment", metavar="NAME", help="environment of the project to use")
    group.add_argument("--skip-upstream-check", action="store_true", help="do not ask git remotes for changes")
    add_vault(group)


def add_vault(group: argparse._ArgumentGroup) -> None:
    """Add Ansible's options about vaults."""
    group.add_argument("--vault-id", metavar="ID", dest="vault_ids", action="append", help="vault id, as in Ansible")
    group.add_argument(
        "--vault-password-file", "--vault-pass-file", metavar="FILE", help="file with the vault password"
    )
    group.add_argument("-J", "--ask-vault-pass", action="store_true", default=False, help="ask for the vault password")


def add_values(parser: argparse.ArgumentParser) -> None:
    """Add the options that give inputs and variables."""
    group = parser.add_argument_group("inputs and variables")
    group.add_argument("--input", metavar="NAME=VALUE", dest="input", action="append", help="set a topology input")
    group.add_argument("--inputs", metavar="FILE", dest="input_files", action="append", help="inputs from a YAML file")
    group.add_argument("--var", metavar=("NAME", "VALUE"), nargs=2, dest="var", action="append", help="set a variable")
    group.add_argument(
        "-e", "--extra-vars", metavar="VARS", dest="extra_vars", action="append",
        help="variables as key=value, YAML or @file, as in Ansible",
    )  # fmt: skip


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which instances a job is about."""
    group = parser.add_argument_group("which instances")
    group.add_argument(
        "--instance",
        metavar="NAME",
        dest="instances",
        action="append",
        help="only this instance (may be repeated)",
    )
    group.add_argument(
        "-l", "--limit", metavar="NAMES", dest="limit", action="append", help="the same, NAMES joined by commas"
    )
    group.add_argument(
        "--template", metavar="NAME", dest="templates", action="append", help="only instances of this template"
    )


def add_deploy_rules(parser: argparse.ArgumentParser) -> None:
    """Add the options that decide what a deploy does."""
    group = parser.add_argument_group("what is done")
    group.add_argument("--repair", choices=("error", "degraded", "none"), help="what to repair (default: error)")
    group.add_argument(
        "--change-detection",
        choices=("evaluate", "always", "skip"),
        help="how to find what changed (default: evaluate)",
    )
    group.add_argument("--skip-new", action="store_true", help="make no instances of new templates")
    group.add_argument("--prune", action="store_true", help="delete what left the specification")
    group.add_argument("--upgrade", action="store_true", help="take over new major versions")
    group.add_argument("--replace", metavar="NAME", action="append", help="delete this instance and create it anew")
    group.add_argument("--check-first", action="store_true", help="check whether an instance exists before creating it")
    add_force(group)
    add_destroy_unmanaged(group)


def add_force(group: argparse._ActionsContainer) -> None:
    """Add `--force`."""
    group.add_argument("--force", action="store_true", help="run operations whatever the status is")


def add_destroy_unmanaged(group: argparse._ActionsContainer) -> None:
    """Add `--destroyunmanaged`."""
    group.add_argument(
        "--destroyunmanaged", "--destroy-unmanaged", dest="destroy_unmanaged", action="store_true",
        help="also delete what this ensemble did not create",
    )  # fmt: skip


def add_approval(parser: argparse.ArgumentParser) -> None:
    """Add `--approve`."""
    parser.add_argument(
        "-a", "-y", "--approve", action="store_true", default=False, help=f"do not ask for approval (also ${APPROVE}=1)"
    )


def add_execution(parser: argparse.ArgumentParser) -> None:
    """Add the options of running and recording a job."""
    group = parser.add_argument_group("how it runs")
    group.add_argument("-C", "--check", "--dryrun", action="store_true", help="dry run: change nothing, as in Ansible")
    group.add_argument("-D", "--diff", action="store_true", help="show what modules change, as in Ansible")
    group.add_argument(
        "--jobs", metavar="N", type=positive, help="run N operations side by side (default: two for each core, or 4)"
    )
    group.add_argument(
        "--jobs-per-host", metavar="N", type=positive, help="run up to N of them on one host (default: no limit)"
    )
    group.add_argument("--fail-fast", action="store_true", help="start nothing new after a failure")
    group.add_argument(
        "--no-fast-modules", dest="fast", action="store_false", help="run every module as Ansible itself does"
    )
    group.add_argument(
        "--stock-module",
        metavar="NAME",
        dest="stock_modules",
        action="append",
        help="run this module as Ansible itself does (may be repeated)",
    )
    group.add_argument("--lock-timeout", metavar="SECONDS", type=_seconds, help="wait for the lock (default: 0)")
    group.add_argument(
        "--grace",
        metavar="SECONDS",
        type=_seconds,
        help="time that operations get to end on interruption (default: 30s)",
    )
    group = parser.add_argument_group("git")
    group.add_argument("--commit", action="store_true", help="commit what the job changed")
    group.add_argument("--push", action="store_true", help="push the commit")
    group.add_argument("-m", "--message", metavar="TEXT", help="message of the commit")
    group.add_argument(
        "--dirty", choices=("abort", "ok", "auto"), help="what to do about uncommitted changes (default: auto)"
    )
    group.add_argument("--locked", action="store_true", help="refuse other versions than the lock section records")
    add_ansible(parser)


def add_ansible(parser: argparse.ArgumentParser) -> None:
    """Add the options that are passed on to ansible-playbook."""
    group = parser.add_argument_group("passed on to Ansible")
    group.add_argument("-i", "--inventory", metavar="SOURCE", dest="inventory", action="append", help="inventory")
    group.add_argument("-u", "--user", metavar="NAME", action=PassOn, help="connect as this user")
    group.add_argument("-c", "--connection", metavar="TYPE", action=PassOn, help="connection type")
    group.add_argument("--private-key", "--key-file", metavar="FILE", action=PassOn, help="key of the connection")
    group.add_argument("-T", "--timeout", metavar="SECONDS", action=PassOn, help="timeout of the connection")
    group.add_argument("--ssh-common-args", metavar="ARGS", action=PassOn, help="arguments of ssh")
    group.add_argument("-b", "--become", nargs=0, action=PassOn, help="become another user")
    group.add_argument("--become-method", metavar="NAME", action=PassOn, help="how to become it")
    group.add_argument("--become-user", metavar="NAME", action=PassOn, help="which user to become")
    group.add_argument("-k", "--ask-pass", action="store_true", default=False, help="ask for the connection password")
    group.add_argument(
        "-K", "--ask-become-pass", action="store_true", default=False, help="ask for the become password"
    )


def job_options(arguments: argparse.Namespace, environment: Mapping[str, str]) -> dict[str, Any]:
    """The job options that the user gave, by their names in `JobOptions`.

    Args:
        arguments: what the parser made.
        environment: the environment variables.

    Raises:
        UsageError: an option has no value of its kind.
        InvalidInput: a file of values cannot be read.
    """
    options = {name: getattr(arguments, name) for name in _JOB_OPTIONS if hasattr(arguments, name)}
    limits = [name for limit in getattr(arguments, "limit", []) for name in limit.replace(":", ",").split(",") if name]
    if limits:
        options["instances"] = [*options.get("instances", []), *limits]
    if any(hasattr(arguments, name) for name in ("input", "input_files", "var", "extra_vars")):
        from ansible_ensemble.cli.values import inputs_of, variables_of
        from ansible_ensemble.ensembles.options import JobOptions

        vault = JobOptions(
            vault_ids=options.get("vault_ids", []), vault_password_file=options.get("vault_password_file")
        ).open_vault()
        inputs = inputs_of(getattr(arguments, "input_files", []), getattr(arguments, "input", []), vault)
        variables = variables_of(getattr(arguments, "extra_vars", []), getattr(arguments, "var", []), vault)
        options.update({name: values for name, values in (("inputs", inputs), ("variables", variables)) if values})
    if is_true(environment.get(SKIP_UPSTREAM_CHECK)):
        options["skip_upstream_check"] = True
    return options


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
    """Whether an environment variable says yes."""
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


def _seconds(text: str) -> float:
    """Seconds; `90`, `1.5`, `30s`, `3m` and `1h` are understood.

    Raises:
        UsageError: the text is nothing of the kind.
    """
    units = {"s": 1.0, "m": 60.0, "h": 3600.0}
    number, unit = (text[:-1], units[text[-1]]) if text[-1:] in units else (text, 1.0)
    try:
        seconds = float(number) * unit
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise UsageError(f'"{text}" is no time', hint="write seconds, or as in 30s, 3m, 1h")
    return seconds
