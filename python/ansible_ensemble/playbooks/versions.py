"""Playbooks, roles and collections that this ansible-core is too old or too new for, by what they say themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from ansible_ensemble.configurators.locations import is_fqcn
from ansible_ensemble.core.errors import EnsembleError, Place
from ansible_ensemble.documents.yaml import read_yaml
from ansible_ensemble.playbooks.model import Remark
from ansible_ensemble.playbooks.spellings import FindPlace
from ansible_ensemble.playbooks.words import short_name, words_of

if TYPE_CHECKING:
    from ansible_ensemble.lanes.session import AnsibleSession

_VERSION = "ansible_version"
_BLOCK = ("block", "rescue", "always")
_HINT = "use an ansible-core that it allows, or a newer version of it"


class Versions:
    """Tells what excludes the ansible-core that is installed.

    Args:
        collections: folders with collections by namespace.
        place_of: tells where what is read stands.
    """

    def __init__(self, session: AnsibleSession, collections: Sequence[Path], place_of: FindPlace) -> None:
        from ansible.release import __version__
        from ansible.template import Templar

        self._here = Version(__version__)
        numbers = {"major": self._here.major, "minor": self._here.minor, "revision": self._here.micro}
        known = {_VERSION: {"full": __version__, "string": __version__, **numbers}}
        self._templar = Templar(loader=session.loader, variables=known)
        self._collections, self._place_of = collections, place_of

    def in_tasks(self, data: Any) -> Iterator[Remark]:
        """Assertions that fail, and failures that come, by the version alone; and the collections of modules."""
        for raw in data if isinstance(data, list) else ():
            if not isinstance(raw, Mapping):
                continue
            for key in _BLOCK:
                yield from self.in_tasks(raw.get(key))
            named = {short_name(str(key)): value for key, value in raw.items()}
            if self._always(raw.get("when")) is not False:
                yield from self._asserted(raw, named.get("assert"))
            if "fail" in named and _VERSION in words_of({"when": raw.get("when")}) and self._always(raw.get("when")):
                yield self._remark(self._place_of(raw), f"fails when {_shown(raw['when'])}")
            for name in filter(is_fqcn, map(str, raw)):
                yield from self.of_collection(".".join(name.split(".")[:2]))

    def _asserted(self, raw: Mapping[str, Any], given: Any) -> Iterator[Remark]:
        that = given.get("that") if isinstance(given, Mapping) else None
        for condition in that if isinstance(that, list) else [that]:
            if _VERSION in words_of(condition, bare=True) and self._always(condition) is False:
                yield self._remark(self._place_of(raw), f"asserts that {_shown(condition)}")

    def _always(self, conditions: Any) -> bool | None:
        """Whether conditions are met by the version alone; None where they are about something else."""
        found: bool | None = None
        for one in conditions if isinstance(conditions, list) else [conditions]:
            if one is None:
                continue
            try:
                found = self._templar.evaluate_conditional(one)
            except Exception:  # it names what is known only while it runs, or Ansible refuses it
                return None
            if not found:
                return False
        return found

    def of_role(self, name: str, folder: Path) -> Iterator[Remark]:
        """What a role says in its `meta`."""
        file = next(
            (one for one in (folder / "meta" / f"main.{end}" for end in ("yml", "yaml")) if one.is_file()), None
        )
        metadata = _read(file).get("galaxy_info") if file is not None else None
        wanted = metadata.get("min_ansible_version") if isinstance(metadata, Mapping) else None
        with suppress(InvalidVersion):
            if wanted is not None and Version(str(wanted)) > self._here:
                yield self._remark(Place(str(file)), f"the role {name} wants {wanted} or newer (min_ansible_version)")

    def of_collection(self, name: str) -> Iterator[Remark]:
        """What a collection says in its `meta/runtime.yml`."""
        homes = (base.joinpath(*name.split(".")) / "meta" / "runtime.yml" for base in self._collections)
        file = next((one for one in homes if one.is_file()), None)
        wanted = _read(file).get("requires_ansible") if file is not None else None
        with suppress(InvalidSpecifier):
            if wanted and self._here.base_version not in SpecifierSet(str(wanted), prereleases=True):
                yield self._remark(Place(str(file)), f"the collection {name} wants {wanted} (requires_ansible)")

    def _remark(self, place: Place, text: str) -> Remark:
        return Remark(place, f"{text}, and this is ansible-core {self._here}", _HINT)


def _read(file: Path) -> Mapping[str, Any]:
    try:
        data = read_yaml(file).data
    except (EnsembleError, OSError):
        return {}
    return data if isinstance(data, Mapping) else {}


def _shown(conditions: Any) -> str:
    return " and ".join(map(str, conditions)) if isinstance(conditions, list) else str(conditions)
