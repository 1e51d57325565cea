"""What expressions see of the inventory of a run of Ansible."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import REDACTED, is_sensitive
from ansible_ensemble.lanes import core
from ansible_ensemble.lanes.host_variables import HostVariables
from ansible_ensemble.lanes.session import standalone_session

INVENTORY = """\
[web]
web1 port=80 mode="{{ ansible_check_mode | default(false) }}" newest="{{ ansible_version.full is version('2', '>=') }}"
"""


@pytest.fixture
def variables(tmp_path: Path) -> HostVariables:
    (tmp_path / "hosts").write_text(INVENTORY)
    return HostVariables(
        standalone_session(
            tmp_path / "hosts",
            base=tmp_path,
            extra_variables={"ensemble": "ensemble.yaml", "ensemble_jobs": 3, "region": "eu"},
        )
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [("port", 80), ("region", "eu"), ("group_names", ["web"]), ("mode", False), ("newest", True)],
)
def test_variables_of_the_inventory(variables: HostVariables, name: str, value: object) -> None:
    assert name in variables.names("web1")
    assert variables.value("web1", name) == value


def test_passwords_of_connections_are_sensitive_and_masked(tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text(
        "web1 ansible_password=hunter2x ansible_become_pass=hunter3x both='{{ ansible_password }}!' ansible_user=web\n"
    )
    variables = HostVariables(standalone_session(tmp_path / "hosts", base=tmp_path))
    names = ("ansible_password", "ansible_become_pass", "both", "ansible_user")
    assert [is_sensitive(variables.value("web1", name)) for name in names] == [True, True, True, False]
    assert core.masked(["hunter2x", "a hunter3x", "web"]) == [REDACTED, f"a {REDACTED}", "web"]


@pytest.mark.parametrize("name", ["ensemble", "ensemble_jobs", "ansible_check_mode", "ansible_verbosity", "nope"])
def test_the_run_is_no_part_of_the_inventory(variables: HostVariables, name: str) -> None:
    """A plan and the job that carries it out are runs of their own: what differs between them changes nothing."""
    manager = variables._session.variable_manager
    manager._options_vars = {**manager._options_vars, "ansible_check_mode": True, "ansible_verbosity": 1}
    assert name not in variables.names("web1")
    with pytest.raises(KeyError):
        variables.value("web1", name)


@pytest.mark.parametrize(
    ("pattern", "hosts"), [("all", ["web1"]), ("web1", ["web1"]), ("web*", ["web1"]), ("none", []), ("all:!web1", [])]
)
def test_hosts_of_a_pattern(
    variables: HostVariables, capfd: pytest.CaptureFixture[str], pattern: str, hosts: list[str]
) -> None:
    assert variables.matching(pattern) == hosts
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("pattern", ["~(", "&", "web:!"])
def test_what_is_no_pattern_is_refused(variables: HostVariables, pattern: str) -> None:
    with pytest.raises(InvalidInput, match=r"the pattern of hosts .* cannot be read"):
        variables.matching(pattern)


def test_an_encrypted_file_without_a_password_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "inventory.ini").write_text("web1\n")
    (tmp_path / "host_vars").mkdir()
    (tmp_path / "host_vars" / "web1.yml").write_text("$ANSIBLE_VAULT;1.1;AES256\n3030\n")
    variables = HostVariables(standalone_session(tmp_path / "inventory.ini", base=tmp_path))
    with pytest.raises(InvalidInput, match="the variables of web1 cannot be read") as refused:
        variables.names("web1")
    assert "--vault-id" in str(refused.value.hint)
