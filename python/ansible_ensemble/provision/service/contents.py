"""Bundles of content: loaded, shown, replaced and removed as one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ansible_ensemble.provision.objects import SECTIONS
from ansible_ensemble.provision.objects.base import Object, Reference
from ansible_ensemble.provision.objects.bundle import Bundle, BundleMeta, BundleRecord, BundleSummary
from ansible_ensemble.provision.objects.codec import Undecodable, from_plain, plain
from ansible_ensemble.provision.objects.content import Profile
from ansible_ensemble.provision.rules.object_edit import created_object
from ansible_ensemble.provision.rules.refusal import Refused, invalid
from ansible_ensemble.provision.service.batch import Batch
from ansible_ensemble.provision.service.fields import as_new
from ansible_ensemble.provision.service.guards import refuse_protected, refuse_used
from ansible_ensemble.provision.service.lookup import get_or_404
from ansible_ensemble.provision.service.parsing import parsed_body
from ansible_ensemble.provision.service.secure_params import refuse_unsealable
from ansible_ensemble.provision.service.server_features import lacking_features
from ansible_ensemble.provision.store.transaction import Reader, Transaction
from ansible_ensemble.provision.templates.job_actions import problem_of_text

#: Where bundles are that others have as prerequisites: the repository, and their folders in it.
_SOURCE = "https://github.com/digitalrebar/provision-content"
_COMMUNITY: Mapping[str, str] = {
    "drp-community-content": "content",
    "drp-community-contrib": "contrib",
    **{name: name for name in ("burnin", "classify", "coreos", "dev-library", "flash", "task-library")},
}


def list_contents(reader: Reader) -> list[BundleSummary]:
    """The bundles that are loaded, by name."""
    found = {record.name: _summary(record, ()) for record in reader.all(BundleRecord)}
    for kind in SECTIONS.values():
        for one in reader.all(kind):
            if one.bundle in found:
                _count(found[one.bundle], one)
    return [*found.values()]


def show_content(reader: Reader, name: str) -> Bundle:
    """A bundle with all its objects.

    Raises:
        Refused: 404, it is not loaded.
    """
    record = get_or_404(reader, BundleRecord, name)
    sections: dict[str, dict[str, Any]] = {}
    for one in _objects(reader, record.name):
        sections.setdefault(one.PREFIX, {})[one.key] = plain(one.public())
    return Bundle(meta=record.about, sections=sections)


def create_content(tx: Transaction, body: bytes, *, strict: bool = False) -> BundleSummary:
    """Load a bundle.

    Args:
        tx: where.
        body: the bundle as JSON.
        strict: whether it is refused if it requires features that are not there, instead of a warning.

    Raises:
        Refused: 400, the body is no bundle or has no name; 409, it is loaded already, or an object is not of this
            bundle; 422, an object breaks a rule.
    """
    bundle = parsed_body(Bundle, body, "POST", "contents")
    name = bundle.meta.name
    if not name:
        raise Refused(400, "Empty key not allowed", type="CREATE", model="contents")
    if tx.get(BundleRecord, name):
        raise Refused(409, "already exists", type="CREATE", model="contents", key=name)
    return _load(tx, bundle, "CREATE", strict)


def replace_content(tx: Transaction, name: str, body: bytes, *, strict: bool = False) -> BundleSummary:
    """Load a bundle anew; what it does not hold any more is removed.

    Args are those of `create_content`.

    Raises:
        Refused: 400, the body is no bundle, or of another name; 404, it is not loaded; 403, it is built in; 409,
            what would be removed is in use, or an object is not of this bundle; 422, an object breaks a rule.
    """
    kept = get_or_404(tx, BundleRecord, name, "PUT")
    bundle = parsed_body(Bundle, body, "PUT", "contents", kept.name)
    if bundle.meta.name != kept.name:
        message = f"Key change from {kept.name} to {bundle.meta.name} not allowed"
        raise Refused(400, message, type="PUT", model="contents", key=kept.name)
    refuse_protected(kept, kept, "PUT")
    return _load(tx, bundle, "PUT", strict)


def remove_content(tx: Transaction, name: str) -> BundleSummary:
    """Remove a bundle and its objects.

    Returns:
        What it held.

    Raises:
        Refused: 404, it is not loaded; 403, it is built in; 409, objects of others refer to its own.
    """
    record = get_or_404(tx, BundleRecord, name, "DELETE")
    refuse_protected(record, None, "DELETE")
    gone, batch = [*_objects(tx, record.name)], Batch(tx)
    _remove(batch, gone, ())
    batch.remove(record)
    batch.write()
    return _summary(record, gone)


def _load(tx: Transaction, bundle: Bundle, method: str, strict: bool) -> BundleSummary:
    _refuse_unmet(tx, bundle.meta, strict)
    wanted = _decoded(bundle)
    named = {(one.PREFIX, one.key) for one in wanted}
    _refuse_foreign(tx, bundle.meta.name, wanted, method)
    record = BundleRecord(name=bundle.meta.name, about=bundle.meta, validated=True, available=True)
    batch = Batch(tx)
    gone = [one for one in _objects(tx, record.name) if (one.PREFIX, one.key) not in named]
    profiles = [one for one in gone if isinstance(one, Profile)]
    used = [f"{one.PREFIX}/{one.key}: {use}" for one in profiles for use in _uses(tx, one, named)]
    _remove(batch, [one for one in gone if one not in profiles], named)
    for one in profiles:
        batch.remove(one)  # machines that have it are not available then, until it is back
    batch.put(record)
    _put(batch, wanted, bundle.meta)
    batch.write()
    summary = _summary(record, _objects(tx, record.name))
    summary.warnings.extend(used)
    return summary


def _uses(reader: Reader, gone: Object, staying: Iterable[Reference]) -> Sequence[str]:
    try:
        refuse_used(reader, gone, frozenset(staying))
    except Refused as refused:
        return refused.error.messages
    return ()


def _decoded(bundle: Bundle) -> list[Object]:
    """The objects of a bundle, those that others refer to first."""
    objects: list[Object] = []
    problems = [f"{name}: no such section" for name in sorted(bundle.sections.keys() - SECTIONS.keys())]
    for section, kind in SECTIONS.items():
        for key, value in bundle.sections.get(section, {}).items():
            try:
                objects.append(named(kind, key, value))
            except Undecodable as error:
                problems.append(f"{section}/{key}: {error}")
    if problems:
        raise invalid(*problems, model="contents", key=bundle.meta.name)
    return objects


def named(kind: type[Object], key: str, value: Any) -> Object:
    """An object of a bundle, as it is written there.

    Raises:
        Undecodable: it is no such object, or has another key.
    """
    decoded = as_new(from_plain(kind, value))
    if decoded.key not in ("", key):
        raise Undecodable(f"its {kind.key_field()} is {decoded.key}")
    return decoded.replaced(**{kind.KEY: key})


def _put(batch: Batch, wanted: Iterable[Object], meta: BundleMeta) -> None:
    """Write the objects of a bundle."""
    problems: list[str] = []
    for one in wanted:
        try:
            refuse_unsealable(batch.tx, one)
            made = created_object(one, batch, problem_of_text)
            batch.put(made.replaced(bundle=meta.name, read_only=not meta.writable))
        except Refused as refused:
            messages = (message.removeprefix(f"{one.key}: ") for message in refused.error.messages)
            problems.extend(f"{one.PREFIX}/{one.key}: {message}" for message in messages)
    if problems:
        raise invalid(*problems, model="contents", key=meta.name)


def prerequisites_of(meta: BundleMeta) -> list[str]:
    """The bundles that a bundle needs: a comma list of names, each with a version behind a colon or without."""
    names = (name.partition(":")[0].strip() for name in meta.prerequisites.split(","))
    return [name for name in names if name]


def _refuse_unmet(reader: Reader, meta: BundleMeta, strict: bool) -> None:
    """Refuse a bundle that cannot be named, or needs what is not there."""
    wanted = prerequisites_of(meta)
    missing = [_missing(name) for name in wanted if reader.get(BundleRecord, name) is None]
    unknown = lacking_features(meta.required_features) if strict else []
    layered = ["Overwritable content is not supported"] if meta.overwritable else []
    named = [] if BundleRecord.NAMES.fullmatch(meta.name) else [f"Invalid Name `{meta.name}`"]
    if problems := [*named, *missing, *unknown, *layered]:
        raise invalid(*problems, model="contents", key=meta.name)


def _missing(name: str) -> str:
    folder = _COMMUNITY.get(name)
    where = f"; it is in {_SOURCE}, in the folder {folder}" if folder else ""
    return f"Missing prerequisite {name}: load it first{where}"


def _refuse_foreign(reader: Reader, name: str, wanted: Iterable[Object], method: str) -> None:
    """Refuse to load what would replace objects that came otherwise."""
    problems = []
    for one in wanted:
        kept = reader.get(type(one), one.key)
        if kept and kept.bundle != name:
            owner = f"belongs to content {kept.bundle}" if kept.bundle else "already exists"
            problems.append(f"{one.PREFIX}/{one.key}: {owner}")
    if problems:
        raise Refused(409, *problems, type=method, model="contents", key=name)


def _remove(batch: Batch, gone: list[Object], staying: Iterable[Reference]) -> None:
    """Remove objects that nothing refers to but these themselves, and what is loaded in the same moment."""
    among = {(one.PREFIX, one.key) for one in gone} | set(staying)
    for one in gone:
        refuse_used(batch.tx, one, among)
        batch.remove(one)


def _objects(reader: Reader, name: str) -> Iterator[Object]:
    for kind in SECTIONS.values():
        yield from (one for one in reader.all(kind) if one.bundle == name)


def _summary(record: BundleRecord, objects: Iterable[Object]) -> BundleSummary:
    summary = BundleSummary(meta=record.about, counts={}, warnings=lacking_features(record.about.required_features))
    for one in objects:
        _count(summary, one)
    return summary


def _count(summary: BundleSummary, one: Object) -> None:
    summary.counts[one.PREFIX] = summary.counts.get(one.PREFIX, 0) + 1
    summary.warnings.extend(f"{one.PREFIX}/{one.key}: {error}" for error in one.errors)
