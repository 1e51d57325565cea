"""The workflow that takes what exists already into the status."""

from __future__ import annotations

from ansible_ensemble.core.actions import Action, Reason
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.planning.context import Planning
from ansible_ensemble.planning.sequence import planned

_BY_HAND = "`ansible-ensemble adopt NAME --attribute NAME=VALUE` records it by hand"


def decide_adopt(planning: Planning) -> None:
    """Look at each selected instance by its discover operation, or else its check operation.

    What is found is recorded as not created by the ensemble, so undeploy leaves it alone (docs/rules.md, "Undeploy").

    Raises:
        InvalidInput: an instance has neither operation, or the spec does not ask for it.
    """
    for member in planning.selected():
        if not member.in_spec:
            raise InvalidInput(f'the spec has no instance "{member.name}"')
        if member.instance is not None and member.instance.status.operational:
            planning.exclude(member, "it is recorded already")
            continue
        for name, reason in (("discover", Reason.DISCOVER), ("check", Reason.CHECK)):
            operation = member.find(name)
            if operation is not None:
                member.up = [planned(planning, member, operation, name, reason)]
                member.plan(Action.READ, reason, "it is adopted if it exists")
                break
        else:
            raise InvalidInput(f'"{member.name}" has neither a discover nor a check operation', hint=_BY_HAND)
