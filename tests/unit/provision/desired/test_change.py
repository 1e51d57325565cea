"""Objects come into the state that is wanted; what is predicted is what happens, and secrets stay hidden."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.provision.client.client import Client
from ansible_ensemble.provision.client.failure import RequestFailed
from ansible_ensemble.provision.desired.change import Change, bring, remove
from ansible_ensemble.provision.desired.object_api import Live, ObjectApi
from ansible_ensemble.provision.desired.prediction import Predicted
from ansible_ensemble.provision.desired.wanted import Wanted
from ansible_ensemble.provision.objects import KINDS
from ansible_ensemble.provision.objects.machine import Machine
from tests.unit.provision.desired.conftest import Ask

NAMES = (f"m{number}" for number in count())

#: A machine as it is created, and how it is wanted then.
MACHINES: dict[str, tuple[dict[str, Any] | None, dict[str, Any]]] = {
    "new": (None, {}),
    "new with all": (
        None,
        {"Address": "192.0.2.1", "Profiles": ["rack"], "Params": {"color": "blue"}, "Workflow": "whole"},
    ),
    "new and not runnable": (None, {"Runnable": False}),
    "new and runnable in a workflow that boots": (None, {"Workflow": "whole", "Runnable": True}),
    "new with a secret": (None, {"Params": {"secret/key": {"user": "root"}}}),
    "new and locked": (None, {"Locked": True, "Pool": "spare"}),
    "workflow": ({}, {"Workflow": "whole"}),
    "no workflow": ({"Workflow": "whole"}, {"Workflow": ""}),
    "stage": ({}, {"Stage": "begin"}),
    "stage of another bootenv": ({}, {"Stage": "boot", "Runnable": True}),
    "params are merged": ({"Params": {"color": "red", "size": 1}}, {"Params": {"size": 2, "a/b~c": [1]}}),
    "params are removed": ({"Params": {"color": "red", "size": 1}}, {"Params": {"size": None}}),
    "meta is merged": ({"Meta": {"rack": "1"}}, {"Meta": {"row": "2"}}),
    "secret is the same": ({"Params": {"secret/key": "one"}}, {"Params": {"secret/key": "one"}}),
    "secret is another": ({"Params": {"secret/key": {"user": "a"}}}, {"Params": {"secret/key": {"user": "b"}}}),
    "secret goes": ({"Params": {"secret/key": "one"}}, {"Params": {"secret/key": None}}),
    "true is not 1": ({"Params": {"flag": 1}}, {"Params": {"flag": True}}),
    "unlocked and changed": ({"Locked": True}, {"Locked": False, "Pool": "spare"}),
    "nothing": ({"Pool": "spare"}, {"Pool": "spare"}),
}


def state_of(change: Change) -> tuple[Any, ...]:
    after = {name: value for name, value in change.diff["after"].items() if name != "Uuid" or change.before}
    return change.changed, change.diff["before"], after


def both(ask: Ask, wanted: Wanted) -> tuple[Change, Change]:
    """What is predicted and what happens."""
    return ask(lambda client: bring(Predicted(client), wanted)), ask(lambda client: bring(Live(client), wanted))


@pytest.mark.parametrize("case", MACHINES)
def test_what_is_predicted_happens_and_happens_once(ask: Ask, serving: Any, case: str) -> None:
    (before, fields), name = MACHINES[case], next(NAMES)
    if before is not None:
        serving.machine(name, **before)
    predicted, happened = both(ask, Wanted(Machine, f"Name:{name}", fields))
    assert state_of(predicted) == state_of(happened)
    assert happened.changed == (case not in ("nothing", "secret is the same"))
    again, still = both(ask, Wanted(Machine, f"Name:{name}", fields))
    assert (again.changed, still.changed) == (False, False)
    assert still.shown_after == happened.shown_after


def test_what_is_not_named_goes_if_it_is_to_be_exact(ask: Ask, serving: Any) -> None:
    name = next(NAMES)
    serving.machine(name, Params={"color": "red", "size": 1}, Meta={"rack": "1"})
    wanted = Wanted(Machine, f"Name:{name}", {"Params": {"size": 1}, "Meta": {"row": "2"}}, exact=True)
    predicted, happened = both(ask, wanted)
    assert state_of(predicted) == state_of(happened)
    assert happened.shown_after["Params"] == {"size": 1}
    assert set(happened.shown_after["Meta"]) == {"row", "feature-flags"}


def test_secrets_are_in_no_answer_and_a_change_of_one_is_seen(ask: Ask, serving: Any) -> None:
    name = next(NAMES)
    serving.machine(name, Params={"secret/key": "first-secret"})
    for change in both(ask, Wanted(Machine, f"Name:{name}", {"Params": {"secret/key": "other-secret"}})):
        assert change.changed
        assert change.diff["before"]["Params"] == {"secret/key": "(hidden)"}
        assert change.diff["after"]["Params"] == {"secret/key": "(hidden, changed)"}
        told = repr((change.diff, change.shown_after))
        assert "secret'" not in told
        assert "Nonce" not in told
        assert "'Secret'" not in told


#: A kind, a key, its fields, the fields wanted then.
OBJECTS: list[tuple[str, str, dict[str, Any] | None, dict[str, Any]]] = [
    ("params", "speed", None, {"Schema": {"type": "integer", "default": 3}}),
    ("templates", "hello.sh", None, {"Contents": "hello {{ .Machine.Name }}"}),
    ("tasks", "greet", None, {"Templates": [{"Name": "say", "ID": "hello.sh"}]}),
    ("tasks", "greet-none", None, {"Templates": [{"Name": "say", "ID": "no-such"}]}),
    ("stages", "hall", {"Tasks": ["prepare"]}, {"Tasks": ["prepare", "install"], "Params": {"color": "red"}}),
    ("stages", "yard", None, {"Tasks": ["not-there"]}),
    ("workflows", "tour", None, {"Stages": ["begin"], "Description": "A tour"}),
    ("profiles", "shelf", {"Params": {"secret/key": "x"}}, {"Params": {"secret/key": "y", "color": "green"}}),
    ("roles", "operator", None, {"Claims": [{"scope": "machines", "action": "list,get", "specific": "*"}]}),
    ("users", "ann", None, {"Roles": ["superuser"]}),
    ("tenants", "closed", None, {"Members": {"stages": ["begin"]}}),
    ("pools", "spare", None, {"EnterActions": {"Workflow": "whole", "AddProfiles": ["rack"]}}),
    ("endpoints", "remote", None, {"VersionSets": ["base"]}),
    ("reservations", "10.0.0.7", None, {"Token": "52:54:00:00:00:01", "Strategy": "MAC"}),
]


@pytest.mark.parametrize("case", OBJECTS, ids=lambda case: case[1])
def test_objects_of_any_kind(ask: Ask, serving: Any, case: tuple[str, str, Any, Any]) -> None:
    kind, key, before, fields = case
    if before is not None:
        index = "ID" if kind == "templates" else "Name"
        assert serving("POST", f"/{kind}", {index: key, **before}).status == 201
    predicted, happened = both(ask, Wanted(KINDS[kind], key, fields))
    assert state_of(predicted) == state_of(happened)
    assert happened.changed
    assert not any(change.changed for change in both(ask, Wanted(KINDS[kind], key, fields)))
    gone = [ask(lambda client, api=api: remove(api(client), KINDS[kind], key)) for api in (Predicted, Live)]
    assert [change.changed for change in gone] == [True, True]
    assert gone[0].diff == gone[1].diff
    assert not ask(lambda client: remove(Live(client), KINDS[kind], key)).changed


#: What is refused, and how the message says so.
REFUSED: list[tuple[str, str, dict[str, Any], str]] = [
    ("machines", "Name:refused", {"Workflow": "nowhere"}, "Workflow nowhere does not exist"),
    ("machines", "Name:refused", {"Workflow": "broken"}, "not available"),
    ("machines", "Name:refused", {"Profiles": ["none"]}, "Profile none"),
    ("machines", "Name:refused", {"Params": {"color": 5}}, "color"),
    ("machines", "Name:refused", {"Arch": "x86_64"}, "amd64"),
    ("tasks", "looping", {"Prerequisites": ["looping"]}, "looping"),
    ("templates", "wrong", {"Contents": "{{ if"}, "wrong"),
    ("stages", "local", {"Description": "mine"}, "read-only"),
]


@pytest.mark.parametrize(("kind", "name", "fields", "message"), REFUSED)
def test_a_refusal_is_predicted_word_for_word(ask: Ask, kind: str, name: str, fields: Any, message: str) -> None:
    told = []
    for api in (Predicted, Live):
        with pytest.raises(RequestFailed, match=message) as caught:
            ask(lambda client, api=api: bring(api(client), Wanted(KINDS[kind], name, fields)))
        told.append(str(caught.value).partition("machines/")[0])
    assert told[0] == told[1]


def test_removing_what_is_in_use_is_refused_before_it_is_tried(ask: Ask) -> None:
    for api in (Predicted, Live):
        with pytest.raises(RequestFailed, match="in use by workflows whole"):
            ask(lambda client, api=api: remove(api(client), KINDS["stages"], "begin"))


#: An object, and one that names it.
NAMED: list[tuple[str, str, str, dict[str, Any]]] = [
    ("users", "eve", "tenants", {"Name": "few", "Users": ["eve"]}),
    ("profiles", "tray", "pools", {"Id": "named", "ExitActions": {"AddProfiles": ["tray"]}}),
    ("version_sets", "base", "endpoints", {"Id": "remote", "VersionSets": ["base"]}),
]


@pytest.mark.parametrize("case", NAMED, ids=lambda case: case[0])
def test_what_an_object_of_another_kind_names_is_in_use(
    ask: Ask, serving: Any, case: tuple[str, str, str, Any]
) -> None:
    kind, key, naming, fields = case
    for prefix, one in ((kind, {"Id" if kind == "version_sets" else "Name": key}), (naming, fields)):
        assert serving("POST", f"/{prefix}", one).status == 201
    for api in (Predicted, Live):
        with pytest.raises(RequestFailed, match=f"in use by {naming} "):
            ask(lambda client, api=api: remove(api(client), KINDS[kind], key))


class _Deaf(Live):
    """A server that takes a patch and does nothing of it."""

    async def patch(self, kept: Any, operations: Any, force: bool) -> Any:
        return kept


def test_what_the_server_did_not_set_is_no_success(ask: Ask, serving: Any) -> None:
    name = next(NAMES)
    serving.machine(name)

    async def deaf(client: Client) -> Change:
        api: ObjectApi = _Deaf(client)
        return await bring(api, Wanted(Machine, f"Name:{name}", {"Pool": "spare"}))

    with pytest.raises(EnsembleError, match=f"machines {name}: the server did not set Pool"):
        ask(deaf)
