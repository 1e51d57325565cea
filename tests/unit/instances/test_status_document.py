from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import REDACTED
from ansible_ensemble.instances.patch import apply_patch
from ansible_ensemble.instances.status import NodeState, Priority, Status
from ansible_ensemble.instances.status_document import read_status, write_instance

#: As Unfurl writes it: what is hosted is nested.
UNFURL = {
    "outputs": {"url": "http://localhost"},
    "instances": {
        "server": {
            "template": "server",
            "priority": "required",
            "readyState": {"local": "ok", "state": "created"},
            "created": "A6BKKsK50001",
            "instances": {
                "app": {
                    "template": "app",
                    "attributes": {"url": "http://localhost:8080"},
                    "properties": {"port": 8080},
                    "priority": "optional",
                    "readyState": {"local": "ok", "effective": "degraded", "state": "configured"},
                    "requirements": [{"db": {"target": "db", "key": "db#1", "added": ["add_target"]}}],
                    "created": "::server",
                    "protected": True,
                }
            },
        }
    },
}


def test_reads_what_unfurl_writes_and_writes_it_back():
    instances = read_status(UNFURL)
    app = instances.by_name["app"]
    assert (app.host, app.local, app.effective, app.state) == (
        "server",
        Status.OK,
        Status.DEGRADED,
        NodeState.CONFIGURED,
    )
    assert (app.priority, app.created, app.protected) == (Priority.OPTIONAL, "::server", True)
    assert write_instance(app, lambda value: value) == UNFURL["instances"]["server"]["instances"]["app"]


def test_a_status_written_by_hand_may_be_short():
    instances = read_status({"instances": {"app": None, "db": {"readyState": "error"}}})
    assert instances.by_name["app"].status is Status.PENDING
    assert instances.by_name["db"].status is Status.ERROR


@pytest.mark.parametrize(
    ("status", "message"),
    [
        ({"instances": {"app": {"readyState": {"local": "fine"}}}}, "it must be one of unknown, ok"),
        ({"instances": {"app": {"readyState": {"state": "up"}}}}, "readyState.state"),
        ({"instances": {"a": {"instances": {"b": {}}}, "b": {}}}, "listed twice"),
    ],
)
def test_words_outside_the_vocabulary_are_refused(status, message):
    with pytest.raises(InvalidInput, match=message):
        read_status(status)


def test_patches_fold_into_instances():
    instances = read_status({})
    for patch in (
        {"name": "app", "template": "app", "state": "creating"},
        {"name": "app", "status": "ok", "state": "created", "attributes": {"url": "u", "old": 1}, "created": "A1"},
        {"name": "app", "relationships": {"db#0": {"target": "db", "added": ["add_target"]}}, "unset": ["old"]},
    ):
        apply_patch(instances, patch)
    app = instances.by_name["app"]
    assert (app.status, app.state, app.attributes) == (Status.OK, NodeState.CREATED, {"url": "u"})
    assert app.relationships["db#0"].added == ["add_target"]
    assert apply_patch(instances, {"name": "app", "forget": True}) is None
    assert len(instances) == 0


def test_an_attribute_of_which_a_part_was_not_stored_is_not_known():
    status = {
        "instances": {"a": {"attributes": {"login": {"user": "ann", "word": REDACTED}, "list": [REDACTED], "size": 1}}}
    }
    instance = read_status(status).by_name["a"]
    assert (instance.attributes, instance.withheld) == ({"size": 1}, {"login", "list"})
    assert write_instance(instance, lambda value: value)["attributes"] == {
        "size": 1,
        "list": REDACTED,
        "login": REDACTED,
    }


@pytest.mark.parametrize(
    "requirements",
    [
        [5],
        [{"host": 5}],
        [{"host": {"key": "host#0"}}],
        {"host": "x"},
        [{"host": {"target": "x", "added": [1]}}],
    ],
)
def test_requirements_of_another_form_are_refused(requirements: Any) -> None:
    with pytest.raises(InvalidInput, match='status of "app": requirements'):
        read_status({"instances": {"app": {"requirements": requirements}}})
