"""What a job is given holds for later ones, until another value is given."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.changes.history import find_job
from ansible_ensemble.core.errors import EnsembleError, InvalidInput, UsageError
from ansible_ensemble.core.sensitive import REDACTED, is_sensitive, reveal
from ansible_ensemble.engine.plan import plan_workflow
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.job_inputs import recorded_inputs, recorded_options
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.jobs import commands, inspection
from ansible_ensemble.jobs.inputs import read_inputs
from ansible_ensemble.jobs.rollback import at_earlier
from ansible_ensemble.records.current import read_recovered
from ansible_ensemble.records.journals import create_journal
from ansible_ensemble.records.record import record_job
from ansible_ensemble.reports.plan_text import plan_text
from ansible_ensemble.reports.status_text import status_text
from tests.unit.engine.entries import finished, job_finished, job_started, started

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  App: {derived_from: tosca.nodes.Root, properties: {port: {type: integer}}}
topology_template:
  inputs:
    port: {type: integer, default: 80}
    title: {type: string, default: ""}
    pin: {type: string, default: dull-default, metadata: {sensitive: true}}
  node_templates:
    app:
      type: App
      properties: {port: {get_input: port}}
      interfaces: {Standard: {operations: {create: "echo create", delete: "echo delete"}}}
  workflows:
    backup:
      inputs: {to: {type: string}}
      steps: {run: {target: app, activities: [{set_state: started}]}}
"""
CREATE, DELETE = "app:Standard.create", "app:Standard.delete"
MADE = ({"name": "app", "template": "app", "status": "ok", "state": "created", "created": "A6BKKsK50001"},)
GONE = ({"name": "app", "status": "absent", "state": "deleted", "created": None},)
SECRET = "canary-4711"


class Site:
    """An ensemble, and jobs of it that are recorded or killed without running anything."""

    def __init__(self, folder: Path, password: str | None = None) -> None:
        self.folder = folder
        self.vault: dict[str, Any] = {"vault_ids": [password]} if password else {}
        self.numbers = itertools.count(0)
        (folder / "service.yaml").write_text(SERVICE)

    @property
    def file(self) -> Path:
        return self.folder / "ensemble.yaml"

    def options(self, **options: Any) -> JobOptions:
        return JobOptions(**self.vault, **options)

    def read(self, **options: Any) -> Ensemble:
        return read_ensemble(locate(self.folder / "service.yaml"), self.options(**options))

    def current(self, **options: Any) -> Ensemble:
        return read_recovered(locate(self.folder / "service.yaml"), self.options(**options), write=False)

    def journal(self, workflow: str, *, patches: Any = MADE, killed: bool = False, **options: Any) -> Path:
        """The journal of a job that began."""
        read = self.read(**options)
        job = f"A6BKKsK{next(self.numbers)}0000"
        recorded = recorded_options(self.options(**options), read.topology, read.codec)
        journal = create_journal(self.folder, job, {})
        key = DELETE if patches is GONE else CREATE
        entries = [started(key), finished(key, patches=patches), job_finished()]
        for entry in (job_started(job=job, workflow=workflow, options=recorded), *entries[: 0 if killed else 3]):
            journal.append(entry.to_json())
        journal.close()
        return journal.path

    def ran(self, workflow: str, patches: Any = MADE, **options: Any) -> None:
        """A job that ended, and is recorded."""
        record_job(self.read(**options), self.journal(workflow, patches=patches, **options))

    def values(self, **options: Any) -> dict[str, Any]:
        evaluator = self.read(**options).evaluator
        return {name: reveal(evaluator.input(name)) for name in ("port", "title", "pin")}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


@pytest.fixture
def vaulted(tmp_path: Path) -> Site:
    (tmp_path / "password").write_text("open sesame")
    return Site(tmp_path, str(tmp_path / "password"))


DEFAULTS = {"port": 80, "title": "", "pin": "dull-default"}


def test_a_value_holds_for_later_jobs_until_another_one_is_given(site: Site) -> None:
    site.ran("deploy", inputs={"port": 81}, variables={"input_title": "Hi"})
    assert site.values() == DEFAULTS | {"port": 81, "title": "Hi"}
    assert site.values(inputs={"port": 82}) == DEFAULTS | {"port": 82, "title": "Hi"}
    assert site.values() == DEFAULTS | {"port": 81, "title": "Hi"}
    site.ran("deploy", inputs={"port": 83})
    assert site.values() == DEFAULTS | {"port": 83, "title": "Hi"}


def test_a_text_counts_as_a_value_of_the_type_and_keeps_its_origin_if_it_is_given_again(site: Site) -> None:
    site.ran("deploy", variables={"input_port": "81"})
    first = recorded_inputs(site.read().specification)
    assert first == {
        "port": {
            "value": 81,
            "sensitive": False,
            "origin": "given to deploy on 1970-01-01",
            "workflow": "deploy",
            "job": "A6BKKsK00000",
            "time": "1970-01-01T00:00:10Z",
        }
    }
    site.ran("deploy", inputs={"port": 81})
    assert recorded_inputs(site.read().specification) == first


