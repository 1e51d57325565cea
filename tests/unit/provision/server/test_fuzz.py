"""Requests of any shape, by all kinds of senders: none is answered by an error of the server.

FUZZ_SEED begins with others.
"""

from __future__ import annotations

import os
import random
import re
from urllib.parse import urlencode

import pytest

from ansible_ensemble.provision.objects import KINDS
from ansible_ensemble.provision.server.app import ROUTES

SEED = int(os.environ.get("FUZZ_SEED", "1"))

CLAIMS = [
    ("*", "*", "*"), ("machines", "*", "*"), ("machines,jobs", "get,list,update:/Runnable", "*"),
    ("*", "get,list", "*"), ("users,roles", "create,update", "*"), ("pools", "*", "default"),
    ("files,isos", "*", "*"), ("tasks,contents,templates", "*", "*"), ("", "", ""), ("*", "update:/", "*"),
    ("*", "*", "m1"), ("machines", "token,getSecure", "*"), ("machines", "update:/Params,update:/Meta/a,get", "m1,m2"),
    ("users", "password,token", "*"), ("jobs", "create,get,update,actions,log,delete", "*"), ("pools", "*", "*"),
    ("events,prefs,indexes,info,objects,logs,metrics", "*", "*"), ("tenants,plugins,plugin_providers", "*", "*"),
    ("contents,params,profiles", "create,update,delete", "global,pack"),
    (" * ", " get , list ", " * "), ("cats", "x", "y"),
]  # fmt: skip
NAMES = [
    "m1", "Name:m1", "Uuid:x", "Key:", "global", "default", "none", "local", "superuser", "rocketskates", "10.0.0.1",
    "C0A80101", "a b", "%00", "%ff", "..%2f..", "é", "x" * 300, "task-retry", "*", "BasicStore", "poweron", "_",
]  # fmt: skip
WORDS = [
    "ttl=1h", "ttl=-5", "ttl=9e99", "slim=Meta", "slim=x", "decode=true", "aggregate=true", "compose=maybe", "limit=-1",
    "limit=2", "offset=99999999999999999999", "sort=Name", "sort=Params", "reverse=true", "Name=Re(()", "Name=Re(a*)",
    "StartTime=Lt(x)", "Params.a=Gt(1)", "Runnable=1", "force=true", "force=2", "path=..", "path=/a", "os=linux",
    "Address=Between(1,2)", "Key=In(a,b)", "params=a", "source-pool=none", "scope=*", "plugin=x", "ExpireTime=Lt(1)",
    "Members=a", "AutoFill=x", "CurrentTask=Eq(1e9)", "Uuid=%00", "Meta.=x", "token=x",
]  # fmt: skip
VALUES = [
    None,
    True,
    0,
    -1,
    2**63,
    1.5,
    "",
    "m1",
    "x" * 5000,
    "{{.Param}}",
    "\x00",
    [],
    [None],
    ["none"],
    {},
    {"a": {}},
]
FIELDS = [field for kind in KINDS.values() for field in kind.__struct_encode_fields__]


def body(chance):
    """A body: an object, a patch, a map of anything, or no JSON."""
    sort = chance.randrange(6)
    if sort == 0:
        return bytes(chance.randrange(256) for _number in range(chance.randrange(40)))
    if sort in (1, 2):
        said = {chance.choice(FIELDS): chance.choice(VALUES) for _number in range(chance.randrange(5))}
        return {**said, "Name": chance.choice(["m1", "m2", "new", said.get("Name")])}
    if sort == 3:
        path = chance.choice(
            ["", "/", "/Params/a", f"/{chance.choice(FIELDS)}", f"/{chance.choice(FIELDS)}/0", "x", "/~2"]
        )
        op = chance.choice(["add", "replace", "remove", "test", "move", "copy", "fly"])
        return [
            {"op": op, "path": path, "from": chance.choice(["/Name", "/Secret", ""]), "value": chance.choice(VALUES)}
        ]
    if sort == 4:
        return {"meta": {"Name": "pack"}, "sections": {chance.choice([*KINDS]): {"x": {"Name": chance.choice(VALUES)}}}}
    return chance.choice(VALUES)


def request(chance):
    """A method, a path, and a body."""
    method, path, _handler = chance.choice(ROUTES)
    while found := re.search(r"\{(\w+)(?::((?:[^{}]|\{[^{}]*\})*))?\}", path):
        words = found[2].split("|") if found[2] and re.fullmatch(r"[\w|]+", found[2]) else None
        kind = [*KINDS, "cats", "files"] if found[1] == "kind" else NAMES
        path = path[: found.start()] + chance.choice(words or kind) + path[found.end() :]
    query = "&".join(chance.sample(WORDS, chance.randrange(4)))
    sent = chance.choice(["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE"]) if chance.random() < 0.2 else method
    return sent, f"{path}?{query}", None if sent in ("GET", "HEAD") else body(chance)


@pytest.mark.parametrize("requests", [600, pytest.param(20_000, marks=pytest.mark.matrix)])
def test_no_request_is_an_error_of_the_server(live, requests):
    live("POST", "/machines", {"Name": "m1", "Params": {"a": 1}})
    tokens = [live.token, None, "nonsense"]
    for scope, action, specific in CLAIMS:
        query = urlencode({"scope": scope, "action": action, "specific": specific})
        tokens.append(live.get(f"/users/rocketskates/token?{query}").json["Token"])
    tokens.append(live.get("/machines/Name:m1/token").json["Token"])
    chance = random.Random(SEED)
    for number in range(requests):
        method, path, sent = request(chance)
        if path.startswith("/ws") or ("rocketskates" in path and method in ("PUT", "PATCH", "DELETE")):
            continue
        kind = chance.choice(["application/json", "application/json", "application/octet-stream", "text/plain"])
        token = chance.choice(tokens)
        answer = live(method, path, sent, token=token, headers={"Content-Type": kind} if sent is not None else None)
        assert answer.status < 500, (number, method, path, sent, answer.body)
    assert live.get("/machines").status == 200
