from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.configurators.protocol import Basis, Result
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.orders import Outcome
from ansible_ensemble.core.sensitive import REDACTED, is_sensitive, redact
from ansible_ensemble.engine.settle import Settled, entry_patch, settle
from ansible_ensemble.instances.status import Status
from tests.unit.conftest import SERVICE, Job

CREATE = "app:Standard.create"
CONFIGURE = "app:Standard.configure"
CHECK = "app:Install.check"


def settled(job: Job, key: str, result: Result, workflow: str = "deploy", configured: tuple[str, ...] = ()) -> Settled:
    task = job.task(key, workflow)
    return settle(task, result, job.instances, job.ensemble.redactor, configured)


def test_what_starts_exists(job) -> None:
    task = job().task(CREATE)
    patch = entry_patch(task)
    assert (patch["name"], patch["template"], patch["host"], patch["state"]) == ("app", "app", "machine", "creating")


@pytest.mark.parametrize(
    ("key", "result", "patch"),
    [
        pytest.param(
            CREATE, Result(True), {"state": "created", "status": "pending", "created": "A0task000001"}, id="created"
        ),
        pytest.param(CONFIGURE, Result(True), {"status": "ok", "state": "configured"}, id="the last one"),
        pytest.param(CREATE, Result(True, status=Status.DEGRADED), {"status": "degraded"}, id="its word counts"),
        pytest.param(
            CREATE, Result(False, modified=False), {"status": "pending", "created": None}, id="failed and left alone"
        ),
        pytest.param(
            CREATE, Result(False, modified=True), {"status": "error", "created": "A0task000001"}, id="failed half-way"
        ),
        pytest.param(
            CREATE, Result(False), {"status": "unknown", "created": "A0task000001"}, id="failed without a word"
        ),
        pytest.param(CREATE, Result(False, status=Status.OK), {"status": "unknown"}, id="failed and says it is well"),
        pytest.param(
            CREATE, Result(False, modified=True, status=Status.OK), {"status": "error"}, id="failed half-way, says well"
        ),
        pytest.param(
            CREATE, Result(False, status=Status.DEGRADED), {"status": "degraded"}, id="failed and says how it is"
        ),
    ],
)
def test_success_and_failure(job, key: str, result: Result, patch: dict[str, Any]) -> None:
    found = settled(job(), key, result).patches[0]
    assert {name: found.get(name) for name in patch} == patch


@pytest.mark.parametrize(
    ("key", "status", "success"),
    [
        (CREATE, Status.ERROR, False),
        (CREATE, Status.UNKNOWN, False),
        (CREATE, Status.PENDING, True),  # it is not up to its end yet
        (CONFIGURE, Status.PENDING, False),
        (CONFIGURE, Status.DEGRADED, True),
    ],
)
def test_what_says_that_its_instance_is_not_well_has_failed(job, key: str, status: Status, success: bool) -> None:
    result = Result(True, status=status)
    settled(job(), key, result)
    assert result.success is success
    assert success or result.error == f"it reported the status {status.value}"


@pytest.mark.parametrize("status", ["pending", "absent"])
def test_a_look_that_fails_at_what_was_never_there_leaves_it_so(job, status: str) -> None:
    made = job()
    made.instance("app", status=status)
    found = settled(made, CHECK, Result(True, status=Status.ERROR), "check")
    assert (found.patches[0]["status"], found.drift) == (status, [])


@pytest.mark.parametrize(("workflow", "status"), [("adopt", "error"), ("check", "pending")])
def test_what_is_there_but_differs_is_adopted_as_such(job, workflow: str, status: str) -> None:
    found = settled(job(), CHECK, Result(True, status=Status.ERROR, there=True), workflow)
    assert found.patches[0]["status"] == status
    assert found.patches[0].get("created") is None


@pytest.mark.parametrize(
    ("workflow", "known", "result", "status"),
    [
        ("adopt", "pending", Result(True, unseen=["a command"]), None),
        ("check", "pending", Result(True, unseen=["a command"]), None),
        ("adopt", "pending", Result(True, unseen=["a command"], status=Status.ERROR, there=True), "error"),
        ("adopt", "pending", Result(False, unseen=["a command"], error="lost"), "unknown"),
        ("check", "ok", Result(True, unseen=["a command"]), "ok"),
        ("check", "error", Result(True, unseen=["a command"]), None),
        ("check", "unknown", Result(True, unseen=["a command"]), None),
        ("check", "degraded", Result(True, unseen=["a command"]), None),
        ("check", "error", Result(True), "ok"),
        ("check", "degraded", Result(True), "ok"),
    ],
)
def test_what_was_not_looked_at_is_not_recorded_as_live(
    job, workflow: str, known: str, result: Result, status: str | None
) -> None:
    made = job()
    made.instance("app", status=known)
    assert settled(made, CHECK, result, workflow).patches[0].get("status") == status
    if status is None:
        assert (result.basis, result.error) == (Basis.NOT_RUN, "check mode does not show a command")


