from __future__ import annotations

import pytest

from ansible_ensemble.reports.job_text import job_text
from ansible_ensemble.reports.junit import job_junit


@pytest.mark.parametrize("name", ["job-ok", "job-failed", "job-check"])
def test_the_whole_report(document, expect, name):
    expect(f"{name}.txt", job_text(document(name)))


@pytest.mark.parametrize("name", ["error", "blocked", "cancelled", "interrupted", "skipped"])
@pytest.mark.parametrize("success", [True, False])
def test_counts_decide_nothing(document, name, success):
    report = document("job-ok")
    report["job"] |= {name: 1, "success": success}
    assert ("Deploy complete!" in job_text(report)) is success


def test_a_failure_that_does_not_count_is_shown_and_nothing_is_to_be_mended(document):
    report = document("job-failed")
    report["job"] |= {"success": True, "excused": 3}
    report["tasks"][1]["excused"] = "priority"
    text = job_text(report)
    assert "failed, which does not count: it is optional\n" in text
    assert "Fix the cause" not in text
    assert text.endswith("3 of them failed or blocked, which does not count)\n")


def test_a_job_without_tasks_says_there_was_nothing_to_do(document):
    report = document("job-ok")
    report["job"]["total"], report["tasks"] = 0, []
    report["summary"] = {"add": 0, "change": 0, "destroy": 0}
    assert job_text(report).splitlines()[-1] == "Deploy complete! There was nothing to do."


@pytest.mark.parametrize(
    ("check", "begin"), [(False, "Deploy done, with 1 error: "), (True, "Dry run of deploy done, ")]
)
def test_a_job_that_is_not_kept_as_it_should_be_is_not_called_complete(document, check, begin):
    report = document("job-ok")
    report["job"]["check"] = check
    report["problems"] = ["the state was not pushed"]
    lines = job_text(report).splitlines()
    assert "Error: the state was not pushed" in lines
    assert lines[-1].startswith(begin)
    report["job"]["total"], report["tasks"] = 0, []
    report["summary"] = {"add": 0, "change": 0, "destroy": 0}
    assert "complete" not in job_text(report)


def test_instances_without_operations_count(document):
    report = document("job-ok")
    report["job"]["total"], report["tasks"] = 0, []
    report["summary"] = {"add": 2, "change": 0, "destroy": 0}
    assert "Deploy complete! 2 added, 0 changed, 0 destroyed. (0 operations, " in job_text(report).splitlines()[-1]


def test_a_long_error_is_cut_unless_verbose(document):
    report = document("job-failed")
    report["tasks"][1]["error"] = "\n".join(f"cause {n}" for n in range(50))
    assert "cause 49" not in job_text(report)
    assert "cause 49" in job_text(report, verbose=True)


def test_a_failure_names_the_record(document):
    report = document("job-failed")
    report["job"]["record"] = "jobs/job1.yaml"
    assert "Details are in jobs/job1.yaml." in job_text(report)


def test_a_stopped_job_says_that_it_goes_on(document):
    report = document("job-failed")
    report["job"].update(stopped="the job was told to stop", cancelled=1)
    report["tasks"][1]["status"] = "interrupted"
    report["tasks"][2] |= {"status": "cancelled", "blocked_by": [], "error": "the job was told to stop"}
    text = job_text(report)
    assert "db: configure was interrupted" in text
    assert "app: create                      the job was told to stop" in text
    assert "Run deploy again: it continues from there." in text
    assert text.splitlines()[-1].startswith("Deploy stopped, the job was told to stop: 1 failed, 1 cancelled")


def test_a_dry_run_claims_no_change(document):
    report = document("job-ok")
    report["job"]["check"] = True
    assert job_text(report).splitlines()[-1].startswith("Dry run of deploy complete: 2 would change.")


def test_a_dry_run_says_what_it_did_not_run(document):
    report = document("job-ok")
    report["job"] |= {"check": True, "changed": 1}
    report["tasks"][1] |= {"basis": "not-run", "changed": False}
    lines = job_text(report).splitlines()
    assert "  not run  would be " in lines[2]
    assert lines[-1].startswith("Dry run of deploy complete: 1 would change, 1 not run.")


def test_a_check_by_check_mode_says_what_it_found(document):
    report = document("job-check")
    for task in report["tasks"]:
        task["basis"] = "predicted"
    assert "would be" not in job_text(report)


