"""Who may do what: passwords, tokens, machines and the tokens of jobs."""

from __future__ import annotations

import pytest

from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.objects.parts import Claim
from ansible_ensemble.provision.server.tokens import Token, signed


@pytest.fixture(scope="module")
def own(live):
    return live.machine("own")


@pytest.fixture(scope="module")
def other(live):
    return live.machine("other")


@pytest.fixture(scope="module")
def machine_token(live, own):
    return live.get(f"/machines/{own['Uuid']}/token?ttl=1h").json["Token"]


@pytest.fixture(scope="module")
def reader_token(live):
    role = {"Name": "reader", "Claims": [{"scope": "machines", "action": "list,get", "specific": "*"}]}
    assert live("POST", "/roles", role).status == 201
    return _user(live, "reader", "reader")


def _user(live, name, *roles):
    assert live("POST", "/users", {"Name": name, "Roles": list(roles)}).status == 201
    assert live("PUT", f"/users/{name}/password", {"Password": f"secret of {name}"}).status == 200
    answer = live.get(f"/users/{name}/token", auth=(name, f"secret of {name}"))
    assert answer.status == 200, answer.body
    return answer.json["Token"]


DENIED = {"Model": "users", "Key": "", "Type": "", "Messages": ["Access Denied"]}


@pytest.mark.parametrize(
    ("authorization", "status"),
    [(None, 401), ("", 401), ("Bearer", 401), ("Bearer x", 401), ("Bearer a.b", 401), ("Bearer ..", 401),
     ("Bearer " + "e30." + "A" * 43, 403), ("Basic x", 401), ("Basic eA==", 401), ("Digest x", 401),
     ("Basic cm9ja2V0c2thdGVzOndyb25n", 403), ("Basic bm9ib2R5Og==", 403), ("Bearer " + "9" * 5000, 401)],
)  # fmt: skip
def test_nobody_gets_in_without_a_proof(live, authorization, status):
    headers = {} if authorization is None else {"Authorization": authorization}
    answer = live.get("/info", headers=headers, token=None)
    assert (answer.status, answer.json) == (status, {**DENIED, "Code": status})
    assert answer.headers.get("WWW-Authenticate") == ("dr-provision" if status == 401 else None)


def test_a_password_and_a_token_get_in(live):
    assert live.get("/info", auth=("rocketskates", "r0cketsk8ts")).status == 200
    assert live.get("/info").json["api_port"] == int(live.base.rpartition(":")[2])
    assert live.get(f"/info?token={live.token}", token=None).status == 200
    assert live.get("/info?token=rocketskates:r0cketsk8ts", token=None).status == 200


def test_a_token_that_was_changed_is_none(live):
    payload, _, signature = live.token.partition(".")
    forged = signed(Token(user="rocketskates", expires=2**40), b"x" * 32, "secret").partition(".")
    for token in (f"{forged[0]}.{signature}", f"{payload}.{forged[2]}", f"{payload}."):
        assert live.get("/info", token=token).status in (401, 403)


@pytest.mark.parametrize(
    ("ttl", "status"), [("600", 200), ("1h", 200), ("3y", 200), ("1h30m", 200), ("x", 400), ("-1", 400), ("101y", 400)]
)
def test_the_life_of_a_token(live, ttl, status):
    answer = live.get(f"/users/rocketskates/token?ttl={ttl}")
    assert answer.status == status
    if status == 200:
        assert answer.json.keys() == {"Token", "Info"}
        assert live.get("/info", token=answer.json["Token"]).status == 200


def test_a_token_whose_time_is_over_is_none(live):
    token = live.get("/users/rocketskates/token?ttl=0").json["Token"]
    assert live.get("/info", token=token).status == 403


def test_another_password_makes_tokens_and_the_old_one_invalid(live):
    token = _user(live, "mover")
    assert live.get("/users/mover", token=token).status == 200
    answer = live("PUT", "/users/mover/password", {"Password": "another"}, token=token)
    assert (answer.status, answer.json["PasswordHash"], answer.json["Secret"]) == (200, "", "")
    assert live.get("/users/mover", token=token).status == 403
    assert live.get("/users/mover", auth=("mover", "secret of mover")).status == 403
    assert live.get("/users/mover", auth=("mover", "another")).status == 200


