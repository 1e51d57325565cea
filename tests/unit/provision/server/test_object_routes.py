"""Objects over HTTP: lists, counts, and objects to see, create, change and remove."""

from __future__ import annotations

import asyncio

import pytest


@pytest.fixture(scope="module")
def machines(live):
    return [live.machine(f"m{number}", Params={"n": number}, Meta={"odd": str(number % 2)}) for number in range(5)]


LISTS = [
    ("/machines", [0, 1, 2, 3, 4], 5),
    ("/machines?sort=Name&reverse=true", [4, 3, 2, 1, 0], 5),
    ("/machines?sort=Name&limit=2&offset=1", [1, 2], 5),
    ("/machines?Name=m3", [3], 1),
    ("/machines?Name=m3&Name=Eq(m1)&sort=Name", [1, 3], 2),
    ("/machines?Meta.odd=1&sort=Name", [1, 3], 2),
    ("/machines?Meta.odd=1&sort=Name&limit=1", [1], 2),
    ("/machines?n=Gt(2)&sort=Name", [3, 4], 2),
    ("/machines?Name=Re(^m[01]$)&sort=Name", [0, 1], 2),
    ("/machines?Name=nobody", [], 0),
]


@pytest.mark.parametrize(("path", "numbers", "found"), LISTS)
@pytest.mark.usefixtures("machines")
def test_lists(live, path, numbers, found):
    answer, counted = live.get(path), live("HEAD", path)
    names = [one["Name"] for one in answer.json]
    assert (names if "sort" in path else sorted(names)) == [f"m{number}" for number in numbers]
    for headers in (answer.headers, counted.headers):
        counts = [headers[f"X-DRP-LIST-{name}"] for name in ("COUNT", "TOTAL-COUNT", "FILTER-COUNT")]
        assert counts == [str(len(numbers)), "5", str(found)]
    assert (counted.status, counted.body) == (200, b"")
    assert answer.headers["Content-Type"] == "application/json"


def test_a_list_is_in_the_order_of_keys(live, machines):
    keys = [one["Uuid"] for one in live.get("/machines").json]
    assert keys == sorted(one["Uuid"] for one in machines)


def test_a_long_list_comes_whole(live):
    for number in range(300):
        assert live("POST", "/templates", {"ID": f"t{number:03}", "Contents": "x" * 2000}).status == 201
    assert [one["ID"] for one in live.get("/templates").json] == [f"t{number:03}" for number in range(300)]


@pytest.mark.parametrize(
    ("query", "message"),
    [("limit=-1", "Limit cannot be negative"), ("Uuid=false", "Invalid UUID: false"),
     ("Runnable=fred", "Runnable must be true or false"), ("Name=Re(()", "error parsing regexp: missing ): (")],
)  # fmt: skip
def test_a_bad_query_is_refused(live, query, message):
    answer = live.get(f"/machines?{query}")
    assert (answer.status, answer.json) == (
        406, {"Model": "machines", "Key": "", "Type": "GET", "Messages": [message], "Code": 406},
    )  # fmt: skip


@pytest.mark.usefixtures("machines")
def test_leaves_out_what_is_not_wanted(live):
    whole = live.get("/machines/Name:m2").json
    for slim in ("Params,Meta", "params,meta", "PARAMS&slim=meta"):
        assert live.get(f"/machines/Name:m2?slim={slim}").json == {**whole, "Params": {}, "Meta": {}, "Partial": True}
    assert live.get("/machines?Name=m2&params=other").json == [{**whole, "Params": {}, "Partial": True}]


REFUSED = [
    ("GET", "/machines/nobody", None, 404, "Not Found"),
    ("GET", "/nothing", None, 404, "Not Found"),
    ("GET", "/nothing/at/all", None, 404, "Not Found"),
    ("GET", "/x/api/v3/machines", None, 404, "Not Found"),
    ("PUT", "/machines", {}, 405, "Method not allowed"),
    ("POST", "/machines", {"Name": "m0"}, 409, "already exists"),
    ("POST", "/tasks", {}, 400, "Empty key not allowed"),
    ("POST", "/tasks", b"{", 400, ""),
    ("POST", "/tasks", [], 400, ""),
    ("POST", "/tasks", {"Name": "t/t"}, 422, "Invalid Name"),
    ("POST", "/tasks?force=yes", {"Name": "tt"}, 400, "force must be true or false"),
    ("PATCH", "/stages/none", [{"op": "replace", "path": "/Name", "value": "x"}], 400, "Key change"),
    ("PATCH", "/stages/none", {"op": "replace"}, 400, "list of operations"),
    ("PATCH", "/machines/Name:m0", [{"op": "test", "path": "/Name", "value": "x"}], 409, "Test op failed."),
    ("PATCH", "/machines/Name:m0", [{"op": "replace", "path": "/Runnable", "value": 5}], 406, ""),
    ("DELETE", "/stages/none", None, 403, ""),
    ("PUT", "/machines/Name:m0", {"Uuid": "00000000-0000-4000-8000-000000000000"}, 400, "Key change"),
]


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: f"{case[0]} {case[1]} {case[3]}")
@pytest.mark.usefixtures("machines")
def test_refuses(live, case):
    method, path, body, status, message = case
    headers = {"Content-Type": "application/json"} if body is not None else {}
    answer = live(method, path, body, headers=headers)
    assert answer.status == status
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json.keys() == {"Model", "Key", "Type", "Messages", "Code"}
    assert answer.json["Code"] == status
    assert message in answer.json["Messages"][0]


