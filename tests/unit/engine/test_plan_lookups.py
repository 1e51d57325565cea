"""A plan runs nothing of the tasks that it looks into."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible_ensemble.engine.plan import plan_workflow

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    app: {{type: ansible.Tasks, properties: {{tasks: {tasks}}}}}
"""


def test_a_lookup_of_a_task_is_not_run_by_a_plan(job: Any, tmp_path: Path) -> None:
    tasks, ran = tmp_path / "tasks.yml", tmp_path / "ran"
    tasks.write_text(f"- copy: {{content: x, dest: \"{{{{ lookup('pipe', 'touch {ran}; echo /tmp/a') }}}}\"}}\n")
    made = job(SERVICE.format(tasks=tasks))
    assert plan_workflow(made.ensemble, "deploy", made.options).operations
    assert not ran.exists()
