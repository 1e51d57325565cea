"""Where the play of a job runs, by the options of `ansible-playbook`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible import context
from ansible.errors import AnsibleLookupError
from jinja2 import Environment

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
    monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], variables: dict[str, Any], **given: Any
) -> list[str]:
    lookup = load(REPOSITORY / "plugins" / "lookup" / "job_hosts.py").LookupModule()
    values = {"limited": True, "pattern": None, "tags": [], **given}
    monkeypatch.setattr(lookup, "set_options", lambda **_: None)
    monkeypatch.setattr(lookup, "get_option", values.__getitem__)
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


#: What Ansible is given beside the playbook, and the inventory: `web` has `web1`, `provision` has `p1`.
GIVEN: dict[str, tuple[dict[str, Any], str | None]] = {
    "": ({}, None),
    "-l web1": ({}, "web1"),
    "-l app": ({}, "app"),
    "-l p1": ({}, "p1"),
    "--tags x": ({"tags": ["x"]}, None),
    "--tags content": ({"tags": ["content"]}, None),
    "--skip-tags x": ({"skip_tags": ["x"]}, None),
    "--skip-tags content": ({"skip_tags": ["content"]}, None),
    "--skip-tags content,server": ({"skip_tags": ["content", "server"]}, None),
    "--start-at-task X": ({"start_at_task": "X"}, None),
    "--syntax-check": ({"start_at_task": "X", "syntax": True}, None),
}
INVENTORY = {"all": ["web1", "p1"], "ungrouped": [], "web": ["web1"], "provision": ["p1"]}
WHOLE = "run as a whole"
PARTS = dict.fromkeys(("--tags x", "--skip-tags x", "--skip-tags content,server", "--start-at-task X"), WHOLE)
ALL = PARTS | dict.fromkeys(("--tags content", "--skip-tags content"), WHOLE)
#: Kinds of playbooks, with the pattern of hosts that each has, or the words by which it fails.
JOB = ALL | {"": "localhost", "-l web1": "all", "-l p1": "all", "-l app": "all", "--syntax-check": "localhost"}
NO_LIMIT = ALL | {
    "": "localhost",
    "-l": "this is of the whole ensemble, without --limit",
    "--syntax-check": "localhost",
}
KINDS = {
    "job": (JOB, "check deploy discover notify plan run start stop undeploy"),
    "whole": (NO_LIMIT, "adopt awx carry_out forget history outputs recover status unlock validate"),
    "machines": (
        ALL | {"": "all", "-l web1": "all", "-l p1": "all", "-l app": "all means no host", "--syntax-check": "all"},
        "provision_machines",
    ),
    "server": (
        PARTS
        | {"": "provision", "-l p1": "provision", "-l": "provision means no host", "--syntax-check": "provision"}
        | {"--tags content": "provision", "--skip-tags content": "provision"},
        "provision_start",
    ),
}
PLAYBOOKS = {name: expected for expected, names in KINDS.values() for name in names.split()}


@pytest.mark.parametrize("options", GIVEN)
@pytest.mark.parametrize("playbook", sorted(path.stem for path in (REPOSITORY / "playbooks").glob("*.yml")))
def test_each_playbook_heeds_an_option_or_refuses_it(monkeypatch, playbook, options):
    """No play is skipped: of each, the hosts are some, or it fails with a sentence."""
    chosen, limit = GIVEN[options]
    chosen = {"args": [f"tosca.ensemble.{playbook}"], **chosen}
    variables = {"groups": INVENTORY, **({"ansible_limit": limit} if limit else {})}
    table = PLAYBOOKS[playbook]
    expected = table.get(options) or table[options.partition(" ")[0]]

    def lookup(name: str, **given: Any) -> str:
        assert name == "tosca.ensemble.job_hosts"
        return ",".join(hosts(monkeypatch, chosen, variables, **given))

    for play in yaml.safe_load((REPOSITORY / "playbooks" / f"{playbook}.yml").read_text()):
        template = Environment().from_string(play["hosts"])
        if " " in expected:
            with pytest.raises(AnsibleLookupError, match=expected):
                template.render(lookup=lookup)
        else:
            assert template.render(lookup=lookup) == expected
