"""What a list consists of, by the query that asks for it."""

from __future__ import annotations

import pytest

from ansible_ensemble.provision.objects import Job, Machine, Profile, User, Workflow
from ansible_ensemble.provision.objects.codec import encode
from ansible_ensemble.provision.rules.query import Shape, parse_query
from ansible_ensemble.provision.rules.refusal import Refused

U1, U2, U3 = (f"0000000{number}-0000-4000-8000-000000000000" for number in (1, 2, 3))
MACHINES = [
    Machine(uuid=U1, name="a1", runnable=True, current_task=-1, address="10.0.0.9", profiles=["x", "y"], tasks=["t"],
            meta={"color": "red"}, params={"n": 1, "s": "abc", "b": True, "l": [1]}, workflow="w"),
    Machine(uuid=U2, name="b2", current_task=4, address="10.0.0.10", profiles=["y"], params={"n": 2}, arch="amd64"),
    Machine(uuid=U3, name="c3", runnable=True, current_task=10, params={"n": "2", "b": 1}),
]  # fmt: skip

CASES = {
    "": "abc", "Name=b2": "b", "Name=Eq(b2)": "b", "Name=Ne(b2)": "ac", "Name=Lt(b2)": "a", "Name=Lte(b2)": "ab",
    "Name=Gt(b2)": "c", "Name=Gte(b2)": "bc", "Name=In(a1,c3)": "ac", "Name=Nin(a1,c3)": "b", "Name=Re(^[ab])": "ab",
    "Name=Between(a1,b2)": "ab", "Name=Except(a1,b2)": "c", "Name=a1&Name=c3": "ac", "Name=a1&Runnable=false": "",
    "Name=Eq(Eq(x))": "", "Name=eq(a1)": "", f"Key={U2}": "b", f"Uuid={U2.upper()}": "b", "CurrentJob=": "abc",
    "Runnable=true": "ac", "Runnable=Ne(true)": "b", "CurrentTask=4": "b", "CurrentTask=Gt(-1)": "bc",
    "CurrentTask=Gt(9)": "c", "Address=10.0.0.9": "a", "Address=Lt(10.0.0.10)": "ac", "Address=Re(^10.*9$)": "a",
    "Address=": "c",
    "Profiles=y": "ab", "Profiles=Eq(x,y)": "a", "Profiles=Ne(x,y)": "bc", "Profiles=In(x,z)": "a",
    "Profiles=Nin(x,z)": "bc", "Profiles=Re(^x)": "a", "Tasks=t": "a", "Params=n,s": "a",
    "Meta.color=red": "a", "Meta.color=Ne(red)": "bc", "Meta.color=": "bc", "Meta=color": "a",
    "n=1": "a", "n=2": "b", 'n="2"': "c", "n=Gte(2)": "bc", "n=Ne(1)": "bc", "s=abc": "a", "s=Re(b)": "a",
    "s=Lt(b)": "a", "b=true": "a", "b=1": "c", "l=[1]": "a", "l=Re(1)": "a", "Params.n=1": "a", "nobody=1": "",
    "nobody=Ne(1)": "abc", "nobody=Re(.*)": "", "Workflow=w&Arch=": "a",
    "sort=Name&reverse=true": "cba", "reverse=true": "cba", "sort=CurrentTask&reverse=true": "cba",
    "sort=Runnable": "bac", "sort=Runnable,Name": "bac", "sort=Runnable&sort=CurrentTask&reverse=true": "cab",
    "sort=n": "abc", "sort=s": "bca", "sort=Profiles": "cab", "limit=2": "ab", "offset=1": "bc",
    "limit=1&offset=1": "b", "limit=0": "", "offset=9": "", "token=x&force=true": "abc",
}  # fmt: skip


def _words(text):
    return [tuple(word.split("=", 1)) for word in text.split("&") if word]


@pytest.mark.parametrize("text", CASES)
def test_finds(text):
    query = parse_query(Machine, _words(text))
    assert "".join(one.name[0] for one in query.page(query.found(MACHINES))) == CASES[text]


