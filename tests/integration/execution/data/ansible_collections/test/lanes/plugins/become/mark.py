"""A become plugin that only marks what it runs."""

from __future__ import annotations

from ansible.plugins.become import BecomeBase

DOCUMENTATION = """
name: mark
short_description: marks what runs under it
description: Sets a variable in the environment of what runs under it.
options:
  become_user:
    description: not used
    vars: [{name: ansible_become_user}]
    default: root
  become_pass:
    description: not used
    vars: [{name: ansible_become_password}]
"""


class BecomeModule(BecomeBase):
    name = "test.lanes.mark"

    def build_become_command(self, cmd, shell):
        super().build_become_command(cmd, shell)
        return f"LANE_VARIABLE=become {self._build_success_command(cmd, shell)}" if cmd else cmd
