"""Templates in Jinja, for those whose Meta says `engine: jinja`.

They see `machine`, `task`, `stage` and `env` as maps with the names of the wire, and the functions named below.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jinja2.exceptions import TemplateError as JinjaError
from jinja2.exceptions import TemplateSyntaxError

from ansible_ensemble.core.budget import Budget, Fault, Limits
from ansible_ensemble.provision.gotemplate.fault import TemplateError
from ansible_ensemble.provision.gotemplate.values import Struct, Value
from ansible_ensemble.provision.templates.render_data import RenderData
from ansible_ensemble.provision.templates.rendering import printable
from ansible_ensemble.provision.templates.sandbox import BoundedEnvironment

_FUNCTIONS: dict[str, Callable[..., Value]] = {
    "api_url": RenderData.api_url,
    "compose_param": RenderData.compose_param,
    "generate_infinite_token": RenderData.generate_infinite_token,
    "generate_profile_token": RenderData.generate_profile_token,
    "generate_token": RenderData.generate_token,
    "info": RenderData.info,
    "param": RenderData.param,
    "param_exists": RenderData.param_exists,
    "parse_url": RenderData.parse_url,
    "provisioner_address": RenderData.provisioner_address,
    "provisioner_url": RenderData.provisioner_url,
    "secure_provisioner_url": RenderData.secure_provisioner_url,
}


def render(name: str, text: str, data: RenderData) -> str:
    """What a text in Jinja gives.

    Raises:
        TemplateError: it is no template, or cannot be rendered; the message names template, line and what is wrong.
    """
    budget = Budget(data.limits)
    environment = BoundedEnvironment(budget, data.texts)
    try:
        code = environment.compile(text, name, name)
        template = environment.template_class.from_code(environment, code, environment.globals)
        for part in template.generate(_variables(data)):
            budget.write(part)
    except Exception as error:  # whatever a template leads to is its own error
        raise TemplateError(f"template: {_place(error, name)}: {_said(error)}") from None
    return printable("".join(budget.parts))


def problem(name: str, text: str) -> str:
    """What is wrong with the syntax of a text; empty if it is a template."""
    try:
        BoundedEnvironment(Budget(Limits()), {}).compile(text, name, name)
    except Exception as error:
        return f"template: {_place(error, name)}: {_said(error)}"
    return ""


def _variables(data: RenderData) -> dict[str, Any]:
    fields = {name.lower(): _plain(value) for name, value in data.fields.items()}
    return {**fields, **{name: _bound(call, data) for name, call in _FUNCTIONS.items()}}


def _bound(call: Callable[..., Value], data: RenderData) -> Callable[..., Value]:
    return lambda *arguments: _plain(call(data, *arguments))


def _plain(value: Value) -> Value:
    """A value without methods."""
    if isinstance(value, (Struct, dict)):
        fields: Mapping[str, Value] = value.fields if isinstance(value, Struct) else value
        return {key: _plain(item) for key, item in fields.items()}
    return value


def _said(error: Exception) -> str:
    if isinstance(error, (Fault, TemplateError)):
        return str(error)
    if isinstance(error, JinjaError):
        return error.message or type(error).__name__
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return f"{type(error).__name__}: {error}"


def _place(error: Exception, name: str) -> str:
    """Template and line where an error comes from; Jinja puts lines of templates into tracebacks."""
    if isinstance(error, TemplateSyntaxError):
        return f"{error.name or name}:{error.lineno}"
    line, traceback = 1, error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == name:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return f"{name}:{line}"
