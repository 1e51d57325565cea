"""The way of a job: plan, approval, playbook, report, exit code."""

from __future__ import annotations

import json
import signal

import pytest
from msgspec.structs import replace

from ansible_ensemble.core.errors import EnsembleError, InvalidInput, Locked
from ansible_ensemble.planning.plan import KIND


def test_plan_approval_progress_report_in_this_order(command):
    command.lines = ["[1/2] server: create ..."]
    done = command("deploy", "--approve")
    assert done.code == 0
    marks = ["Plan of deploy", "Plan: 2 to add", "[1/2] server: create ...", "TASK", "Deploy complete! 2 added"]
    places = [done.out.index(mark) for mark in marks]
    assert places == sorted(places)
    assert done.err == ""


def test_the_playbook_gets_what_the_job_prepared(command):
    command("deploy", "-a", "-v")
    [(playbook, options)] = command.playbooks
    assert playbook == "tosca.ensemble.deploy"
    assert options["extravars"] == {"ensemble": "ensemble.yaml"}
    assert options["ident"] == "A6BKKsK50000"
    assert options["verbosity"] == 1


def test_without_a_terminal_and_without_the_flag_it_refuses(command):
    done = command("deploy")
    assert done.code == 2
    assert "give --approve" in done.err
    assert command.playbooks == []
    assert command.jobs.job.released


@pytest.mark.parametrize(("answer", "code", "runs"), [("yes\n", 0, 1), ("no\n", 1, 0), ("y\n", 1, 0), ("", 1, 0)])
def test_only_yes_approves(command, answer, code, runs):
    command.terminal, command.stdin = True, answer
    done = command("deploy")
    assert done.code == code
    assert len(command.playbooks) == runs
    assert command.jobs.job.released


def test_the_environment_variable_approves(command):
    command.environment["ANSIBLE_ENSEMBLE_APPROVE"] = "1"
    assert command("deploy").code == 0


@pytest.mark.parametrize("words", [("check",), ("discover",), ("deploy", "--check"), ("undeploy", "--dryrun")])
def test_what_changes_nothing_needs_no_approval(command, words):
    assert command(*words).code == 0
    assert len(command.playbooks) == 1


def test_an_empty_plan_starts_no_playbook_and_is_recorded(command, report):
    job = command.jobs.job
    job.document = report("plan") | {"operations": [], "resource_changes": []}
    job.document["summary"] = dict.fromkeys(job.document["summary"], 0)
    job.report["job"]["total"], job.report["tasks"] = 0, []
    done = command("deploy")
    assert done.code == 0
    assert command.playbooks == []
    assert job.finished_with == [None]
    assert "No changes." in done.out


def test_a_failed_operation_exits_with_1(command, report):
    command.jobs.job.report = report("job-failed")
    command.result = replace(command.result, rc=2, status="failed")
    done = command("deploy", "-a")
    assert done.code == 1
    assert "db: configure failed" in done.out


def test_a_playbook_that_failed_around_the_job_exits_with_1(command):
    command.result = replace(command.result, rc=4, status="failed", failures=["the disk is full"])
    done = command("deploy", "-a")
    assert done.code == 1
    assert "the disk is full" in done.err


def test_a_job_that_ended_before_its_first_operation_says_why(command):
    command.jobs.job.report["job"] |= {"stopped": "the job was killed", "total": 0}
    command.result = replace(command.result, rc=2, status="failed", failures=["the journal cannot be written"])
    done = command("deploy", "-a")
    assert done.code == 1
    assert "Error: the journal cannot be written" in done.err


def test_a_job_that_did_not_begin_says_what_ansible_said(command):
    command.jobs.job.finish_error = EnsembleError("the job did not begin", hint="-vv shows Ansible's output")
    command.result = replace(command.result, rc=4, status="failed", failures=["Task failed: no space left"])
    done = command("deploy", "-a")
    assert done.code == 1
    assert "Error: the job did not begin: Task failed: no space left (-vv shows Ansible's output)" in done.err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_job_is_recorded_and_says_by_what(command, number, code):
    command.result = replace(command.result, rc=99, interrupted_by=int(number))
    assert command("deploy", "-a").code == code
    assert command.jobs.job.finished_with == [number]