@pytest.mark.parametrize("path", ["/machines/nobody", "/nothing", "/machines?limit=-1", "/nothing/at/all"])
def test_a_refused_head_has_no_body(live, path):
    answer = live("HEAD", path)
    assert answer.status >= 400
    assert answer.body == b""


def test_another_content_type_is_refused(live):
    answer = live("POST", "/tasks", b'{"Name": "t1"}', headers={"Content-Type": "text/plain"})
    assert (answer.status, answer.json["Messages"]) == (400, ["Invalid content type: text/plain"])


def test_a_body_that_is_too_long_is_refused(live):
    answer = live("POST", "/templates", {"ID": "long", "Contents": "x" * (11 * 2**20)})
    assert (answer.status, answer.json["Messages"]) == (413, ["Request too large"])


def test_an_object_from_its_making_to_its_end(live):
    made = live("POST", "/stages", {"Name": "s1", "Tasks": None})
    assert made.status == 201
    changed = live("PATCH", "/stages/s1", [{"op": "replace", "path": "/Description", "value": "new"}])
    assert (changed.status, changed.json) == (200, {**made.json, "Description": "new"})
    assert live("PATCH", "/stages/s1", []).json == changed.json
    replaced = live("PUT", "/stages/s1", {**changed.json, "Description": "newer"})
    assert (replaced.status, replaced.json["Description"]) == (200, "newer")
    assert live.get("/stages/s1").json == replaced.json
    gone = live("DELETE", "/stages/s1")
    assert (gone.status, gone.json) == (200, replaced.json)
    assert live.get("/stages/s1").status == 404


def test_meta_alone(live):
    made = live("POST", "/stages", {"Name": "s2", "Meta": {"a": "b"}}).json
    assert live.get("/meta/stages/s2").json == made["Meta"]
    answer = live("PATCH", "/meta/stages/s2", [{"op": "add", "path": "/c", "value": "d"}])
    assert (answer.status, answer.json) == (200, {**made["Meta"], "c": "d"})


def test_names_with_slashes(live):
    assert live("POST", "/params", {"Name": "a/b/c"}).status == 201
    assert live.get("/params/a/b/c").json["Name"] == "a/b/c"
    assert live("DELETE", "/params/a/b/c").status == 200


@pytest.mark.usefixtures("machines")
def test_what_is_held_already_is_not_sent_again(live):
    tag = live.get("/machines/Name:m1").headers["ETag"]
    for method in ("GET", "HEAD"):
        answer = live(method, "/machines/Name:m1", headers={"If-None-Match": tag})
        assert (answer.status, answer.body, answer.headers["ETag"]) == (304, b"", tag)
    assert live.get("/machines/Name:m1", headers={"If-None-Match": '"other"'}).status == 200
    answer = live.get("/machines/Name:m1", headers={"If-None-Match": tag, "Prefer": "wait=10ms"})
    assert answer.status == 304


@pytest.mark.usefixtures("machines")
def test_waits_for_a_change(live):
    tag = live.get("/machines/Name:m1").headers["ETag"]

    async def scenario():
        headers = {"If-None-Match": tag, "Prefer": "wait=50s"}
        waiting = asyncio.create_task(live.call("GET", "/machines/Name:m1", headers=headers))
        patch = [{"op": "replace", "path": "/Description", "value": "changed"}]
        while not waiting.done():
            if live.server.hub._listeners:
                await live.call("PATCH", "/machines/Name:m1", patch)
            await asyncio.sleep(0)
        return await waiting

    answer = live.run(scenario())
    assert (answer.status, answer.json["Description"]) == (200, "changed")
    assert not live.server.hub._listeners


def test_waiting_longer_than_a_duration_is_refused(live):
    answer = live.get("/stages/none", headers={"If-None-Match": "*", "Prefer": "wait=x"})
    assert (answer.status, answer.json["Messages"]) == (400, ["x is not a duration"])