@pytest.mark.parametrize(
    ("status", "result", "drifts"),
    [
        ({"status": "ok"}, Result(True), []),
        ({"status": "ok"}, Result(True, status=Status.OK), []),
        (
            {"status": "ok"},
            Result(True, status=Status.ERROR),
            [{"name": "status", "recorded": "ok", "live": "error"}],
        ),
        (
            {"status": "ok", "attributes": {"url": "there"}},
            Result(True, attributes={"url": "elsewhere"}),
            [{"name": "url", "recorded": "there", "live": "elsewhere"}],
        ),
        ({"status": "ok"}, Result(True, attributes={"url": "new"}), []),
    ],
)
def test_a_check_compares_what_it_sees_with_the_record(job, status, result: Result, drifts: list[Any]) -> None:
    made = job()
    made.instance("app", created="A0", state="started", **status)
    assert settled(made, CHECK, result, "check").drift == drifts


def test_a_check_that_a_dry_run_leaves_out_finds_nothing(job) -> None:
    made = job()
    made.instance("app", created="A0", status="error", state="started")
    found = settled(made, CHECK, Result(True, modified=False, basis=Basis.NOT_RUN), "check")
    assert (found.drift, "status" in found.patches[0]) == ([], False)


PREDICTED = {"attributes": {"url": "would be"}, "outputs": {"address": "would be"}, "instances": [{"name": "SELF"}]}


@pytest.mark.parametrize("basis", [Basis.PREDICTED, Basis.NOT_RUN])
@pytest.mark.parametrize(("key", "workflow"), [(CHECK, "check"), (CONFIGURE, "deploy")])
def test_a_job_records_nothing_of_what_would_be(job, key: str, workflow: str, basis: Basis) -> None:
    made = job()
    if workflow == "check":
        made.instance("app", created="A0", status="ok", state="started", attributes={"url": "is"})
    result = Result(True, modified=False, basis=basis, **PREDICTED)
    found = settled(made, key, result, workflow)
    assert (found.wrote, found.drift, len(found.patches)) == ([], [], 1)
    assert found.patches[0].keys().isdisjoint({"attributes", "lastStateChange"})
    assert (result.attributes, result.outputs, result.instances) == ({}, {}, [])


def test_a_dry_run_goes_on_with_what_would_be(job) -> None:
    found = settled(job(check=True), CONFIGURE, Result(True, basis=Basis.PREDICTED, outputs={"address": "would be"}))
    assert found.patches[0]["attributes"] == {"url": "would be"}


@pytest.mark.parametrize(("live", "changed"), [("is", False), ("is another", True)])
def test_a_check_that_finds_what_is_recorded_is_no_change_of_state(job, live: str, changed: bool) -> None:
    made = job()
    made.instance("app", created="A0", status="ok", state="started", attributes={"url": "is"})
    result = Result(True, attributes={"url": live}, outcome=Outcome(ok=True, changed=True))
    assert ("lastStateChange" in settled(made, CHECK, result, "check").patches[0]) is changed


def test_a_check_that_fails_knows_nothing(job) -> None:
    made = job()
    made.instance("app", created="A0", status="ok", state="started")
    assert settled(made, CHECK, Result(False), "check").patches[0]["status"] == "unknown"


def test_outputs_go_where_they_are_mapped_to(job) -> None:
    made = job()
    made.instance("machine", status="ok", created="A0")
    found = settled(made, CONFIGURE, Result(True, outputs={"address": "http://a", "seen": 1, "else": 2}))
    own, other = found.patches
    assert own["attributes"] == {"url": "http://a"}
    assert (other["name"], other["attributes"]) == ("machine", {"guest": 1})
    assert found.wrote == ["::app::url", "::machine::guest"]
    assert own["lastStateChange"] == "A0task000001"


@pytest.mark.parametrize(
    ("recorded", "altered"), [({"url": "http://a"}, False), ({"url": "http://b"}, True), ({}, True)]
)
def test_an_attribute_is_altered_by_another_value_than_it_had(job, recorded: dict[str, str], altered: bool) -> None:
    made = job()
    made.instance("app", created="A0", status="error", attributes=recorded)
    assert settled(made, CONFIGURE, Result(True, attributes={"url": "http://a"})).altered is altered


