from __future__ import annotations

import pytest

from ansible_ensemble.runner.playbook import EventFilter


@pytest.mark.parametrize(
    ("event", "verbosity", "shown"),
    [
        ({"event": "verbose", "stdout": "[1/2] app: create ...\r\n"}, 0, ["[1/2] app: create ..."]),
        ({"event": "verbose", "stdout": "a\r\nb"}, 0, ["a", "b"]),
        ({"event": "verbose", "stdout": "  \n"}, 0, []),
        ({"event": "verbose", "stdout": "No config file found; using defaults"}, 1, []),
        ({"event": "verbose", "stdout": "Using /a b/ansible.cfg as config file"}, 1, []),
        ({"event": "verbose", "stdout": "Using /b.cfg as config file"}, 2, ["Using /b.cfg as config file"]),
        ({"event": "playbook_on_task_start", "stdout": "\r\nTASK [x]"}, 1, []),
        ({"event": "playbook_on_task_start", "stdout": "\r\nTASK [x]"}, 2, ["", "TASK [x]"]),
        ({"event": "EOF"}, 2, []),
    ],
)
def test_what_is_shown(event, verbosity, shown):
    lines: list[str] = []
    EventFilter(lines.append, verbosity).handle(event)
    assert lines == shown


def failure(**data):
    return {"event": "runner_on_failed", "stdout": "fatal: ...", "event_data": data}


def test_failures_are_remembered():
    events = EventFilter(lambda line: None, 0)
    events.handle(failure(res={"msg": "one"}))
    events.handle(failure(res={"msg": "two"}, ignore_errors=True))
    events.handle(failure(res={}))
    events.handle(failure())
    events.handle({"event": "runner_on_unreachable", "event_data": {"res": {"msg": "three"}}})
    assert events.failures == ["one", "three"]


CRASH = [
    "OSError: no room",
    "During handling of the above exception, another occurred:",
    "Traceback (most recent call last):",
]


@pytest.mark.parametrize("first", [*CRASH, "ansible.errors.AnsibleError: no"])
def test_a_crash_of_ansible_is_shown_to_those_alone_who_want_to_see_everything(first):
    said = ["[WARNING]: Error: of a user", first, "  File x, line 1", "rest"]
    for verbosity, shown in ((0, said[:1]), (2, said)):
        lines: list[str] = []
        events = EventFilter(lines.append, verbosity)
        for line in said:
            events.handle({"event": "verbose", "stdout": line})
        assert lines == shown
