from __future__ import annotations

from ansible_ensemble.reports.history_text import history_text, job_record_text, task_record_text


def test_jobs(document, expect):
    expect("history.txt", history_text(document("history")["jobs"]))


def test_a_job(document, expect):
    expect("history-job.txt", job_record_text(document("history")["job"]))


def test_a_task(document, expect):
    expect("history-task.txt", task_record_text(document("history")["task"]))


def test_no_jobs():
    assert history_text([]) == "There are no jobs yet.\n"


def test_a_job_that_is_not_ok_says_so(document):
    jobs = document("history")["jobs"]
    jobs[0]["outcome"] = "stopped"
    assert "check     stopped  error" in history_text(jobs)


def test_a_record_of_which_little_is_known():
    task = {"change_id": "A6BKKsK50001", "target": "::app", "operation": "check"}
    assert task_record_text({"task": task}).splitlines() == [
        "Task A6BKKsK50001: check of app",
        "  result: ok",
    ]
