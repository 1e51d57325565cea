"""What a request makes of an object that is neither machine nor job: created or changed, and checked."""

from __future__ import annotations

from typing import TypeVar

from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.content import Profile, Stage
from ansible_ensemble.provision.objects.plugin import Plugin
from ansible_ensemble.provision.rules.availability import any_syntax, refuse_invalid, validated
from ansible_ensemble.provision.rules.catalog import Catalog
from ansible_ensemble.provision.rules.features import flagged_task
from ansible_ensemble.provision.rules.parameters import problems_of_params
from ansible_ensemble.provision.rules.refusal import invalid
from ansible_ensemble.provision.rules.template_checks import SyntaxCheck

Edited = TypeVar("Edited", bound=Object)


def created_object(asked: Edited, catalog: Catalog, syntax: SyntaxCheck = any_syntax) -> Edited:
    """The object that a request to create one makes.

    Raises:
        Refused: 422; it has a problem, or params of it do not fit their schemas.
    """
    return _checked(None, flagged_task(asked.replaced(read_only=False)), catalog, syntax)


def edited_object(before: Edited, asked: Edited, catalog: Catalog, syntax: SyntaxCheck = any_syntax) -> Edited:
    """The object after a request to change it; its key, its content and what the server computes stay.

    Raises:
        Refused: 422; it has a problem, or params that were set do not fit their schemas.
    """
    kept = {name: getattr(before, name) for name in (before.KEY, "read_only", "bundle", "endpoint")}
    return _checked(before, asked.replaced(**kept), catalog, syntax)


def _checked(before: Object | None, made: Edited, catalog: Catalog, syntax: SyntaxCheck) -> Edited:
    if isinstance(made, Stage):
        made = made.replaced(runner_wait=True)
    if isinstance(made, Stage | Profile | Plugin):
        _refuse_params(before, made, catalog)
    checked = validated(made, catalog, syntax)
    refuse_invalid(checked)
    return checked


def _refuse_params(before: Object | None, made: Stage | Profile | Plugin, catalog: Catalog) -> None:
    known = problems_of_params(before.params, catalog) if isinstance(before, Stage | Profile | Plugin) else []
    if problems := [problem for problem in problems_of_params(made.params, catalog) if problem not in known]:
        raise invalid(*problems, model=made.PREFIX, key=made.key)
