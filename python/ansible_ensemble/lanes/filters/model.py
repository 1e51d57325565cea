"""The filters `eval` and `ref` of plays: values of expressions, which were evaluated before the play began."""

from __future__ import annotations

from typing import Any

from ansible.errors import AnsibleFilterError
from jinja2 import pass_context
from jinja2.runtime import Context

from ansible_ensemble.core.orders import EVALUATED


@pass_context
def evaluated(context: Context, expression: Any) -> Any:
    """The value of an expression.

    Raises:
        AnsibleFilterError: it was not found in the play's files before the play began.
    """
    known = context.get(EVALUATED) or {}
    if expression not in known:
        raise AnsibleFilterError(f"{expression!r} was not evaluated before the play began: evaluate it in an input")
    return known[expression]


class FilterModule:
    """What Ansible looks for in a file of filters."""

    def filters(self) -> dict[str, Any]:
        """The filters by name."""
        return {"eval": evaluated, "ref": evaluated}