REFUSED = [
    (Workflow, "nothing=1", "Filter not found: nothing"),
    (Workflow, "Meta.=1", "Filter not found: Meta."),
    (Workflow, "sort=nothing", "Filter not found: nothing"),
    (Machine, "Fingerprint=1", "Filter not found: Fingerprint"),
    (Machine, "Uuid=false", "Invalid UUID: false"),
    (Machine, "CurrentJob=In(,no)", "Invalid UUID: no"),
    (Job, "Machine=x", "Invalid UUID: x"),
    (Machine, "Runnable=fred", "Runnable must be true or false"),
    (Machine, "CurrentTask=one", "CurrentTask must be a number: one"),
    (Machine, "Address=here", "Invalid Address: here"),
    (Job, "StartTime=Lt(noon)", "Invalid StartTime: noon"),
    (Machine, "limit=-1", "Limit cannot be negative"),
    (Machine, "offset=-1", "Offset cannot be negative"),
    (Machine, "limit=all", "Limit must be a number: all"),
    (Machine, "reverse=yes", "reverse must be true or false"),
    (Machine, "decode=yes", "decode must be true or false"),
    (Machine, "slim=Tasks", "slim knows Params and Meta: Tasks"),
    (Machine, "Name=Re(()", "error parsing regexp: missing ): ("),
    (Machine, "Name=Re((a{50}){50})", "error parsing regexp: invalid repetition size: {50}"),
    (Machine, "Name=Re(.{1000})", "error parsing regexp: expression too large"),
    (Machine, "Profiles=Lt(a)", "Profiles is a list: it has no order for Lt"),
    (Machine, "Name=Between(a)", "Between needs two values: a"),
]


@pytest.mark.parametrize(
    ("kind", "text", "message"), REFUSED, ids=lambda value: value if isinstance(value, str) else ""
)
def test_refuses(kind, text, message):
    with pytest.raises(Refused) as refused:
        parse_query(kind, _words(text))
    error = refused.value.error
    assert (error.code, error.type, error.model, error.messages) == (406, "GET", kind.PREFIX, [message])


def test_times_compare_by_the_moment():
    early, late = Job(start_time="2024-01-01T10:00:00.123456789Z"), Job(start_time="2024-01-01T10:30:00+01:00")
    query = parse_query(Job, [("StartTime", "Gt(2024-01-01T09:45:00Z)")])
    assert query.found([early, late]) == [early]


@pytest.mark.parametrize(
    ("text", "name", "exact"),
    [(f"Machine={U1.upper()}", "Machine", U1), ("Task=t", "Task", "t"), ("Task=Re(t)", "Task", None),
     ("Task=a&Task=b", "Task", None), ("Task=a", "Stage", None), ("Current=true", "Current", None)],
)  # fmt: skip
def test_names_the_value_that_an_index_finds(text, name, exact):
    assert parse_query(Job, _words(text)).exact(name) == exact


@pytest.mark.parametrize(("text", "is_of_all"), [("", True), ("limit=1", True), ("sort=Name", False), ("Name=a", False),
                                                 ("slim=Meta", True), ("decode=true", True)])  # fmt: skip
def test_tells_whether_objects_have_to_be_looked_at(text, is_of_all):
    assert parse_query(Machine, _words(text)).is_of_all is is_of_all


@pytest.mark.parametrize(
    ("shape", "params", "meta", "partial"),
    [(Shape(), {"n": 1, "m": 2}, {"c": "d"}, False),
     (Shape(slim=frozenset({"Params"})), {}, {"c": "d"}, True),
     (Shape(slim=frozenset({"Meta"})), {"n": 1, "m": 2}, {}, False),
     (Shape(params=frozenset({"n", "o"})), {"n": 1}, {"c": "d"}, True),
     (Shape(params=frozenset({"o", 'a"b'})), {}, {"c": "d"}, True),
     (Shape(slim=frozenset({"Params", "Meta"}), params=frozenset({"n"})), {}, {}, True)],
)  # fmt: skip
def test_leaves_out(shape, params, meta, partial):
    whole = Profile(name="p", params={"n": 1, "m": 2}, meta={"c": "d"}, description='\u00e4 "')
    shown = shape.shown(whole)
    assert (shown.params, shown.meta, shown.partial) == (params, meta, partial)
    assert shape.shaper(Profile)(encode(whole)) == encode(shown)


def test_leaves_out_nothing_of_what_has_no_params():
    user = User(name="someone", roles=["r"])
    shape = Shape(slim=frozenset({"Params"}))
    assert shape.shown(user) == user
    assert shape.shaper(User)(encode(user)) == encode(user)
