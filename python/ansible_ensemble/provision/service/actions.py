"""What the server can be asked to do with an object beyond changing it: power, network boot.

There is none by default: the operator declares some, and plugins bring theirs.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from ansible_ensemble.provision.objects import WITH_PARAMS
from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.codec import plain
from ansible_ensemble.provision.objects.plugin import AvailableAction
from ansible_ensemble.provision.rules.parameters import aggregated, is_secure, value_of
from ansible_ensemble.provision.rules.refusal import Refused, invalid
from ansible_ensemble.provision.service.lookup import get_or_404, kind_of, not_found
from ansible_ensemble.provision.service.parsing import parsed_body
from ansible_ensemble.provision.service.secure_params import Revealed
from ansible_ensemble.provision.store.transaction import Reader


class ActionFailed(Exception):
    """An action that did not do what it is for; the message says why."""


class Action(Struct, frozen=True):
    """An action, and what carries it out.

    Attributes:
        about: what it is for.
        run: gets what is asked; what it returns is the answer; raises `ActionFailed`. It runs outside of any
            transaction, and may take its time.
        provider_param: a param of the object that has to name the provider; without one, it is for all objects.
        plugin: that carries it out; task lists may name it in the place of its provider.
    """

    about: AvailableAction
    run: Callable[[Invocation], Awaitable[Any]]
    provider_param: str = ""
    plugin: str = ""


class Invocation(Struct, frozen=True):
    """An action on an object, ready to be carried out.

    Attributes:
        action: what is done.
        target: the object as the wire has it.
        params: of the object and the request.
        secure: the names of those that must not be shown.
    """

    action: Action
    target: Any
    params: Mapping[str, Any]
    secure: frozenset[str] = frozenset()

    async def run(self) -> Any:
        """Carry it out."""
        try:
            return plain(await self.action.run(self))
        except ActionFailed:
            raise
        except Exception as error:  # an action is code of others: whatever it raises, it has failed
            raise ActionFailed(f"{type(error).__name__}: {error}") from error


def list_actions(
    reader: Reader, actions: Sequence[Action], prefix: str, name: str, provider: str = ""
) -> list[AvailableAction]:
    """The actions that an object offers."""
    target = get_or_404(reader, kind_of(prefix), name)
    return [one.about for one in actions if _is_of(one, provider) and _is_for(reader, one, target)]


def show_action(reader: Reader, actions: Sequence[Action], prefix: str, name: str, command: str) -> AvailableAction:
    """One action that an object offers.

    Raises:
        Refused: 404, there is no such object, or it has no such action.
    """
    target = get_or_404(reader, kind_of(prefix), name)
    if action := find_action(reader, actions, target, command):
        return action.about
    raise not_found("GET", prefix, f"{name}/actions/{command}")


def prepare(
    reader: Reader, actions: Sequence[Action], prefix: str, name: str, command: str, *, body: bytes
) -> Invocation:
    """An action that a request asks for.

    Raises:
        Refused: 400, the body is no map of params; 404, there is no such object, or it has no such action; 422, a
            param that is needed is missing.
    """
    target = get_or_404(reader, kind_of(prefix), name, "POST")
    action = find_action(reader, actions, target, command)
    if action is None:
        if unfit := why_unfit(reader, actions, target, command):
            raise invalid(unfit, model=prefix, key=target.key)
        raise not_found("POST", prefix, f"{name}/actions/{command}")
    return invocation(reader, action, target, parsed_body(dict[str, Any], body or b"{}", "POST", prefix, target.key))


def find_action(
    reader: Reader, actions: Sequence[Action], target: Object, command: str, provider: str = ""
) -> Action | None:
    """The action of a name that is for an object, of any provider or of one."""
    for action in _named(actions, command, provider):
        if _is_for(reader, action, target):
            return action
    return None


def why_unfit(reader: Reader, actions: Sequence[Action], target: Object, command: str, provider: str = "") -> str:
    """Why no action of a name is for an object though there are some for its kind; empty if there are none."""
    others = [one for one in _named(actions, command, provider) if one.about.model == target.PREFIX]
    if not others:
        return ""
    param = others[0].provider_param
    named = ", ".join(sorted({one.about.provider for one in others}))
    return f"{param} is {_param(reader, target, param)!r}; providers of {command} are {named}"


def _named(actions: Sequence[Action], command: str, provider: str) -> Iterator[Action]:
    for action in actions:
        if action.about.command == command and _is_of(action, provider):
            yield action


def _is_of(action: Action, provider: str) -> bool:
    """Whether a provider or plugin of a name carries an action out; any does where there is no name."""
    return not provider or provider in (action.about.provider, action.plugin)


def _is_for(reader: Reader, action: Action, target: Object) -> bool:
    """Whether an action is for an object; a param can only choose among what the operator has declared."""
    if action.about.model != target.PREFIX:
        return False
    param = action.provider_param
    return not param or _param(reader, target, param) == action.about.provider


def _param(reader: Reader, target: Object, name: str) -> Any:
    return value_of(target, name, reader) if isinstance(target, WITH_PARAMS) else None


def invocation(reader: Reader, action: Action, target: Object, said: Mapping[str, Any]) -> Invocation:
    """An action on an object, with the params that it knows and those that are said.

    Raises:
        Refused: 422, a param that is needed is missing.
    """
    catalog = Revealed(reader)
    known = aggregated(catalog.of(target), catalog) if isinstance(target, WITH_PARAMS) else {}
    params = {**known, **said}
    about = action.about
    if missing := [name for name in about.required_params if name not in params]:
        messages = [f"Missing required parameter {name} for action {about.command}" for name in missing]
        raise invalid(*messages, model=target.PREFIX, key=target.key)
    wanted = {*about.required_params, *about.optional_params, *said}
    given = {name: params[name] for name in params if name in wanted}
    return Invocation(action, plain(target.public()), given, frozenset(one for one in given if is_secure(one, reader)))


def refused_action(failed: ActionFailed, prefix: str, key: str) -> Refused:
    """The refusal of a request whose action failed."""
    return Refused(422, str(failed), type="INVOKE", model=prefix, key=key)
