"""Answers planning's questions about values, from the evaluator and from what operations read the last time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from posixpath import normpath
from typing import Any

from ansible_ensemble.changes.operations import RecordedOperation
from ansible_ensemble.configurators.identity import Identity, identity_of
from ansible_ensemble.configurators.own_arguments import is_inner
from ansible_ensemble.configurators.written_paths import Write
from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.sensitive import REDACTED, Sensitive, holds_secret, is_sensitive, redact, reveal
from ansible_ensemble.core.texts import named_texts
from ansible_ensemble.ensembles import limit
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.hosts import known_attribute
from ansible_ensemble.ensembles.implementation import (
    IMPLEMENTATION,
    KEYWORDS,
    OWN_REFS,
    keywords_of,
    own_digests,
    own_parts,
)
from ansible_ensemble.ensembles.path_writes import WRITING, path_writes
from ansible_ensemble.ensembles.revisions import current_text, earlier_text
from ansible_ensemble.ensembles.spec_digests import whole_digest
from ansible_ensemble.expressions.current import Current, current_values
from ansible_ensemble.expressions.inventory import KIND as INVENTORY
from ansible_ensemble.expressions.inventory import find_inventory, own_host
from ansible_ensemble.expressions.looked_up import FACT, GROUP, OUTSIDE
from ansible_ensemble.expressions.scope import Scope
from ansible_ensemble.instances.instance import Instance, RelationshipInstance
from ansible_ensemble.instances.status import NodeState
from ansible_ensemble.language.entities import NodeTemplate, Operation
from ansible_ensemble.planning.conditions import condition_fault, unmet
from ansible_ensemble.planning.context import Detected, OtherFile, PlannedInstance
from ansible_ensemble.planning.plan import ValueChange
from ansible_ensemble.topology.host_copies import HOST_PROPERTY
from ansible_ensemble.views.reads import Deferred, value_digest

#: Kinds of references of what is no value of an instance and can be shown -> kinds of changes.
_KINDS = {INVENTORY: "variable", FACT: "fact", GROUP: "group"}
#: Files of a plan that are compared with what git has of them.
_TEXTS = 50
#: Operations that make what is there.
_MAKING = ("Standard.create", "Standard.configure", "Standard.start")
#: Operations whose reads decide about a reconfiguration.
_DEPLOYING = ("create", "configure", "start", "pre_configure_source", "post_configure_source")


class ChangeDetector:
    """Detects changes in an ensemble (the Protocol is `planning.context.ChangeDetection`)."""

    def __init__(self, ensemble: Ensemble) -> None:
        self._ensemble = ensemble
        self._evaluator = ensemble.evaluator
        self._paths: frozenset[str] | None = None
        self._texts: dict[tuple[str, str], tuple[str | None, str | None]] = {}
        self._absent = value_digest(None, b"")

    def detect(self, member: PlannedInstance) -> Mapping[str, Detected]:
        """What has changed since each recorded operation of the instance ran."""
        instance = member.instance
        if instance is None:
            return {}
        found: dict[str, Detected] = {}
        for name, recorded in self._ensemble.operations.of(instance.name).items():
            operation, relationship = self._operation(member, instance, name)
            if operation is not None and operation.name in _DEPLOYING:
                found[name] = self._compare(instance, relationship, operation, recorded)
        return found or self._since_seen(member, instance)

    def _since_seen(self, member: PlannedInstance, instance: Instance) -> dict[str, Detected]:
        """What has changed since check mode last saw an instance that was adopted: no operation has deployed it."""
        operation = member.template.operation("Install", "check")
        recorded = self._ensemble.operations.of(instance.name).get("Install.check")
        if operation is None or operation.implementation is None or recorded is None:
            return {}
        if operation.implementation.settings.get("check_mode") is not True:
            return {}  # it tells whether the instance is there, not whether it is as it should be
        return {operation.full_name: self._compare(instance, None, operation, recorded)}

    def _operation(
        self, member: PlannedInstance, instance: Instance, name: str
    ) -> tuple[Operation | None, RelationshipInstance | None]:
        key, _separator, full_name = name.rpartition(":")
        interface, _separator, operation = full_name.rpartition(".")
        if not key:
            return member.template.operation(interface, operation), None
        for link in member.requirements:
            if link.key == key:
                relationship = instance.relationships.get(key) or RelationshipInstance(key, link.target)
                return link.relationship.operation(interface, operation), relationship
        return None, None

    def _compare(
        self,
        instance: Instance,
        relationship: RelationshipInstance | None,
        operation: Operation,
        recorded: RecordedOperation,
    ) -> Detected:
        scope = self._evaluator.scope(instance, relationship=relationship, operation=operation, base=operation.base)
        refs = [ref for ref in recorded.digests if ref not in OWN_REFS]
        current = current_values(self._evaluator, scope, refs)
        detected, unseen = Detected(wrote=list(recorded.wrote)), list[str]()
        for ref in refs:
            if current[ref].digest is None and self._is_withheld(ref):
                continue
            if not _is_comparable(ref, current[ref]):
                unseen.append(ref)
            elif current[ref].digest != recorded.digests[ref] and not self._is_older(ref, recorded):
                detected.changes.append(self._value_change(instance, ref, scope, recorded, current[ref]))
            # a property, or an attribute of a substituted node, may be computed from what operations set
            detected.at_risk += [one for one in (ref, *current[ref].rests_on) if self._is_live(one)]
        detected.not_compared = _in_words(unseen)
        detected.at_risk = list(dict.fromkeys(detected.at_risk))
        detected.changes += [
            change for ref in recorded.undigested if (change := self._by_value(instance, ref, scope, recorded))
        ]
        if not detected.changes and recorded.undigested and not recorded.digests:
            root = self._ensemble.root
            whole = whole_digest(scope.afresh(), operation, recorded.undigested, instance.name, root)
            if whole not in (None, recorded.whole):
                detected.changes.append(ValueChange("content", f"what {operation.name} reads"))
        own = own_digests(operation, self._ensemble.root) if operation.implementation else {}
        for ref, name in OWN_REFS.items():
            if ref in recorded.digests and recorded.digests[ref] != own.get(ref):
                detected.changes += self._own_changes(ref, name, operation, recorded)
        return detected

    def _own_changes(self, ref: str, name: str, operation: Operation, recorded: RecordedOperation) -> list[ValueChange]:
        """The changes of what an operation is made of: of its files and keywords each, else that there is one."""
        if ref == IMPLEMENTATION and (parts := self._part_changes(operation, recorded)):
            return parts
        before, after = recorded.values.get(ref), keywords_of(operation)
        if ref != KEYWORDS or not isinstance(before, dict):
            return [ValueChange("content", f"{name} of {operation.name}")]
        names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
        found = [ValueChange("keyword", name, before.get(name), after.get(name)) for name in names]
        return found or [ValueChange("content", f"{name} of {operation.name}")]

    def _part_changes(self, operation: Operation, recorded: RecordedOperation) -> list[ValueChange]:
        """The changes of the files of an implementation; none where they are not recorded, or it names others now."""
        before, after = recorded.values.get(IMPLEMENTATION), own_parts(operation, self._ensemble.root)
        if not isinstance(before, dict) or any((self._ensemble.root / name).exists() for name in before.keys() - after):
            return []
        from ansible_ensemble.ensembles.variable_files import digest_of, value_changes  # which few plans need

        changes = []
        for name in {**before, **after}:
            digest = digest_of(before.get(name))
            if digest != after.get(name):
                file = self._ensemble.root / name
                found = (
                    value_changes(before.get(name), file, self._shown(name), self._may_show) if name in after else ()
                )
                changes += list(found) or [self._text_change(name, digest, is_there=name in after)]
        return changes

    def _may_show(self, _name: str, value: Any) -> bool:
        return bool(self._ensemble.redactor.data(value) == value)

    def _by_value(self, instance: Instance, ref: str, scope: Scope, recorded: RecordedOperation) -> ValueChange | None:
        """The change of a property whose value is recorded, and no digest of it: so Unfurl does it."""
        owner, name = _member(ref)
        holder = self._ensemble.instances.get(owner)
        if holder is None or name not in holder.properties:
            return None
        change = self._value_change(instance, ref, scope, recorded, Current())
        return change if not change.unknown and reveal(change.before) != reveal(change.after) else None

    def _is_older(self, ref: str, reader: RecordedOperation) -> bool:
        """Whether a ref is the output of an operation that did not run since: it may be a secret that was not kept."""
        kind, _separator, path = ref.partition("::")
        owner, _separator, rest = path.partition("::")
        if kind != "output" or not rest:
            return False
        *link, operation, _other = rest.removeprefix(".requirements::").split("::")
        key = "::.requirements::".join((owner, *link)), operation
        if key in self._ensemble.operation_outputs.new:
            return False
        producer = self._ensemble.operations.of(owner).get(":".join((*link, operation)))
        return producer is not None and producer.change_id < reader.change_id

    def _is_live(self, ref: str) -> bool:
        """Whether a ref is an attribute or output that an operation set, which may be set again."""
        if ref.startswith("output::"):
            return ref.count("::") > 1
        owner, name = _member(ref)
        instance = self._ensemble.instances.get(owner)
        return instance is not None and name in instance.attributes

    def _is_withheld(self, ref: str) -> bool:
        """Whether a ref is a secret that could not be stored: it is taken as unchanged, with a warning."""
        owner, name = _member(ref)
        instance = self._ensemble.instances.get(owner)
        if instance is None or name not in instance.withheld:
            return False
        warning = (
            f"{owner}.{name} is secret and was not stored, for there is no vault password: it is taken as unchanged."
        )
        if warning not in self._ensemble.warnings:
            self._ensemble.warnings.append(warning)
        return True

    def _value_change(
        self, instance: Instance, ref: str, scope: Scope, recorded: RecordedOperation, now: Current
    ) -> ValueChange:
        owner, name = _member(ref)
        if not owner:
            return self._change_outside(ref, scope, recorded, now)
        holder = self._ensemble.instances.get(owner) or instance
        shown = name if owner == instance.name else f"{owner}.{name}"
        before = holder.properties.get(name, holder.attributes.get(name))
        try:
            after = self._evaluator.scope(holder).attribute(name)
        except Deferred:
            return ValueChange("property", shown, before, unknown=True)
        except EnsembleError:
            after = None
        sensitive = is_sensitive(after) or is_sensitive(before)
        return ValueChange("property", shown, before, after, sensitive=sensitive)

    def _change_outside(self, ref: str, scope: Scope, recorded: RecordedOperation, now: Current) -> ValueChange:
        """The change of something that is no value of an instance."""
        if ref.startswith(("file:", "directory:", "image:")):
            return self._file_change(ref, recorded, now)
        kind, _separator, rest = ref.partition("::")
        name, before = ref.rpartition("::")[2], recorded.values.get(ref)
        if kind == "input":
            after = self._evaluator.input(rest) if rest in self._ensemble.topology.inputs else None
            return ValueChange("input", name, before, after, sensitive=is_sensitive(after))
        sensitive = now.sensitive or holds_secret(name, now.value)
        was_hidden = before is None and recorded.digests[ref] != self._absent
        if kind not in _KINDS or (was_hidden and not sensitive):  # it was a secret, or too long to be recorded
            return ValueChange("content", name)
        if kind == INVENTORY and (host := rest.partition("::")[0]) != self._host(scope):
            name = f"{name} of {host}"
        hidden = REDACTED if was_hidden else before
        return ValueChange(_KINDS[kind], name, hidden, now.value, sensitive=sensitive)

    def _file_change(self, ref: str, recorded: RecordedOperation, now: Current) -> ValueChange:
        """The change of a file or folder; of a text that is in git, with what it was."""
        kind, _separator, file = ref.partition(":")
        if kind != "file" or KEYWORDS not in recorded.values:  # it is not to be shown, with `no_log`
            return ValueChange("content", self._shown(file) + ("" if now.digest is not None else " (gone)"))
        return self._text_change(file, recorded.digests[ref], is_there=now.digest is not None)

    def _text_change(self, file: str, digest: str | None, *, is_there: bool) -> ValueChange:
        """The change of a file that had this digest, or was not there; of a text that is in git, with what it was."""
        name = self._shown(file)
        if digest is None or not is_there:
            return ValueChange("content", f"{name} ({'new' if is_there else 'gone'})")
        key = (file, digest)
        if key not in self._texts:
            path = self._ensemble.root / file
            after = current_text(path) if len(self._texts) < _TEXTS else None
            self._texts[key] = (earlier_text(path, digest) if after is not None else None, after)
        before, after = self._texts[key]
        if before is None or after is None:
            return ValueChange("content", name)
        redactor = self._ensemble.redactor
        return ValueChange("file", name, redactor.text(before), redactor.text(after))

    def _host(self, scope: Scope) -> str | None:
        """The host of the inventory whose variables an instance sees by their names."""
        inventory = find_inventory(scope.context())
        return own_host(scope.context(), inventory.hosts) if inventory is not None else None

    def _shown(self, file: str) -> str:
        """A file's name as the ensemble's user reads it."""
        path = self._ensemble.root / file
        return str(path.relative_to(self._ensemble.folder)) if path.is_relative_to(self._ensemble.folder) else file

    def properties(self, member: PlannedInstance) -> list[ValueChange]:
        """The values that a new instance will have."""
        instance = member.instance or Instance(member.name, member.template.name)
        scope = self._evaluator.scope(instance)
        values = []
        for name, assignment in member.template.properties.items():
            if assignment.value is None or is_inner(member.template, name):
                continue
            sensitive = bool(assignment.definition and assignment.definition.sensitive)
            try:
                value = scope.property(name)
            except Deferred:
                values.append(ValueChange("property", name, unknown=True, sensitive=sensitive))
                continue
            if value is not None:
                hidden = sensitive or isinstance(value, Sensitive)
                shown = redact(value) if is_sensitive(value) and not hidden else value  # of a map, the secret entries
                values.append(ValueChange("property", name, after=shown, sensitive=hidden))
        return values

    def wrote(self, instance: str, operation: str) -> list[str] | None:
        """Refs of the attributes the operation set the last time; None if it never ran."""
        recorded = self._ensemble.operations.of(instance).get(operation)
        return None if recorded is None else list(recorded.wrote)

    def other_file(self, member: PlannedInstance) -> OtherFile | None:
        """The file that the instance made and would no longer be about: the path of another one is its now."""
        instance, identity = member.instance, identity_of(member.template)
        if instance is None or identity is None:
            return None
        before, after = _inner(instance.properties, identity.path), self._path_made(member, identity)
        if not isinstance(before, str) or after is None or normpath(before) == normpath(after):
            return None
        known = "{{" not in before and identity.is_same_kind(instance.properties)  # a template meant another path then
        inputs = {identity.given: before} if identity.given is not None and known else {}
        certain = bool(inputs) and all(map(identity.is_certain, (instance.properties, _values(member.template))))
        return OtherFile(".".join(identity.path), before, inputs, certain)

    def paths(self, members: Collection[PlannedInstance]) -> Collection[str]:
        """The paths of the files that the members make which the specification has."""
        if self._paths is None:
            named = ((member, identity_of(member.template)) for member in members if member.in_spec)
            made = (self._path_made(member, identity) for member, identity in named if identity is not None)
            self._paths = frozenset(normpath(path) for path in made if path is not None)
        return self._paths

    def _path_made(self, member: PlannedInstance, identity: Identity) -> str | None:
        name, *rest = identity.path
        scope = self._evaluator.scope(member.instance or Instance(member.name, member.template.name))
        try:
            path = _inner(scope.property(name), rest)
        except EnsembleError:  # it is known later, or told elsewhere
            return None
        return path if isinstance(path, str) else None

    def writes(self, member: PlannedInstance) -> Sequence[Write]:
        """What the operations of the instance write."""
        names = WRITING if member.in_spec else ("delete",)  # of one that has left, only that is kept
        return path_writes(self._ensemble, member, names)

    def removes(self, member: PlannedInstance) -> Collection[str]:
        """The paths that the instance's delete operation removes."""
        return [one.path for one in path_writes(self._ensemble, member, ("delete",)) if one.whole]

    def ran(self, instance: str) -> str:
        """The change id of the last operation that made the instance."""
        recorded = self._ensemble.operations.of(instance)
        return max((recorded[name].change_id for name in _MAKING if name in recorded), default="")

    def version_changed(self, member: PlannedInstance) -> bool:
        """Whether the template's major version (its type's `version` metadata) is another than the one deployed."""
        before = self._ensemble.retained.version(member.template.name)
        now = member.template.type.metadata.get("version")
        return before is not None and before.split(".", 1)[0] != str(now).split(".", 1)[0]

    def unmet(self, condition: Any, member: PlannedInstance) -> str | None:
        """Why an instance does not meet a condition, None if it does."""
        return unmet(condition, self._reader(member))

    def matches(self, pattern: str, members: Collection[PlannedInstance]) -> list[tuple[str, Collection[str]]]:
        """The terms of a pattern, each with the hosts and instances that it matches."""
        return limit.matches(self._ensemble, pattern, members)

    def host_of(self, member: PlannedInstance) -> str:
        """The name of the host that the operations of an instance run on that nothing hosts."""
        return limit.host_of(self._ensemble, member)

    def has_host(self, name: str) -> bool:
        """Whether a host of the inventory, which may be the controller, is there."""
        return limit.has_host(self._ensemble, name)

    def missing_host(self, member: PlannedInstance) -> str | None:
        """The host of the inventory that an instance is on, if the inventory does not have it."""
        return limit.missing_host(self._ensemble, member)

    def rests_on_host(self, member: PlannedInstance, host: str) -> bool:
        """Whether what would delete an instance on a host has other values than what made it there."""
        instance, begins = member.instance, (f"::{host}::", f"{INVENTORY}::{host}::")
        recorded = self._ensemble.operations.of(member.name)
        if any(ref.startswith(begins) for name in _MAKING if name in recorded for ref in recorded[name].digests):
            return True
        absent = member.template.properties.get("absent")
        if absent is not None and any("{{" in text for _key, text in named_texts(absent.value)):
            return True
        scope = self._evaluator.scope(instance)
        for name, before in instance.properties.items() if instance is not None else ():
            try:
                if name not in (HOST_PROPERTY, "hosts") and reveal(scope.property(name)) != reveal(before):
                    return True
            except EnsembleError:
                return True
        return False

    def _reader(self, member: PlannedInstance) -> Callable[[str], Any]:
        """What gives the values that conditions name: attributes, properties, `state`; None for what is not known."""
        instance = member.instance or Instance(member.name, member.template.name)
        scope = self._evaluator.scope(instance)

        def read(name: str) -> Any:
            if name == "state" and name not in {**member.template.attributes, **member.template.properties}:
                return (instance.state or NodeState.INITIAL).value
            return known_attribute(scope, name)

        return read


