"""Nobody grants what they do not have: attacks on a server, and what tokens of tokens allow."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from ansible_ensemble.provision.server.tokens import parse_token

ALL = {"scope": "*", "action": "*", "specific": "*"}
ATTACKS = yaml.load((Path(__file__).parent / "attacks.yml").read_text(encoding="utf-8"), yaml.CSafeLoader)
ROLES = {
    "people": ["users get,list,create,update,password,token", "roles get,list,create,update"],
    "author": ["tasks,templates,stages,workflows,contents *"],
    "operator": ["machines *", "jobs *", "profiles get"],
    "reader": ["machines list,get"],
    "register": ["machines create"],
    "worker": ["jobs *"],
    "describer": ["users,roles,tasks,stages,workflows,machines,templates,profiles get,list,update:/Description"],
    "lister": ["machines,users,plugins,profiles list"],
    "keeper": ["pools * mine"],
    "tenant": ["machines,jobs,pools,profiles *"],
    "toucher": ["machines,users,profiles update:/Description,update:/Params,update:/Meta"],
    "writer": ["machines,profiles update"],
    "cleaner": ["machines,jobs,contents delete", "prefs post"],
    "flatter": ["profiles,contents *"],
}
#: Whose attacks are tried with their own tokens.
PEOPLE = [name for name in ROLES if name != "reader"]
#: Who sees none of these in any answer.
BLIND = dict.fromkeys(("toucher", "writer", "cleaner", "flatter"), b"known-secret-1234|rack-1234") | {
    "lister": b"known-secret-1234"
}
OWN, BUSY, TAKEN, RUBBISH = (f"00000000-0000-4000-8000-00000000000{digit}" for digit in "acef")


def _script(text):
    return [{"Name": "do", "Contents": f"#!/bin/sh\n{text}\n"}]


SCENE = [
    ("templates", {"ID": "inner.sh", "Contents": "inner"}),
    ("templates", {"ID": "grand.sh", "Contents": '{{template "inner.sh" .}}'}),
    ("templates", {"ID": "plain.sh", "Contents": "plain"}),
    ("tasks", {"Name": "grand", "ExtraClaims": [ALL], "Templates": [{"Name": "do", "ID": "grand.sh"}]}),
    ("tasks", {"Name": "before", "Prerequisites": ["grand"]}),
    ("tasks", {"Name": "plain", "Templates": _script("{{.GenerateToken}}\n{{.GenerateInfiniteToken}}")}),
    ("stages", {"Name": "grand", "Tasks": ["grand"]}),
    ("stages", {"Name": "plain", "Tasks": ["plain"]}),
    ("workflows", {"Name": "grand", "Stages": ["grand"]}),
    ("workflows", {"Name": "plain", "Stages": ["plain"]}),
    ("users", {"Name": "chief", "Roles": ["superuser"]}),
    ("params", {"Name": "password", "Secure": True}),
    ("profiles", {"Name": "secret", "Params": {"password": "hidden-1234"}}),
    ("plugins", {"Name": "bmc", "Provider": "none"}),
    ("pools", {"Id": "mine"}),
    ("pools", {"Id": "theirs"}),
    ("machines", {"Name": "own", "Uuid": OWN, "Secret": "known-secret-1234", "Params": {"rack": "rack-1234"}}),
    ("machines", {"Name": "taken", "Uuid": TAKEN, "Pool": "theirs", "PoolStatus": "InUse", "PoolAllocated": True}),
    ("machines", {"Name": "pooled"}),
    ("machines", {"Name": "stopped"}),
    ("machines", {"Name": "other"}),
    ("machines", {"Name": "rubbish", "Uuid": RUBBISH, "Secret": "known-secret-1234"}),
    ("contents", {"meta": {"Name": "rubbish"}, "sections": {}}),
    ("machines", {"Name": "busy", "Uuid": BUSY, "Workflow": "plain", "Params": {"password": "hidden-1234"}}),
]


@pytest.fixture(scope="module")
def tokens(live):
    """The tokens of those who try."""
    for name, claims in ROLES.items():
        wanted = [dict(zip(("scope", "action", "specific"), f"{claim} *".split(" "))) for claim in claims]
        assert live("POST", "/roles", {"Name": name, "Claims": wanted}).status == 201
    for kind, one in SCENE:
        answer = live("POST", f"/{kind}", one)
        assert answer.status == 201, answer.body
    found = {}
    for name in PEOPLE:
        assert live("POST", "/users", {"Name": name, "Description": "superuser", "Roles": [name]}).status == 201
        assert live("PUT", f"/users/{name}/password", {"Password": f"of {name}"}).status == 200
        found[name] = live.get(f"/users/{name}/token", auth=(name, f"of {name}")).json["Token"]
    flat = {"Name": "flat", "Users": ["tenant"], "Members": {"machines": [OWN]}}
    assert live("POST", "/tenants", flat).status == 201
    of_profiles = {"Name": "of-profiles", "Users": ["flatter"], "Members": {"profiles": ["global"]}}
    assert live("POST", "/tenants", of_profiles).status == 201
    found["limited"] = live.get("/users/rocketskates/token?scope=users").json["Token"]
    found["agent"] = live.get("/machines/Name:own/token?ttl=1h").json["Token"]
    return found


@pytest.fixture(scope="module")
def busy(live, tokens):
    """The job of the machine `busy`, which is nobody's who tries."""
    return _job_token(live, {"Uuid": BUSY}, "")["Uuid"]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda one: f"{one['who']} {' '.join(map(str, one['send'][:2]))}")
