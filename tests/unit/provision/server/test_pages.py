"""The pages of machines: who sees what of them."""

from __future__ import annotations

from typing import Any

import pytest
from yarl import URL

from tests.unit.provision.server.conftest import Live

CANARY = "a word that nobody may see"


@pytest.fixture(scope="module", autouse=True)
def machines(live: Live) -> dict[str, dict[str, Any]]:
    live("POST", "/params", {"Name": "secret", "Secure": True, "Schema": {"type": "string", "default": CANARY}})
    live("POST", "/params", {"Name": "disk", "Schema": {"type": "string", "default": "sda"}})
    live("POST", "/profiles", {"Name": "group", "Params": {"disk": "sdb", "secret": CANARY}})
    return {
        "one": live.machine("one", Profiles=["group"], Params={"disk": "sdc", "secret": CANARY}),
        "two": live.machine("two"),
    }


def token_of(live: Live, name: str, *claims: dict[str, str]) -> str:
    live("POST", "/roles", {"Name": name, "Claims": list(claims)})
    assert live("POST", "/users", {"Name": name, "Roles": [name]}).status == 201
    token: str = live.get(f"/users/{name}/token").json["Token"]
    return token


def claim(scope: str, action: str, specific: str) -> dict[str, str]:
    return {"scope": scope, "action": action, "specific": specific}


@pytest.mark.parametrize(("path", "kind"), [("/ui/", "text/html"), ("/ui/main.js", "text/javascript")])
def test_the_pages_are_for_everybody_and_run_no_script_but_theirs(live: Live, path: str, kind: str) -> None:
    answer = live.get(path, token=None)
    assert answer.status == 200
    assert answer.headers["Content-Type"].startswith(kind)
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self';")


def test_what_was_uploaded_is_no_page(live: Live) -> None:
    bytes_ = {"Content-Type": "application/octet-stream"}
    assert live("POST", "/files/evil.html", b"<script>alert(1)</script>", headers=bytes_).status == 201
    answer = live.run(_raw(live, "/files/evil.html"))
    assert answer[0] == 200
    assert answer[1]["Content-Type"] == "application/octet-stream"
    assert answer[1]["X-Content-Type-Options"] == "nosniff"


async def _raw(live: Live, path: str) -> tuple[int, Any]:
    async with live.session.get(URL(live.base + path, encoded=True)) as answer:
        return answer.status, answer.headers


@pytest.mark.parametrize(
    "path", ["/ui/..%2fapp.py", "/ui/%2e%2e/app.py", "/ui//etc/passwd", "/ui/login.js%00", "/ui/x.js"]
)
def test_no_path_leads_to_other_files(live: Live, path: str) -> None:
    assert live.run(_raw(live, path))[0] == 404


@pytest.mark.parametrize("path", ["/ui/api/machines", "/ui/api/machines/Name:one"])
def test_machines_are_for_who_logged_in(live: Live, path: str) -> None:
    assert live.get(path, token=None).status == 401
    assert live.get(path, token="wrong").status == 401
    assert live.get(path).status == 200


def test_the_machines_are_told_by_name_with_why_they_do_not_go_on(live: Live) -> None:
    told = [one for one in live.get("/ui/api/machines").json if one["Name"] in ("one", "two")]
    assert [one["Name"] for one in told] == ["one", "two"]
    assert {one["Reason"] for one in told} == {"it has no tasks: it needs a workflow"}


def test_a_machine_is_told_with_where_its_params_come_from(live: Live) -> None:
    answer = live.get("/ui/api/machines/Name:one")
    told = [(one["Kind"], one["Name"], one["Value"]) for one in answer.json["Params"]["disk"]]
    assert told[1:] == [("profiles", "group", "sdb"), ("params", "disk", "sda")]
    assert told[0][::2] == ("machines", "sdc")
    secret = answer.json["Params"]["secret"]
    assert [(one["Value"], one["Secure"]) for one in secret] == [(None, True)] * 3
    assert CANARY.encode() not in answer.body
    assert b"Payload" not in answer.body


def test_users_see_the_machines_that_they_may_see(live: Live, machines: dict[str, dict[str, Any]]) -> None:
    one, two = (machines[name]["Uuid"] for name in ("one", "two"))
    token = token_of(live, "limited", claim("machines", "list,get", one))
    assert [told["Uuid"] for told in live.get("/ui/api/machines", token=token).json] == [one]
    assert live.get(f"/ui/api/machines/{two}", token=token).status == 403
    told = live.get(f"/ui/api/machines/{one}", token=token).json["Params"]["disk"]
    assert [origin["Kind"] for origin in told] == ["machines", "profiles"], "defaults are of definitions"


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("list,get", []),
        ("get,update", ["Workflow", "Runnable"]),
        ("get,update:/Runnable", ["Runnable"]),
    ],
)
def test_what_a_user_may_change_of_a_machine_is_told(
    live: Live, machines: dict[str, dict[str, Any]], action: str, expected: list[str]
) -> None:
    uuid = machines["one"]["Uuid"]
    token = token_of(live, f"may{len(action)}", claim("machines", action, uuid))
    assert live.get("/ui/api/machines/Name:one", token=token).json["MayChange"] == expected


def test_who_may_see_no_machine_is_refused(live: Live) -> None:
    token = token_of(live, "nothing", claim("jobs", "*", "*"))
    assert live.get("/ui/api/machines", token=token).status == 403
    assert live.get("/ui/api/machines/Name:one", token=token).status == 403


def test_a_machine_that_is_not_there(live: Live) -> None:
    assert live.get("/ui/api/machines/Name:none").status == 404
