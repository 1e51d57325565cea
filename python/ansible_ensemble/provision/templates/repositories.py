"""Package repositories, as the param `package-repositories` lists them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .functions import methods_of
from .values import Struct, Value

PARAM = "package-repositories"
_FIELDS: dict[str, Value] = {
    "tag": "",
    "os": [],
    "arch": "any",
    "url": "",
    "packageType": "",
    "repoType": "",
    "distribution": "",
    "components": [],
    "gpgkey": "",
    "installSource": False,
    "bootloc": "",
    "securitySource": False,
}


class Repository(Struct):
    """A package repository.

    Its fields are those of the param, with a large first letter: `.Tag`, `.OS`, `.URL`, `.Components`, `.GPGKey`.
    """

    type_name = "*render.Repo"

    def __init__(self, given: Mapping[str, Value]) -> None:
        known = {**_FIELDS, **{key: value for key, value in given.items() if key in _FIELDS}}
        super().__init__({_SPELLED.get(key, key[:1].upper() + key[1:]): value for key, value in known.items()})

    def joined_components(self) -> str:
        """The components with spaces between."""
        return " ".join(map(str, self.fields["Components"]))

    def url_for(self, component: str) -> str:
        """The URL of a component."""
        return f"{str(self.fields['URL']).rstrip('/')}/{component}"

    methods = methods_of({"JoinedComponents": joined_components, "UrlFor": url_for})


_SPELLED = {"os": "OS", "url": "URL", "gpgkey": "GPGKey", "bootloc": "BootLoc"}


def repositories(listed: Iterable[Any]) -> list[Repository]:
    """The repositories of a param's value; what is no map is none."""
    return [Repository(one) for one in listed if isinstance(one, dict)]


def tagged(known: Sequence[Repository], tags: Sequence[str]) -> list[Repository]:
    """Those that have one of the tags."""
    return [one for one in known if one.fields["Tag"] in tags]


def for_system(known: Sequence[Repository], system: str, arch: str) -> list[Repository]:
    """Those for an operating system, on an architecture."""
    return [one for one in known if system in (one.fields["OS"] or []) and one.fields["Arch"] in ("", "any", arch)]


def to_install(known: Sequence[Repository], system: str, arch: str) -> list[Repository]:
    """The first one to install a system from, followed by those with its security updates."""
    matching = for_system(known, system, arch)
    install = [one for one in matching if one.fields["InstallSource"]]
    return [*install[:1], *(one for one in matching if one.fields["SecuritySource"])]
