"""Variables that a node of the types `ansible.*` gives to what it runs: templates in its values see them, too.

A task of Ansible's sees its `vars` in its own arguments; so do the arguments of a module see `keywords: {vars: ...}`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ansible_ensemble.expressions.context import Context

_KEYWORDS = "keywords"
VARS = "vars"
_TYPE = "ansible.Root"


def node_variables(names: Collection[str], context: Context) -> frozenset[str]:
    """Those of the names that are variables of the node which an expression belongs to."""
    node = context.frame.instance
    template = node.template if node is not None else None
    if template is None or not template.type.is_a(_TYPE) or _KEYWORDS not in template.properties:
        return frozenset()
    keywords = template.properties[_KEYWORDS].value
    given = keywords.get(VARS) if isinstance(keywords, Mapping) else None
    return frozenset(given).intersection(names) if isinstance(given, Mapping) else frozenset()
