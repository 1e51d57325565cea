"""SELF, SOURCE, TARGET, HOST, ORCHESTRATOR, OPERATION_HOST and names of templates [TOSCA 1.3, 4.1]."""

from __future__ import annotations

from ansible_ensemble.core.hints import nearest_or_known
from ansible_ensemble.expressions.context import Context
from ansible_ensemble.language.functions import KEYWORDS
from ansible_ensemble.views.controller import CONTROLLER, ControllerView
from ansible_ensemble.views.view import View


def named(context: Context, keyword: str) -> View | None:
    """What a keyword or a name means here; None if it means nothing."""
    frame = context.frame
    if keyword == "SELF":
        if frame.relationship is not None:
            return frame.relationship
        return frame.instance or (context.current.owner if isinstance(context.current, View) else None)
    if keyword == "SOURCE":
        return frame.relationship.source if frame.relationship is not None else None
    if keyword == "TARGET":
        return frame.relationship.target if frame.relationship is not None else None
    if keyword == "HOST":
        return next(iter(searched(context, keyword)), None)
    if keyword == "ORCHESTRATOR":
        return context.evaluator.graph.find(CONTROLLER) or ControllerView(context.evaluator)
    if keyword == "OPERATION_HOST":
        implementation = frame.operation.implementation if frame.operation is not None else None
        host = implementation.operation_host if implementation is not None else None
        return named(context, host) if host and host != keyword else named(context, "ORCHESTRATOR")
    graph = context.evaluator.graph
    # a full name is not looked for inside: a nested template may have the name of the one that it is nested in
    if frame.namespace and not keyword.startswith(f"{frame.namespace}:"):
        inner = graph.find(f"{frame.namespace}:{keyword}")
        if inner is not None:
            return inner
    return graph.find(keyword) or graph.declared(keyword, frame.namespace)


def entity(context: Context, keyword: str) -> View:
    """What a keyword or a name means here."""
    view = named(context, keyword)
    if view is not None:
        return view
    if keyword in KEYWORDS:
        wanted = "a relationship" if keyword in ("SOURCE", "TARGET") else "an instance that is hosted"
        raise context.failure(f"{keyword} is not available here", hint=f"it is for {wanted}")
    known = [*KEYWORDS, *context.evaluator.graph.names()]
    raise context.failure(f'there is no node template "{keyword}"', hint=nearest_or_known(keyword, known))


def searched(context: Context, keyword: str) -> list[View]:
    """The things a function searches in order.

    For HOST each host up the chain; for TARGET the target and then its capability that the relationship leads to, as
    the relationship types of TOSCA 1.0 have it; else the one thing that is meant.
    """
    relationship = context.frame.relationship
    if keyword == "HOST":
        start = relationship.source if relationship is not None else context.frame.instance
        return list(start.hosts()) if start is not None else []
    if keyword == "TARGET" and relationship is not None and relationship.capability is not None:
        return [relationship.target, relationship.capability]
    return [entity(context, keyword)]