def test_json_is_all_that_stdout_holds(command):
    command.lines = ["[1/2] server: create ..."]
    done = command("deploy", "-a", "--output", "json")
    assert json.loads(done.out)["job"]["id"] == "A6BKKsK50000"
    assert "Plan: 2 to add" in done.err
    assert "server: create ..." in done.err


@pytest.mark.parametrize("workflow", ["deploy", "undeploy", "start", "stop", "check", "discover"])
def test_a_saved_plan_is_carried_out_without_asking(command, saved_plan, workflow):
    assert command(workflow, str(saved_plan)).code == 0
    assert command.jobs.calls == [("prepare_saved_plan", saved_plan, workflow, {})]


@pytest.mark.parametrize(
    ("damage", "told"), [("plan.json", "this is not a plan"), ("ensemble.yaml", "ensemble.yaml, which is not there")]
)
def test_a_saved_plan_that_leads_to_nothing_is_not_carried_out(command, saved_plan, damage, told):
    if damage == "plan.json":
        saved_plan.write_text(json.dumps(KIND), encoding="utf-8")
    else:
        (saved_plan.parent / damage).unlink()
    done = command("deploy", str(saved_plan))
    assert (done.code, command.jobs.calls) == (3, [])
    assert told in done.err


@pytest.mark.parametrize(
    "text",
    [
        "kind: Ensemble\n",
        '{"apiVersion": "tosca-ensemble/v1", "kind": "Ensemble", "spec": {}}',
        '\n\n{"apiVersion": "tosca-ensemble/v1",\n"kind": "Ensemble"}',
        "{apiVersion: tosca-ensemble/v1, kind: Plan}",
        '{"tosca_definitions_version": "tosca_simple_yaml_1_3"}',
        '{"format_version": "1.2", "terraform_version": "1.9.0", "resource_changes": []}',
        '{"apiVersion": "upgrade.cattle.io/v1", "kind": "Plan"}',
    ],
)
def test_an_ensemble_is_no_saved_plan(command, tmp_path, text):
    ensemble = tmp_path / "ensemble.yaml"
    ensemble.write_text(text, encoding="utf-8")
    command("deploy", "-a", str(ensemble))
    assert command.jobs.calls[0][:2] == ("prepare_job", str(ensemble))


@pytest.mark.parametrize(
    ("error", "code"),
    [(EnsembleError("it broke"), 1), (InvalidInput("it is wrong"), 3), (Locked("somebody has it"), 4)],
)
def test_errors_have_their_exit_codes(command, error, code):
    command.jobs.raises = error
    done = command("deploy", "-a")
    assert done.code == code
    assert done.err == f"Error: {error}\n"
    assert done.out == ""


def test_the_options_that_ansible_knows_are_passed_on(command):
    command(
        "deploy", "-a", "-i", "hosts", "-e", "a=1", "-b", "--become-user", "app", "-C", "-D", "--vault-id", "dev@file",
        "-u", "me",
    )  # fmt: skip
    passed = command.playbooks[0][1]["cmdline"]
    assert passed == [
        "--become", "--become-user", "app", "--user", "me", "--inventory", "hosts", "--extra-vars", "a=1",
        "--vault-id", "dev@file", "--check", "--diff",
    ]  # fmt: skip


def test_passwords_are_asked_once_and_given_in_files_that_do_not_stay(command, tmp_path):
    command.passwords = ["vault-pw", "labelled-pw", "ssh-pw", "become-pw"]
    done = command("deploy", "-a", "-J", "--vault-id", "dev@prompt", "-k", "-K")
    assert done.code == 0
    assert sorted(command.password_files.values()) == sorted(["become-pw", "labelled-pw", "ssh-pw", "vault-pw"])
    options = command.jobs.calls[0][3]
    assert options["vault_password_file"] in command.password_files
    assert options["vault_ids"][0].startswith("dev@/")
    for word in command.password_files:
        assert not (tmp_path / word.rpartition("@")[2]).exists()


