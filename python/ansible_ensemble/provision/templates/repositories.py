"""Package repositories, as the param `package-repositories` lists them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from ansible_ensemble.provision.gotemplate.functions import methods_of
from ansible_ensemble.provision.gotemplate.values import Struct, Value
from ansible_ensemble.provision.rules.architecture import canonical

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
    `.Target` is the operating system that it is for, `.R` all that templates see.
    """

    type_name = "*render.Repo"

    def __init__(self, given: Mapping[str, Value], system: str, data: Value) -> None:
        known = {**_FIELDS, "target": system, "r": data}
        known |= {key: value for key, value in given.items() if key in _FIELDS}
        self._family, self._name = family_type(system), system.partition("-")[0]
        super().__init__({_SPELLED.get(key, key[:1].upper() + key[1:]): value for key, value in known.items()})

    def joined_components(self) -> str:
        """The components with spaces between."""
        return " ".join(map(str, self.fields["Components"]))

    def url_for(self, component: str) -> str:
        """The URL of a component: of some systems each has its own."""
        url, release = (str(self.fields[name]) for name in ("URL", "Distribution"))
        form = _COMPONENTS.get(self._name)
        if self.fields["InstallSource"] or not (release and component and form):
            return url
        return form.format(url=url, release=release, component=component)

    def lines(self) -> str:
        """What a system's package manager is to be told: a line for apt, or sections for yum and dnf."""
        url, key = (str(self.fields[name]) for name in ("URL", "GPGKey"))
        if self._family == "debian":
            return " ".join(filter(None, ["deb", url, str(self.fields["Distribution"]), self.joined_components()]))
        check = f"gpgcheck=1\ngpgkey={key}" if key else "gpgcheck=0"
        return "\n".join(
            f"[{tag}]\nname={tag}\nbaseurl={base}\nenabled=1\n{check}" for tag, base in self._tags_and_urls()
        )

    def _tags_and_urls(self) -> list[tuple[str, str]]:
        """What yum and dnf take for a repository of its own: each component, or all without any."""
        tag, components = str(self.fields["Tag"]), self.fields["Components"]
        if not components:
            return [(tag, str(self.fields["URL"]))]
        return [(f"{tag}-{component}", self.url_for(str(component))) for component in components]

    def install(self) -> str:
        """What a system's installer is to be told: lines of a preseed file or of a kickstart file."""
        url = str(self.fields["URL"])
        if self._family != "debian":
            if self.fields["InstallSource"]:
                return f"url --url {url}"
            return "\n".join(f'repo --name="{tag}" --baseurl={base}' for tag, base in self._tags_and_urls())
        parts = urlsplit(url)
        if self.fields["SecuritySource"]:
            return f"d-i apt-setup/security_host string {parts.netloc}\nd-i apt-setup/security_path string {parts.path}"
        values = {
            "protocol": parts.scheme,
            f"{parts.scheme}/hostname": parts.netloc,
            f"{parts.scheme}/directory": parts.path,
        }
        return "\n".join(f"d-i mirror/{name} string {value}" for name, value in values.items())

    methods = methods_of({"Install": install, "JoinedComponents": joined_components, "Lines": lines, "UrlFor": url_for})


_SPELLED = {"os": "OS", "url": "URL", "gpgkey": "GPGKey", "bootloc": "BootLoc"}


#: Where components are.
_COMPONENTS = {
    "centos": "{url}/{release}/{component}/$basearch",
    "scientificlinux": "{url}/{release}/$basearch/{component}",
}

_FAMILIES = dict.fromkeys(("redhat", "centos", "fedora", "scientificlinux", "rocky", "alma", "almalinux"), "rhel")
_FAMILIES |= dict.fromkeys(("debian", "ubuntu"), "debian")


def family_type(system: str) -> str:
    """What an operating system is like: `debian`, `rhel`, or itself; its version, behind a dash, does not count."""
    name = system.partition("-")[0]
    return _FAMILIES.get(name, name)


def repositories(listed: Iterable[Any], system: str, data: Value = None) -> list[Repository]:
    """The repositories of a param's value, as a system wants them told; what is no map is none.

    Args:
        listed: the value.
        system: of the machine.
        data: what templates see, which see it by a repository, too.
    """
    return [Repository(one, system, data) for one in listed if isinstance(one, dict)]


def tagged(known: Sequence[Repository], tags: Sequence[str]) -> list[Repository]:
    """Those that have one of the tags."""
    return [one for one in known if one.fields["Tag"] in tags]


def for_system(known: Sequence[Repository], system: str, arch: str) -> list[Repository]:
    """Those for an operating system, on an architecture."""
    return [one for one in known if system in (one.fields["OS"] or []) and _is_for(str(one.fields["Arch"]), arch)]


def _is_for(named: str, arch: str) -> bool:
    return named in ("", "any", arch) or (canonical(named) or named) == (canonical(arch) or arch)


def to_install(known: Sequence[Repository], system: str, arch: str) -> list[Repository]:
    """The first one to install a system from, followed by those with its security updates."""
    matching = for_system(known, system, arch)
    install = [one for one in matching if one.fields["InstallSource"]]
    return [*install[:1], *(one for one in matching if one.fields["SecuritySource"])]
