"""What is kept of a template so that its instances can be deleted once the template, its type or its file is gone.

It is kept in `active/artifacts/templates.json`, with copies of the files that its operations run beside it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ansible_ensemble.configurators.dependencies import find_dependencies
from ansible_ensemble.configurators.implementation import resolve
from ansible_ensemble.core.errors import EnsembleError, InvalidInput, Place
from ansible_ensemble.core.texts import with_text_keys
from ansible_ensemble.documents.atomic import write_atomically
from ansible_ensemble.documents.digest import OF_TOOLS, digest_path
from ansible_ensemble.documents.private import make_private, take_from_others
from ansible_ensemble.documents.shape import Shape, misfit, read_json
from ansible_ensemble.ensembles.secret_codec import SecretCodec
from ansible_ensemble.expressions.evaluator import Evaluator
from ansible_ensemble.instances.instance import Instance, Instances
from ansible_ensemble.instances.lifecycle import was_known
from ansible_ensemble.language.entities import (
    Artifact,
    Assignment,
    Entity,
    EntityType,
    Implementation,
    Interface,
    NodeTemplate,
    Operation,
    ParameterDefinition,
    Relationship,
    Schema,
    Topology,
)
from ansible_ensemble.topology.directives import LOST, RETAINED

#: Name of the file that keeps them, in `active/artifacts`.
FILE = "templates.json"
#: Ending of one that could not be read.
_ASIDE = ".damaged"
#: Operations that may run once the template is gone.
_KEPT = {
    "Standard": ("stop", "delete"),
    "Install": ("check",),
    "Configure": ("remove_source", "remove_target"),
}

_OPERATIONS: Shape = {
    "*": {
        "configurator": str,
        "target": str,
        "member?": str,
        "inputs": dict,
        "host": (str, None),
        "timeout": (float, None),
        "settings": dict,
        "copy?": str,
        "base?": str,
        "dependencies?": [{"target": str, "copy": str}],
    }
}
_ENTRY: Shape = {
    "type": [str],
    "version?": object,
    "properties?": dict,
    "operations?": _OPERATIONS,
    "requirements?": [{"name": str, "index": int, "target": str, "type": [str], "operations": _OPERATIONS}],
}


class RetainedTemplates:
    """The kept templates of an ensemble.

    Args:
        folder: `active/artifacts` of the ensemble.
    """

    def __init__(self, folder: Path, root: Path, codec: SecretCodec) -> None:
        self._folder = folder
        self._root = root
        self._codec = codec
        self._file = folder / FILE
        self._copies: dict[tuple[Path, bool], str] = {}
        self.problems: list[str] = []
        self._damaged: dict[str, Any] = {}
        self._unreadable = False
        self._kept: dict[str, Any] = self._read()
        self._stored = self._kept

    def _read(self) -> dict[str, Any]:
        """What is kept; an entry that is not as entries are is named, and stays in the file as it is."""
        hint = "restore the file from git: without it, instances whose templates are gone cannot be deleted"
        try:
            document = read_json(self._file, dict, hint)
        except FileNotFoundError:
            return {}
        except InvalidInput as error:
            aside = f"a job that writes it keeps this one as {FILE}{_ASIDE}"
            self.problems.append(f"{error}; {aside}")
            self._unreadable = True
            return {}
        kept = {}
        for name, entry in document.items():
            problem = misfit(entry, _ENTRY, name)
            if problem is None:
                kept[name] = entry
            else:
                self.problems.append(f"{Place(str(self._file))}: {problem} ({hint})")
                self._damaged[name] = entry
        return kept

    def rename(self, moves: Mapping[str, str]) -> None:
        """Take what is kept of templates that moved for that of their new names: old name -> new name."""
        moved = {moves[name]: entry for name, entry in self._kept.items() if name in moves}
        others = {name: entry for name, entry in self._kept.items() if name not in moves}
        self._kept = {name: _with_targets(entry, moves) for name, entry in (moved | others).items()}

    def add_missing(self, topology: Topology, instances: Instances) -> list[str]:
        """Add a template to the topology for each recorded instance whose own one is gone; return their names."""
        added: dict[str, NodeTemplate] = {}
        for instance in instances:
            name = instance.template
            if name not in topology.node_templates and name not in added:
                added[name] = self._restore(name)
        topology.node_templates.update(added)
        for name, template in added.items():
            self._restore_requirements(name, template, topology)
        return list(added)

    def version(self, template: str) -> str | None:
        """The version (metadata of its type) that a template had when it was kept; None if it had none."""
        version = self._kept.get(template, {}).get("version")
        return None if version is None else str(version)

    def keep(self, topology: Topology, instances: Iterable[Instance], evaluator: Evaluator) -> None:
        """Keep the templates of these instances, as they are now; forget those that have no instance any more.

        All existing instances are kept, also those not created here: they may require some that were.
        """
        kept = dict(self._kept)
        self._copies.clear()
        there = [instance for instance in evaluator.instances if was_known(instance)]
        for instance in (*(one for one in there if one.template not in kept), *instances):
            template = topology.node_templates.get(instance.template)
            if template is not None and RETAINED not in template.directives:
                kept[template.name] = self._describe(template, instance, evaluator)
        present = {instance.template for instance in there}
        kept = {name: entry for name, entry in kept.items() if name in present}
        if kept != self._stored:
            make_private(self._folder)
            if self._unreadable:
                self._unreadable = False
                self._file.rename(self._file.with_name(FILE + _ASIDE))
            entries = self._damaged | kept
            text = json.dumps(with_text_keys(entries), indent=1, sort_keys=True, ensure_ascii=False) + "\n"
            write_atomically(self._file, text, mode=0o600)
        self._kept = self._stored = kept

    # -- keeping ------------------------------------------------------------------------------------------------

    def _describe(self, template: NodeTemplate, instance: Instance, evaluator: Evaluator) -> dict[str, Any]:
        scope = evaluator.scope(instance)
        properties = {}
        operations = self._operations(template)
        if operations:
            for name in template.properties:
                try:
                    properties[name] = self._codec.for_json(scope.property(name))
                except EnsembleError:
                    continue
        return {
            "type": [ancestor.name for ancestor in template.type.lineage()],
            "version": template.type.metadata.get("version"),
            "properties": properties,
            "operations": operations,
            "requirements": [
                {
                    "name": relationship.name,
                    "index": relationship.index,
                    "target": relationship.target.name,
                    "type": [ancestor.name for ancestor in relationship.type.lineage()],
                    "operations": self._operations(relationship),
                }
                for relationship in template.requirements
            ],
        }

    def _operations(self, entity: Entity) -> dict[str, Any]:
        kept = {}
        for interface, names in _KEPT.items():
            for name in names:
                operation = entity.operation(interface, name)
                if operation is not None:
                    with suppress(InvalidInput):  # what names nothing cannot be executed, now or then
                        kept[operation.full_name] = self._operation(operation)
        return kept

    def _operation(self, operation: Operation) -> dict[str, Any]:
        implementation = operation.implementation
        assert implementation is not None
        resolved = resolve(operation, self._root)
        entry: dict[str, Any] = {
            "configurator": resolved.configurator,
            "target": resolved.target,
            **({"member": resolved.member} if resolved.member else {}),
            "inputs": {name: self._codec.for_json(assignment.value) for name, assignment in operation.inputs.items()},
            "host": implementation.operation_host,
            "timeout": implementation.timeout,
            "settings": self._codec.for_json(implementation.settings),
        }
        path = Path(resolved.target)
        if resolved.configurator != "command" and path.is_absolute() and path.exists():
            entry["target"] = self._relative(path)
            entry["copy"] = self._copy(path)
        dependencies = find_dependencies(operation, self._root)
        if dependencies:
            entry["dependencies"] = [
                {"target": self._relative(path), "copy": self._copy(path, as_named=True)} for path in dependencies
            ]
        if operation.base is not None:
            entry["base"] = self._relative(operation.base)
        return entry

    def _relative(self, path: Path) -> str:
        return str(path.relative_to(self._root)) if path.is_relative_to(self._root) else str(path)

    def _copy(self, path: Path, *, as_named: bool = False) -> str:
        """Keep a copy of a file, or of the folder of a role or Terraform module; returns its name.

        What many templates share is read once. One that others know by its name is in a folder of its own.
        """
        if (path, as_named) in self._copies:
            return self._copies[path, as_named]
        name = f"{digest_path(path)[:12]}{'/' if as_named else '-'}{path.name}"
        copy = self._folder / "files" / name
        if not copy.exists():
            make_private(copy.parent)
            if path.is_dir():
                aside = copy.with_name(f".{copy.name}.new")
                shutil.rmtree(aside, ignore_errors=True)
                shutil.copytree(path, aside, symlinks=True, ignore=shutil.ignore_patterns(*OF_TOOLS))
                take_from_others(aside)
                aside.rename(copy)
            else:
                shutil.copyfile(path, copy)
                shutil.copymode(path, copy)
                take_from_others(copy)
        self._copies[path, as_named] = name
        return name

    # -- restoring ----------------------------------------------------------------------------------------------

    def _restore(self, name: str) -> NodeTemplate:
        entry = self._kept.get(name, {})
        template = NodeTemplate(
            name,
            _lineage("node", entry.get("type") or ["tosca.nodes.Root"]),
            interfaces=self._interfaces(entry.get("operations") or {}),
            directives=(RETAINED,) if entry else (RETAINED, LOST),
        )
        for property_name, value in (entry.get("properties") or {}).items():
            definition = ParameterDefinition(property_name, Schema("any"), required=False)
            # a value, not an expression: what looks like a template in it was never one
            template.properties[property_name] = Assignment({"q": self._codec.open_json(value)}, definition)
        return template

    def _restore_requirements(self, name: str, template: NodeTemplate, topology: Topology) -> None:
        for item in self._kept.get(name, {}).get("requirements") or []:
            target = topology.node_templates.get(item["target"])
            if target is None:
                continue
            relationship = Relationship(
                item["name"],
                _lineage("relationship", item["type"]),
                interfaces=self._interfaces(item["operations"]),
                index=item["index"],
                source=template,
                target=target,
            )
            template.requirements.append(relationship)
            target.incoming.append(relationship)

    def _interfaces(self, operations: dict[str, Any]) -> dict[str, Interface]:
        interfaces: dict[str, Interface] = {}
        for full_name, entry in operations.items():
            interface, _separator, name = full_name.rpartition(".")
            declared = interfaces.setdefault(interface, Interface(interface, interface))
            declared.operations[name] = self._restored_operation(interface, name, entry)
        return interfaces

    def _restored_operation(self, interface: str, name: str, entry: dict[str, Any]) -> Operation:
        target = self._restored_path(entry) if "copy" in entry else entry["target"]
        base = self._root / entry["base"] if entry.get("base") else self._root
        implementation = Implementation(
            primary=target,
            class_name=f"{target}#{entry['member']}" if "member" in entry else entry["configurator"],
            dependencies=[self._restored_file(item) for item in entry.get("dependencies") or ()],
            operation_host=entry["host"],
            timeout=entry["timeout"],
            settings=self._codec.open_json(entry["settings"]),
        )
        inputs = {key: Assignment(self._codec.open_json(value), base=base) for key, value in entry["inputs"].items()}
        return Operation(interface, name, implementation, inputs, base=base if base.is_dir() else self._root)

    def _restored_path(self, entry: dict[str, Any]) -> str:
        """The path of a file, or of its copy if it has gone."""
        path: Path = self._root / entry["target"]
        return str(path if path.exists() else self._folder / "files" / entry["copy"])

    def _restored_file(self, entry: dict[str, Any]) -> Artifact:
        path = Path(self._restored_path(entry))
        return Artifact(path.name, "tosca.artifacts.File", path.name, base=path.parent)


def _with_targets(entry: Mapping[str, Any], moves: Mapping[str, str]) -> dict[str, Any]:
    """An entry whose requirements lead to the new names: old name -> new name."""
    if "requirements" not in entry:
        return dict(entry)
    requirements = [{**one, "target": moves.get(one["target"], one["target"])} for one in entry["requirements"]]
    return {**entry, "requirements": requirements}


def _lineage(kind: str, names: list[str]) -> EntityType:
    current: EntityType | None = None
    for name in reversed(names):
        current = EntityType(kind, name, current)
    assert current is not None
    return current
