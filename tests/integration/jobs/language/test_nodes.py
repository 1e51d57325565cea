"""Node templates that are not plain ones: scaled, nested, selected from elsewhere, with directives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

NOTED = """
  Noted:
    derived_from: tosca.nodes.Root
    capabilities: {scalable: tosca.capabilities.Scalable}
    interfaces:
      Standard:
        configure: 'echo {{ ".name" | eval }} >> log'
        delete: 'echo gone {{ ".name" | eval }} >> log'
"""


def deploy(command: Any, *arguments: str, cwd: Path | None = None) -> dict[str, Any]:
    done = command("deploy", "--approve", "--output", "json", *arguments, **({"cwd": cwd} if cwd else {}))
    assert done.code == 0, done.output
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def lines(folder: Path) -> list[str]:
    return (folder / "log").read_text().splitlines()


def test_default_instances_of_a_scalable_node_are_made(command: Any, tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text(f"""
tosca_definitions_version: tosca_simple_yaml_1_3
node_types: {NOTED}
topology_template:
  inputs: {{n: {{type: integer, default: 3}}}}
  node_templates:
    web:
      type: Noted
      capabilities: {{scalable: {{properties: {{default_instances: {{get_input: n}}, max_instances: 5}}}}}}
""")
    deploy(command, "service.yaml")
    assert sorted(lines(tmp_path)) == ["web", "web_1", "web_2"]
    assert [task["instance"] for task in deploy(command, "service.yaml", "--input", "n=4")["tasks"]] == ["web_3"]
    deploy(command, "service.yaml", "--input", "n=2", "--prune")
    assert sorted(lines(tmp_path))[:2] == ["gone web_2", "gone web_3"]
    assert command("deploy", "--approve", "service.yaml", "--input", "n=6").code == 3


NESTED_TYPES = """
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Database: {derived_from: tosca.nodes.Root, properties: {size: {type: integer}}, attributes: {url: {type: string}}}
  Engine:
    derived_from: tosca.nodes.Root
    properties: {n: {type: integer}}
    attributes: {url: {type: string}}
    interfaces:
      Standard:
        create:
          inputs: {n: {get_property: [SELF, n]}}
          implementation: 'echo engine $n >> log; echo db-$n'
          outputs: {stdout: [SELF, url]}
        delete: 'echo engine gone >> log'
  App:
    derived_from: tosca.nodes.Root
    requirements: [{db: {capability: tosca.capabilities.Node, relationship: tosca.relationships.DependsOn}}]
    interfaces:
      Standard:
        create: {inputs: {url: {get_attribute: [SELF, db, url]}}, implementation: 'echo app $url >> log'}
        delete: 'echo app gone >> log'
"""
NESTED = """
tosca_definitions_version: tosca_simple_yaml_1_3
imports: [types.yaml]
topology_template:
  inputs: {count: {type: integer}}
  substitution_mappings:
    {node_type: Database, properties: {size: [count]}, attributes: {url: [engine, url]}}
  node_templates:
    engine: {type: Engine, properties: {n: {get_input: count}}}
"""
OUTER = """
tosca_definitions_version: tosca_simple_yaml_1_3
imports: [types.yaml, nested.yaml]
topology_template:
  inputs: {size: {type: integer, default: 3}}
  node_templates:
    app: {type: App, requirements: [{db: db}]}
    db: {type: Database, directives: [substitute], properties: {size: {get_input: size}}}
  outputs: {url: {value: {get_attribute: [db, url]}}}
"""


def test_a_nested_topology_is_deployed_in_the_place_of_a_node(command: Any, tmp_path: Path) -> None:
    for name, text in (("types", NESTED_TYPES), ("nested", NESTED), ("service", OUTER)):
        (tmp_path / f"{name}.yaml").write_text(text)
    assert deploy(command, "service.yaml")["outputs"] == {"url": "db-3"}
    assert deploy(command, "service.yaml")["tasks"] == []
    assert deploy(command, "service.yaml", "--input", "size=4")["outputs"] == {"url": "db-4"}
    assert command("undeploy", "--approve", "service.yaml").code == 0
    assert lines(tmp_path) == ["engine 3", "app db-3", "engine 4", "app db-4", "app gone", "engine gone"]


NET = "Net: {derived_from: tosca.nodes.Root, properties: {cidr: {type: string}}, attributes: {gw: {type: string}}}"
OTHER = f"""
tosca_definitions_version: tosca_simple_yaml_1_3
node_types: {{{NET}}}
topology_template:
  inputs: {{gw: {{type: string, default: first}}}}
  node_templates:
    wan: {{type: Net, properties: {{cidr: 0.0.0.0/0}}}}
    lan:
      type: Net
      properties: {{cidr: 10.0.0.0/8}}
      interfaces:
        Standard:
          create: {{implementation: 'echo $gw', inputs: {{gw: {{get_input: gw}}}}, outputs: {{stdout: [SELF, gw]}}}}
