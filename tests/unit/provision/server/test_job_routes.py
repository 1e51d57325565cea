"""Jobs over HTTP: the next one, logs in both directions, actions, and those that are over."""

from __future__ import annotations

import pytest

from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.objects.plugin import AvailableAction
from ansible_ensemble.provision.server import job_routes
from ansible_ensemble.provision.service.actions import Action, ActionFailed


@pytest.fixture(scope="module", autouse=True)
def content(live):
    template = {"Name": "do", "Contents": "#!/bin/sh\nexit 0\n"}
    claims = [{"scope": "profiles", "action": "get", "specific": "*"}]
    for prefix, made in [
        ("tasks", {"Name": "one", "Templates": [template]}),
        ("tasks", {"Name": "more", "Templates": [template], "ExtraClaims": claims}),
        ("stages", {"Name": "first", "Tasks": ["one", "more"]}),
        ("stages", {"Name": "acting", "Tasks": ["action:power:on"]}),
        ("workflows", {"Name": "all", "Stages": ["first"]}),
        ("workflows", {"Name": "power", "Stages": ["acting"]}),
    ]:
        assert live("POST", f"/{prefix}", made).status == 201


def _patch(live, job, **changes):
    operations = [{"op": "replace", "path": f"/{name}", "value": value} for name, value in changes.items()]
    answer = live("PATCH", f"/jobs/{job['Uuid']}", operations)
    assert answer.status == 200, answer.body


def test_a_machine_goes_through_its_workflow(live):
    machine = live.machine("worker", Workflow="all")
    asked = {"Machine": machine["Uuid"]}
    first = live("POST", "/jobs", asked)
    assert (first.status, first.json["Task"], first.json["State"], first.json["Token"]) == (201, "one", "created", "")
    assert live("POST", "/jobs", asked).status == 409
    _patch(live, first.json, State="running")
    _patch(live, first.json, State="incomplete")
    again = live("POST", "/jobs", asked)
    assert (again.status, again.json["Uuid"]) == (202, first.json["Uuid"])
    _patch(live, first.json, State="finished", ExitState="complete")
    second = live("POST", "/jobs", asked)
    assert (second.status, second.json["Task"]) == (201, "more")
    token = second.json["Token"]
    assert live.get("/profiles/global", token=token).status == 200
    assert live.get(f"/jobs/{second.json['Uuid']}").json["Token"] == ""
    _patch(live, second.json, State="finished")
    assert live.get("/profiles/global", token=token).status == 403
    none = live("POST", "/jobs", asked)
    assert (none.status, none.body, none.headers["Content-Type"]) == (204, b"", "application/json")
    assert live.get(f"/machines/{machine['Uuid']}").json["WorkflowComplete"] is True


@pytest.mark.parametrize(
    ("body", "status"),
    [({}, 400), ({"Machine": "x"}, 422), ({"Machine": "00000000-0000-4000-8000-000000000000"}, 422), ([], 400)],
)
def test_a_job_of_no_machine_is_refused(live, body, status):
    assert live("POST", "/jobs", body).status == status


@pytest.fixture
def job(live, request):
    name = f"logger{abs(hash(request.node.name))}"
    made = live("POST", "/jobs", {"Machine": live.machine(name, Workflow="all")["Uuid"]})
    assert made.status == 201, made.body
    return made.json


BYTES = {"Content-Type": "application/octet-stream"}