def test_an_output_that_is_mapped_to_nothing_is_refused(job) -> None:
    with pytest.raises(InvalidInput, match='mapped to "HOST"') as caught:
        settled(job(), CONFIGURE, Result(True, outputs={"seen": 1}))
    assert caught.value.place


def test_a_sensitive_attribute_is_a_secret_from_now_on(job) -> None:
    made = job()
    found = settled(made, CREATE, Result(True, attributes={"token": "t0ken", "url": "http://x?t0ken"}))
    attributes = found.patches[0]["attributes"]
    assert is_sensitive(attributes["token"])
    assert is_sensitive(attributes["url"])
    assert "t0ken" not in made.ensemble.redactor.text("see t0ken")


TYPED = SERVICE.replace(
    "node_types:\n",
    "data_types:\n"
    "  Login: {properties: {user: {type: string}, word: {type: string, metadata: {sensitive: true}}}}\n"
    "node_types:\n",
).replace(
    "      url: {type: string}\n",
    "      url: {type: string}\n      logins: {type: list, entry_schema: Login}\n      login: {type: Login}\n",
)


def test_sensitive_fields_of_a_data_type_are_secrets_from_now_on(job) -> None:
    made = job(TYPED)
    login = {"user": "ann", "word": "s3cret"}
    found = settled(made, CREATE, Result(True, attributes={"logins": [login], "login": {**login, "word": "0ther"}}))
    attributes = found.patches[0]["attributes"]
    assert redact(attributes) == {
        "logins": [{"user": "ann", "word": REDACTED}],
        "login": {"user": "ann", "word": REDACTED},
    }
    assert made.ensemble.redactor.text("s3cret 0ther") == f"{REDACTED} {REDACTED}"
    made.record(found)
    read = made.ensemble.evaluator.scope(made.instances.get("app")).query("::app::login::word")
    assert read == "0ther"
    assert is_sensitive(read)


def test_an_output_that_sets_a_sensitive_field_is_a_secret(job) -> None:
    made = job(TYPED.replace("address: [SELF, url]", "address: [SELF, login, word]"))
    made.instance("machine", status="ok", created="A0")
    result = Result(True, outputs={"address": "s3cret"})
    found = settled(made, CONFIGURE, result)
    assert redact(found.patches[0]["attributes"]) == {"login": {"word": REDACTED}}
    assert is_sensitive(result.outputs["address"])


@pytest.mark.parametrize("owner", ["SELF", "HOST"])
def test_an_output_that_sets_a_sensitive_attribute_is_a_secret(job, owner: str) -> None:
    declared = "attributes:\n      token: {type: string, metadata: {sensitive: true}}\n"
    service = SERVICE.replace("  Machine:\n", f"  Machine:\n    {declared}")
    service = service.replace("seen: [HOST, guest]", f"seen: [{owner}, token]")
    made = job(service)
    made.instance("machine", status="ok", created="A0")
    result = Result(True, outputs={"seen": "pa55word"})
    patch = settled(made, CONFIGURE, result).patches[-1]
    assert is_sensitive(patch["attributes"]["token"])
    assert is_sensitive(result.outputs["seen"])
    assert "pa55word" not in made.ensemble.redactor.text("see pa55word")


def test_text_that_no_file_can_hold_is_cleaned(job) -> None:
    outcome = Outcome(True, stdout="\udcff", result={"url": "\ud800"})
    result = Result(
        True, outputs={"address": "\ud800"}, attributes={"other": ["\udfff"]}, messages=["\ud800"], outcome=outcome
    )
    found = settled(job(), CONFIGURE, result).patches[0]
    assert found["attributes"] == {"url": "\ufffd", "other": ["\ufffd"]}
    assert (result.messages, outcome.stdout, outcome.result) == (["\ufffd"], "\ufffd", {"url": "\ufffd"})


def test_properties_that_were_read_are_kept(job) -> None:
    made = job()
    task = made.task(CONFIGURE)
    assert task.inputs["port"] == 80
    found = settle(task, Result(True), made.instances, made.ensemble.redactor)
    assert found.patches[0]["properties"] == {"port": 80}
    assert found.patches[0]["lastConfigChange"] == "A0task000001"


def test_what_is_deleted_has_nothing_left(job) -> None:
    made = job()
    app = made.instance("app", status="ok", state="started", created="A0", host="machine", attributes={"url": "u"})
    made.record(settled(made, "app:Standard.delete", Result(True), "undeploy"))
    assert (app.status, app.created, app.attributes, app.state.value) == (Status.ABSENT, None, {}, "deleted")


