"""Recording an existing instance without checking it."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.records.adopt import adopt_by_hand


def status(instance: Any) -> tuple[str, str | None]:
    return instance.status.value, instance.state and instance.state.value


def test_an_adopted_instance_is_there_and_not_the_ensembles_own(job) -> None:
    made = job()
    machine, app = (adopt_by_hand(made.ensemble, name, {}) for name in ("machine", "app"))
    assert (status(machine), status(app)) == (("ok", "started"), ("ok", "started"))
    assert (machine.host, app.host, app.created) == (None, "machine", None)


def test_it_is_recorded(job) -> None:
    made = job()
    adopt_by_hand(made.ensemble, "app", {"url": "http://x"})
    read = read_ensemble(locate(made.ensemble.path), JobOptions()).instances.by_name["app"]
    assert (read.attributes, read.host) == ({"url": "http://x"}, None)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"status": "error", "state": "creating"}, ("ok", "started")),
        ({"status": "absent"}, ("ok", "started")),
        ({"status": "degraded", "state": "stopped"}, ("degraded", "stopped")),
    ],
)
def test_of_one_that_is_recorded_only_what_does_not_work_is_set(job, before: Any, after: Any) -> None:
    made = job()
    made.instance("app", created="A0", attributes={"url": "old", "token": "t"}, **before)
    app = adopt_by_hand(made.ensemble, "app", {"url": "new"})
    assert (status(app), app.created) == (after, "A0")
    assert app.attributes == {"url": "new", "token": "t"}


@pytest.mark.parametrize(
    ("name", "attributes", "error"),
    [
        ("other", {}, 'the spec has no instance "other"'),
        ("app", {"size": 1}, r'App has no attribute "size" \(there are .*\burl\b'),
    ],
)
def test_what_the_spec_does_not_have_is_refused(job, name: str, attributes: Any, error: str) -> None:
    made = job()
    with pytest.raises(InvalidInput, match=error):
        adopt_by_hand(made.ensemble, name, attributes)
    assert not made.ensemble.path.exists()
