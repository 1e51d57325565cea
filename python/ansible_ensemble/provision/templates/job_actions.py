"""The actions of a job: the templates of a task, stage or bootenv, rendered for a machine."""

from __future__ import annotations

import posixpath
from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence

from ansible_ensemble.core.budget import Limits
from ansible_ensemble.provision.gotemplate.fault import TemplateError
from ansible_ensemble.provision.objects.content import BootEnv, Stage, Task
from ansible_ensemble.provision.objects.job import JobAction
from ansible_ensemble.provision.objects.parts import TemplateInfo
from ansible_ensemble.provision.rules.template_checks import systems_of
from ansible_ensemble.provision.templates import jinja
from ansible_ensemble.provision.templates.render_data import RenderData
from ansible_ensemble.provision.templates.rendering import parsed
from ansible_ensemble.provision.templates.source import Source

ENGINE, GO, JINJA = "engine", "go", "jinja"


class MissingParam(TemplateError):
    """A param that a task, stage or bootenv requires has no value."""


def job_actions(
    source: Source, owner: Task | Stage | BootEnv, system: str = "", limits: Limits | None = None
) -> list[JobAction]:
    """What an agent does for a task, stage or bootenv, in the order of its templates.

    Args:
        source: the machine and what belongs to it.
        owner: whose templates are rendered.
        system: leaves out templates for other operating systems; empty leaves out none.
        limits: what each template may use.

    Raises:
        MissingParam: a required param has no value.
        TemplateError: a template cannot be rendered; the message names template and line.
    """
    limits = limits or Limits()
    data = RenderData(source, _texts(source, owner), limits)
    for param in owner.required_params:
        if not data.param_exists(param):
            raise MissingParam(f"Missing required parameter {param} for {owner.PREFIX} {owner.name}")
    return [_action(data, template) for template in _for_system(owner.templates, system)]


def problem_of_text(text: str, meta: Mapping[str, str]) -> str:
    """What is wrong with the syntax of a text in the engine that its Meta names; empty if it is a template."""
    try:
        if engine_of(meta) == JINJA:
            return jinja.problem("template", text)
        parsed("template", text)
    except TemplateError as error:
        return str(error)
    return ""


def _texts(source: Source, owner: Task | Stage | BootEnv) -> Mapping[str, str]:
    """The server's templates by ID, and those in the owner by name."""
    own = {template.name: template.contents for template in owner.templates if template.contents}
    return ChainMap(own, source.templates)  # type: ignore[arg-type] # nothing is written to the second


def _for_system(templates: Sequence[TemplateInfo], system: str) -> Iterator[TemplateInfo]:
    for template in templates:
        systems = systems_of(template)
        if not system or not systems or systems & {system, "any"}:
            yield template


def _action(data: RenderData, template: TemplateInfo) -> JobAction:
    name, engine = template.id or template.name, engine_of(template.meta)
    path = _rendered(data, engine, f"{name} path", template.path, strict=True)
    content = _rendered(data, engine, name, _contents(data, template))
    path = posixpath.normpath(path) if path else ""
    return JobAction(name=template.name, path=path, content=content, meta=dict(template.meta))


def _contents(data: RenderData, template: TemplateInfo) -> str:
    if template.link:
        raise TemplateError(f"template: {template.name}: links are not followed")
    if not template.id:
        return template.contents
    if template.id not in data.source.templates:
        raise TemplateError(f"template: {template.name}: Template {template.id} does not exist")
    return data.source.templates[template.id]


def _rendered(data: RenderData, engine: str, name: str, text: str, *, strict: bool = False) -> str:
    return jinja.render(name, text, data) if engine == JINJA else data.render(name, text, strict)


def engine_of(meta: Mapping[str, str]) -> str:
    """The engine that the Meta of a template names.

    Raises:
        TemplateError: there is no such engine.
    """
    engine = meta.get(ENGINE, GO)
    if engine not in (GO, JINJA):
        raise TemplateError(f"there is no engine {engine}; templates are rendered by {GO} or {JINJA}")
    return engine