def test_an_attack(live, tokens, busy, attack):
    method, path, body = attack["send"]
    answer = live(method, path.replace("BUSY", busy), body, token=tokens[attack["who"]])
    assert answer.status == attack["status"], answer.body
    assert b"hidden-1234" not in answer.body
    assert not re.search(BLIND.get(attack["who"], b"hidden-1234"), answer.body)
    assert "found" not in attack or answer.json == attack["found"]
    assert attack.get("has", {}).items() <= (answer.json.items() if "has" in attack else {}.items())


def test_a_refusal_says_what_is_missing_and_changes_nothing(live, tokens):
    claim = {"scope": "machines", "action": "get", "specific": "*"}
    answer = live("POST", "/roles", {"Name": "refused", "Claims": [claim]}, token=tokens["people"])
    assert (answer.json["Model"], answer.json["Key"], answer.json["Code"]) == ("roles", "refused", 403)
    assert "machines/get/*" in answer.json["Messages"][0]
    assert live.get("/roles/refused").status == 404


@pytest.mark.parametrize("hidden", ["PasswordHash", "Secret"])
def test_what_is_never_shown_is_neither_copied_nor_found(live, tokens, hidden):
    patch = [{"op": "copy", "from": f"/{hidden}", "path": "/Description"}]
    assert live("PATCH", "/users/operator", patch, token=tokens["people"]).json["Description"] == ""
    for query in (f"{hidden}=Re(.)", f"sort={hidden}"):
        assert live.get(f"/users?{query}", token=tokens["people"]).status == 406
        assert live.get(f"/users?{query}").status == 406


@pytest.mark.parametrize("query", ["", "?Name=own", "?slim=Params", "?sort=Address&limit=3"])
def test_lists_show_the_secrets_of_machines_to_who_may_get_them(live, tokens, query):
    """Clients of dr-provision know it as a field of machines."""
    shown = {who: live.get(f"/machines{query}", token=tokens[who]).json for who in ("lister", "operator")}
    assert all(one["Secret"] for one in shown["operator"])
    assert [one | {"Secret": ""} for one in shown["operator"]] == shown["lister"]
    assert "Secret" not in live.get("/indexes/machines").json


def _job_token(live, machine, token):
    answer = live("POST", "/jobs", {"Machine": machine["Uuid"]}, token=token)
    assert answer.status == 201, answer.body
    return answer.json


def test_a_workflow_of_somebody_with_the_claims_gives_them_to_the_machine_alone(live, tokens):
    machine = live.machine("elevated")
    patch = [{"op": "replace", "path": "/Workflow", "value": "grand"}]
    assert live("PATCH", "/machines/Name:elevated", patch, token=tokens["operator"]).status == 200
    by_operator = _job_token(live, machine, tokens["operator"])
    assert live.get("/users", token=by_operator["Token"]).status == 403
    assert live.get("/profiles/global", token=by_operator["Token"]).status == 200
    failed = [{"op": "replace", "path": "/State", "value": "failed"}]
    assert live("PATCH", f"/jobs/{by_operator['Uuid']}", failed).status == 200
    run = [{"op": "replace", "path": "/Runnable", "value": True}]
    assert live("PATCH", "/machines/Name:elevated", run).status == 200
    given = live.get(f"/machines/{machine['Uuid']}/token", token=tokens["operator"]).json["Token"]
    by_given = _job_token(live, machine, given)
    assert live.get("/users", token=by_given["Token"]).status == 403
    assert live("PATCH", f"/jobs/{by_given['Uuid']}", failed).status == 200
    assert live("PATCH", "/machines/Name:elevated", run).status == 200
    own = live.get(f"/machines/{machine['Uuid']}/token?ttl=1h").json["Token"]
    by_agent = _job_token(live, machine, own)
    assert live.get("/users", token=by_agent["Token"]).status == 200
    assert parse_token(by_agent["Token"]).token.expires <= parse_token(own).token.expires


