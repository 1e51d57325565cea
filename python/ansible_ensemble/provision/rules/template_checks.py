"""What is wrong with the templates of a task, stage or bootenv."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from ansible_ensemble.provision.objects.content import Template
from ansible_ensemble.provision.objects.parts import TemplateInfo
from ansible_ensemble.provision.rules.catalog import Catalog
from ansible_ensemble.provision.rules.problem import Problem, absent

#: What is wrong with the syntax of a template's text, whose engine its Meta may name; empty if it is sound.
SyntaxCheck: TypeAlias = Callable[[str, Mapping[str, str]], str]

SYSTEMS = frozenset(("any", "darwin", "esxi", "freebsd", "linux", "netbsd", "openbsd", "solaris", "windows"))


def problems_of_templates(
    templates: Sequence[TemplateInfo], syntax: SyntaxCheck, path_required: bool = True
) -> Iterator[Problem]:
    """Why an object cannot have these templates."""
    names: set[str] = set()
    for index, template in enumerate(templates):
        yield from _at(index, _problems_of_template(template, index, path_required))
        if template.name and template.name in names:
            yield Problem(f"Template name {template.name} is used more than once", "Templates", index, "Name")
        names.add(template.name)
        for field, text in (("Contents", template.contents), ("Path", template.path)):
            if text and (problem := syntax(text, template.meta)):
                yield Problem(f"Template {template.name}: {problem}", "Templates", index, field)


def problems_of_systems(templates: Sequence[TemplateInfo]) -> Iterator[Problem]:
    """What is wrong with the operating systems that the templates of a task name: all name some, or none does."""
    for index, template in enumerate(templates):
        unknown = sorted(systems_of(template) - SYSTEMS)
        if unknown:
            message = f"Template {template.name}: invalid OS {', '.join(unknown)} in Meta"
            yield Problem(message, "Templates", index, "Meta", "OS")
    if len({"OS" in template.meta for template in templates}) > 1:
        yield Problem("Either all templates or none must have OS in their Meta", "Templates")


def systems_of(template: TemplateInfo) -> set[str]:
    """The operating systems that a template names: a comma list in its Meta."""
    return {name.strip() for name in template.meta["OS"].split(",")} if "OS" in template.meta else set()


def missing_templates(templates: Sequence[TemplateInfo], catalog: Catalog) -> Iterator[Problem]:
    """Which templates an object names that are not there."""
    for index, template in enumerate(templates):
        if template.id and catalog.get(Template, template.id) is None:
            reference = ("templates", template.id)
            yield Problem(absent(reference), "Templates", index, "ID", reference=reference)


def _at(index: int, messages: Iterator[Problem]) -> Iterator[Problem]:
    return (message.within("Templates", index) for message in messages)


def _problems_of_template(template: TemplateInfo, index: int, path_required: bool) -> Iterator[Problem]:
    if not template.name:
        yield Problem(f"Template {index} has no Name")
    if path_required and not template.path:
        yield Problem(f"Template {template.name or index} has no Path")
    given = sum(bool(source) for source in (template.id, template.contents, template.link))
    if given != 1:
        yield Problem(f"Template {template.name or index} must have exactly one of ID, Contents and Link")
