"""Where the play of a job runs, by the options of `ansible-playbook`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible import context
from ansible.errors import AnsibleLookupError

from tests.unit.plugins.test_documentation import collection, load

__all__ = ["collection"]

REPOSITORY = Path(__file__).resolve().parents[3]
UNSET: dict[str, Any] = {"args": ["tosca.ensemble.deploy"], "tags": ["all"], "skip_tags": [], "start_at_task": None}
EMPTY: dict[str, Any] = {"groups": {"all": []}}
FULL: dict[str, Any] = {"groups": {"all": ["web1"]}}

HOSTS = [
    ({}, EMPTY, "localhost"),
    ({}, FULL, "localhost"),
    ({}, FULL | {"ansible_limit": "web1"}, "all"),
    ({}, EMPTY | {"ansible_limit": "app,localhost"}, "localhost"),
    ({"args": ["site.yml"], "tags": ["web"]}, EMPTY, "localhost"),
]

REFUSED = [
    ({}, EMPTY | {"ansible_limit": "app"}, "ensemble_limit=app"),
    ({"tags": ["web"]}, EMPTY, "without --tags"),
    ({"skip_tags": ["web"]}, EMPTY, "without --skip-tags"),
    ({"start_at_task": "Plan"}, EMPTY, "without --start-at-task"),
    ({"args": [str(REPOSITORY / "playbooks" / "plan.yml")], "tags": ["web"]}, EMPTY, "without --tags"),
]


def hosts(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], variables: dict[str, Any], *, limited: bool = True
) -> list[str]:
    lookup = load(REPOSITORY / "plugins" / "lookup" / "job_hosts.py").LookupModule()
    monkeypatch.setattr(lookup, "set_options", lambda **_: None)
    monkeypatch.setattr(lookup, "get_option", lambda _: limited)
    monkeypatch.setattr(context, "CLIARGS", UNSET | options)
    return lookup.run([], variables)


@pytest.mark.parametrize(("options", "variables", "expected"), HOSTS)
def test_a_job_runs_where_the_limit_leaves_a_host(monkeypatch, options, variables, expected):
    assert hosts(monkeypatch, options, variables) == [expected]


@pytest.mark.parametrize(("options", "variables", "message"), REFUSED)
def test_what_would_skip_the_job_is_refused(monkeypatch, options, variables, message):
    with pytest.raises(AnsibleLookupError, match=message):
        hosts(monkeypatch, options, variables)


def test_what_is_of_the_whole_ensemble_takes_no_limit(monkeypatch):
    with pytest.raises(AnsibleLookupError, match="without --limit web1"):
        hosts(monkeypatch, {}, FULL | {"ansible_limit": "web1"}, limited=False)
    assert hosts(monkeypatch, {}, FULL | {"ansible_limit": "localhost"}, limited=False) == ["localhost"]
    assert hosts(monkeypatch, {}, FULL, limited=False) == ["localhost"]