def test_a_failed_delete_leaves_what_is_known(job) -> None:
    made = job()
    app = made.instance("app", status="ok", state="started", created="A0", host="machine", attributes={"url": "u"})
    made.record(settled(made, "app:Standard.delete", Result(False, modified=True), "undeploy"))
    assert (app.status, app.created, app.attributes) == (Status.ERROR, "A0", {"url": "u"})


def test_a_change_of_the_world_is_noted(job) -> None:
    made = job()
    assert "lastStateChange" not in settled(made, CREATE, Result(True)).patches[0]
    outcome = Outcome(True, changed=True)
    assert settled(made, CREATE, Result(True, outcome=outcome)).patches[0]["lastStateChange"] == "A0task000001"


SECRETS = """\
tosca_definitions_version: tosca_simple_yaml_1_3
data_types:
  Login:
    properties:
      user: {type: string, required: false}
      word: {type: string, metadata: {sensitive: true}}
capability_types:
  Access:
    derived_from: tosca.capabilities.Root
    properties:
      word: {type: string, required: false, metadata: {sensitive: true}}
    attributes:
      key: {type: string, metadata: {sensitive: true}}
node_types:
  App:
    derived_from: tosca.nodes.Root
    properties:
      word: {type: string, default: first, metadata: {sensitive: true}}
      login: {type: Login, required: false}
      logins: {type: list, entry_schema: {type: Login}, required: false}
      both: {type: string, required: false, metadata: {sensitive: true}}
    attributes:
      both: {type: string}
    capabilities:
      access: Access
    interfaces:
      Standard:
        operations:
          create:
            implementation: echo a
            outputs: {made: [SELF, access, word], other: [SELF, login, word]}
topology_template:
  node_templates:
    app: {type: App}
"""


@pytest.mark.parametrize(
    ("attributes", "outputs", "shown"),
    [
        pytest.param({"word": "second"}, {}, {"word": REDACTED}, id="property"),
        pytest.param({"both": "second"}, {}, {"both": REDACTED}, id="property and attribute of a name"),
        pytest.param(
            {"login": {"user": "me", "word": "second"}}, {}, {"login": {"user": "me", "word": REDACTED}}, id="field"
        ),
        pytest.param({"logins": [{"word": "second"}]}, {}, {"logins": [{"word": REDACTED}]}, id="field of entries"),
        pytest.param({"access": {"key": "second"}}, {}, {"access": {"key": REDACTED}}, id="attribute of a capability"),
        pytest.param({}, {"made": "second"}, {"access": {"word": REDACTED}}, id="output to a capability"),
        pytest.param({}, {"other": "second"}, {"login": {"word": REDACTED}}, id="output to a field"),
    ],
)
def test_what_is_declared_as_a_secret_is_one_as_an_attribute(job, attributes, outputs, shown) -> None:
    made = job(SECRETS)
    found = settled(made, "app:Standard.create", Result(True, attributes=attributes, outputs=outputs))
    assert redact(found.patches[0]["attributes"]) == shown
    assert made.ensemble.redactor.text("second") == REDACTED


PARTS = SERVICE.replace("url: {type: string}", "url: {type: string}\n      info: {type: map}").replace(
    "address: [SELF, url], seen: [HOST, guest]", "whole: [SELF, info], port: [SELF, info, port]"
)


@pytest.mark.parametrize(
    ("recorded", "outputs", "info"),
    [
        ({}, {"port": 80}, {"port": 80}),
        ({"ip": "10.0.0.1", "port": 79}, {"port": 80}, {"ip": "10.0.0.1", "port": 80}),
        (None, {"port": 80}, {"port": 80}),
        ({"ip": "10.0.0.1"}, {"whole": {"a": 1}, "port": 80}, {"a": 1, "port": 80}),
    ],
)
def test_an_output_sets_a_part_of_an_attribute_beside_the_others(job, recorded, outputs, info) -> None:
    made = job(PARTS)
    made.instance("machine")
    app = made.instance("app", attributes={"info": recorded})
    assert settled(made, CONFIGURE, Result(True, outputs=outputs)).patches[0]["attributes"] == {"info": info}
    assert app.attributes == {"info": recorded}


def test_an_output_cannot_set_a_part_of_what_has_none(job) -> None:
    made = job(PARTS)
    made.instance("machine")
    with pytest.raises(InvalidInput, match='"port" is mapped to a part of "info", which is not a map'):
        settled(made, CONFIGURE, Result(True, outputs={"whole": "text", "port": 80}))
