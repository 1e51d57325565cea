"""A saved plan is refused where vaults, facts or the path of roles are others than those that it was made with."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.jobs.conftest import Run
from tests.matrix import sampled
from tests.preloaded import PROGRAMS, run

FILES = {
    "ansible.cfg": "[defaults]\ninventory = hosts.ini\nvault_password_file = ../pass\n"
    "fact_caching = jsonfile\nfact_caching_connection = facts\n",
    "hosts.ini": f"w1 ansible_connection=local ansible_python_interpreter={sys.executable}\n",
    "one/talks/tasks/main.yml": "- copy: {content: one, dest: '{{ inventory_dir }}/made'}\n",
    "two/talks/tasks/main.yml": "- copy: {content: two, dest: '{{ inventory_dir }}/made'}\n",
    "web.yaml": """\
resources:
  talks: {role: talks, host: w1}
  fact:
    module: copy
    args: {dest: made, content: "{{ ansible_facts.system }}"}
    host: w1
    requirements: [{dependency: talks}]
  secret: {module: copy, args: {dest: made, content: "{{ word }}"}, host: w1, requirements: [{dependency: fact}]}
""",
}


def seal(project: Path, text: str) -> None:
    words = ["encrypt_string", "--name", "word", text]
    done = run([PROGRAMS / "ansible-vault", *words], cwd=project, env=os.environ)
    (project / "group_vars").mkdir(exist_ok=True)
    (project / "group_vars/all.yml").write_text(done.stdout)


def another_secret(project: Path) -> None:
    (project.parent / "pass").write_text("another\n")
    seal(project, "another word")


def other_facts(project: Path) -> None:
    (cached,) = (project / "facts").iterdir()
    cached.write_text(cached.read_text().replace("Linux", "Other"))


#: What changes -> how, the exit code, and what is named.
CHANGES: dict[str, tuple[Callable[[Path], object], int, str]] = {
    "another password, and a value that it opens": (another_secret, 1, "group_vars"),
    "a password that opens nothing": (
        lambda project: (project.parent / "pass").write_text("wrong\n"),
        3,
        "word of the host w1",
    ),
    "facts": (other_facts, 1, "fact"),
    "the path of roles": (lambda _project: None, 1, "talks"),
}


@pytest.mark.parametrize("change", sampled(CHANGES, 3))
def test_it_is_refused_and_says_why(command: Callable[..., Run], tmp_path: Path, change: str) -> None:
    project = tmp_path / "project"
    for name, text in FILES.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    (tmp_path / "pass").write_text("first\n")
    seal(project, "a word")
    gather = ("w1", "-m", "setup", "-a", "gather_subset=!all,!min,platform")
    assert command(*gather, program="ansible", cwd=project).code == 0
    roles = {"ANSIBLE_ROLES_PATH": "one", "ANSIBLE_ENSEMBLE_TRUST": str(project)}
    planned = command("plan", "web.yaml", "--out", "plan.json", cwd=project, extra=roles)
    assert planned.code == 0, planned.output
    make, code, named = CHANGES[change]
    make(project)
    if "roles" in change:
        roles["ANSIBLE_ROLES_PATH"] = "two"
    done = command("deploy", "plan.json", "--approve", cwd=project, extra=roles)
    assert done.code == code, done.output
    assert named in done.stderr, done.stderr
    assert not (project / "made").exists()