def test_a_password_that_was_right_is_so_again_when_it_is_set_again(live):
    _user(live, "keeper")
    assert live.get("/users/keeper", auth=("keeper", "secret of keeper")).status == 200
    assert live("PUT", "/users/keeper/password", {"Password": "secret of keeper"}).status == 200
    assert live.get("/users/keeper", auth=("keeper", "secret of keeper")).status == 200


def test_a_user_who_is_gone_gets_nowhere(live):
    token = _user(live, "leaver")
    assert live("DELETE", "/users/leaver").status == 200
    assert live.get("/users/leaver", token=token).status == 403


def test_a_token_may_be_limited_and_makes_no_other_without_the_limit(live, own):
    limited = live.get("/users/rocketskates/token?scope=machines,users&action=get,token").json["Token"]
    again = live.get("/users/rocketskates/token", token=limited).json["Token"]
    machine = live.get(f"/machines/{own['Uuid']}/token", token=limited).json["Token"]
    for token in (limited, again, machine):
        assert live.get("/machines/Name:own", token=token).status == 200
        assert live("PATCH", "/machines/Name:own", [], token=token).status == 403
    assert live.get("/users/rocketskates/token?roles=reader").status == 400


def test_the_key_of_a_user_is_never_shown(live):
    shown = live.get("/users").body + live.get("/users/rocketskates").body + live.get("/users?Name=rocketskates").body
    assert b"scrypt" not in shown
    assert live.get("/users?PasswordHash=Re(scrypt)").status == 406


READER = [
    ("GET", "/machines", None, 200), ("HEAD", "/machines", None, 200), ("GET", "/machines/Name:own", None, 200),
    ("GET", "/jobs", None, 403), ("PATCH", "/machines/Name:own", [], 403), ("DELETE", "/machines/Name:own", None, 403),
    ("POST", "/machines", {"Name": "new"}, 403), ("GET", "/users", None, 403), ("GET", "/users/reader", None, 200),
    ("GET", "/users/rocketskates", None, 403), ("GET", "/users/rocketskates/token", None, 403),
    ("PUT", "/users/rocketskates/password", {"Password": "x"}, 403), ("GET", "/prefs", None, 403),
    ("POST", "/prefs", {"defaultStage": "none"}, 403), ("GET", "/contents", None, 403), ("GET", "/metrics", None, 403),
    ("POST", "/contents", {"meta": {"Name": "x"}}, 403), ("POST", "/events", {}, 403), ("GET", "/info", None, 200),
    ("GET", "/machines/Name:own?decode=true", None, 403), ("GET", "/machines?decode=true", None, 403),
    ("GET", "/machines/Name:own/params?decode=true", None, 403), ("GET", "/machines/Name:own/params", None, 200),
    ("GET", "/machines/Name:own/token", None, 403), ("GET", "/objects", None, 403), ("GET", "/indexes", None, 403),
    ("DELETE", "/jobs", None, 403), ("GET", "/machines/nobody", None, 404),
    ("GET", "/meta/machines/Name:own", None, 200),
    ("PATCH", "/meta/machines/Name:own", [], 403), ("POST", "/machines/Name:own/params/a", 1, 403),
]  # fmt: skip


@pytest.mark.parametrize("case", READER, ids=lambda case: f"{case[0]} {case[1]}")
@pytest.mark.usefixtures("own")
def test_a_user_may_do_what_roles_say(live, reader_token, case):
    method, path, body, status = case
    assert live(method, path, body, token=reader_token).status == status


def test_a_list_has_what_claims_name(live, own, other):
    limited = live.get(f"/users/rocketskates/token?scope=machines&action=list&specific={own['Uuid']}").json["Token"]
    assert [one["Name"] for one in live.get("/machines", token=limited).json] == ["own"]
    assert live.get(f"/machines?Uuid={other['Uuid']}", token=limited).json == []