def test_an_undeploy_counts_what_it_destroyed(document):
    report = document("job-ok")
    report["job"]["workflow"], report["summary"] = "undeploy", {"add": 0, "change": 0, "destroy": 3}
    assert job_text(report).splitlines()[-1].startswith("Undeploy complete! 3 destroyed. (")
    report["summary"]["forget"] = 2
    last = job_text(report).splitlines()[-1]
    assert last.startswith("Undeploy complete! 3 destroyed, 2 forgotten. (")


@pytest.mark.parametrize("workflow", ["stop", "run", "notify", "release"])
def test_a_job_that_makes_and_destroys_nothing_counts_operations(document, workflow):
    report = document("job-ok")
    report["job"]["workflow"], report["summary"] = workflow, {"add": 0, "change": 0, "destroy": 0}
    assert job_text(report).splitlines()[-1].startswith(f"{workflow.capitalize()} complete! 2 ok, 2 changed. (")


def test_the_lane_of_each_task_is_shown_where_more_is_asked_for(document):
    report = document("job-ok")
    report["tasks"][0]["lane"], report["tasks"][1]["lane"] = "process", None
    heads, first, second = job_text(report, verbose=True).splitlines()[:3]
    assert heads.split()[-1] == "LANE"
    assert first.split()[-1] == "process"
    assert second.split()[-1] not in ("process", "None")
    assert "LANE" not in job_text(report)


def test_why_a_check_did_not_find_an_instance_well(document):
    report = document("job-check")
    task = next(task for task in report["tasks"] if task["status"] == "ok")
    task.update(target_status="error", error="exit code 1: the port is closed")
    assert "check found error:\n  exit code 1: the port is closed\n" in job_text(report)


def test_an_adoption_says_what_it_found(document):
    report = document("job-check")
    report["job"]["workflow"] = "adopt"
    report["adoption"] = {"adopted": {"db": ""}, "differ": {}, "absent": {"app": "nothing listens"}, "unseen": {}}
    assert job_text(report).splitlines()[-1] == "Adopt complete! 1 adopted, 1 absent. (2 operations, 1.0 s)"


def test_the_recap_of_hosts_is_as_below_a_play(document):
    report = document("job-ok")
    recap = {"ok": 1, "changed": 0, "unreachable": 0, "failed": 0}
    assert "Operations by host:" not in job_text(report | {"hosts": {"localhost": recap}})
    assert "ignored=1" in job_text(report | {"hosts": {"localhost": recap | {"ignored": 1}}}), "it is no plain success"
    shown = job_text(report | {"hosts": {"localhost": recap, "web1": recap | {"ok": 12, "failed": 1}}})
    assert "Operations by host:\n  localhost  ok=1   changed=0  unreachable=0  failed=0" in shown
    assert "\n  web1       ok=12  changed=0  unreachable=0  failed=1\n" in shown


def test_what_could_not_be_checked_is_counted_and_no_error(document):
    report = document("job-check")
    report["tasks"] = [report["tasks"][0] | {"status": "ok", "target_status": None, "basis": "not-run", "error": "no"}]
    report["job"] |= {"not_checked": 1, "success": True}
    report["drift"] = []
    told = job_text(report)
    assert "not checked:\n  no" in told
    assert "1 instance: 1 not checked, none drifted." in told
    assert 'skipped message="not checked"' in job_junit(report)


def test_drift_has_its_own_word_and_is_counted_once(document):
    report = document("job-check")
    report["tasks"] = [
        report["tasks"][0] | {"status": "ok", "target_status": "drifted", "error": "it would be changed"}
    ]
    report["drift"] = report["drift"][:1]
    report["drift"][0]["instance"] = report["tasks"][0]["instance"]
    report["job"]["success"] = True
    assert "found drifted:\n  it would be changed" in job_text(report)
    assert "1 instance: 1 drifted." in job_text(report)


def test_a_cause_that_check_and_deploy_met_is_printed_once(document):
    report = document("job-failed")
    failed = next(task for task in report["tasks"] if task["status"] == "error")
    check = {**failed, "operation": "Install.check", "status": "ok", "target_status": "error"}
    shown = job_text({**report, "tasks": [check, *report["tasks"]]})
    assert "check found error" not in shown
    assert shown.count(failed["error"].splitlines()[0]) == 1


def test_what_is_counted_of_one_host_is_shown_of_all(document):
    report = document("job-ok") | {"hosts": {"web1": {"ok": 1}, "web2": {"ok": 1, "ignored": 2}}}
    told = job_text(report)
    assert "  web1  ok=1  ignored=0\n  web2  ok=1  ignored=2\n" in told