"""
SELECTING = f"""
apiVersion: tosca-ensemble/v1
kind: Ensemble
environment:
  external: {{network: ../net/ensemble.yaml}}
spec:
  service_template:
    node_types:
      {NET}
      App:
        derived_from: tosca.nodes.Root
        requirements: [{{net: {{capability: tosca.capabilities.Node, relationship: tosca.relationships.DependsOn}}}}]
        interfaces:
          Standard:
            configure:
              implementation: 'echo $gw $cidr >> log'
              inputs: {{gw: {{get_attribute: [SELF, net, gw]}}, cidr: {{get_property: [SELF, net, cidr]}}}}
    topology_template:
      node_templates:
        net: {{type: Net, directives: [select], node_filter: {{properties: [cidr: {{equal: 10.0.0.0/8}}]}}}}
        app: {{type: App, requirements: [net: net]}}
"""


def test_an_instance_of_another_ensemble_is_selected_and_followed(command: Any, tmp_path: Path) -> None:
    for name in ("net", "app", ".git"):
        (tmp_path / name).mkdir()
    (tmp_path / "ensemble-project.yaml").write_text("environments: {}\n")
    (tmp_path / "net/service.yaml").write_text(OTHER)
    (tmp_path / "app/ensemble.yaml").write_text(SELECTING)
    deploy(command, "service.yaml", cwd=tmp_path / "net")
    deploy(command, cwd=tmp_path / "app")
    assert deploy(command, cwd=tmp_path / "app")["tasks"] == []
    deploy(command, "service.yaml", "--input", "gw=second", cwd=tmp_path / "net")
    assert [task["instance"] for task in deploy(command, cwd=tmp_path / "app")["tasks"]] == ["app"]
    assert lines(tmp_path / "app") == ["first 10.0.0.0/8", "second 10.0.0.0/8"]
    (tmp_path / "app/ensemble.yaml").write_text(SELECTING.replace("equal: 10.0.0.0/8", "equal: 10.1.0.0/8"))
    plan = command("plan", "--output", "json", cwd=tmp_path / "app")
    assert plan.code == 3 and "violates equal" in plan.stderr
    assert command("undeploy", "--approve", cwd=tmp_path / "app").code == 0


DIRECTIVES = f"""
tosca_definitions_version: tosca_simple_unfurl_1_0_0
imports: [base.yaml]
node_types: {NOTED}
  Special: {{derived_from: tosca.nodes.Root}}
  Needy:
    derived_from: Noted
    requirements: [dep: {{capability: tosca.capabilities.Node, node: Special}}]
topology_template:
  node_templates:
    own: {{type: Noted}}
    conditional: {{type: Needy, directives: [conditional]}}
    virtual: {{type: Noted, directives: [virtual]}}
    wanted: {{type: Noted, directives: [dependent]}}
    unwanted: {{type: Noted, directives: [dependent]}}
    user: {{type: Noted, requirements: [dependency: wanted, dependency: base]}}
    protected: {{type: Noted, directives: [protected]}}
"""
BASE = f"""
tosca_definitions_version: tosca_simple_unfurl_1_0_0
node_types: {NOTED}
topology_template:
  node_templates:
    own: {{type: Noted, directives: [default], requirements: [dependency: user]}}
    base: {{type: Noted, directives: [default]}}
    spare: {{type: Noted, directives: [default]}}
    plain: {{type: Noted}}
"""


def test_directives(command: Any, tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(BASE)
    (tmp_path / "service.yaml").write_text(DIRECTIVES)
    deploy(command, "service.yaml")
    assert sorted(lines(tmp_path)) == ["base", "own", "protected", "user", "wanted"]
    (tmp_path / "log").unlink()
    assert command("undeploy", "--approve", "service.yaml").code == 0
    assert sorted(lines(tmp_path)) == ["gone base", "gone own", "gone user", "gone wanted"]
