"""The adopt workflow, which records existing instances."""

from __future__ import annotations

from ansible_ensemble.core.actions import Action, Reason
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.planning.context import PlannedInstance, Planning
from ansible_ensemble.planning.sequence import implementation_text, planned

#: The workflow's name.
ADOPT = "adopt"

_BY_HAND = "`ansible-ensemble adopt NAME --attribute NAME=VALUE` records it by hand"


def decide_adopt(planning: Planning) -> None:
    """Look at each selected instance by its discover operation, or else its check operation.

    What is found is recorded as not created by the ensemble, so undeploy leaves it alone (docs/rules.md, "Undeploy").
    Instances without such an operation are left alone, unless they are named.
    """
    named = {*planning.options.instances, *planning.options.templates}
    for member in planning.selected():
        if named and not member.in_spec:
            raise InvalidInput(f'the spec has no instance "{member.name}"')
        if not member.in_spec:
            continue
        if member.instance is not None and member.instance.status.operational:
            planning.exclude(member, "it is recorded already")
        elif not _look(planning, member):
            if named:
                raise InvalidInput(f'"{member.name}" has neither a discover nor a check operation', hint=_BY_HAND)
            planning.exclude(member, _no_check(member))


def _look(planning: Planning, member: PlannedInstance) -> bool:
    """Plan to check an instance; false if it has no operation for that."""
    for name, reason in (("discover", Reason.DISCOVER), ("check", Reason.CHECK)):
        operation = member.find(name)
        if operation is not None:
            member.up = [planned(planning, member, operation, name, reason)]
            member.plan(Action.READ, reason, "it is adopted if it exists")
            return True
    return False


def _no_check(member: PlannedInstance) -> str:
    """Why it is unknown whether an instance exists."""
    texts = [implementation_text(member.find(name)) for name in ("configure", "create", "start")]
    made_by = next(filter(None, texts), "")
    return f"it is unknown whether it exists: {made_by or 'it'} has no check"
