"""What all answers have, and what a server says of itself."""

from __future__ import annotations

import logging

import pytest

from ansible_ensemble import __version__
from ansible_ensemble.provision.objects import KINDS
from ansible_ensemble.provision.store.transaction import Unavailable


def test_info(live):
    info = live.get("/info").json
    assert (info["version"], info["os"]) == (__version__, "linux")
    assert {"name": "machines.count", "count": 0} in info["stats"]
    assert info["scopes"]["jobs"]["log"] == {}


def test_kinds_and_indexes(live):
    assert live.get("/objects").json == sorted(KINDS)
    indexes = live.get("/indexes").json
    assert indexes.keys() == KINDS.keys()
    assert live.get("/indexes/machines").json == indexes["machines"]
    assert live.get("/indexes/machines/Name").json == {"Name": indexes["machines"]["Name"]}
    assert live.get("/indexes/machines/Nothing").status == 404
    assert live.get("/indexes/nothing").status == 404


def test_preferences(live):
    assert live.get("/prefs").json["defaultStage"] == "none"
    assert live("POST", "/prefs", {"defaultStage": "local"}).json["defaultStage"] == "local"
    assert live("POST", "/prefs", {"defaultStage": "none"}).status == 200
    assert live("POST", "/prefs", {"nothing": "x"}).status == 422


def test_contents(live):
    bundle = {"meta": {"Name": "pack"}, "sections": {"tasks": {"packed": {"Name": "packed"}}}}
    made = live("POST", "/contents", bundle)
    assert (made.status, made.json["Counts"]) == (201, {"tasks": 1})
    assert live.get("/contents/pack").json["sections"]["tasks"]["packed"]["Bundle"] == "pack"
    assert live("PUT", "/contents/pack", {"meta": {"Name": "pack"}}).json["Counts"] == {}
    assert "pack" in [one["meta"]["Name"] for one in live.get("/contents").json]
    assert live("DELETE", "/contents/pack").status == 200
    assert live.get("/contents/pack").status == 404


def test_metrics_count_what_happened(live):
    live.get("/nothing")
    text = live.get("/metrics").body.decode()
    values = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert int(values['ansible_ensemble_provision_requests_total{method="GET",status="404"}']) > 0
    assert values['ansible_ensemble_provision_objects{kind="users"}'] == "1"
    assert (
        values['ansible_ensemble_provision_request_seconds_bucket{le="+Inf"}']
        == values["ansible_ensemble_provision_request_seconds_count"]
    )
    assert live.get("/metrics", token=None).status == 401


def test_health_is_for_everybody(live):
    answer = live.get("/healthz", token=None)
    assert (answer.status, answer.json) == (200, {"status": "ok"})


FAILURES = [
    (ZeroDivisionError("canary-31c7"), 500, "Internal error "),
    (Unavailable("the disk is full canary-31c7"), 503, "later"),
]


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: str(failure[1]))
def test_what_nobody_foresaw_tells_nothing_of_the_inside(live, monkeypatch, caplog, failure):
    error, status, message = failure

    async def fail(function):
        raise error

    monkeypatch.setattr(live.server.store, "read", fail)
    with caplog.at_level(logging.INFO, "ansible_ensemble.provision"):
        answer = live.get("/machines")
    assert answer.status == status
    assert message in answer.json["Messages"][0]
    assert b"canary" not in answer.body
    assert len([one for one in caplog.records if one.levelname == "ERROR"]) == 1
    if status == 500:
        number = answer.json["Messages"][0].split()[-1]
        assert number in caplog.text
        assert "canary" not in caplog.text
        assert "Traceback" not in caplog.text


def test_neither_tokens_nor_passwords_are_logged(live, caplog):
    with caplog.at_level(logging.DEBUG, "ansible_ensemble.provision"):
        live.get(f"/info?token={live.token}", token=None)
        live.get("/info", auth=("rocketskates", "canary-9e2b"))
    assert "/api/v3/info" in caplog.text
    assert live.token not in caplog.text
    assert "canary-9e2b" not in caplog.text


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
@pytest.mark.parametrize("target", [("POST", "/profiles", "json"), ("PUT", "/jobs/none/log", "octet-stream")])
def test_a_body_is_encoded_as_it_says(live, caplog, target, encoding):
    method, path, kind = target
    headers = {"Content-Type": f"application/{kind}", "Content-Encoding": encoding}
    answer = live(method, path, b"this is not compressed", headers=headers)
    assert (answer.status, answer.json["Messages"]) == (400, ["The body is not encoded as the request says"])
    assert not [one for one in caplog.records if one.name.startswith("ansible_ensemble")]