@pytest.mark.parametrize(
    ("drifted", "status", "code"),
    [(True, "ok", 2), (True, "absent", 2), (False, "ok", 0), (False, "error", 2), (False, "degraded", 2)],
)
def test_what_a_check_finds_changes_the_exit_code_only_when_asked(command, report, drifted, status, code):
    command.jobs.job.report = report("job-check")
    command.jobs.job.report["tasks"][0]["target_status"] = status
    if not drifted:
        command.jobs.job.report["drift"] = []
    assert command("check").code == 0
    assert command("check", "--detailed-exitcode").code == code


def test_drift_as_markdown(command, report):
    command.jobs.job.report = report("job-check")
    done = command("check", "--output", "markdown")
    assert done.out.startswith("# Drift: ")
    assert "Plan" in done.err


def test_ctrl_c_at_the_question_frees_the_lock(command, monkeypatch):
    def interrupt(*_: object, **__: object) -> bool:
        raise KeyboardInterrupt

    command.terminal = True
    monkeypatch.setattr("ansible_ensemble.cli.console.Console.confirm", interrupt)
    assert command("deploy").code == 130
    assert command.jobs.job.released
    assert command.playbooks == []


def test_passwords_are_kept_in_memory_where_that_is_possible(command, tmp_path):
    command.environment["XDG_RUNTIME_DIR"] = str(tmp_path)
    command.passwords = ["vault-pw"]
    command("deploy", "-a", "-J")
    [word] = command.password_files
    assert word.startswith(str(tmp_path))
    assert list(tmp_path.iterdir()) == []


QUERIES = ("--query", "::app::url", "--query", "::*")


@pytest.mark.parametrize(
    "words", [("deploy", "-a"), ("check",), ("run", "-a", "--operation", "x"), ("replay", "-a", "1")]
)
def test_expressions_are_answered_after_the_job(command, words):
    done = command(*words, *QUERIES)
    assert done.code == 0
    assert '::app::url = {\n  "of": "::app::url"\n}\n::* = {' in done.out
    found = json.loads(command(*words, *QUERIES, "--output", "json").out)
    assert found["queries"] == [{"expression": one, "value": {"of": one}} for one in QUERIES[1::2]]


def test_an_expression_without_a_value_fails_when_the_job_is_done(command):
    done = command("deploy", "-a", "--query", "bad[", "--query", "::app")
    assert done.code == 1
    assert "Error: --query bad[: bad[ is not a path" in done.out
    assert "::app = {" in done.out
    assert "Deploy done, with 1 error: " in done.out


def test_a_plan_as_markdown(command):
    done = command("plan", "--output", "markdown")
    assert done.code == 0
    assert done.out.startswith("# ")
    assert "| Instance | What happens |" in done.out


def test_a_plan_as_a_page(command):
    done = command("plan", "--output", "html")
    assert done.code == 0
    assert done.out.startswith("<!doctype html>")
    assert "<svg" in done.out, "with its instances, as graph draws them"


@pytest.mark.parametrize("output", ["html", "markdown"])
def test_what_fails_is_no_page(command, output):
    command.jobs.raises = InvalidInput("there is no such ensemble")
    done = command("plan", "--output", output)
    assert (done.code, done.out) == (3, "")
    assert "there is no such ensemble" in done.err


def test_junit(command, report, tmp_path):
    command.jobs.job.report = report("job-check")
    file = tmp_path / "junit.xml"
    assert command("check", "--junit", str(file)).code == 0
    assert "<testsuite " in file.read_text()
    for wrong in (tmp_path, tmp_path / "missing" / "junit.xml"):
        done = command("check", "--junit", str(wrong))
        assert done.code == 2
        assert f"--junit {wrong}: " in done.err
    assert len(command.playbooks) == 1, "it is refused before anything runs"
