"""Params: where their values come from, in which order, and how those are put together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from ansible_ensemble.provision.objects.base import Record, Reference
from ansible_ensemble.provision.objects.content import Param, Profile, Stage
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.objects.plugin import Plugin
from ansible_ensemble.provision.rules.catalog import Catalog
from ansible_ensemble.provision.rules.problem import Problem, placed

#: What has params of its own.
Owner: TypeAlias = Machine | Profile | Stage | Plugin
#: The profile whose params every machine has.
GLOBAL = "global"
#: The fields of a sealed value; no other map has exactly these.
_SEALED = frozenset({"Key", "Nonce", "Payload"})


def sources(owner: Owner, catalog: Catalog) -> Iterator[tuple[Reference, Mapping[str, Any]]]:
    """What an object has params of, and these, from the nearest to the farthest; the nearest wins.

    Of a machine: its own, those of its profiles in their order, of its stage, of the stage's profiles, and of the
    profile `global`. A profile is followed by those it includes. A plugin has its own alone.
    """
    yield (owner.PREFIX, owner.key), owner.params
    if isinstance(owner, Plugin):
        return
    yield from _of_profiles(owner.profiles, catalog)
    if isinstance(owner, Machine):
        stage = catalog.get(Stage, owner.stage)
        if stage:
            yield (Stage.PREFIX, stage.name), stage.params
            yield from _of_profiles(stage.profiles, catalog)
        yield from _of_profiles([GLOBAL], catalog)


def aggregated(owner: Owner, catalog: Catalog) -> dict[str, Any]:
    """All params that an object has, each with the value that wins; defaults are not among them."""
    result: dict[str, Any] = {}
    for _source, params in sources(owner, catalog):
        result = {**params, **result}
    return dict(sorted(result.items()))


def values_of(owner: Owner, name: str, catalog: Catalog) -> Iterator[Any]:
    """The values of a param, from the nearest to the farthest; the default of its definition is the last."""
    yield from (params[name] for _source, params in sources(owner, catalog) if name in params)
    param = catalog.get(Param, name)
    if param and isinstance(param.schema, Mapping) and "default" in param.schema:
        yield param.schema["default"]


def value_of(owner: Owner, name: str, catalog: Catalog) -> Any:
    """The value of a param that wins; None where there is none."""
    return next(values_of(owner, name, catalog), None)


def composed(values: Iterable[Any]) -> Any:
    """The values of a param as one: maps are merged and lists joined, the nearest first; None where there is none.

    What is neither map nor list, or another kind than the nearest value, adds nothing.
    """
    result, *farther = [*values] or [None]
    for value in farther:
        result = _joined(result, value)
    return result


def composed_params(owner: Owner, catalog: Catalog) -> dict[str, Any]:
    """All params that an object has, each composed of all its values; defaults are not among them."""
    gathered: dict[str, list[Any]] = {}
    for _source, params in sources(owner, catalog):
        for name, value in params.items():
            gathered.setdefault(name, []).append(value)
    return {name: composed(values) for name, values in sorted(gathered.items())}


class Origin(Record, frozen=True, kw_only=True):
    """A value of a param, and what has it.

    Attributes:
        kind: of what has it; of a default, `params`.
        name: of what has it.
        value: it; None where it is secure.
        secure: whether only those see it who ask for it with `decode`.
    """

    kind: str
    name: str
    value: Any
    secure: bool = False


def origins(owner: Owner, catalog: Catalog, defined: Iterable[Param] = ()) -> dict[str, list[Origin]]:
    """All values of the params that an object has, the one that wins first.

    Args:
        owner: the object.
        catalog: where the others are.
        defined: the definitions of params whose defaults are among them.
    """
    found: dict[str, list[Origin]] = {}
    of_defaults = (
        ((Param.PREFIX, one.name), {one.name: one.schema["default"]})
        for one in defined
        if isinstance(one.schema, Mapping) and "default" in one.schema
    )
    for (kind, key), params in (*sources(owner, catalog), *of_defaults):
        for name, value in params.items():
            secure = is_sealed(value) or is_secure(name, catalog)
            shown = Origin(kind=kind, name=key, value=None if secure else value, secure=secure)
            found.setdefault(name, []).append(shown)
    return dict(sorted(found.items()))


def is_secure(name: str, catalog: Catalog) -> bool:
    """Whether the values of a param are to be sealed."""
    param = catalog.get(Param, name)
    return param is not None and param.secure


def is_sealed(value: Any) -> bool:
    """Whether a value is a sealed one."""
    return isinstance(value, dict) and value.keys() == _SEALED


def problem_of_param(name: str, value: Any, catalog: Catalog) -> str:
    """Why a param cannot have a value; empty if it can, or if nothing defines the param.

    What is sealed was checked before it was sealed; of a value that is to be sealed, the problem says nothing.
    """
    from ansible_ensemble.provision.rules.schemas import problem_of_value  # agents do not need it

    param = catalog.get(Param, name)
    if param is None or (param.secure and is_sealed(value)):
        return ""
    problem = problem_of_value(param.schema, value)
    if not problem:
        return ""
    told = " of a secure param" if param.secure else f" '{value}': {problem}"
    brief = f"{name}: {'not a value that it can have' if param.secure else problem}"
    return Problem(f"Key '{name}': invalid val{told}", "Params", name, *placed(problem).path, brief=brief)


def problems_of_params(params: Mapping[str, Any], catalog: Catalog) -> list[str]:
    """Which params cannot have their values, and why."""
    return [problem for name, value in params.items() if (problem := problem_of_param(name, value, catalog))]


def _of_profiles(names: Iterable[str], catalog: Catalog) -> Iterator[tuple[Reference, Mapping[str, Any]]]:
    """The params of profiles, each followed by those it includes, each once."""
    seen: set[str] = set()
    waiting = [*names][::-1]
    while waiting:
        name = waiting.pop()
        profile = None if name in seen else catalog.get(Profile, name)
        seen.add(name)
        if profile:
            yield (Profile.PREFIX, name), profile.params
            waiting.extend(reversed(profile.profiles))


def _joined(near: Any, far: Any) -> Any:
    if isinstance(near, Mapping) and isinstance(far, Mapping):
        both = {name: _joined(near[name], far[name]) for name in near if name in far}
        return {**far, **near, **both}
    if isinstance(near, list) and isinstance(far, list):
        return [*near, *far]
    return near
