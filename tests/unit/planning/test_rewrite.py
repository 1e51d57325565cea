"""When one of several that write a path runs, goes or is checked, the others follow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.jobs.planned import make_plan

HEAD = """
apiVersion: tosca-ensemble/v1
kind: Ensemble
spec: {service_template: service.yaml}
status:
  instances:
"""
INSTANCE = """\
    {0}:
      template: {0}
      created: A6BN64gG0001
      readyState: {{local: {1}, state: configured}}
      properties: {{module: {2}, args: {3}}}
"""
#: The nodes, each of which needs the one before it: the module, its arguments, what else it has.
NODES = {
    "base": ("copy", "{dest: /srv/a, content: b=2}", ""),
    "set_b": ("lineinfile", "{path: /srv/a, regexp: ^b=, line: b=3}", ""),
    "other": ("copy", "{dest: /srv/other, content: x}", ""),
    "mode": ("file", "{path: /srv/a, mode: '0600'}", ""),
}


def ensemble(folder: Path, states: dict[str, str], *, left_out: tuple[str, ...] = (), **changed: str) -> None:
    """An ensemble of the nodes; those with a state are deployed with it. `changed` are other arguments by now."""
    text, before = "resources:\n", None
    for name, (module, args, more) in NODES.items():
        if name in left_out:
            continue
        needs = f", requirements: [{{dependency: {before}}}]" if before else ""
        text += f"  {name}: {{module: {module}, args: {changed.get(name, args)}{more}{needs}}}\n"
        before = name
    (folder / "service.yaml").write_text(text)
    status = "".join(INSTANCE.format(name, state, *NODES[name][:2]) for name, state in states.items())
    (folder / "ensemble.yaml").write_text(HEAD + status)


def planned(folder: Path, workflow: str = "deploy", **options: Any) -> dict[str, Any]:
    return make_plan(str(folder), workflow, options).document


def reasons(document: dict[str, Any]) -> dict[str, str]:
    return {one["address"]: one["reason"].partition(": both")[0] for one in document["resource_changes"]}


def paths(document: dict[str, Any]) -> dict[str, Any]:
    return {one["instance"]: one["paths"] for one in document["operations"] if one.get("paths")}


OK = dict.fromkeys(NODES, "ok")
WRITTEN = [{"path": "/srv/a"}]


def test_all_new_run_once_and_the_last_records_what_it_left(tmp_path: Path) -> None:
    ensemble(tmp_path, {})
    document = planned(tmp_path)
    assert reasons(document) == dict.fromkeys(NODES, "new")
    assert paths(document) == {"mode": WRITTEN}


def test_nothing_changed(tmp_path: Path) -> None:
    ensemble(tmp_path, OK)
    assert planned(tmp_path)["operations"] == []


def test_those_after_one_that_is_forced_run(tmp_path: Path) -> None:
    ensemble(tmp_path, OK)
    document = planned(tmp_path, force=True, instances=["set_b"])
    assert reasons(document) == {"set_b": "forced", "mode": "set_b runs again, so mode runs"}
    assert paths(document) == {"mode": WRITTEN}
    first, second = document["operations"]
    assert second["waits_for"] == [first["key"]]


@pytest.mark.parametrize("name", ["base", "set_b", "mode"])
def test_a_repair_begins_with_the_first(tmp_path: Path, name: str) -> None:
    ensemble(tmp_path, {**OK, name: "drifted"})
    document = planned(tmp_path)
    assert list(reasons(document)) == ["base", "set_b", "mode"]
    assert paths(document) == {"mode": WRITTEN}


def test_one_that_is_new_runs_behind_those_that_are_there(tmp_path: Path) -> None:
    ensemble(tmp_path, {name: "ok" for name in NODES if name != "set_b"})
    assert reasons(planned(tmp_path)) == {"set_b": "new", "mode": "set_b is new, so mode runs"}


def test_one_that_was_never_deployed_does_not_run_for_another(tmp_path: Path) -> None:
    ensemble(tmp_path, {name: "ok" for name in NODES if name != "mode"})
    assert list(reasons(planned(tmp_path, force=True, instances=["set_b"]))) == ["set_b"]


def test_a_file_that_others_write_is_not_deleted(tmp_path: Path) -> None:
    ensemble(tmp_path, OK)
    (change,) = (one for one in planned(tmp_path, "undeploy", instances=["mode"])["resource_changes"])
    assert change["symbol"] == "."
    assert change["reason"].endswith("/srv/a stays: base writes it")
    assert {one["symbol"] for one in planned(tmp_path, "undeploy")["resource_changes"]} == {"-"}, "all of them go"


def test_a_check_runs_no_dry_run_of_what_is_overwritten(tmp_path: Path) -> None:
    ensemble(tmp_path, OK)
    document = planned(tmp_path, "check")
    assert list(reasons(document)) == ["other", "mode"]
    assert paths(document) == {"mode": WRITTEN}
    left = {one["instance"]: one["reason"] for one in document["excluded"]}
    assert left == dict.fromkeys(("base", "set_b"), "mode writes /srv/a after it, and is checked")
    assert list(reasons(planned(tmp_path, "check", instances=["base"]))) == ["mode"], "in its place"


#: What sets one user: the second adds to the groups that the first gives it, the third sets something else.
USER = {
    "account": ("user", "{name: joe, groups: a, shell: /bin/sh}", ""),
    "added": ("user", "{name: joe, groups: b, append: true}", ""),
    "home": ("user", "{name: joe, home: /srv/joe}", ""),
}


@pytest.fixture
def user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.NODES", USER)


@pytest.mark.usefixtures("user")
def test_what_another_one_set_of_a_user_is_set_again(tmp_path: Path) -> None:
    ensemble(tmp_path, dict.fromkeys(USER, "ok"))
    document = planned(tmp_path, force=True, instances=["account"])
    assert reasons(document) == {"account": "forced", "added": "account runs again, so added runs"}
    assert document["resource_changes"][1]["reason"].endswith(": both set the groups of user joe")
    assert paths(document) == {}, "it is no file"


@pytest.mark.usefixtures("user")
def test_what_another_one_set_of_a_user_is_no_drift(tmp_path: Path) -> None:
    ensemble(tmp_path, dict.fromkeys(USER, "ok"))
    document = planned(tmp_path, "check")
    assert {one["instance"]: one.get("instead") for one in document["operations"]} == {
        "account": {"append": True},
        "added": None,
        "home": None,
    }


@pytest.mark.usefixtures("user")
def test_a_user_that_others_set_is_not_deleted(tmp_path: Path) -> None:
    ensemble(tmp_path, dict.fromkeys(USER, "ok"))
    (change,) = planned(tmp_path, "undeploy", instances=["home"])["resource_changes"]
    assert change["symbol"] == "." and change["reason"].endswith("the state of user joe stays: account sets it")


#: A whole that is made of a part, and something after it that writes the part, which the whole does not see.
PARTS = {
    "part": ("copy", "{dest: /srv/parts/1, content: a}", ""),
    "whole": ("assemble", "{src: /srv/parts, dest: /srv/whole}", ""),
    "later": ("lineinfile", "{path: /srv/parts/1, line: b}", ""),
}


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.NODES", PARTS)


@pytest.mark.usefixtures("parts")
def test_what_reads_a_path_runs_after_what_writes_it(tmp_path: Path) -> None:
    ensemble(tmp_path, dict.fromkeys(PARTS, "ok"))
    assert list(reasons(planned(tmp_path, force=True, instances=["later"]))) == ["later"]
    document = planned(tmp_path, force=True, instances=["part"])
    assert reasons(document)["whole"] == "part runs again, so whole runs: it reads /srv/parts/1"
    assert [one["instance"] for one in document["operations"]] == ["part", "whole", "later"]
    checked = planned(tmp_path, "check")
    assert list(reasons(checked)) == ["whole", "later"], "what is read is no path of the reader's"


def test_a_path_through_a_link_that_was_seen(tmp_path: Path) -> None:
    by_link = "{path: /current/a, mode: '0600'}"
    ensemble(tmp_path, OK, mode=by_link)
    assert list(reasons(planned(tmp_path, force=True, instances=["set_b"]))) == ["set_b"]
    file = tmp_path / "ensemble.yaml"
    text = file.read_text().replace("{path: /srv/a, mode: '0600'}", by_link)
    seen = "      made: {way: files, path: /current/a, real: /srv/a}\n"
    file.write_text(text.replace("      template: mode\n", f"      template: mode\n{seen}"))
    document = planned(tmp_path, force=True, instances=["set_b"])
    assert reasons(document)["mode"] == "set_b runs again, so mode runs"
    assert paths(document) == {"mode": WRITTEN}


LINKED = """\
resources:
  base: {module: copy, args: {dest: /srv/a, content: x}}
  mode: {tasks: mode.yml, requirements: [{dependency: base}]}
