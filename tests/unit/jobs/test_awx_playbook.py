"""The playbook that makes in AWX what the role makes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.jobs.awx_playbook import awx_playbook

SERVICE = """\
inputs:
  size: {type: integer, default: 1}
resources:
  app: {module: ansible.builtin.debug}
"""
VARIABLES = """\
awx_name: web
awx_ensemble: service.yaml
awx_project_url: https://git.example/team/web.git
awx_image: "registry.example/{{ 'ee' }}:1"
awx_vault_password: "{{ lookup('env', 'NOT_SET') }}"
awx_state_credential: {username: robot, token: canary-4711}
awx_variables: {input_page: !unsafe "{{ ensemble_stats.outputs.url }}"}
awx_notification_type: slack
awx_notification_configuration: {token: canary-4711, channels: [ops]}
"""


class Loader(yaml.SafeLoader):
    """Reads what Ansible takes as a text, and no template, as `(text,)`."""


Loader.add_constructor("!unsafe", lambda loader, node: (loader.construct_scalar(node),))


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "service.yaml").write_text(SERVICE)
    (tmp_path / "awx.yml").write_text(VARIABLES)
    monkeypatch.chdir(tmp_path)


def tasks(*extra_vars: str) -> dict[str, dict[str, Any]]:
    """The tasks of the playbook by their names."""
    [play] = yaml.load(awx_playbook(("@awx.yml", *extra_vars), {}), Loader)
    return {task["name"]: task for task in play["tasks"]}


def test_objects_stand_in_the_order_of_the_role() -> None:
    names = [*tasks()]
    order = ["Organization Default", "Credential web vault", "Project web project", "Job template web deploy"]
    assert [name for name in names if name in order] == order
    assert names.index("Workflow job template node plan") > names.index("Workflow job template web")


def test_arguments_are_those_of_the_role() -> None:
    made = tasks()
    assert made["Execution environment web"]["awx.awx.execution_environment"] == {
        "name": "web",
        "image": "registry.example/ee:1",
        "organization": "Default",
    }
    template = made["Job template web deploy"]["awx.awx.job_template"]
    assert template["extra_vars"] == {"input_page": ("{{ ensemble_stats.outputs.url }}",), "ensemble": "service.yaml"}
    assert template["survey_spec"]["spec"][0]["variable"] == "input_size"


def test_secrets_are_variables() -> None:
    text = awx_playbook(("@awx.yml",), {})
    assert "canary" not in text
    made = tasks()
    assert made["Credential web state"]["awx.awx.credential"]["inputs"] == "{{ awx_state_credential }}"
    assert made["Credential web vault"]["awx.awx.credential"]["inputs"]["vault_password"] == "{{ awx_vault_password }}"
    told = made["Notification template web plan"]
    assert told["no_log"]
    assert told["awx.awx.notification_template"]["notification_configuration"] == "{{ awx_notification_configuration }}"
    [named] = (line for line in text.splitlines() if line.startswith("# Secrets"))
    assert named.endswith(": awx_notification_configuration, awx_state_credential, awx_vault_password.")


def test_it_is_the_same_each_time_and_what_is_not_wanted_is_not_in_it() -> None:
    assert awx_playbook(("@awx.yml",), {}) == awx_playbook(("@awx.yml",), {})
    assert "Schedule web check" in tasks()
    assert "Schedule web check" not in tasks("awx_check_schedule=")


@pytest.mark.parametrize(
    ("extra_vars", "message"),
    [
        ((), "missing required arguments: awx_ensemble, awx_name, awx_project_url"),
        (("@none.yml",), "none.yml"),
        (("@awx.yml", "awx_state=gone"), "awx_state must be one of: present, absent"),
        (("@awx.yml", "{awx_workflows: [deplo]}"), "deplo"),
        (("@awx.yml", "awx_ensemble=none.yaml"), "none.yaml"),
    ],
)
def test_what_the_role_refuses_is_refused(extra_vars: tuple[str, ...], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        awx_playbook(extra_vars, {})