def test_it_wins_over_the_specification_which_comes_back_by_reset(site: Site) -> None:
    site.ran("deploy", inputs={"port": 81, "title": "Hi"})
    text = site.file.read_text()
    site.file.write_text(
        text.replace("  service_template: service.yaml\n", "  service_template: service.yaml\n  inputs: {port: 90}\n")
    )
    assert site.values() == DEFAULTS | {"port": 81, "title": "Hi"}
    assert site.values(reset_inputs=["port"]) == DEFAULTS | {"port": 90, "title": "Hi"}
    site.ran("deploy", reset_inputs=["port"])
    assert site.values() == DEFAULTS | {"port": 90, "title": "Hi"}


@pytest.mark.parametrize("workflow", ["check", "discover", "replay"])
def test_what_a_job_is_given_that_only_looks_is_for_it_alone(site: Site, workflow: str) -> None:
    site.ran("deploy", inputs={"port": 81})
    site.ran(workflow, inputs={"port": 82}, reset_inputs=["title"])
    assert site.values() == DEFAULTS | {"port": 81}


def test_inputs_of_a_workflow_are_for_its_job_alone(site: Site) -> None:
    site.ran("backup", inputs={"to": "there", "port": 81})
    assert [*site.read().instances.given] == ["port"]


def test_a_killed_job_counts_for_those_who_look_as_for_the_next_job(site: Site) -> None:
    site.ran("deploy", inputs={"port": 81, "title": "Hi"})
    site.journal("deploy", inputs={"port": 82}, reset_inputs=["title"], killed=True)
    looked = site.current()
    assert looked.evaluator.input("port") == 82
    planned = {one["name"]: one["origin"] for one in plan_workflow(looked, "deploy", site.options()).inputs}
    read_recovered(locate(site.file), site.options(), write=True)
    assert site.values() == DEFAULTS | {"port": 82}
    assert planned == {"port": "given to deploy on 1970-01-01"}
    assert recorded_inputs(site.read().specification)["port"]["job"] == "A6BKKsK10000"


def test_a_killed_job_of_a_workflow_leaves_no_input_of_it(site: Site) -> None:
    site.journal("backup", inputs={"to": "there"}, killed=True)
    looked = site.current()
    assert looked.instances.given == {}
    assert [text for text in looked.warnings if "to" in text and "input" in text] == []


def test_undeploy_uses_it_and_forgets_it_once_nothing_is_left(site: Site) -> None:
    site.ran("deploy", inputs={"port": 81})
    assert {one["name"] for one in plan_workflow(site.read(), "undeploy", site.options()).inputs} == {"port"}
    site.ran("undeploy", patches=())
    assert site.values() == DEFAULTS | {"port": 81}
    site.ran("undeploy", inputs={"port": 82}, patches=GONE)
    assert site.values() == DEFAULTS
    assert "givenInputs" not in site.file.read_text()


def test_forgetting_all_instances_forgets_it(site: Site) -> None:
    site.ran("deploy", inputs={"port": 81})
    commands.forget(str(site.folder), ["app"])
    assert site.values() == DEFAULTS


def test_one_that_the_topology_does_not_have_any_more_is_told_and_dropped(site: Site) -> None:
    site.ran("deploy", inputs={"port": 81, "title": "Hi"})
    (site.folder / "service.yaml").write_text(SERVICE.replace("    title:", "    heading:"))
    read = site.read()
    [told] = [text for text in read.warnings if "'title'" in text]
    assert told.endswith(
        "the input 'title', given to deploy on 1970-01-01, is left out: the topology has no such input any more"
    )
    assert "ensemble.yaml:" in told
    site.ran("deploy")
    assert [*site.read().instances.given] == ["port"]


def test_one_that_does_not_fit_its_type_any_more_says_how_to_go_on(site: Site) -> None:
    site.ran("deploy", inputs={"title": "Hi"})
    (site.folder / "service.yaml").write_text(
        SERVICE.replace('title: {type: string, default: ""}', "title: {type: integer, default: 1}")
    )
    with pytest.raises(
        InvalidInput, match=r"ensemble.yaml:\d+.*'title' \(given to deploy on .*integer.*--reset-input title"
    ):
        site.read()
    assert site.read(reset_inputs=["title"]).evaluator.input("title") == 1


def test_a_reset_of_what_is_no_input_or_is_given_is_refused(site: Site) -> None:
    with pytest.raises(UsageError, match=r'no input "prot" to reset \(did you mean port'):
        site.read(reset_inputs=["prot"])
    with pytest.raises(UsageError, match="both given and reset"):
        site.read(reset_inputs=["port"], variables={"input_port": 81})
    assert site.values(reset_inputs=["port"]) == DEFAULTS


