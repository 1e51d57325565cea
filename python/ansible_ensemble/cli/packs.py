"""What commands about packs of content share: their arguments, and how they tell what they found."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible_ensemble.cli.console import Console
from ansible_ensemble.core.errors import InvalidInput

if TYPE_CHECKING:
    from ansible_ensemble.provision.client.settings import Settings
    from ansible_ensemble.provision.content.changes import Change
    from ansible_ensemble.provision.content.check import Checked

#: Exit code of `--detailed-exitcode` where something differs.
DIFFERS = 2
_SIGNS = {"added": "+", "changed": "~", "removed": "-"}


def add_pack(parser: argparse.ArgumentParser) -> None:
    """Add the arguments PACK and `--strict`."""
    help_text = "the folder of a pack, or a bundle file (default: here)"
    parser.add_argument("pack", metavar="PACK", nargs="?", default=".", help=help_text)
    parser.add_argument("--strict", action="store_true", default=False, help="take warnings for errors")


def add_detailed(parser: argparse.ArgumentParser) -> None:
    """Add `--detailed-exitcode`."""
    help_text = "exit with 2 if something differs"
    parser.add_argument("--detailed-exitcode", action="store_true", default=False, help=help_text)


def checked_pack(arguments: argparse.Namespace, server: Settings | None = None) -> Checked:
    """The pack that is named, checked among the objects of a server or those that are built in.

    Raises:
        RequestFailed: the server does not say what it holds.
    """
    from ansible_ensemble.provision.client.client import run
    from ansible_ensemble.provision.content.check import check, read_pack
    from ansible_ensemble.provision.content.decoding import decoded_meta
    from ansible_ensemble.provision.content.server import surroundings

    pack = read_pack(Path(arguments.pack))
    held = None
    if server:
        name = decoded_meta(pack.meta)[0].name
        keys = {(entry.section, entry.key) for entry in pack.entries}
        held = run(server, lambda client: surroundings(client, name, keys))
    checked = check(pack, held)
    if arguments.strict:
        checked.errors.extend(checked.warnings)
        checked.warnings.clear()
    return checked


def tell(console: Console, checked: Checked, done: str) -> int:
    """Tell what is wrong with a pack or, if nothing is, what was done with it; the exit code of the command."""
    console.answer(_findings(checked), lambda: _findings_text(checked, console, done))
    return InvalidInput.exit_code if checked.errors else 0


def tell_changes(
    console: Console, checked: Checked, changes: Sequence[Change], done: str, *, diff: bool, detailed: bool
) -> int:
    """Tell what loading a pack changes, and what was done; the exit code of the command."""
    document = {**_findings(checked), **_changes_document(changes, diff=diff)}
    console.answer(
        document, lambda: _findings_text(checked, console, done) + _changes_text(changes, console, diff=diff)
    )
    return DIFFERS if detailed and document["changed"] else 0


def _findings(checked: Checked) -> dict[str, Any]:
    """Warnings and errors as JSON."""
    return {
        "name": checked.bundle.meta.name,
        "valid": not checked.errors,
        "errors": [_finding(error) for error in checked.errors],
        "warnings": [_finding(warning) for warning in checked.warnings],
        "counts": {section: len(objects) for section, objects in checked.bundle.sections.items()},
    }


def _finding(error: InvalidInput) -> dict[str, Any]:
    place = error.place
    where = {"file": place.file, "line": place.line, "column": place.column} if place else {}
    return {**where, "message": error.message, "hint": error.hint or "", "text": str(error)}


def _findings_text(checked: Checked, console: Console, done: str) -> str:
    style = console.style
    lines = [f"{style.warning('Warning:')} {warning}" for warning in checked.warnings]
    lines += [f"{style.bad('Error:')} {error}" for error in checked.errors]
    if not checked.errors:
        counts = [_counted(section, len(objects)) for section, objects in checked.bundle.sections.items()]
        lines.append(f"{checked.bundle.meta.name}: {style.good(done)}" + (f" ({', '.join(counts)})" if counts else ""))
    return "".join(f"{line}\n" for line in lines)


def _counted(section: str, count: int) -> str:
    return f"{count} {section if count != 1 else section.removesuffix('s')}"


def _changes_document(changes: Sequence[Change], *, diff: bool) -> dict[str, Any]:
    from ansible_ensemble.provision.content.changes import summary

    document: dict[str, Any] = {
        "changed": any(change.kind != "unchanged" for change in changes),
        "sections": summary(changes),
    }
    if diff:
        document["diff"] = {f"{change.section}/{change.key}": change.diff for change in changes if change.diff}
    return document


def _changes_text(changes: Sequence[Change], console: Console, *, diff: bool) -> str:
    """What changes: a line for each object, and one that counts."""
    lines = []
    for change in changes:
        if change.kind != "unchanged":
            lines.append(f"  {_SIGNS[change.kind]} {change.section}/{change.key}")
            lines += [f"      {_coloured(line, console)}" for line in change.diff.splitlines() if diff]
    counts = [(sum(change.kind == kind for change in changes), kind) for kind in (*_SIGNS, "unchanged")]
    lines.append(", ".join(f"{count} {kind}" for count, kind in counts))
    return "".join(f"{line}\n" for line in lines)


def _coloured(line: str, console: Console) -> str:
    return {"+": console.style.good, "-": console.style.bad}.get(line[:1], str)(line)
