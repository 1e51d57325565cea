"""Transforms that set up the members: instances for templates, their links, their order."""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import chain
from types import MappingProxyType

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.instances.status import Status
from ansible_ensemble.language.entities import NodeTemplate
from ansible_ensemble.planning.context import Link, PlannedInstance, Planning
from ansible_ensemble.planning.peers import with_peers
from ansible_ensemble.topology.directives import ACCOMPANYING, ON_DEMAND, RETAINED, WITHOUT_INSTANCES
from ansible_ensemble.topology.scaling import instance_names, instance_number, is_asked_for, link_targets

#: Directives of templates that are deployed where others are.
_BY_OTHERS = ON_DEMAND | {ACCOMPANYING}


def add_members(planning: Planning) -> None:
    """One member for each instance the spec asks for, and for each that is recorded."""
    for template in _planned_templates(planning):
        for name in instance_names(template):
            planning.members[name] = PlannedInstance(name, template, True, planning.instances.get(name))
    for instance in planning.instances:
        if instance.name not in planning.members:
            template = planning.topology.node_templates[instance.template]
            planning.members[instance.name] = PlannedInstance(
                instance.name, template, not _left_spec(instance.name, template), instance
            )


def _left_spec(name: str, template: NodeTemplate) -> bool:
    """Whether the spec once asked for an instance; others were made by operations."""
    if RETAINED in template.directives:
        return True
    return instance_number(template, name) is not None and not is_asked_for(template, name)


def _planned_templates(planning: Planning) -> list[NodeTemplate]:
    """Templates that make instances: all but those on demand that nothing refers to, and some directives.

    Those that accompany others are included with them.

    A template on demand may be there for instances that operations report; these are members by themselves.
    """
    templates = planning.topology.node_templates
    chosen: dict[str, NodeTemplate] = {}
    for template in templates.values():
        if not WITHOUT_INSTANCES.isdisjoint(template.directives):
            continue
        if _BY_OTHERS.isdisjoint(template.directives) or planning.instances.get(template.name) is not None:
            chosen[template.name] = template
    open_ones = deque(chosen.values())
    while open_ones:
        for relationship in open_ones.popleft().requirements:
            target = relationship.target
            if target.name not in chosen and not ON_DEMAND.isdisjoint(target.directives):
                chosen[target.name] = target
                open_ones.append(target)
    for template in templates.values():
        if ACCOMPANYING in template.directives and all(one.target.name in chosen for one in template.requirements):
            chosen[template.name] = template
    return [template for name, template in templates.items() if name in chosen]


def link_members(planning: Planning) -> None:
    """Links between members, from the relationships of their templates."""
    members = planning.members
    links = [link for one in members.values() for link in links_of(one.name, one.template, members)]
    for link in with_peers([*links, *_scaled_down(planning), *_no_longer_named(planning, links)]):
        members[link.source].requirements.append(link)
        members[link.target].dependents.append(link)


def _scaled_down(planning: Planning) -> Iterator[Link]:
    """Links to instances beyond the count of their template."""
    past = [one for one in planning.members.values() if not one.in_spec and RETAINED not in one.template.directives]
    if not past:
        return
    by_template: dict[str, list[PlannedInstance]] = {}
    for member in planning.members.values():
        if member.instance is not None:
            by_template.setdefault(member.template.name, []).append(member)
    for target in past:
        number = instance_number(target.template, target.name)
        for relationship in target.template.incoming:
            for source in by_template.get(relationship.source.name, ()):
                hosted = source.instance is not None and source.instance.host == target.name
                if hosted or not relationship.is_hosted_on:
                    key = f"{relationship.name}#{relationship.index}" + ("" if hosted or not number else f".{number}")
                    yield Link(relationship, key, source.name, target.name, former=source.in_spec)


def _no_longer_named(planning: Planning, links: Iterable[Link]) -> Iterator[Link]:
    """Links to what node templates named before: where add_* of a requirement ran, and what hosts an instance."""
    hosting: dict[str, list[Link]] = {}
    for link in links:
        source = planning.members[link.source]
        if source.instance is None or not source.in_spec:
            continue
        done = source.instance.relationships.get(link.key) if source.instance.relationships else None
        if done is not None and done.added and done.target != link.target and _may_be_linked(planning, done.target):
            yield Link(link.relationship, link.key, link.source, done.target, former=True)
        elif link.relationship.is_hosted_on:
            hosting.setdefault(link.source, []).append(link)
    for name, own in hosting.items():
        instance = planning.members[name].instance
        host = instance.host if instance is not None else None
        if host is not None and host not in {link.target for link in own} and _may_be_linked(planning, host):
            yield Link(own[0].relationship, own[0].key, name, host, former=True)


