"""What each command asks of the jobs room, and what it prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ansible_ensemble.planning.plan import KIND

CALLS = [
    (["plan"], ("make_plan", ".", "deploy", {})),
    (["plan", "shop", "--workflow", "stop", "-i", "hosts"], ("make_plan", "shop", "stop", {"inventory": ["hosts"]})),
    (["deploy", "shop"], ("prepare_job", "shop", "deploy", {})),
    (["undeploy", "--destroyunmanaged"], ("prepare_job", ".", "undeploy", {"destroy_unmanaged": True})),
    (["teardown", "--force"], ("prepare_job", ".", "undeploy", {"force": True})),
    (["stop", "--instance", "a"], ("prepare_job", ".", "stop", {"instances": ["a"]})),
    (["start", "--instance", "a"], ("prepare_job", ".", "start", {"instances": ["a"]})),
    (["run", "--operation", "Backup.save"], ("prepare_job", ".", "run", {"operation": "Backup.save"})),
    (["run", "shop", "--", "echo", "-n", "{{ SELF.port }}"],
     ("prepare_job", "shop", "run", {"command": ["echo", "-n", "{{ SELF.port }}"]})),
    (["run", "--module", "ansible.builtin.ping"], ("prepare_job", ".", "run", {"module": "ansible.builtin.ping"})),
    (["run", "--workflow", "rotate"], ("prepare_job", ".", "rotate", {})),
    (["replay", "A1", "A2", "--ensemble", "shop"], ("prepare_replay", "shop", ["A1", "A2"], {})),
    (["rollback", "A6BKKsK50000"], ("prepare_rollback", ".", "A6BKKsK50000", {})),
    (["import", "a.yml", "b.yml", "-i", "hosts"], ("import_playbooks", ["a.yml", "b.yml"], {"inventory": ["hosts"]})),
    (["adopt", "db"], ("prepare_job", ".", "adopt", {"instances": ["db"]})),
    (["adopt", "db", "--approve", "--attribute", "port=80"], ("adopt", ".", "db", {"port": 80})),
    (["notify", "overload"], ("prepare_job", ".", "notify", {"trigger": "overload", "notification": None})),
    (["status", "shop"], ("status", "shop", {})),
    (["outputs"], ("outputs", ".", {})),
    (["query", "::app::url"], ("query", ".", "::app::url", None, {})),
    (["query", ".name", "--instance", "app", "--ensemble", "shop"], ("query", "shop", ".name", "app", {})),
    (["validate", "a", "b"], ("validate", ["a", "b"], {})),
    (["validate", "--migrate", "--write"], ("migrate", ".", True, {})),
    (["history"], ("history", ".", {}, None)),
    (["history", "--environment", "b"], ("history", ".", {"environment": "b"}, None)),
    (["show", "A6BKKsK50001", "--environment", "b"], ("show", ".", "A6BKKsK50001", {"environment": "b"})),
    (["recover", "--environment", "b"], ("recover", ".", {"environment": "b"})),
    (["unlock", "x1", "--environment", "b"], ("unlock", ".", "x1", {"environment": "b"})),
    (["forget", "a", "b", "--environment", "b"], ("forget", ".", ["a", "b"], {"environment": "b"})),
]  # fmt: skip


@pytest.mark.parametrize(("words", "call"), CALLS, ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_calls(command, words, call):
    command.environment["ANSIBLE_ENSEMBLE_APPROVE"] = "1"
    done = command(*words)
    assert (done.code, done.err) == (0, "")
    assert command.jobs.calls == [call]


@pytest.mark.parametrize(
    "words",
    [["plan"], ["status"], ["outputs"], ["query", "x"], ["validate"], ["history"], ["show", "A6BKKsK50000"],
     ["recover"], ["unlock", "x"], ["forget", "a", "-y"], ["init"], ["clone", "x"], ["version"],
     ["deploy", "-y"], ["check"]],
    ids=lambda words: words[0],
)  # fmt: skip
def test_json_output_is_json(command, words):
    done = command(*words, "--output", "json")
    assert done.code == 0
    json.loads(done.out)


@pytest.mark.parametrize("workflow", ["go", "run"])
def test_a_saved_plan_of_a_workflow_is_run(command, saved_plan, workflow):
    words = ["run", str(saved_plan)] + (["--workflow", "go"] if workflow == "go" else [])
    assert command(*words).code == 0
    assert command.jobs.calls == [("prepare_saved_plan", saved_plan, workflow, {})]


def test_a_deep_plan_is_a_plan_with_what_a_dry_run_says(command):
    done = command("plan", "shop", "--check", "--out", "saved.json")
    assert (done.code, done.err) == (0, "")
    assert command.jobs.calls == [
        ("make_plan", "shop", "deploy", {}),
        ("prepare_job", "shop", "deploy", {"check": True, "diff": True}),
    ]
    assert {"--check", "--diff"} <= set(command.playbooks[0][1]["cmdline"])
    assert command.jobs.plan.predicted == [command.jobs.job.report]
    assert command.jobs.plan.saved == [Path("saved.json")]


def test_plan_detailed_exitcode(command):
    assert command("plan").code == 0
    assert command("plan", "--detailed-exitcode").code == 2
    command.jobs.plan.document.update(operations=[], summary={"add": 0})
    assert command("plan", "--detailed-exitcode").code == 0


def test_plan_out_saves(command, tmp_path):
    command("plan", "--out", str(tmp_path / "plan.json"))
    assert command.jobs.plan.saved == [tmp_path / "plan.json"]


@pytest.mark.parametrize(("workflow", "told"), [("stop", "stop"), ("backup", "run --workflow backup")])
def test_plan_out_tells_the_command_that_executes_it(command, workflow, told):
    done = command("plan", "--workflow", workflow, "--out", "p.json")
    assert f"`ansible-ensemble {told} p.json`" in " ".join(done.out.split())


def test_plan_out_tells_what_the_file_lacks(command):
    assert "it lacks" not in command("plan", "--out", "p.json").out
    command.jobs.plan.wanted_again = ["input pin", "variable db_password"]
    told = " ".join(command("plan", "--out", "p.json").out.split())
    assert "it lacks what is sensitive: give the input pin, variable db_password there again" in told


def test_validate_names_every_error_and_exits_with_3(command):
    done = command("validate", "bad1", "bad2")
    assert done.code == 3
    assert "Error: bad1:1:1: it is wrong" in done.out
    assert "Error: bad2:1:1: it is wrong" in done.out


def test_validate_prints_service_templates_in_plain_tosca(command):
    assert command("validate", "--expanded", "good").out == "description: good\n"
    assert command("validate", "--expanded", "bad").out == "Error: bad:1:1: it is wrong\n"
    found = json.loads(command("validate", "--expanded", "good", "--output", "json").out)
    assert found["files"][0]["expanded"] == {"description": "good"}


def test_validate_says_what_is_valid(command):
    assert command("validate", "good").out == "good.yaml: valid (2 node templates, 1 policy)\n"


@pytest.mark.parametrize(
    ("outcome", "code", "words"),
    [
        ("understood", 0, "understood"),
        ("tolerated", 0, "understood, with tolerance"),
        ("ignored", 1, "understood in part"),
        ("refused", 3, "refused"),
    ],
)
def test_validate_migrate_exits_with_the_worst_of_its_files(command, outcome, code, words):
    done = command("validate", "--migrate", outcome)
    assert (done.code, done.out) == (code, f"s.yaml: {words}\n\n1 file: 1 {words}.\n")
    assert json.loads(command("validate", "--migrate", outcome, "--output", "json").out)["outcome"] == outcome


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--write"], "--write needs --migrate"),
        (["--migrate", "a", "b"], "takes one path"),
        (["--migrate", "--part"], "the whole of it"),
        (["--migrate", "--expanded"], "--expanded prints what is valid, --migrate what is not understood"),
    ],
)
def test_validate_migrate_takes_one_whole_project(command, arguments, says):
    done = command("validate", *arguments)
    assert (done.code, says in done.err) == (2, True)


def test_init_says_what_it_made(command):
    assert command("init", "web").out.startswith("Created a project in web:\n  ensemble.yaml\n")
    assert command("init", "shop/web").out.startswith("Created an ensemble in shop/web, in the project shop:\n")


def test_outputs_raw(command):
    assert command("outputs", "--raw", "url").out == "http://localhost:8080\n"
    assert command("outputs", "--raw", "ports").out == "[80, 443]\n"


def test_outputs_raw_of_an_unknown_name_hints(command):
    done = command("outputs", "--raw", "urll")
    assert done.code == 3
    assert "did you mean url?" in done.err


def test_history_last(command):
    assert len(command("history", "-n", "1").out.splitlines()) == 2


@pytest.mark.parametrize(
    "words", [["run"], ["run", "--operation", "x", "--", "y"], ["run", "--workflow", "w", "--module", "m"]]
)
def test_run_wants_one_thing_to_run(command, words):
    done = command(*words)
    assert done.code == 2
    assert "exactly one of" in done.err


def test_forget_asks(command):
    assert command("forget", "a").code == 2
    assert command.jobs.calls == [("forget", ".", ["a"], {"check": True})], "only whether it could"


def test_notify_reads_data(command, tmp_path):
    file = tmp_path / "event.json"
    file.write_text('{"load": 9}', encoding="utf-8")
    command("notify", "overload", "--data", str(file), "-y")
    assert command.jobs.calls[0][3]["notification"] == {"load": 9}


def test_notify_reads_data_from_stdin(command):
    command.stdin = "load: 9\n"
    command("notify", "overload", "--data", "-", "-y")
    assert command.jobs.calls[0][3]["notification"] == {"load": 9}


@pytest.mark.parametrize(
    ("format_", "start"), [("dot", "digraph"), ("mermaid", "flowchart"), ("svg", "<svg"), ("html", "<!doctype html>")]
)
def test_graph(command, format_, start):
    assert command("graph", "--format", format_).out.startswith(start)


def test_graph_of_a_saved_plan(command, tmp_path, report):
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(report("plan")), encoding="utf-8")
    assert "server" in command("graph", str(plan)).out
    assert command.jobs.calls == []


def test_graph_of_a_damaged_plan(command, tmp_path):
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(KIND, indent=1)[:-2], encoding="utf-8")
    done = command("graph", str(plan))
    assert done.code == 3
    assert "is not a plan" in done.err


@pytest.mark.parametrize(("terminal", "shown"), [(True, r"a\x1b[2J" + "\n"), (False, "a\x1b[2J\n")])
def test_a_value_does_not_clear_the_terminal(command, terminal, shown, monkeypatch):
    monkeypatch.setattr(command.jobs, "query", lambda *_given: "a\x1b[2J")
    command.terminal = terminal
    assert command("query", "::a::p").out == shown