@pytest.mark.parametrize("size", [0, 1, job_routes._PIECE - 100, job_routes._PIECE, 3 * job_routes._PIECE + 7])
def test_a_log_goes_in_and_out(live, job, size):
    path, data = f"/jobs/{job['Uuid']}/log", bytes(range(256)) * (size // 256 + 1)
    start = live.get(path)
    assert start.body.startswith(f"Log for Job: {job['Uuid']}\n".encode())
    put = live("PUT", path, data[:size], headers=BYTES)
    assert (put.status, put.body, put.headers["Content-Type"]) == (204, b"", "application/json")
    read = live.get(path)
    assert read.headers["Content-Type"] == "application/octet-stream"
    assert read.body == start.body + data[:size]


def test_who_has_a_part_of_a_log_gets_the_rest(live, job):
    path = f"/jobs/{job['Uuid']}/log"
    size = len(live.get(path).body)
    assert live.get(path, headers={"Range": f"bytes={size}-"}).status == 416
    assert live("PUT", path, b"more", headers=BYTES).status == 204
    rest = live.get(path, headers={"Range": f"bytes={size}-"})
    assert (rest.status, rest.body) == (206, b"more")
    assert rest.headers["Content-Range"] == f"bytes {size}-{size + 3}/*"
    assert live.get(path, headers={"Range": "bytes=1-2"}).status == 200


@pytest.mark.parametrize("wanted", [1, 4, 10**9])
def test_who_wants_the_end_of_a_log_gets_it(live, job, wanted):
    path = f"/jobs/{job['Uuid']}/log"
    assert live("PUT", path, b"more", headers=BYTES).status == 204
    whole = live.get(path).body
    end = live.get(path, headers={"Range": f"bytes=-{wanted}"})
    assert (end.status, end.body) == (206, whole[-wanted:])
    assert end.headers["Content-Range"] == f"bytes {len(whole) - len(end.body)}-{len(whole) - 1}/*"
    assert live.get(path, headers={"Range": "bytes=-0"}).status == 416


def test_what_is_no_log_is_refused(live, job):
    assert live("PUT", f"/jobs/{job['Uuid']}/log", {"a": 1}).status == 415
    assert live("PUT", f"/jobs/{job['Uuid']}/log", b"x" * (11 * 2**20), headers=BYTES).status == 413
    for method, body in (("GET", None), ("PUT", b"x"), ("HEAD", None)):
        assert live(method, "/jobs/nothing/log", body, headers=BYTES).status == 404


def test_a_machine_writes_its_own_logs_alone(live, job):
    for name, status in (("stranger", 403), (job["Machine"], 204)):
        key = live.machine(name)["Uuid"] if status == 403 else name
        token = live.get(f"/machines/{key}/token").json["Token"]
        assert live("PUT", f"/jobs/{job['Uuid']}/log", b"x", headers=BYTES, token=token).status == status


def test_old_jobs_are_removed_by_a_query(live, job):
    assert live("DELETE", f"/jobs/{job['Uuid']}").status == 422
    assert live("DELETE", f"/jobs?Uuid={job['Uuid']}").json == []
    _patch(live, job, State="running")
    _patch(live, job, State="finished")
    gone = live("DELETE", f"/jobs?Uuid={job['Uuid']}")
    assert (gone.status, [one["Uuid"] for one in gone.json]) == (200, [job["Uuid"]])
    assert live.get(f"/jobs/{job['Uuid']}/log").status == 404


async def _power(asked):
    if asked.params.get("fail"):
        raise ActionFailed("no power")
    return {"did": asked.target["Name"], "with": asked.params}


@pytest.fixture
def power(live):
    about = AvailableAction(provider="power", command="on", model="machines", optional_params=["fail"])
    live.actions.append(Action(about, _power))
    yield
    live.actions.clear()


@pytest.mark.usefixtures("power")
def test_actions_of_a_machine(live):
    machine = live.machine("powered")
    path = f"/machines/{machine['Uuid']}/actions"
    (about,) = live.get(path).json
    assert (about["Command"], about["Provider"]) == ("on", "power")
    assert live.get(f"{path}/on").json == about
    assert live("POST", f"{path}/on", {}).json == {"did": "powered", "with": {}}
    assert live("POST", f"{path}/on").status == 200
    failed = live("POST", f"{path}/on", {"fail": True})
    assert (failed.status, failed.json["Messages"]) == (422, ["no power"])
    assert live("POST", f"{path}/off", {}).status == 404
    assert live.get(f"{path}/off").status == 404


@pytest.mark.usefixtures("power")
@pytest.mark.parametrize(("fail", "status", "state"), [(False, 201, "finished"), (True, 204, "failed")])
def test_an_action_of_a_workflow_is_carried_out_by_the_server(live, fail, status, state):
    machine = live.machine(f"acting-{state}", Workflow="power", Params={"fail": fail})
    answer = live("POST", "/jobs", {"Machine": machine["Uuid"]})
    assert answer.status == status
    current = live.run(live.server.store.read(lambda reader: reader.get(Machine, machine["Uuid"]).current_job))
    assert live.get(f"/jobs/{current}").json["State"] == state
    assert (b"no power" if fail else b"Results from plugin invoke:") in live.get(f"/jobs/{current}/log").body


SCRIPT = """#!/bin/sh
{{.Machine.Name}} {{.ApiURL}} {{.ProvisionerAddress}}
token {{.GenerateToken}}
for-ever {{.GenerateInfiniteToken}}
profile {{.GenerateProfileToken "global" 600}}
"""


def test_a_job_consists_of_what_its_task_says(live):
    templates = [
        {"Name": "say", "Contents": SCRIPT},
        {"Name": "file", "Path": "here", "Contents": "x", "Meta": {"OS": "any"}},
        {"Name": "windows", "Contents": "y", "Meta": {"OS": "windows"}},
    ]
    templates[0]["Meta"] = {"OS": "linux"}
    assert live("POST", "/tasks", {"Name": "said", "Templates": templates}).status == 201
    assert live("POST", "/stages", {"Name": "saying", "Tasks": ["said"]}).status == 201
    machine = live.machine("sayer", Stage="saying")
    own = live.get(f"/machines/{machine['Uuid']}/token").json["Token"]
    job = live("POST", "/jobs", {"Machine": machine["Uuid"]}, token=own).json
    found = live.get(f"/jobs/{job['Uuid']}/actions?os=linux", token=own)
    assert [(one["Name"], one["Path"]) for one in found.json] == [("say", ""), ("file", "here")]
    _, first, *rest = found.json[0]["Content"].splitlines()
    assert first == f"sayer {live.base.replace('http:', 'https:')} 127.0.0.1"
    tokens = dict(line.split() for line in rest)
    for name in ("token", "for-ever"):
        assert live.get(f"/machines/{machine['Uuid']}", token=tokens[name]).status == 200
        assert live.get("/profiles/global", token=tokens[name]).status == 403
    assert live.get("/profiles/global", token=tokens["profile"]).status == 200
    assert live("POST", "/machines", {"Name": "born"}, token=tokens["profile"]).status == 403
    assert live.get(f"/machines/{machine['Uuid']}", token=tokens["profile"]).status == 403
    assert len(live.get(f"/jobs/{job['Uuid']}/actions").json) == 3
    assert live.get("/jobs/nothing/actions").status == 404


def test_what_cannot_be_rendered_is_refused(live):
    broken = {"Name": "broken", "Templates": [{"Name": "say", "Contents": '{{.Param "missing"}}'}]}
    assert live("POST", "/tasks", broken).status == 201
    assert live("POST", "/stages", {"Name": "breaking", "Tasks": ["broken"]}).status == 201
    job = live("POST", "/jobs", {"Machine": live.machine("breaker", Stage="breaking")["Uuid"]}).json
    answer = live.get(f"/jobs/{job['Uuid']}/actions")
    assert (answer.status, answer.json["Type"]) == (422, "ValidationError")
