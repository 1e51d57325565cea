"""Task files, roles and playbooks behave as under ansible-playbook."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .driving import DATA, drive

LOCAL = {"ansible_connection": "local"}
KNOWN: dict[str, Any] = {}
# a core whose strategies and TaskExecutor are not known: the same by core's own workers
UNKNOWN: dict[str, Any] = {"use_task_executor": False, "use_inline": False}


def one(order: dict[str, Any], **request: Any) -> dict[str, Any]:
    outcome: dict[str, Any] = drive([order], **request)["outcomes"][0]
    return outcome


def names(outcome: dict[str, Any], status: str) -> list[str]:
    return [task["name"].rpartition(" : ")[2] for task in outcome["result"]["tasks"] if task["status"] == status]


def tasks(tmp_path: Path, text: str) -> dict[str, Any]:
    (tmp_path / "tasks.yml").write_text(text)
    return {"kind": "tasks", "source": str(tmp_path / "tasks.yml")}


@pytest.mark.parametrize("options", [KNOWN, {"fast": False}, UNKNOWN])
def test_a_role_of_five_tasks(options: dict[str, Any]) -> None:
    outcome = one({"kind": "role", "source": "test.lanes.five", "variables": {"five_word": "you"}}, lanes=options)
    assert (outcome["ok"], outcome["changed"], outcome["error"]) == (True, True, None)
    assert names(outcome, "ok") == ["Say", "Keep", "Ask", "Hide", "Sum up", "Count", "Told"]
    assert outcome["result"]["stats"] == {"five_total": "hello you"}
    assert outcome["result"]["facts"] == {"five_kept": "you", "five_told": True}
    assert outcome["hidden"]["facts"] == {"five_hidden": "hello you secretly"}
    assert "secretly" not in str({**outcome, "hidden": None})
    assert outcome["lane"] == ("stock" if options else "fast")


def test_blocks_loops_and_ignored_failures() -> None:
    outcome = one({"kind": "role", "source": "test.lanes.blocks"})
    assert outcome["ok"]
    assert names(outcome, "rescued") == ["Break"]
    assert names(outcome, "ignored") == ["Ignore"]
    assert names(outcome, "skipped") == ["Fail if asked"]
    facts = outcome["result"]["facts"]
    assert facts == {"blocks_rescued": "failed on purpose", "blocks_a": "a", "blocks_b": "b"}


def test_a_failing_role_says_which_task_and_why() -> None:
    outcome = one({"kind": "role", "source": "test.lanes.blocks", "variables": {"blocks_fail": True}})
    assert not outcome["ok"]
    assert outcome["error"].startswith("TASK ")
    assert outcome["error"].endswith("Fail if asked: asked to fail") or "asked to fail" in outcome["error"]
    assert names(outcome, "failed")[-1] == "Fail if asked"


def test_a_role_by_its_path_and_by_its_place_beside_the_base(tmp_path: Path) -> None:
    role = tmp_path / "roles" / "near" / "tasks"
    role.mkdir(parents=True)
    (role / "main.yml").write_text("- ansible.builtin.set_fact: {near: true}\n")
    by_path = {"kind": "role", "source": str(role.parent)}
    by_name = {"kind": "role", "source": "near", "base": str(tmp_path)}
    outcomes = drive([by_path, by_name])["outcomes"]
    assert [outcome["result"]["facts"] for outcome in outcomes] == [{"near": True}] * 2


def test_orders_do_not_see_each_other(tmp_path: Path) -> None:
    text = '- ansible.builtin.set_fact: {seen: "{{ seen | default(0) + 1 }}"}\n'
    order = tasks(tmp_path, text)
    outcomes = drive([order, order])["outcomes"]
    assert [outcome["result"]["facts"]["seen"] for outcome in outcomes] == [1, 1]


def test_variables_are_data_and_tasks_are_templates(tmp_path: Path) -> None:
    order = tasks(tmp_path, '- ansible.builtin.set_fact: {seen: "{{ given }}"}\n')
    outcome = one({**order, "variables": {"given": "{{ 1 + 1 }}"}})
    assert outcome["result"]["facts"] == {"seen": "{{ 1 + 1 }}"}


def test_relative_files_start_at_the_task_file(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a.txt").write_text("beside\n")
    order = tasks(tmp_path, f"- ansible.builtin.copy: {{src: a.txt, dest: {tmp_path}/b.txt}}\n")
    assert one(order)["ok"]
    assert (tmp_path / "b.txt").read_text() == "beside\n"


@pytest.mark.parametrize("check", [True, False])
def test_check_and_diff(tmp_path: Path, check: bool) -> None:
    order = tasks(
        tmp_path,
        "- test.lanes.probe: {do: change}\n"
        "- ansible.builtin.set_stats: {data: {check: '{{ ansible_check_mode }}'}}\n"
        f"- ansible.builtin.copy: {{content: x, dest: {tmp_path}/made}}\n",
    )
    outcome = one({**order, "check": check, "diff": True})
    assert outcome["ok"]
    assert outcome["diff"][0] == {"before": "a\n", "after": "b\n"}
    assert outcome["result"]["stats"] == {"check": check}
    assert (tmp_path / "made").exists() != check


def test_keywords_of_the_play(tmp_path: Path) -> None:
    order = tasks(
        tmp_path, "- test.lanes.probe: {do: process}\n  register: p\n- set_stats: {data: {v: '{{ p.variable }}'}}\n"
    )
    keywords = [
        {"environment": {"LANE_VARIABLE": "x"}},
        {"become": True, "become_method": "test.lanes.mark", "become_user": "nobody"},
    ]
    outcomes = drive([{**order, "keywords": one} for one in keywords])["outcomes"]
    assert [outcome["result"]["stats"]["v"] for outcome in outcomes] == ["x", "become"]
    assert [outcome["lane"] for outcome in outcomes] == ["fast", "stock"]


def test_facts_are_gathered_if_asked(tmp_path: Path) -> None:
    order = tasks(tmp_path, "- set_stats: {data: {v: '{{ ansible_facts.system is defined }}'}}\n")
    keywords: list[dict[str, Any]] = [{}, {"gather_facts": True, "gather_subset": ["!all", "min"]}]
    outcomes = drive([{**order, "keywords": one} for one in keywords])["outcomes"]
    assert [outcome["result"]["stats"]["v"] for outcome in outcomes] == [False, True]
    assert outcomes[1]["result"]["facts"]["ansible_system"] == "Linux"


def test_end_play_is_no_failure(tmp_path: Path) -> None:
    outcome = one(tasks(tmp_path, "- ansible.builtin.meta: end_play\n- ansible.builtin.fail: {msg: no}\n"))
    assert (outcome["ok"], outcome["error"]) == (True, None)


def test_vaulted_values(tmp_path: Path) -> None:
    from ansible.parsing.vault import VaultLib, VaultSecret

    secret = VaultSecret(b"open")
    text = VaultLib([("default", secret)]).encrypt(b"word: hush\n", secret).decode()
    (tmp_path / "vaulted.yml").write_text(text)
    order = tasks(
        tmp_path,
        "- ansible.builtin.include_vars: vaulted.yml\n"
        f"- ansible.builtin.copy: {{content: '{{{{ word }}}}', dest: {tmp_path}/out}}\n",
    )
    assert one(order, session={"vault_passwords": {"default": "open"}})["ok"]
    assert (tmp_path / "out").read_text() == "hush"
    assert "vault" in one(order)["error"].lower()


@pytest.mark.parametrize("options", [KNOWN, UNKNOWN])
def test_a_playbook_for_a_host_of_its_own(options: dict[str, Any]) -> None:
    host = {"name": "mine", "variables": {**LOCAL, "color": "red"}}
    order = {"kind": "playbook", "source": str(DATA / "playbooks/all.yml"), "host": host, "variables": {"word": "w"}}
    outcome = one(order, lanes=options, session={"inventory": str(DATA / "inventory")})
    assert (outcome["ok"], outcome["error"]) == (True, None)
    assert outcome["result"]["stats"] == {"seen": "mine", "groups": [], "color": "red"}
    assert [task["host"] for task in outcome["result"]["tasks"]] == ["mine", "localhost"]


def test_a_playbook_for_a_host_of_the_inventory() -> None:
    order = {"kind": "playbook", "source": str(DATA / "playbooks/all.yml"), "host": {"name": "web2"}}
    outcome = one(order, session={"inventory": str(DATA / "inventory")})
    assert outcome["result"]["stats"] == {"seen": "web2", "groups": ["web1", "web2"], "color": "blue"}
    assert len(outcome["result"]["tasks"]) == 2


def test_a_playbook_for_a_group_sees_the_whole_inventory() -> None:
    order = {"kind": "playbook", "source": str(DATA / "playbooks/web.yml"), "host": {"name": "web2"}}
    outcome = one(order, session={"inventory": str(DATA / "inventory")})
    assert outcome["ok"]
    assert [task["host"] for task in outcome["result"]["tasks"]] == ["web1", "web2"]


@pytest.mark.parametrize(
    ("pattern", "hosts"), [("all", ["localhost"]), ("all:all", ["web1", "web2", "db1"]), ("'*:!web1'", ["web2", "db1"])]
)
@pytest.mark.parametrize("options", [KNOWN, UNKNOWN])
def test_the_controller_is_no_host_of_an_inventory_without_it(
    tmp_path: Path, options: dict[str, Any], pattern: str, hosts: list[str]
) -> None:
    playbook = tmp_path / "p.yml"
    told = "{set_stats: {aggregate: false, data: {all: '{{ groups.all }}', known: '{{ hostvars | list }}'}}}"
    playbook.write_text(f"- hosts: {pattern}\n  gather_facts: false\n  tasks: [{told}]\n")
    order = {"kind": "playbook", "source": str(playbook), "host": {"name": "localhost", "variables": LOCAL}}
    outcome = one(order, lanes=options, session={"inventory": str(DATA / "inventory")})
    assert {task["host"] for task in outcome["result"]["tasks"]} == set(hosts)
    assert outcome["result"]["stats"] == {"all": ["web1", "web2", "db1"], "known": ["web1", "web2", "db1"]}


def test_a_playbook_without_hosts_is_a_failure() -> None:
    order = {"kind": "playbook", "source": str(DATA / "playbooks/web.yml"), "host": {"name": "x", "variables": LOCAL}}
    assert one(order)["error"] == "no host matched the playbook's plays"


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ({"kind": "tasks", "source": "/no/such/tasks.yml"}, "tasks.yml"),
        ({"kind": "role", "source": "test.lanes.nothing"}, "test.lanes.nothing"),
        ({"kind": "playbook", "source": "/no/such/playbook.yml"}, "playbook.yml"),
    ],
)
def test_what_does_not_exist(order: dict[str, Any], words: str) -> None:
    outcome = one(order)
    assert not outcome["ok"]
    assert words in outcome["error"]


def test_a_broken_task_file(tmp_path: Path) -> None:
    outcome = one(tasks(tmp_path, "- nothing.at.all: {}\n  loop: [\n"))
    assert not outcome["ok"]
    assert "tasks.yml" in outcome["error"]


def test_includes_as_a_module_call() -> None:
    call = {
        "module": "ansible.builtin.include_role",
        "args": {"name": "test.lanes.five"},
        "keywords": {"vars": {"five_word": "call"}},
    }
    outcome = one(call)
    assert outcome["result"]["stats"] == {"five_total": "hello call"}
    assert len(outcome["result"]["tasks"]) == 8


@pytest.mark.parametrize("failing", [True, False])
def test_a_module_call_on_an_unknown_core(failing: bool) -> None:
    call = {"module": "test.lanes.probe", "args": {"do": "fail" if failing else "change"}, "check": True, "diff": True}
    known, unknown = one(call, lanes={"fast": False}), one(call, lanes=UNKNOWN)
    for outcome in (known, unknown):
        for key in ("seconds", "hidden"):
            outcome.pop(key)
    assert {**known, "result": None} == {**unknown, "result": None}
    internal = {"failed", "skipped", "exception"}
    assert {key: value for key, value in known["result"].items() if key not in internal} == {
        key: value for key, value in unknown["result"].items() if key not in internal
    }


def test_secrets_of_a_module_are_not_shown() -> None:
    call = {"module": "test.lanes.probe", "args": {"do": "secret", "password": "hush-hush"}}
    outcomes = drive([call, {**call, "fast": False}])["outcomes"]
    assert all(outcome["ok"] for outcome in outcomes)
    assert "hush-hush" not in str([{**outcome, "hidden": None} for outcome in outcomes])


def test_variables_of_the_order_win_over_the_inventory() -> None:
    host = {"name": "web1", "variables": {"color": "mine"}}
    orders = [
        {"module": "ansible.builtin.debug", "args": {"var": "color"}, "host": host},
        {"module": "ansible.builtin.debug", "args": {"var": "hostvars.web1.color"}, "host": {"name": "db1"}},
        {"kind": "playbook", "source": str(DATA / "playbooks/all.yml"), "host": host},
        {"module": "ansible.builtin.debug", "args": {"var": "color"}, "host": {"name": "web1"}},
    ]
    outcomes = drive(orders, session={"inventory": str(DATA / "inventory")})["outcomes"]
    assert outcomes[0]["result"]["color"] == "mine"
    assert outcomes[1]["result"]["hostvars.web1.color"] == "green"
    assert outcomes[2]["result"]["stats"]["color"] == "mine"
    assert outcomes[3]["result"]["color"] == "green"


def test_what_a_play_learns_of_hosts_is_no_change(tmp_path: Path) -> None:
    text = "- {name: group, group_by: {key: red}}\n- {name: host, add_host: {name: new, groups: red}}\n"
    outcome = one(tasks(tmp_path, text))
    assert (outcome["ok"], outcome["changed"], names(outcome, "ok")) == (True, False, ["group", "host"])


def test_what_is_left_as_it_is_has_no_diff(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    kept = "state: touch, modification_time: preserve, access_time: preserve"
    text = f"- file: {{path: {tmp_path}/a, {kept}}}\n- copy: {{dest: {tmp_path}/b, content: new}}\n"
    outcome = one(tasks(tmp_path, text) | {"check": True, "diff": True})
    assert [diff["after"] for diff in outcome["diff"]] == ["new"]
