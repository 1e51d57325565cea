"""What a node wants of its machine, and how the machine differs from that."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Literal

import msgspec
from msgspec import Struct

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.provision.objects.machine import Machine

#: Where a machine's Meta says which context it begins in.
_BASE_CONTEXT = "BaseContext"
#: In the place of a secret.
_SECRET = "(secret)"


class Server(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The server of the machine; what is not given comes from environment variables.

    The fields are those of `provision.client.settings.settings_from`.
    """

    endpoint: str | None = None
    key: str | None = None
    token: str | None = None
    ca_file: str | None = None
    fingerprint: str | None = None
    insecure: bool | None = None


class Wanted(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is wanted of a machine.

    Attributes:
        name: of the machine.
        server: that has it.
        workflow: that it has to complete; without one it is only set up.
        profiles: all that it has, in their order; None leaves them alone.
        params: that it has among others.
        context: that its workflow begins in, for an agent of that context; None leaves it alone.
        address, hardware_addresses: what is known of it; None leaves them to its agent.
        existing: whether a machine of the name is used if there is one, has to be there, or must not be.
        rerun: what a complete machine does again if something else than the workflow changed: the tasks in its present
            bootenv, the whole workflow, or nothing.
        deploy_actions: actions of the server to run when it is set going, as `poweron`.
        undeploy_workflow: that it has to complete when it is undeployed.
        undeploy_actions: actions of the server to run then, as `poweroff`.
        undeploy: whether the machine is deleted on the server, or only taken out of the workflow; None deletes what
            deploy created.
    """

    name: str
    server: Server = Server()
    workflow: str = ""
    profiles: list[str] | None = None
    params: dict[str, Any] = {}
    context: str | None = None
    address: str | None = None
    hardware_addresses: list[str] | None = None
    existing: Literal["use", "require", "refuse"] = "use"
    rerun: Literal["bootenv", "workflow", "nothing"] = "bootenv"
    deploy_actions: list[str] = []
    undeploy_workflow: str = ""
    undeploy_actions: list[str] = []
    undeploy: Literal["delete", "release"] | None = None


class Difference(Struct, frozen=True):
    """In what a machine is not as it is wanted; secrets are not in it."""

    name: str
    live: Any
    wanted: Any

    def __str__(self) -> str:
        if self.live is self.wanted is _SECRET:
            return f"{self.name} is another one"
        if self.wanted is None:
            return f"{self.name} is {self.live}, and is not wanted any more"
        return f"{self.name} is {'not set' if self.live is None else self.live}, not {self.wanted}"


def wanted_of(inputs: Mapping[str, Any]) -> Wanted:
    """What inputs of an operation want."""
    try:
        return msgspec.convert(inputs, Wanted)
    except msgspec.ValidationError as error:
        raise InvalidInput(f"inputs of the machine: {error}") from None


def shaped(machine: Machine, wanted: Wanted, stale: Collection[str]) -> Machine:
    """The machine as it is wanted, but for its workflow, and without params that were wanted before (`stale`)."""
    kept = {name: value for name, value in machine.params.items() if name not in stale}
    meta = machine.meta if wanted.context is None else {**machine.meta, _BASE_CONTEXT: wanted.context}
    return machine.replaced(
        name=wanted.name,
        meta=meta,
        params={**kept, **wanted.params},
        profiles=machine.profiles if wanted.profiles is None else wanted.profiles,
        address=machine.address if wanted.address is None else wanted.address,
        hardware_addrs=machine.hardware_addrs if wanted.hardware_addresses is None else wanted.hardware_addresses,
    )


def differences(
    machine: Machine, wanted: Wanted, stale: Collection[str], secure: Collection[str]
) -> Iterator[Difference]:
    """In what a machine, its secure params open, differs from what is wanted."""
    shape = shaped(machine, wanted, stale)
    if wanted.workflow and machine.workflow != wanted.workflow:
        yield Difference("workflow", machine.workflow or None, wanted.workflow)
    for name, live, should in (
        ("name", machine.name, shape.name),
        ("profiles", machine.profiles, shape.profiles),
        ("context", machine.meta.get(_BASE_CONTEXT), shape.meta.get(_BASE_CONTEXT)),
        ("address", machine.address, shape.address),
        ("hardware_addresses", machine.hardware_addrs, shape.hardware_addrs),
    ):
        if live != should:
            yield Difference(name, live, should)
    yield from _of_params(machine.params, shape.params, secure)


def _of_params(live: Mapping[str, Any], wanted: Mapping[str, Any], secure: Collection[str]) -> Iterator[Difference]:
    for name in sorted(live.keys() | wanted.keys()):
        one, other = live.get(name), wanted.get(name)
        if one != other or isinstance(one, bool) != isinstance(other, bool):
            hidden = name in secure
            yield Difference(f"params.{name}", _shown(one, hidden=hidden), _shown(other, hidden=hidden))


def _shown(value: Any, *, hidden: bool) -> Any:
    return _SECRET if hidden and value is not None else value