def _may_be_linked(planning: Planning, name: str) -> bool:
    """Whether there is such an instance, and it is none beyond the count of its template, which is linked anyway."""
    member = planning.members.get(name)
    return member is not None and (member.in_spec or RETAINED in member.template.directives)


def links_of(instance: str, template: NodeTemplate, there: Container[str]) -> Iterator[Link]:
    """The links of an instance to those that its template's requirements lead to, as far as these are there."""
    for relationship in template.requirements:
        targets = [name for name in link_targets(relationship, instance) if name in there]
        for number, name in enumerate(targets):
            key = f"{relationship.name}#{relationship.index}" + (f".{number}" if number else "")
            yield Link(relationship, key, instance, name)


def sort_members(planning: Planning) -> None:
    """Put the members in order, requirements first, else as declared (Kahn; O(V+E))."""
    order = in_order(planning.members)
    if len(order) < len(planning.members):
        raise InvalidInput(f"dependency cycle: {' -> '.join(_cycle(planning, order))}")
    planning.members = order


def in_order(
    members: Mapping[str, PlannedInstance], follows: Mapping[str, Iterable[str]] = MappingProxyType({})
) -> dict[str, PlannedInstance]:
    """Members in order, behind their requirements and those they follow, else as given; those of a cycle are left out.

    Kahn's algorithm, O(V+E).
    """
    before = {
        name: {*(link.target for link in member.requirements if not link.peer), *follows.get(name, ())}
        for name, member in members.items()
    }
    behind: dict[str, list[str]] = {}
    for name, names in before.items():
        for other in names:
            behind.setdefault(other, []).append(name)
    waiting = {name: len(names) for name, names in before.items()}
    ready = deque(name for name, count in waiting.items() if not count)
    order: dict[str, PlannedInstance] = {}
    while ready:
        name = ready.popleft()
        order[name] = members[name]
        for source in behind.get(name, ()):
            waiting[source] -= 1
            if not waiting[source]:
                ready.append(source)
    return order


def _cycle(planning: Planning, sorted_ones: dict[str, PlannedInstance]) -> list[str]:
    left = {name: member for name, member in planning.members.items() if name not in sorted_ones}
    path: dict[str, int] = {}
    name = next(iter(left))
    while name not in path:
        path[name] = len(path)
        name = next(link.target for link in left[name].requirements if link.target in left and not link.peer)
    return [*list(path)[path[name] :], name]


def check_filters(planning: Planning) -> None:
    """Refuse filters without a match, and warn of what they leave out if it is needed."""
    options = planning.options
    known_templates = {name for member in planning.members.values() for name in planning.written(member)}
    for name in chain(options.instances, options.replace):
        if name not in planning.members:
            raise InvalidInput(f'there is no instance "{name}"', hint=nearest(name, planning.members))
    for name in options.templates:
        if name not in known_templates:
            raise InvalidInput(f'there is no node template "{name}"', hint=nearest(name, known_templates))
    if not options.is_limited:
        return
    selected = {member.name for member in planning.selected()}
    known = sum(not member.is_tool for member in planning.members.values())
    left_out = known - len(selected)
    if left_out and planning.workflow in ("deploy", "undeploy"):
        planning.warnings.append(
            f"The job is limited to {len(selected)} of {known} instances by a filter; "
            "the others may differ from the spec."
        )
    if planning.workflow == "deploy":
        needed = {link.target for member in planning.selected() for link in member.requirements} - selected
        missing = [name for name, member in planning.members.items() if name in needed and _is_missing(member)]
        if missing:
            planning.warnings.append(f"Required, not deployed, and excluded by the filter: {', '.join(missing)}.")


def _is_missing(member: PlannedInstance) -> bool:
    gone = member.instance is not None and member.instance.status is Status.ABSENT
    return (member.is_new or gone) and "select" not in member.template.directives
