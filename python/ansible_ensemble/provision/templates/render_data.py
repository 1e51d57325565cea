"""What templates see of a machine and of the server: dot."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import yaml

from ansible_ensemble.core.budget import Budget, Fault, Limits
from ansible_ensemble.provision.gotemplate.fault import TemplateError
from ansible_ensemble.provision.gotemplate.functions import methods_of
from ansible_ensemble.provision.gotemplate.values import Struct, Value, copied, pay
from ansible_ensemble.provision.objects.content import Profile
from ansible_ensemble.provision.rules.parameters import composed
from ansible_ensemble.provision.sprig.encoding import encoded
from ansible_ensemble.provision.templates import repositories
from ansible_ensemble.provision.templates.machine_data import BootEnvData, MachineData, TaskData
from ansible_ensemble.provision.templates.rendering import Rendering, printable
from ansible_ensemble.provision.templates.source import Source

_DURATION = re.compile(r"([0-9]{1,9})([smhdwy]?)")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "y": 31536000}
_TOKEN_SECONDS = 2000
#: A longer text may be more than a rendering may give, even where nothing of it is to be rendered.
_SHORT = 2**12


class RenderData(Struct):
    """Dot of a rendering: `.Machine`, `.Env`, `.Task`, `.Stage`, and the methods of the table below."""

    type_name = "*render.Data"

    def __init__(self, source: Source, texts: Mapping[str, str], limits: Limits) -> None:
        machine, addresses = source.machine, source.addresses
        arch = machine.arch or "amd64"
        fields: dict[str, Value] = {"Machine": MachineData(machine, addresses)}
        fields["Env"] = BootEnvData(source.bootenv, arch, addresses, self._to_install) if source.bootenv else None
        fields["Task"] = TaskData(source.task) if source.task else None
        fields["Stage"] = TaskData(source.stage) if source.stage else None
        super().__init__(fields)
        self.source = source
        self.texts = texts
        self._arch = arch
        self.limits = limits
        self._rendering: Rendering | None = None

    def render(self, name: str, text: str, strict: bool = False) -> str:
        """What a text gives with these data.

        Raises:
            TemplateError: it is no template, or cannot be rendered; the message names template, line and what is wrong.
        """
        if "{{" not in text and len(text) < _SHORT:
            return printable(text)
        self._rendering = Rendering(self.texts, self.limits, strict)
        return printable(self._rendering.text(name, text, self))

    # Params

    def param(self, name: str) -> Value:
        """The value that wins; raises Fault where there is none."""
        for value in self.source.values(name):
            return copied(value)
        raise Fault(f"No such machine parameter {name}")

    def param_exists(self, name: str) -> bool:
        """Whether there is a value, be it a default."""
        return any(True for _item in self.source.values(name))

    def compose_param(self, name: str) -> Value:
        """All values as one."""
        values = list(self.source.values(name))
        if not values:
            raise Fault(f"No such machine parameter {name}")
        return copied(composed(values))

    def param_as_json(self, budget: Budget, name: str) -> str:
        """The value as JSON."""
        value = self.param(name)
        pay(budget, value)
        return encoded(value)

    def param_as_yaml(self, budget: Budget, name: str) -> str:
        """The value as YAML."""
        value = self.param(name)
        pay(budget, value)
        return yaml.safe_dump(value, default_flow_style=False, allow_unicode=True).removesuffix("...\n")

    def param_expand(self, name: str) -> Value:
        """The value, with each text in it rendered."""
        return self._expanded(self.param(name), name)

    def compose_param_expand(self, name: str) -> Value:
        """All values as one, with each text in it rendered."""
        return self._expanded(self.compose_param(name), name)

    # Texts

    def string_expand(self, text: str) -> str:
        """What a text gives as a template."""
        return self._nested("StringExpand", text)

    def object_expand(self, value: Any) -> Value:
        """A value with each text in it rendered."""
        return self._expanded(value, "ObjectExpand")

    def _expanded(self, value: Value, name: str) -> Value:
        if isinstance(value, str):
            return self._nested(name, value)
        if isinstance(value, dict):
            return {key: self._expanded(item, name) for key, item in value.items()}
        return [self._expanded(item, name) for item in value] if isinstance(value, list) else value

    def _nested(self, name: str, text: str) -> str:
        """What a text gives, at the expense of the rendering that asks for it."""
        if "{{" not in text:
            return text
        return self._now().text(name, text, self)

    def call_template(self, name: str, data: Any) -> str:
        """What a template gives with other data; its name may be computed."""
        return self._now().invoked(name, data)

    def _now(self) -> Rendering:
        if self._rendering is None:
            raise TemplateError("nothing is being rendered")
        return self._rendering

    # The server

    def provisioner_address(self) -> str:
        """Name or address of the server."""
        return self.source.addresses.host

    def provisioner_url(self) -> str:
        """The URL of files."""
        return self._address(self.source.addresses.files, "files")

    def secure_provisioner_url(self) -> str:
        """The URL of files over TLS."""
        return self._address(self.source.addresses.secure_files, "files over TLS")

    def api_url(self) -> str:
        """The URL of the API, without the path."""
        return self.source.addresses.api

    def _address(self, address: str, what: str) -> str:
        if not address:
            raise Fault(f"the server has no address of {what}: it is given by the server's option --files")
        return address

    def api_host(self) -> str:
        """Host and port of the API."""
        return urlsplit(self.source.addresses.api).netloc

    def info(self) -> Value:
        """What the server says of itself."""
        return dict(self.source.info())

    def boot_params(self) -> str:
        """The parameters of the bootenv's kernel, which are a template themselves."""
        return self._boot_params(self._arch)

    def boot_params_for(self, arch: str) -> str:
        """The same for another architecture."""
        return self._boot_params(arch)

    def _boot_params(self, arch: str) -> str:
        bootenv = self.fields["Env"]
        if bootenv is None:
            raise Fault("Missing bootenv")
        return self._nested("BootParams", bootenv.boot_params_for(arch))

    def repos(self, *tags: str) -> Value:
        """Package repositories that have one of the tags."""
        return repositories.tagged(self._repositories(), tags)

    def machine_repos(self) -> Value:
        """Package repositories for the system of the machine."""
        return repositories.for_system(self._repositories(), self.source.machine.os, self._arch)

    def install_repos(self) -> Value:
        """Package repositories to install the system of the machine from."""
        return self._to_install()

    def _to_install(self) -> list[repositories.Repository]:
        return repositories.to_install(self._repositories(), self.source.machine.os, self._arch)

    def _repositories(self) -> list[repositories.Repository]:
        listed = composed(self.source.values(repositories.PARAM))
        return repositories.repositories(listed if isinstance(listed, list) else (), self.source.machine.os, self)

    def generate_token(self) -> str:
        """A token of the machine that is valid for a short time."""
        return self.source.token("", _TOKEN_SECONDS)

    def generate_infinite_token(self) -> str:
        """A token of the machine that is valid without end."""
        return self.source.token("", None)

    def generate_profile_token(self, profile: str, duration: Any) -> str:
        """A token to read a profile, for a time such as `600` or `3h`; 0 is without end.

        Raises:
            Fault: no profile can have this name; `*` and lists would mean several in a claim.
        """
        if profile and not Profile.NAMES.fullmatch(profile):
            raise Fault(f"Invalid profile {profile!r}")
        return self.source.token(profile, _seconds(duration) or None)

    def parse_url(self, segment: str, url: str) -> str:
        """A part of a URL: `scheme`, `host`, `path`, `hostname` or `port`."""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise Fault(str(error)) from None
        found = {"scheme": parts.scheme, "host": parts.netloc.rpartition("@")[2], "path": parts.path}
        found |= {"hostname": parts.hostname or "", "port": str(port or "")}
        if segment not in found:
            raise Fault(f"No idea how to get URL part {segment}")
        return found[segment]

    def netmask_to_cidr(self, netmask: str) -> int:
        """How many bits of an IPv4 address are its network's: 24 of 255.255.255.0."""
        try:
            network = ipaddress.IPv4Network(f"0.0.0.0/{netmask}")
        except ValueError:
            raise Fault(f"{netmask} is not a netmask") from None
        return network.prefixlen

    methods = methods_of(
        {
            "ApiHost": api_host,
            "ApiURL": api_url,
            "BootParams": boot_params,
            "BootParamsFor": boot_params_for,
            "CallTemplate": call_template,
            "ComposeParam": compose_param,
            "ComposeParamExpand": compose_param_expand,
            "GenerateInfiniteToken": generate_infinite_token,
            "GenerateProfileToken": generate_profile_token,
            "GenerateToken": generate_token,
            "Info": info,
            "InstallRepos": install_repos,
            "MachineRepos": machine_repos,
            "NetmaskToCIDR": netmask_to_cidr,
            "ObjectExpand": object_expand,
            "Param": param,
            "ParamAsJSON": param_as_json,
            "ParamAsYAML": param_as_yaml,
            "ParamCompose": compose_param,
            "ParamComposeExpand": compose_param_expand,
            "ParamExists": param_exists,
            "ParamExpand": param_expand,
            "ParseUrl": parse_url,
            "ProvisionerAddress": provisioner_address,
            "ProvisionerURL": provisioner_url,
            "Repos": repos,
            "SecureProvisionerURL": secure_provisioner_url,
            "StringExpand": string_expand,
        }
    )


def _seconds(duration: Value) -> int:
    match = _DURATION.fullmatch(str(duration))
    if match is None:
        raise Fault(f"invalid duration {duration}")
    return int(match[1]) * _SECONDS[match[2]]
