"""What is wrong with a pack: what a server would refuse, or load in vain; each with its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.provision.content.bundle_file import read_bundle
from ansible_ensemble.provision.content.decoding import decoded, decoded_meta
from ansible_ensemble.provision.content.folder import read_folder
from ansible_ensemble.provision.content.pack import Entry, Pack
from ansible_ensemble.provision.content.pack_checker import PackChecker
from ansible_ensemble.provision.content.trial import Surroundings, Trial
from ansible_ensemble.provision.objects import SECTIONS
from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.bundle import Bundle, BundleMeta
from ansible_ensemble.provision.objects.codec import plain
from ansible_ensemble.provision.rules.problem import unavailable
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.service.contents import prerequisites_of
from ansible_ensemble.provision.service.server_features import lacking_features


class Checked(Struct, frozen=True):
    """A pack that was checked.

    Attributes:
        bundle: the pack, as it is loaded.
        errors: why it is not to be loaded.
        warnings: what may be meant otherwise.
        before: what the server has of it.
        after: what the server has of it once it is loaded; as before if it would be refused.
    """

    bundle: Bundle
    errors: list[InvalidInput]
    warnings: list[InvalidInput]
    before: list[Object]
    after: list[Object]


def read_pack(path: Path) -> Pack:
    """The pack in a folder or a bundle file."""
    return read_folder(path) if path.is_dir() else read_bundle(path)


def check(pack: Pack, server: Surroundings | None = None) -> Checked:
    """Check a pack.

    Args:
        pack: the pack.
        server: what the server holds that it is for; without it, what its prerequisites bring is not known.
    """
    meta, errors = decoded_meta(pack.meta)
    errors += pack.errors
    if not errors and not meta.name:
        errors.append(pack.meta.error("the pack has no name", ("Name",), "write Name: NAME"))
    made: list[tuple[Entry, Object]] = []
    for entry in pack.entries:
        one, wrong = decoded(entry)
        errors += wrong
        made += [(entry, one)] if one is not None else []
    bundle = Bundle(meta=meta, sections=_sections(made, as_written=not errors))
    tried = Trial(server)
    before = tried.held(meta.name)
    lacking = prerequisites_of(meta) if server is None else []
    checker = PackChecker(made, _others(tried, meta), pack.unread, lenient=bool(lacking))
    checker.check()
    tried.assume(lacking)
    refusals = [*_refusals(pack, bundle, tried, checker)] if meta.name else []
    found = _unique([*errors, *checker.errors, *refusals])
    features = (pack.meta.error(text, ("RequiredFeatures",)) for text in lacking_features(meta.required_features))
    return Checked(bundle, found, _unique([*checker.warnings, *features]), before, tried.held(meta.name))


def _sections(made: Iterable[tuple[Entry, Object]], as_written: bool) -> dict[str, dict[str, Any]]:
    sections: dict[str, dict[str, Any]] = {}
    for entry, one in made:
        sections.setdefault(entry.section, {})[entry.key] = entry.value if as_written else plain(one)
    return sections


def _others(tried: Trial, meta: BundleMeta) -> Iterator[Object]:
    return (one for one in tried.objects() if one.bundle != meta.name)


def _refusals(pack: Pack, bundle: Bundle, tried: Trial, checker: PackChecker) -> Iterator[InvalidInput]:
    """What a server says of the bundle beyond what is known."""
    try:
        messages = tried.load(bundle).warnings
    except Refused as refused:
        messages = refused.error.messages
    own = {str(unavailable((entry.section, entry.key))) for entry in pack.entries if entry.section in SECTIONS}
    own.update(lacking_features(bundle.meta.required_features))  # which are warnings
    for message in messages:
        entry = next((one for one in pack.entries if message.startswith(f"{one.name}: ")), pack.meta)
        told = message.removeprefix(f"{entry.name}: ")
        if entry.name not in checker.faulty and told not in own:
            yield entry.error(told, _field_of(told))


def _field_of(message: str) -> tuple[str, ...]:
    """The field of a pack's meta that a refusal is about."""
    return next(((field,) for words, field in _META_FIELDS.items() if words in message), ())


_META_FIELDS = {
    "Missing prerequisite": "Prerequisites",
    "Overwritable": "Overwritable",
    "Invalid Name": "Name",
}


def _unique(errors: Iterable[InvalidInput]) -> list[InvalidInput]:
    """Errors in the order of their places, each once."""
    known = {str(error): error for error in errors}.values()
    return sorted(
        known, key=lambda error: (error.place.file, error.place.line, error.place.column) if error.place else ("",)
    )
