"""The import of playbooks: an ensemble beside them that does the same, and a report of what became of what."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.playbooks.model import ReadPlay, Remark, Row
from ansible_ensemble.playbooks.naming import Namer
from ansible_ensemble.playbooks.reading import read_playbooks
from ansible_ensemble.playbooks.steps import steps_of
from ansible_ensemble.playbooks.writing import service_template, step_files

if TYPE_CHECKING:
    from ansible_ensemble.lanes.session import AnsibleSession

#: The name of the service template that is written.
SERVICE_TEMPLATE = "service-template.yaml"


class Imported(Struct, frozen=True):
    """What playbooks become.

    Attributes:
        files: texts of the files to write, by their names; all of them lie beside the first playbook.
        rows: what became of each task, role and play.
        remarks: old spellings, and what this ansible-core is too old or too new for.
    """

    files: dict[str, str]
    rows: list[Row]
    remarks: list[Remark]


def import_plays(playbooks: Sequence[Path], session: AnsibleSession) -> Imported:
    """Make the files of an ensemble from playbooks; nothing is written yet."""
    root = playbooks[0].absolute().parent.resolve()
    names = Namer()
    plays, remarks = read_playbooks(playbooks, session)
    _check_hosts(plays)
    found = dict.fromkeys(play.group for play in plays)
    groups = {one: names.name(f"{one.pattern} in turn" if one.serial else one.pattern) for one in found if one}
    steps = list(steps_of(plays, root, names))
    description = f"Imported from {', '.join(path.name for path in playbooks)}."
    files = {SERVICE_TEMPLATE: service_template(steps, groups, description, root), **step_files(steps, root)}
    return Imported(files, [row for step in steps for row in step.rows], remarks)


def _check_hosts(plays: Sequence[ReadPlay]) -> None:
    """Refuse plays that all mean no host: of those, an ensemble would do nothing."""
    if plays and not any(play.hosts or play.computes_hosts for play in plays):
        patterns = ", ".join(dict.fromkeys(play.pattern for play in plays))
        raise InvalidInput(f"no host of the inventory is one of {patterns}", plays[0].place, "-i names the inventory")
