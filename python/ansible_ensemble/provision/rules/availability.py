"""Whether objects may be stored (validated) and used (available), and why not (errors)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from ansible_ensemble.provision.objects import KINDS
from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.codec import encode
from ansible_ensemble.provision.objects.content import BootEnv, Param, Profile, Stage, Task, Template, Workflow
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.objects.plugin import Plugin, PluginProvider
from ansible_ensemble.provision.objects.tenant import Tenant
from ansible_ensemble.provision.rules import content_checks as content
from ansible_ensemble.provision.rules.catalog import Catalog
from ansible_ensemble.provision.rules.entry_checks import missing
from ansible_ensemble.provision.rules.machine_checks import lacks_of_machine, problems_of_machine
from ansible_ensemble.provision.rules.parameters import problems_of_params
from ansible_ensemble.provision.rules.problem import Problem, absent
from ansible_ensemble.provision.rules.refusal import Refused, invalid
from ansible_ensemble.provision.rules.template_checks import SyntaxCheck

Checked = TypeVar("Checked", bound=Object)


def looks_alike(before: Object, after: Object) -> bool:
    """Whether those that name an object are as sound after its change as before, so that nothing of them is new."""
    names = ("available", "errors", *after.LOOKED_AT)
    looks = ([getattr(one, name) for name in names] for one in (before, after))
    return len({encode(look) for look in looks}) == 1


def any_syntax(_text: str, _templates: Mapping[str, str]) -> str:
    """The check of templates where their texts are known to be sound: they were checked when they were stored."""
    return ""


def validated(checked: Checked, catalog: Catalog, syntax: SyntaxCheck = any_syntax) -> Checked:
    """The object with what is known of its soundness; called again when what it names appears, changes or goes.

    An object with a problem may not be stored. One that lacks something is stored, and may not be used. What it names
    is as available as it says itself; so whoever calls this follows changes of availability from object to object.
    """
    found = [f"{checked.key}: {problem}" for problem in problems(checked, catalog, syntax)]
    errors = [*found, *map(str, lacks(checked, catalog))]
    return checked.replaced(validated=not found, available=not errors, errors=errors)


def problems(checked: Object, catalog: Catalog, syntax: SyntaxCheck) -> Iterator[str]:
    """Why an object may not be stored."""
    check = _FLAWS.get(type(checked))
    if checked.KEY != "uuid" and not checked.NAMES.fullmatch(checked.key):
        field = checked.key_field()
        yield Problem(f"Invalid {field} `{checked.key}`", field)
    yield from checked.problems()
    yield from check(checked, catalog, syntax) if check else ()


def lacks(checked: Object, catalog: Catalog) -> Iterable[str]:
    """Why an object that may be stored cannot be used: it names what is not there, if its kind says nothing else."""
    check = _LACKS.get(type(checked))
    return check(checked, catalog) if check else missing(checked.references(), catalog)


def refuse_invalid(checked: Object) -> None:
    """Refuse an object that may not be stored.

    Raises:
        Refused: 422, with its errors.
    """
    if not checked.validated:
        raise invalid(*checked.errors, model=checked.PREFIX, key=checked.key)


def refuse_errors(before: Object | None, after: Object) -> None:
    """Refuse an object that has errors which it did not have before.

    Raises:
        Refused: 422, with the new errors.
    """
    known = before.errors if before else []
    if brought := [error for error in after.errors if error not in known]:
        raise invalid(*brought, model=after.PREFIX, key=after.key)


def _problems_of_tenant(tenant: Tenant, _catalog: Catalog, _syntax: SyntaxCheck) -> Iterator[str]:
    return (f"Invalid kind `{kind}`" for kind in tenant.members if kind not in KINDS)


def _lacks_of_plugin(plugin: Plugin, catalog: Catalog) -> Iterator[str]:
    provider = catalog.get(PluginProvider, plugin.provider)
    if provider is None:
        yield absent((PluginProvider.PREFIX, plugin.provider))
    else:
        missed = (name for name in provider.required_params if name not in plugin.params)
        yield from (Problem(f"Missing required parameter {name}", "Params") for name in missed)
    yield from problems_of_params(plugin.params, catalog)


@contextmanager
def all_errors(before: Object | None, asked: Object, catalog: Catalog) -> Iterator[None]:
    """In it, a refusal for what an object is to be tells what else is new that is wrong with it.

    Args:
        before: the object as it is; None for a new one.
        asked: as it is asked for.
        catalog: what it may name.
    """
    try:
        yield
    except Refused as refused:
        known = before.errors if before else []
        others = [error for error in validated(asked, catalog).errors if error not in known]
        messages = dict.fromkeys([*refused.error.messages, *others])
        raise invalid(*messages, model=asked.PREFIX, key=asked.key) from None


_FLAWS: dict[type[Object], Callable[[Any, Catalog, SyntaxCheck], Iterator[str]]] = {
    BootEnv: content.problems_of_bootenv,
    Machine: problems_of_machine,
    Param: content.problems_of_param,
    Profile: content.problems_of_profile,
    Stage: content.problems_of_stage,
    Task: content.problems_of_task,
    Template: content.problems_of_template,
    Tenant: _problems_of_tenant,
}
_LACKS: dict[type[Object], Callable[[Any, Catalog], Iterator[str]]] = {
    BootEnv: content.lacks_of_bootenv,
    Machine: lacks_of_machine,
    Plugin: _lacks_of_plugin,
    Profile: content.lacks_of_profile,
    Stage: content.lacks_of_stage,
    Task: content.lacks_of_task,
    Workflow: content.lacks_of_workflow,
}