#: What may be done with a claim to get the machine, and without.
PATHS = [
    ([{"op": "replace", "path": "/Description", "value": "x"}], 200, 200),
    (
        [{"op": "test", "path": "/Name", "value": "own"}, {"op": "replace", "path": "/Description", "value": "y"}],
        200,
        403,
    ),
    ([{"op": "replace", "path": "/Locked", "value": True}], 403, 403),
    ([{"op": "copy", "path": "/Description", "from": "/Name"}], 200, 403),
    ([{"op": "move", "path": "/Description", "from": "/Address"}], 403, 403),
    ([{"op": "replace", "path": "", "value": {}}], 403, 403),
    ([], 403, 403),
    ({"op": "replace"}, 403, 403),
]


@pytest.mark.parametrize(("body", "seeing", "blind"), PATHS)
@pytest.mark.usefixtures("own")
def test_an_update_may_be_allowed_of_fields(live, body, seeing, blind):
    for get, status in (("get,", seeing), ("", blind)):
        actions = f"{get}update:/Description,update:/Params/a"
        limited = live.get(f"/users/rocketskates/token?scope=machines&action={actions}").json
        assert live("PATCH", "/machines/Name:own", body, token=limited["Token"]).status == status
    assert live("POST", "/machines/Name:own/params/a", 1, token=limited["Token"]).status == 200
    assert live("POST", "/machines/Name:own/params/b", 1, token=limited["Token"]).status == 403
    assert live("POST", "/machines/Name:own/params", {}, token=limited["Token"]).status == 403


def test_a_machine_reaches_its_own_alone(live, own, other, machine_token):
    for machine, status in ((own, 200), (other, 403)):
        uuid = machine["Uuid"]
        assert live.get(f"/machines/{uuid}", token=machine_token).status == status
        patch = [{"op": "replace", "path": "/Runnable", "value": True}]
        assert live("PATCH", f"/machines/{uuid}", patch, token=machine_token).status == status
        assert live("POST", f"/machines/{uuid}/params/k", 1, token=machine_token).status == status
        assert live.get(f"/machines/{uuid}/token", token=machine_token).status == status
        answer = live("POST", "/jobs", {"Machine": uuid}, token=machine_token)
        assert answer.status == (204 if status == 200 else 403)
    assert live.get("/machines", token=machine_token).json[0]["Name"] == "own"
    assert live("POST", "/jobs", {}, token=machine_token).status == 403
    assert live.get("/stages/none", token=machine_token).status == 200
    assert live.get("/users", token=machine_token).status == 403


def test_another_secret_makes_tokens_of_a_machine_invalid(live):
    machine = live.machine("secretive")
    token = live.get(f"/machines/{machine['Uuid']}/token?ttl=3y").json["Token"]
    assert live.get("/info", token=token).status == 200
    patch = [{"op": "replace", "path": "/Secret", "value": "another-secret"}]
    assert live("PATCH", f"/machines/{machine['Uuid']}", patch).status == 200
    assert live.get("/info", token=token).status == 403


@pytest.mark.parametrize(("state", "status"), [("created", 200), ("running", 200), ("failed", 403), ("finished", 403),
                                               ("incomplete", 403)])  # fmt: skip
def test_the_token_of_a_job_ends_with_it(live, own, state, status):
    job = Job(uuid=f"00000000-0000-4000-8000-{len(state):012}", machine=own["Uuid"], state=state)
    live.run(live.server.store.transact(lambda tx: tx.create(job), "system"))
    secret = live.run(live.server.store.read(lambda reader: reader.get(Machine, own["Uuid"]).secret))
    grants = [Claim(scope="profiles", action="get", specific="*")]
    token = Token(machine=own["Uuid"], job=job.uuid, expires=2**40, grants=grants)
    text = signed(token, live.server.token_key, secret)
    assert live.get("/profiles/global", token=text).status == status
    answer = live.get(f"/machines/{own['Uuid']}/token?ttl=3y", token=text)
    assert answer.status == status
    live.run(live.server.store.transact(lambda tx: tx.delete(job), "system"))
    if status == 200:
        assert live.get("/info", token=answer.json["Token"]).status == 403
