"""What a node template with the directive `select` stands for, and what is refused where nothing fits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.engine.plan import plan_workflow
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import locate, read_ensemble
from ansible_ensemble.instances.status import Status
from ansible_ensemble.jobs.validate import validate_path

TYPES = """
  Net: {derived_from: tosca.nodes.Root, properties: {cidr: {type: string, default: none}}}
  App: {derived_from: tosca.nodes.Root, requirements: [{net: {capability: tosca.capabilities.Node, node: Net}}]}
  Secret: {derived_from: Net, properties: {cidr: {type: string, metadata: {sensitive: true}}}}
"""
SELECTING = """
apiVersion: tosca-ensemble/v1
kind: Ensemble
%s
spec:
  service_template:
    node_types:
%s
    topology_template:
      node_templates:
        net: {type: Net, directives: [select]%s}
        app: {type: App, requirements: [net: net]}
        %s
status:
  instances: {%s}
"""
EXTERNAL = "environment: {external: {network: net/ensemble.yaml}}"
LAN = "lan: {type: Net, properties: {cidr: 10.0.0.0/8}}"
OK = "readyState: {local: ok}"


@pytest.fixture
def ensemble(tmp_path: Path) -> Callable[..., Ensemble]:
    """An ensemble that selects a Net, beside one that has some."""

    def write(
        *,
        nets: str = LAN,
        instances: str = f"lan: {{template: lan, {OK}}}",
        external: str = EXTERNAL,
        more: str = "",
        node: str = "",
        recorded: str = "",
    ) -> Ensemble:
        types = TYPES.replace("\n  ", "\n      ")
        (tmp_path / "net").mkdir(exist_ok=True)
        (tmp_path / "net/ensemble.yaml").write_text(
            "apiVersion: tosca-ensemble/v1\nkind: Ensemble\nspec:\n  service_template:\n    node_types:\n"
            f"{types}\n    topology_template: {{node_templates: {{{nets}}}}}\nstatus: {{instances: {{{instances}}}}}\n"
        )
        (tmp_path / "ensemble.yaml").write_text(SELECTING % (external, types, more, node, recorded))
        return read_ensemble(locate(tmp_path), JobOptions())

    return write


def value(ensemble: Ensemble, expression: Any) -> Any:
    return ensemble.evaluator.scope().evaluate(expression)


def test_it_stands_for_what_fits(ensemble: Callable[..., Ensemble]) -> None:
    read = ensemble()
    assert read.instances.by_name["net"].imported == "network:lan"
    assert value(read, {"get_property": ["app", "net", "cidr"]}) == "10.0.0.0/8"
    assert [one.instance for one in plan_workflow(read, "deploy", JobOptions()).instances] == ["app"]


REFUSED: dict[str, tuple[dict[str, str], str]] = {
    "nothing is there": ({"external": ""}, "a Net: there is none (the environment names ensembles"),
    "nothing is deployed": ({"instances": ""}, "a Net: there is none"),
    "another type": (
        {"nets": "lan: {type: tosca.nodes.Root}"},
        "a Net: network:lan: it is a tosca.nodes.Root",
    ),
    "not ok": ({"instances": "lan: {template: lan, readyState: {local: error}}"}, "network:lan: it is error"),
    "what it needs is not ok": (
        {"instances": "lan: {template: lan, readyState: {local: ok, effective: error}}"},
        "network:lan: it is error",
    ),
    "the filter": (
        {"more": ", node_filter: {properties: [cidr: {equal: x}]}"},
        "a Net that meets its node_filter: network:lan: its 'cidr' '10.0.0.0/8' violates equal: x",
    ),
    "a property it gives itself": (
        {"more": ", properties: {cidr: x}"},
        "a Net: network:lan: its 'cidr' '10.0.0.0/8' violates equal: x",
    ),
    "no such ensemble": (
        {"external": "environment: {external: {network: nowhere.yaml}}"},
        "network cannot be read: there is no file",
    ),
    "no such instance": (
        {"external": "environment: {external: {network: {ensemble: net/ensemble.yaml, instance: wan}}}"},
        'network cannot be read: the ensemble "network" has no instance "wan"',
    ),
    "another that selects from this one": (
        {"external": "environment: {external: {network: ensemble.yaml}}"},
        "network cannot be read: ensembles depend on each other: ",
    ),
    "only what needs it": (
        {"external": "", "node": "mine: {type: Net, requirements: [dependency: app]}"},
        "a Net: there is none",
    ),
    "one of several parts": (
        {
            "external": "",
            "more": ", node_filter: {properties: [cidr: {equal: a}]}",
            "node": "mine: {type: Net, properties: {cidr: b}}",
        },
        "a Net that meets its node_filter: mine: its 'cidr' 'b' violates equal: a",
    ),
}


@pytest.mark.parametrize(("files", "message"), REFUSED.values(), ids=REFUSED)
def test_a_job_is_refused_where_nothing_fits(
    ensemble: Callable[..., Ensemble], tmp_path: Path, files: dict[str, str], message: str
) -> None:
    read = ensemble(**files)
    for workflow in ("deploy", "check", "run"):
        with pytest.raises(InvalidInput) as caught:
            plan_workflow(read, workflow, JobOptions())
        assert "nothing fits the selected 'net', " in str(caught.value) and message in str(caught.value)
        assert caught.value.place is not None
    assert message in validate_path(str(tmp_path), JobOptions())["errors"][0]["text"]


def test_a_template_alone_is_told_what_was_not_checked(tmp_path: Path) -> None:
    file = tmp_path / "service.yaml"
    file.write_text(
        f"tosca_definitions_version: tosca_simple_yaml_1_3\nnode_types:{TYPES}topology_template:\n"
        "  node_templates:\n    net: {type: Net, directives: [select]}\n"
    )
    found = validate_path(str(file), JobOptions())
    (warning,) = found["warnings"]
    assert found["errors"] == []
    assert "service.yaml:8:10: not checked" in warning
    assert "nothing fits the selected 'net'" in warning


def test_it_can_be_taken_down_all_the_same(ensemble: Callable[..., Ensemble]) -> None:
    recorded = f"net: {{template: net, {OK}, imported: 'network:lan'}}, app: {{template: app, {OK}, created: A0job}}"
    read = ensemble(instances="lan: {template: lan, readyState: {local: error}}", recorded=recorded)
    plan = plan_workflow(read, "undeploy", JobOptions())
    assert any("it is error" in warning for warning in plan.warnings)
    # and not on nothing
    assert value(read, {"get_property": ["net", "cidr"]}) == "10.0.0.0/8"
    gone = ensemble(external="", recorded=recorded)
    with pytest.raises(EnsembleError, match="network"):
        value(gone, {"get_property": ["net", "cidr"]})


def test_it_can_be_taken_down_where_the_environment_names_the_instance(ensemble: Callable[..., Ensemble]) -> None:
    recorded = f"net: {{template: net, {OK}, imported: 'network:lan'}}"
    named = "environment: {external: {network: {ensemble: net/ensemble.yaml, instance: lan}}}"
    lan = "lan: {template: lan, readyState: {local: error}}"
    read = ensemble(external=named, instances=lan, recorded=recorded)
    assert read.unselected.errors
    assert value(read, {"get_property": ["net", "cidr"]}) == "10.0.0.0/8"


def test_nothing_comes_in_the_place_of_what_cannot_be_looked_at(ensemble: Callable[..., Ensemble]) -> None:
    external = "environment: {external: {network: nowhere.yaml, second: net/ensemble.yaml}}"
    recorded = f"net: {{template: net, {OK}, imported: 'network:lan'}}"
    read = ensemble(external=external, recorded=recorded)
    (error,) = read.unselected.errors
    assert "network cannot be read" in str(error)
    assert read.instances.by_name["net"].imported == "network:lan"
    assert ensemble(external=external).instances.by_name["net"].imported == "second:lan"


def test_what_it_stood_for_before_comes_first(ensemble: Callable[..., Ensemble]) -> None:
    several = {
        "nets": f"wan: {{type: Net, properties: {{cidr: 0.0.0.0/0}}}}, {LAN}",
        "instances": f"wan: {{template: wan, {OK}}}, lan: {{template: lan, {OK}}}",
    }
    first = ensemble(**several)
    assert first.instances.by_name["net"].imported == "network:wan"
    assert any("network:lan would fit as well" in warning for warning in first.warnings)
    before = f"net: {{template: net, {OK}, imported: 'network:lan'}}"
    assert ensemble(**several, recorded=before).instances.by_name["net"].imported == "network:lan"
    moved = ensemble(recorded=before.replace("lan", "wan"))
    assert any("selects network:lan now, and selected network:wan before" in one for one in moved.warnings)


def test_a_template_of_the_same_topology_is_the_last_resort(ensemble: Callable[..., Ensemble]) -> None:
    mine = "mine: {type: Net, properties: {cidr: own}}"
    assert value(ensemble(node=mine), {"get_property": ["net", "cidr"]}) == "10.0.0.0/8"
    read = ensemble(node=mine, external="")
    assert value(read, {"get_property": ["net", "cidr"]}) == "own"
    assert value(read, {"get_property": ["app", "net", "cidr"]}) == "own"
    assert [one.target.name for one in read.topology.node_templates["app"].requirements] == ["mine"]
    plan = plan_workflow(read, "deploy", JobOptions())
    assert [one.instance for one in plan.instances] == ["mine", "app"]


def test_values_that_nothing_declares_and_those_of_capabilities_are_seen(
    ensemble: Callable[..., Ensemble],
) -> None:
    read = ensemble(
        nets="vm: {type: Compute, capabilities: {host: {properties: {num_cpus: 8}}}}, " + LAN,
        instances=f"vm: {{template: vm, {OK}}}, lan: {{template: lan, {OK}, attributes: {{subnet: sn-1}}}}",
        node="machine: {type: Compute, directives: [select], node_filter: "
        "{capabilities: [{host: {properties: [{num_cpus: {greater_or_equal: 4}}]}}]}}",
    )
    assert value(read, {"get_property": ["machine", "host", "num_cpus"]}) == 8
    assert value(read, {"eval": "::net::subnet"}) == "sn-1"
    assert value(read, {"get_attribute": ["net", "subnet"]}) == "sn-1"
    assert read.instances.by_name["machine"].local is Status.OK


def test_a_template_shows_the_values_of_an_instance_elsewhere(ensemble: Callable[..., Ensemble]) -> None:
    shown = value(ensemble(), 'it is {{ {"external": "network"} | eval }}')
    assert shown.startswith("it is {") and "<" not in shown
    named = ensemble(external="environment: {external: {network: {ensemble: net/ensemble.yaml, instance: lan}}}")
    assert "'cidr': '10.0.0.0/8'" in value(named, 'it is {{ {"external": "network"} | eval }}')


@pytest.mark.parametrize("secret", ["{eval: {sensitive: hunter2-secret}}", "hunter2-secret"])
def test_a_secret_of_another_ensemble_is_not_told(ensemble: Callable[..., Ensemble], secret: str) -> None:
    read = ensemble(
        nets=f"lan: {{type: Secret, properties: {{cidr: {secret}}}}}",
        more=", node_filter: {properties: [cidr: {equal: x}]}",
    )
    (error,) = read.unselected.errors
    assert "violates equal" in str(error) and "hunter2" not in str(error)


TOOL = "lan: {type: tool.Program, properties: {file: it, checksum: 'sha256:%s'}}" % ("0" * 64)


def _tool(ensemble: Callable[..., Ensemble], **given: str) -> Ensemble:
    needing = "user: {type: tosca.nodes.SoftwareComponent, requirements: [{dependency: tool}]}"
    return ensemble(node=f"tool: {{type: tool.Program, directives: [select]}}\n        {needing}", **given)


@pytest.mark.parametrize(
    "recorded", ["", "lan: {template: lan, readyState: {local: error}}", f"lan: {{template: lan, {OK}}}"]
)
def test_a_tool_that_is_not_there_is_installed_by_the_other_ensemble(
    ensemble: Callable[..., Ensemble], recorded: str
) -> None:
    """The last one is recorded, and its files are on another machine."""
    read = _tool(ensemble, nets=f"{TOOL}, net: {{type: Net}}", instances=f"net: {{template: net, {OK}}}, {recorded}")
    tool = read.instances.by_name["tool"]
    assert (tool.imported, tool.status.operational) == ("network:lan", False)
    create = read.topology.node_templates["tool"].operation("Standard", "create")
    assert create is not None and create.implementation is not None
    assert create.implementation.class_name == "external-job"
    assert value(read, {"get_property": ["tool", "file"]}) == "it"


def test_a_tool_that_is_there_comes_first(ensemble: Callable[..., Ensemble], tmp_path: Path) -> None:
    (tmp_path / "net/.tools/wan").mkdir(parents=True)
    (tmp_path / ".tools/wan").mkdir(parents=True)
    there = f"net: {{template: net, {OK}}}, wan: {{template: wan, {OK}}}"
    nets = f"{TOOL}, {TOOL.replace('lan', 'wan')}, net: {{type: Net}}"
    read = _tool(ensemble, nets=nets, instances=there)
    assert read.instances.by_name["tool"].imported == "network:wan"
    assert read.topology.node_templates["tool"].interfaces == {}


USING = (
    "using: {type: tosca.nodes.Root, interfaces: {Standard: {operations: {configure: {implementation: "
    "{primary: echo, dependencies: [{type: artifact.PythonPackage, file: acme%s}]}}}}}}"
)


@pytest.mark.parametrize(
    ("theirs", "recorded", "imported"),
    [("", "", "network:tool-acme"), (", artifact_version: '2'", "", None), ("", f"created: A0, {OK}", None)],
    ids=["the same", "another version", "installed by itself before"],
)
def test_a_tool_of_an_implementation_is_that_of_an_ensemble_that_needs_it_too(
    ensemble: Callable[..., Ensemble], theirs: str, recorded: str, imported: str | None
) -> None:
    own = f"tool-acme: {{template: tool-acme, {recorded}}}" if recorded else ""
    nets = f"{LAN}, {USING % theirs}"
    read = ensemble(nets=nets, node=USING % "", recorded=own)
    tool = read.instances.get("tool-acme")
    assert (tool.imported if tool is not None else None) == imported
    create = read.topology.node_templates["tool-acme"].operation("Standard", "create")
    assert create is not None and create.implementation is not None
    assert (create.implementation.class_name == "external-job") is (imported is not None)
