"""Which variables a play looks up: Ansible's templates get each through the context of Jinja that it gives them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ansible_ensemble.lanes.session import AnsibleSession


class LookUps:
    """The variables that templates look up in this process; none of a core that has no such context."""

    def __init__(self) -> None:
        self._names = set[str]()
        try:
            from ansible._internal._templating._jinja_bits import AnsibleContext
        except ImportError:
            return
        look_up, names = AnsibleContext.resolve_or_missing, self._names

        def noted(context: Any, key: str) -> Any:
            if key not in context.environment.globals:
                names.add(key)
            return look_up(context, key)

        AnsibleContext.resolve_or_missing = noted

    def left(self, session: AnsibleSession, host: str | None, given: Iterable[str]) -> list[str]:
        """Names that may be variables of the inventory: neither Ansible's own, nor given or made in the play."""
        from ansible.constants import INTERNAL_STATIC_VARS

        made = session.variable_manager._nonpersistent_fact_cache.get(host, {})
        return sorted(self._names - INTERNAL_STATIC_VARS - made.keys() - set(given)) if host is not None else []
