"""A machine, its task and stage, and its bootenv, as templates see them."""

from __future__ import annotations

import ipaddress
import posixpath
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ansible_ensemble.core.budget import Fault
from ansible_ensemble.provision.gotemplate.functions import methods_of
from ansible_ensemble.provision.gotemplate.values import Struct, Value
from ansible_ensemble.provision.objects.codec import plain
from ansible_ensemble.provision.objects.content import BootEnv, Stage, Task
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.rules.architecture import canonical
from ansible_ensemble.provision.templates.repositories import Repository, family_type
from ansible_ensemble.provision.templates.source import Addresses

_HIDDEN = frozenset({"Secret"})  # with it, one could make tokens of the machine


class MachineData(Struct):
    """`.Machine`: its fields as on the wire, and what follows from them."""

    type_name = "*render.Machine"

    def __init__(self, machine: Machine, addresses: Addresses) -> None:
        fields: dict[str, Any] = plain(machine)
        super().__init__({**{key: value for key, value in fields.items() if key not in _HIDDEN}, "UUID": machine.uuid})
        self._machine = machine
        self._addresses = addresses

    def path(self) -> str:
        """Where files for the machine are."""
        return f"machines/{self._machine.uuid}"

    def url(self) -> str:
        """The URL of files for the machine."""
        return f"{self._addresses.files}/{self.path()}"

    def short_name(self) -> str:
        """The name up to its first dot."""
        return self._machine.name.partition(".")[0]

    def hex_address(self) -> str:
        """The address in hexadecimal digits, as boot loaders name files; empty for one that is no IPv4 address."""
        try:
            return f"{int(ipaddress.IPv4Address(self._machine.address)):08X}"
        except ValueError:
            return ""

    def mac_addr(self, *formats: str) -> str:
        """The first hardware address; as a boot loader names a file if the format is `pxelinux` or `rpi4`."""
        address = next(iter(self._machine.hardware_addrs), "")
        if not address or formats[:1] not in (("pxelinux",), ("rpi4",)):
            return address
        dashed = address.replace(":", "-")
        return dashed if formats[0] == "rpi4" else f"01-{dashed}"

    def has_profile(self, name: str) -> bool:
        """Whether it has a profile of its own."""
        return name in self._machine.profiles

    methods = methods_of(
        {
            "HasProfile": has_profile,
            "HexAddress": hex_address,
            "MacAddr": mac_addr,
            "Path": path,
            "ShortName": short_name,
            "Url": url,
        }
    )


class SystemData(Struct):
    """`.Env.OS`: the operating system of a bootenv."""

    type_name = "*render.OsInfo"

    def __init__(self, fields: Mapping[str, Value]) -> None:
        family, version = fields["Family"] or str(fields["Name"]).partition("-")[0], fields["Version"]
        version = version or str(fields["Name"]).partition("-")[2]
        super().__init__({**fields, "FamilyName": family, "FamilyType": family_type(family), "FamilyVersion": version})

    def version_eq(self, text: str) -> bool:
        """Whether the version is this one, as far as it is given."""
        wanted, own = text.split("."), str(self.fields["FamilyVersion"]).split(".")
        return own[: len(wanted)] == wanted

    methods = methods_of({"VersionEq": version_eq})


class BootEnvData(Struct):
    """`.Env`: a bootenv, with the addresses of its files."""

    type_name = "*render.BootEnv"

    def __init__(
        self, bootenv: BootEnv, arch: str, addresses: Addresses, install_repos: Callable[[], Sequence[Repository]]
    ) -> None:
        self._bootenv = bootenv
        self._arch = arch
        self._addresses = addresses
        self._install_repos = install_repos
        self._by_arch = {canonical(name) or name: of for name, of in bootenv.os.supported_architectures.items()}
        fields: dict[str, Any] = plain(bootenv)
        own = {"OS": SystemData(fields["OS"]), "Kernel": self.kernel_for(arch), "Initrds": self.initrds_for(arch)}
        super().__init__({**fields, **own})

    def _of_arch(self, arch: str) -> Mapping[str, Any]:
        """What differs in an architecture: `Kernel`, `Initrds`, `BootParams` and others."""
        found = self._by_arch.get(canonical(arch) or arch)
        return found if isinstance(found, dict) else {}

    def kernel_for(self, arch: str) -> str:
        """The kernel for an architecture."""
        return str(self._of_arch(arch).get("Kernel") or self._bootenv.kernel)

    def initrds_for(self, arch: str) -> list[str]:
        """The initial ramdisks for an architecture."""
        return list(self._of_arch(arch).get("Initrds") or self._bootenv.initrds)

    def boot_params_for(self, arch: str) -> str:
        """The kernel's parameters for an architecture, not rendered."""
        return str(self._of_arch(arch).get("BootParams") or self._bootenv.boot_params)

    def path_for(self, protocol: str, file: str) -> str:
        """Where a file for the machine's architecture is."""
        return self.path_for_arch(protocol, file, self._arch)

    def path_for_arch(self, protocol: str, file: str, arch: str) -> str:
        """Where a file of the bootenv is: a path for tftp and disk, a URL for http and https."""
        path = self._path(file, arch)
        if protocol in ("disk", "tftp"):
            return path
        bases = {"http": self._addresses.files, "https": self._addresses.secure_files}
        if protocol not in bases:
            raise Fault(f"Unknown protocol {protocol}")
        return f"{bases[protocol]}/{path}"

    def _path(self, file: str, arch: str) -> str:
        install = "install" if self._bootenv.name.endswith("-install") else ""
        known = canonical(arch) or arch
        other = known if known != "amd64" else ""
        return posixpath.normpath(posixpath.join(self._bootenv.os.name, other, install, file.lstrip("/")))

    def install_url(self) -> str:
        """The URL of what is installed: of the first repository for that, or of the bootenv's files."""
        repositories = self._install_repos()
        return str(repositories[0].fields["URL"]) if repositories else self.path_for("http", "")

    def join_initrds(self, protocol: str) -> str:
        """Where the initial ramdisks are, with spaces between."""
        return self.join_initrds_for(protocol, self._arch)

    def join_initrds_for(self, protocol: str, arch: str) -> str:
        """The same for an architecture."""
        return " ".join(self.path_for_arch(protocol, file, arch) for file in self.initrds_for(arch))

    methods = methods_of(
        {
            "BootParamsFor": boot_params_for,
            "InitrdsFor": initrds_for,
            "InstallUrl": install_url,
            "JoinInitrds": join_initrds,
            "JoinInitrdsFor": join_initrds_for,
            "KernelFor": kernel_for,
            "PathFor": path_for,
            "PathForArch": path_for_arch,
        }
    )


class TaskData(Struct):
    """`.Task` and `.Stage`: the fields as on the wire."""

    type_name = "*render.Task"

    def __init__(self, owner: Task | Stage) -> None:
        super().__init__(plain(owner))