def _is_comparable(ref: str, now: Current) -> bool:
    """Whether it can be known if something is as it was read: not what is outside, nor facts that are not gathered."""
    kind = ref.partition("::")[0]
    return kind != OUTSIDE and (kind != FACT or now.digest is not None)


def _in_words(refs: Sequence[str]) -> list[str]:
    """What cannot be compared; facts together, for each host has the same."""
    facts = sorted({ref.rpartition("::")[2] for ref in refs if ref.startswith(f"{FACT}::")})
    found = [ref.partition("::")[2] for ref in refs if ref.startswith(f"{OUTSIDE}::")]
    return [*found, *([f"facts ({', '.join(facts)})"] if facts else [])]


class BlankChangeDetector(ChangeDetector):
    """A detector for an ensemble of which nothing is deployed: only instances could tell whether a condition is met."""

    def unmet(self, condition: Any, member: PlannedInstance) -> str | None:
        """Why no instance could ever meet a condition, None if one could."""
        del member
        return condition_fault(condition)


def _member(ref: str) -> tuple[str, str]:
    """Instance and property or attribute that a ref names (see `expressions.reads`); empty texts for another ref.

    A value of a relationship or capability counts as one of its instance, by the path that leads to it.
    """
    if not ref.startswith("::"):
        return "", ""
    owner, _separator, path = ref[2:].partition("::")
    return owner, path.removeprefix(".attributes::")


def _inner(value: Any, path: Sequence[str]) -> Any:
    """A part of a value; None where there is none."""
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _values(node: NodeTemplate) -> dict[str, Any]:
    return {name: assignment.value for name, assignment in node.properties.items()}
