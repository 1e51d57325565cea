"""What is wrong with the templates of a task, stage or bootenv."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from ansible_ensemble.provision.objects.content import Template
from ansible_ensemble.provision.objects.parts import TemplateInfo
from ansible_ensemble.provision.rules.catalog import Catalog

#: What is wrong with the syntax of a template's text, whose engine its Meta may name; empty if it is sound.
SyntaxCheck: TypeAlias = Callable[[str, Mapping[str, str]], str]

SYSTEMS = frozenset(("any", "darwin", "esxi", "freebsd", "linux", "netbsd", "openbsd", "solaris", "windows"))


def flaws_of_templates(
    templates: Sequence[TemplateInfo], syntax: SyntaxCheck, path_required: bool = True
) -> Iterator[str]:
    """Why an object cannot have these templates."""
    names: set[str] = set()
    for index, template in enumerate(templates):
        yield from _flaws_of_template(template, index, path_required)
        if template.name and template.name in names:
            yield f"Template name {template.name} is used more than once"
        names.add(template.name)
        for text in (template.contents, template.path):
            if text and (flaw := syntax(text, template.meta)):
                yield f"Template {template.name}: {flaw}"


def flaws_of_systems(templates: Sequence[TemplateInfo]) -> Iterator[str]:
    """What is wrong with the operating systems that the templates of a task name: all name some, or none does."""
    for template in templates:
        unknown = sorted(systems_of(template) - SYSTEMS)
        if unknown:
            yield f"Template {template.name}: invalid OS {', '.join(unknown)} in Meta"
    if len({"OS" in template.meta for template in templates}) > 1:
        yield "Either all templates or none must have OS in their Meta"


def systems_of(template: TemplateInfo) -> set[str]:
    """The operating systems that a template names: a comma list in its Meta."""
    return {name.strip() for name in template.meta["OS"].split(",")} if "OS" in template.meta else set()


def missing_templates(templates: Sequence[TemplateInfo], catalog: Catalog) -> Iterator[str]:
    """Which templates an object names that are not there."""
    for template in templates:
        if template.id and catalog.get(Template, template.id) is None:
            yield f"Template {template.id} does not exist"


def _flaws_of_template(template: TemplateInfo, index: int, path_required: bool) -> Iterator[str]:
    if not template.name:
        yield f"Template {index} has no Name"
    if path_required and not template.path:
        yield f"Template {template.name or index} has no Path"
    given = sum(bool(source) for source in (template.id, template.contents, template.link))
    if given != 1:
        yield f"Template {template.name or index} must have exactly one of ID, Contents and Link"
