"""Deployment blueprints of Unfurl's dialect: sets of node templates, of which an environment chooses one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_ensemble.core.hints import known_names, nearest_or_known
from ansible_ensemble.core.notices import NoticeCode
from ansible_ensemble.documents.places import Map, place_of
from ansible_ensemble.language.types import Scope

Blueprints = Mapping[str, Any]


def blueprint_templates(
    scope: Scope, more: Blueprints, wanted: str, connections: Mapping[str, Any]
) -> Mapping[str, Any]:
    """The node templates of the blueprint in use; they take the place of those of the service template.

    Without a name it is the blueprint for the `cloud` that the environment's connection `primary_provider` is of.

    Args:
        scope: what the service template sees.
        more: the ensemble's own blueprints, which win.
        wanted: the name of the one that the environment chooses, empty if it chooses none.
        connections: those of the environment.
    """
    problems, key = scope.problems, "deployment_blueprints"
    within = problems.mapping(scope.document.get(key), "the deployment blueprints", place_of(scope.document, key))
    known = {name: (section[name], section) for section in (within, more) for name in section}
    if not known:
        if wanted:
            problems.warn(
                NoticeCode.IDLE_BLUEPRINT,
                f"the deployment blueprint '{wanted}' is not there, for the service template has none",
            )
        return {}
    name = wanted or _for_cloud(known, connections)
    if name is None:
        hint = known_names(known)
        problems.warn(
            NoticeCode.IDLE_BLUEPRINT, f"none of the deployment blueprints is used: the environment names none ({hint})"
        )
        return {}
    if name not in known:
        problems.add(f"there is no deployment blueprint '{name}'", None, nearest_or_known(name, known))
        return {}
    raw, section = known[name]
    what, place = f"the deployment blueprint '{name}'", place_of(section, name)
    body = problems.mapping(raw, what, place)
    problems.check_keys(body, "deployment_blueprint", place)
    key = "resource_templates" if body.get("resource_templates") else "node_templates"
    templates = problems.mapping(body.get(key), f"the node templates of {what}", place_of(body, key))
    return templates if isinstance(templates, Map) else Map(templates)


def _for_cloud(known: Mapping[str, tuple[Any, Any]], connections: Mapping[str, Any]) -> str | None:
    provider = connections.get("primary_provider")
    kind = provider.get("type") if isinstance(provider, Mapping) else None
    fitting = (name for name, (one, _other) in known.items() if isinstance(one, Mapping) and one.get("cloud") == kind)
    return next(fitting, None) if kind is not None else None