def test_a_handler_has_no_claims_of_its_task(live):
    machine = live.machine("handled", Workflow="plain", Params={"task-error-handlers": {"plain": ["grand"]}})
    failing = _job_token(live, machine, "")
    failed = [{"op": "replace", "path": "/State", "value": "failed"}]
    assert live("PATCH", f"/jobs/{failing['Uuid']}", failed).status == 200
    run = [{"op": "replace", "path": "/Runnable", "value": True}]
    assert live("PATCH", "/machines/Name:handled", run).json["Tasks"] == ["grand"]
    handling = _job_token(live, machine, "")
    assert (handling["Task"], handling["Token"]) == ("grand", "")


@pytest.mark.parametrize("ttl", ["2h", "3y", "99y"])
def test_the_token_of_a_machine_is_not_renewed(live, tokens, ttl):
    again = live.get(f"/machines/Name:own/token?ttl={ttl}", token=tokens["agent"]).json["Token"]
    assert parse_token(again).token.expires <= parse_token(tokens["agent"]).token.expires
    assert live.get("/machines/Name:own", token=again).status == 200


def test_tokens_in_scripts_end_with_that_of_their_reader(live):
    machine = live.machine("scripted", Workflow="plain")
    own = live.get(f"/machines/{machine['Uuid']}/token?ttl=1h").json["Token"]
    job = _job_token(live, machine, own)
    (script,) = live.get(f"/jobs/{job['Uuid']}/actions", token=own).json
    for text in script["Content"].splitlines()[1:]:
        assert parse_token(text).token.expires <= parse_token(own).token.expires


MAKING = {"scope": "machines", "action": "create", "specific": "*"}


@pytest.mark.parametrize(("claims", "status"), [([], 403), ([MAKING], 201)])
def test_a_script_makes_machines_only_with_the_claim_of_its_task(live, tokens, claims, status):
    name = f"maker-{status}"
    templates = _script('{{.GenerateProfileToken "global" "1h"}}')
    for kind, one in (
        ("tasks", {"Name": name, "Templates": templates, "ExtraClaims": claims}),
        ("stages", {"Name": name, "Tasks": [name]}),
    ):
        assert live("POST", f"/{kind}", one).status == 201
    machine = live.machine(name, Stage=name)
    own = live.get(f"/machines/{machine['Uuid']}/token?ttl=1h").json["Token"]
    job = _job_token(live, machine, own)
    (script,) = live.get(f"/jobs/{job['Uuid']}/actions", token=job["Token"] or own).json
    made = script["Content"].splitlines()[1]
    assert live.get("/profiles/global", token=made).status == 200
    assert live("POST", "/machines", {"Name": f"made-by-{name}"}, token=made).status == status
    assert live("POST", "/users", {"Name": f"made-by-{name}"}, token=made).status == 403


@pytest.mark.parametrize("profile", ["*", "global,other", "global, *", " "])
def test_a_script_has_a_token_of_one_profile(live, profile):
    name = f"wide-{profile.encode().hex()}"
    templates = _script(f'{{{{.GenerateProfileToken "{profile}" "1h"}}}}')
    assert live("POST", "/tasks", {"Name": name, "Templates": templates}).status == 201
    assert live("POST", "/stages", {"Name": name, "Tasks": [name]}).status == 201
    job = _job_token(live, live.machine(name, Stage=name), "")
    answer = live.get(f"/jobs/{job['Uuid']}/actions")
    assert answer.status == 422
    assert f"Invalid profile {profile!r}" in answer.json["Messages"][0]


def test_no_token_is_valid_longer_than_the_server_says(live):
    latest = live.server.clock() + live.server.settings.token_life * 86400
    for path in ("/users/rocketskates/token", "/machines/Name:own/token"):
        token = parse_token(live.get(f"{path}?ttl=99y").json["Token"]).token
        assert latest - 60 < token.expires <= latest + 60


def test_a_token_for_somebody_else_allows_no_more_than_its_maker(live, tokens):
    chief = live.get("/users/chief/token", token=tokens["people"]).json["Token"]
    assert live.get("/users/people", token=chief).status == 200
    assert live.get("/machines", token=chief).status == 403
    assert live("POST", "/users", {"Name": "by-chief", "Roles": ["superuser"]}, token=chief).status == 403
