"""The import of playbooks: an ensemble beside them that does the same, and a report of what became of what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.documents.emitter import emit_yaml
from ansible_ensemble.playbooks.model import HostGroup, ReadPlay, Remark, Row, Step
from ansible_ensemble.playbooks.naming import Namer
from ansible_ensemble.playbooks.plain import as_yaml
from ansible_ensemble.playbooks.reading import read_playbooks
from ansible_ensemble.playbooks.steps import steps_of

if TYPE_CHECKING:
    from ansible_ensemble.lanes.session import AnsibleSession

_HEAD = "tosca_definitions_version: tosca_simple_yaml_1_3\n"


def service_template(steps: Sequence[Step], groups: Mapping[HostGroup, str], description: str, root: Path) -> str:
    """The service template: these groups by their names, and each step after the one before it."""
    used = {step.group for step in steps if step.name}
    lines = [_HEAD, emit_yaml({"description": description}), "\ntopology_template:\n"]
    if inputs := {name: one for step in steps for name, one in step.inputs.items()}:
        lines.append(emit_yaml({"inputs": inputs}, 2))
    lines.append("  node_templates:\n")
    for group, name in ((group, name) for group, name in groups.items() if group in used):
        properties: dict[str, Any] = {"hosts": group.pattern, "gather_facts": False}
        if group.serial:
            properties["serial"] = group.serial[0] if len(group.serial) == 1 else list(group.serial)
        lines.append(emit_yaml({name: {"type": "ansible.Group", "properties": properties}}, 4))
    before = None
    for step in (one for one in steps if one.name):
        body = dict(step.body)
        if step.group is not None:
            body["host"] = groups[step.group]
        if needed := list(dict.fromkeys([*step.needs, *([before] if before is not None else [])])):
            body["requirements"] = [{"dependency": name} for name in needed]
        places = dict.fromkeys(_shown(row.place, root) for row in step.rows)
        lines += ["\n", *(f"    # {place}\n" for place in places), emit_yaml({step.name: body}, 4)]
        before = step.name
    return "".join([*lines, *_groups(steps)])


def _groups(steps: Sequence[Step]) -> Iterator[str]:
    """A group for each tag, by which jobs can be limited."""
    tags = sorted({tag for step in steps if step.name for tag in step.tags})
    if tags:
        yield "\n  # The tags of the playbooks: `deploy -l TAG` is for what has it.\n  groups:\n"
    for tag in tags:
        members = [step.name for step in steps if step.name and tag in step.tags]
        yield emit_yaml({tag: {"type": "tosca.groups.Root", "members": members}}, 4)


def step_files(steps: Sequence[Step], root: Path) -> dict[str, str]:
    """The texts of the files of tasks and playbooks that steps run, by their names."""
    made = {}
    for step in steps:
        for name, content in step.files.items():
            places = ", ".join(dict.fromkeys(_shown(row.place, root) for row in step.rows))
            made[name] = f"# From {places}\n---\n{as_yaml(content)}"
    return made


def _shown(place: Place, root: Path) -> str:
    """A place as the reader of a file in the root has it."""
    path = Path(place.file)
    name = str(path.relative_to(root)) if path.is_relative_to(root) else str(path)
    return f"{name}:{place.line}" if place.line else name


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