"""


@pytest.mark.parametrize(("path", "followed"), [("/current/a", ["/current/a"]), ("/current/b", None), ("/srv/a", None)])
def test_tasks_that_links_may_lead_to_what_others_write_follow_them(tmp_path: Path, path: str, followed: Any) -> None:
    (tmp_path / "service.yaml").write_text(LINKED)
    (tmp_path / "mode.yml").write_text(f"- file: {{path: {path}, mode: '0600'}}\n")
    (tmp_path / "ensemble.yaml").write_text(HEAD.replace("status:\n  instances:\n", ""))
    found = {one["instance"]: one.get("followed") for one in planned(tmp_path)["operations"]}
    assert found == {"base": None, "mode": followed}


def test_tasks_are_behind_what_a_link_leads_them_to(tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text(LINKED)
    (tmp_path / "mode.yml").write_text("- file: {path: /current/a, mode: '0600'}\n")
    deployed = "      readyState: {local: ok, state: configured}\n      created: A6BN64gG0001\n"
    status = f"    base:\n      template: base\n{deployed}"
    status += f"    mode:\n      template: mode\n{deployed}      made: {{leads: {{/current/a: /srv/a}}}}\n"
    (tmp_path / "ensemble.yaml").write_text(HEAD + status)
    document = planned(tmp_path, "check")
    assert {one["instance"]: one["paths"] for one in document["operations"]} == {"mode": WRITTEN}
