"""What tasks of a plan's plays name is told by the plan: the handlers that they may run."""

from __future__ import annotations

from pathlib import Path

from ansible_ensemble.jobs.planned import make_plan
from ansible_ensemble.reports.plan_text import plan_text

SERVICE = """\
resources:
  page: {playbook: page.yml, host: localhost}
  quiet: {module: command, args: {cmd: id}, host: localhost}
"""
PLAYBOOK = """\
- hosts: all
  roles: [shop]
  tasks:
    - {copy: {dest: /srv/a, content: a}, notify: [Restart, "{{ other }}"]}
    - {copy: {dest: /srv/b, content: a}, notify: Restart, when: false}
  handlers:
    - {name: Restart, command: id}
    - {name: Reload, listen: loaded, command: id}
    - {name: Idle, command: id}
"""


def test_a_plan_names_the_handlers_that_may_run(tmp_path: Path) -> None:
    tasks = tmp_path / "roles" / "shop" / "tasks" / "main.yml"
    tasks.parent.mkdir(parents=True)
    tasks.write_text("- {command: id, loop: [1], notify: loaded}\n")
    (tmp_path / "page.yml").write_text(PLAYBOOK)
    (tmp_path / "service.yaml").write_text(SERVICE)
    outcome = make_plan(str(tmp_path / "service.yaml"), "deploy", {})
    named = {one.instance: one.handlers for one in outcome.plan.operations}
    assert {name: sorted(handlers) for name, handlers in named.items()} == {"page": ["Restart", "loaded"], "quiet": []}
    [told] = [line for line in plan_text(outcome.document).splitlines() if line.strip().startswith("may run")]
    assert told.strip() == f"may run the handlers {', '.join(named['page'])}"