def test_a_sensitive_one_is_kept_encrypted(vaulted: Site) -> None:
    vaulted.ran("deploy", inputs={"pin": SECRET})
    assert vaulted.values()["pin"] == SECRET
    assert is_sensitive(vaulted.read().instances.given["pin"].value)
    plan = plan_workflow(vaulted.read(), "deploy", vaulted.options())
    assert [one["value"] for one in plan.inputs] == [REDACTED]
    texts = [path.read_text() for path in vaulted.folder.rglob("*") if path.is_file()]
    assert SECRET not in "".join([*texts, plan.to_text()])
    vaulted.ran("deploy", inputs={"pin": SECRET})
    assert recorded_inputs(vaulted.read().specification)["pin"]["job"] == "A6BKKsK00000"


@pytest.mark.parametrize("workflow", ["deploy", "check"])
def test_a_sensitive_one_that_was_not_kept_is_asked_for_again(site: Site, workflow: str) -> None:
    site.ran("deploy", inputs={"pin": SECRET})
    read = site.read()
    assert SECRET not in site.file.read_text()
    with pytest.raises(
        InvalidInput, match=r"sensitive input 'pin', given to deploy on .* not kept .*--reset-input pin"
    ):
        plan_workflow(read, workflow, site.options())
    with pytest.raises(InvalidInput, match="'pin'"):
        read.evaluator.input("pin")
    plan_workflow(read, "undeploy", site.options())  # which does not need it
    plan_workflow(site.read(), "run", site.options(command=["echo", "hi"]))  # nor does a command
    for given in ({"inputs": {"pin": SECRET}}, {"reset_inputs": ["pin"]}):
        plan_workflow(site.read(**given), workflow, site.options(**given))


def test_an_empty_text_lasts_although_ansible_reads_null(site: Site) -> None:
    site.ran("deploy", inputs={"title": "Hi"})
    site.ran("deploy", inputs={"title": None})
    assert site.values()["title"] == ""
    assert recorded_inputs(site.read().specification)["title"]["value"] == ""


def test_a_plan_shows_each_value_with_its_origin_and_what_changes(site: Site) -> None:
    site.ran("deploy", inputs={"port": 81, "title": "Hi", "pin": SECRET})
    given = {"inputs": {"port": 82, "pin": SECRET}, "reset_inputs": ["title"]}
    text = plan_text(plan_workflow(site.read(**given), "deploy", site.options(**given)).to_json())
    told = [line.strip() for line in text.partition("Inputs:\n")[2].partition("\n\n")[0].splitlines()]
    assert told == [
        "~ port:  81 -> 82 (given now)",
        '~ title: Hi -> "" (as the specification has it)',
        "~ pin:   (sensitive value) changes (given now)",
    ]


def test_the_status_shows_it(site: Site) -> None:
    site.ran("deploy", inputs={"port": 81, "pin": SECRET})
    status = inspection.status(str(site.folder), {})
    assert status["inputs"]["port"]["value"] == 81
    assert status["inputs"]["pin"]["value"] == REDACTED
    text = status_text(status)
    assert "port: 81 (given to deploy on 1970-01-01)" in text
    assert "--reset-input NAME goes back to the specification's value" in text


def test_a_saved_plan_is_stale_once_another_value_lasts(site: Site) -> None:
    site.ran("deploy", inputs={"port": 81})
    plan = site.folder / "plan.json"
    commands_plan = plan_workflow(site.current(), "deploy", site.options())
    plan.write_text(commands_plan.to_text())
    site.ran("deploy", inputs={"port": 82})
    with pytest.raises(EnsembleError, match="the plan is stale: the status has changed"):
        commands.prepare_saved_plan(plan, "deploy", {})


def test_a_rollback_has_the_values_that_lasted_then(site: Site) -> None:
    for port in (81, 82):
        site.ran("deploy", inputs={"port": port} | ({"title": "Hi"} if port == 81 else {}))
    found = find_job(site.folder, "A6BKKsK10000")
    assert found is not None
    assert found.job.inputs == {"port": 82, "title": "Hi"}
    site.ran("deploy", inputs={"port": 83, "title": "Bye"})
    chosen: list[JobOptions] = []

    def noted(_location: Any, _job: Any, options: JobOptions) -> str:
        chosen.append(options)
        return "0" * 40

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("ansible_ensemble.jobs.rollback._revision", noted)
        at_earlier(locate(site.file), JobOptions(rollback="A6BKKsK10000"))
    assert chosen[0].inputs == {"port": 82, "title": "Hi"}


def test_surveys_ask_for_what_the_specification_has(site: Site) -> None:
    site.ran("deploy", inputs={"port": 81})
    found = {one["name"]: one.get("default") for one in read_inputs(locate(site.file), JobOptions())["inputs"]}
    assert found["port"] == 80


def test_ensembles_have_their_own(tmp_path: Path) -> None:
    sites = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        sites.append(Site(tmp_path / name))
    sites[0].ran("deploy", inputs={"port": 81})
    sites[1].ran("deploy")
    assert [one.values()["port"] for one in sites] == [81, 80]
