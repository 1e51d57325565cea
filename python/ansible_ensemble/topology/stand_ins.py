"""Types that are known by name alone: another orchestrator has operations for them, and nothing here has.

Files that use them are read, so that their templates can be selected, discovered or given operations. A job that would
only say that it deployed one is refused.
"""

from __future__ import annotations

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.language.entities import NodeTemplate
from ansible_ensemble.topology.directives import NOT_DEPLOYED

#: Node types, with those that derive from them -> what implements one here.
STAND_INS: dict[str, str] = {
    "unfurl.nodes.Installer.Terraform": "a folder of *.tf files as the implementation",
}


def stand_in_fault(template: NodeTemplate) -> InvalidInput | None:
    """Why no job can deploy or delete the instances of a node template; None if one can."""
    instead = next((STAND_INS[one.name] for one in template.type.lineage() if one.name in STAND_INS), None)
    if instead is None or not NOT_DEPLOYED.isdisjoint(template.directives) or template.deploys:
        return None
    message = f"nothing implements the type {template.type.name} of node template '{template.name}'"
    return InvalidInput(message, template.place, f"give it operations: {instead}, for instance")
