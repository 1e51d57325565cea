"""Carries out orders given as data: what the product's action plugin does, and nothing else."""

from __future__ import annotations

import asyncio
import os

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_ensemble.core.orders import Host, ModuleCall, Play
from ansible_ensemble.core.parent import die_with_parent
from ansible_ensemble.core.sensitive import reveal
from ansible_ensemble.core.sparse import as_map
from ansible_ensemble.lanes.ansible_lanes import AnsibleLanes
from ansible_ensemble.lanes.session import AnsibleSession


class ActionModule(ActionBase):
    _requires_connection = False

    def run(self, tmp=None, task_vars=None):
        super().run(tmp, task_vars)
        die_with_parent(os.getppid())
        session = AnsibleSession.from_action(self, task_vars)
        outcomes = asyncio.run(self.all(session))
        return {"changed": False, "outcomes": [reveal(as_map(outcome)) for outcome in outcomes]}

    async def all(self, session):
        display = Display()
        lanes = AnsibleLanes(
            session,
            executors=int(self._task.args.get("executors", 2)),
            fast=bool(self._task.args.get("fast", True)),
            on_display=lambda method, args, kwargs: getattr(display, method)(*args, **kwargs),
        )
        try:
            return await asyncio.gather(*(lanes.run(order_of(data)) for data in self._task.args["orders"]))
        finally:
            await lanes.close()


def order_of(data):
    data = dict(data)
    data["host"] = Host(**data.get("host", {}))
    return Play(**data) if "kind" in data else ModuleCall(**data)
