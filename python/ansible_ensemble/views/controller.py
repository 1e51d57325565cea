"""The machine that jobs run on, as an instance (Unfurl: `localhost`)."""

from __future__ import annotations

import platform

from ansible_ensemble.instances.instance import Instance
from ansible_ensemble.instances.status import NodeState, Status
from ansible_ensemble.language.entities import EntityType, NodeTemplate
from ansible_ensemble.views.entities import NodeView
from ansible_ensemble.views.view import Model

#: Its name, where the topology has no other instance of it.
CONTROLLER = "localhost"
_TEMPLATE = NodeTemplate(CONTROLLER, EntityType("node", "unfurl.nodes.Localhost"))


class ControllerView(NodeView):
    """The controller: it is there, it requires nothing, and it tells its system and architecture."""

    __slots__ = ()

    def __init__(self, evaluator: Model) -> None:
        known = {"os_type": platform.system().lower(), "architecture": platform.machine()}
        fixed = Instance(CONTROLLER, CONTROLLER, local=Status.OK, state=NodeState.STARTED, attributes=known)
        super().__init__(evaluator, CONTROLLER, CONTROLLER, fixed)

    @property
    def template(self) -> NodeTemplate:
        """One that no file declares."""
        return _TEMPLATE

    def siblings(self) -> list[NodeView]:
        """Itself alone."""
        return [self]
