from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.jobs.inputs import read_inputs, surveys
from ansible_ensemble.reports.survey import survey

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
data_types:
  Port: {derived_from: integer, constraints: [{in_range: [1, 65535]}]}
  Login: {properties: {user: {type: string}, pass: {type: string, metadata: {sensitive: true}}}}
topology_template:
  inputs:
    text: {type: string, description: What it says, default: hi}
    port: {type: Port, default: 80, constraints: [{less_than: 9000}]}
    name: {type: string}
    found: {type: string, default: {get_env: HOME}}
    pin: {type: integer, default: 4711, metadata: {sensitive: true}}
    db_password: {type: string}
    login: {type: Login, required: false}
    zones: {type: list, default: [a], entry_schema: {type: string, constraints: [{valid_values: [a, b]}]}}
    fixed: {type: string, value: x}
  node_templates:
    app: {type: tosca.nodes.Root}
  workflows:
    backup:
      inputs: {to: {type: string}}
      steps: {run: {target: app, activities: [{set_state: started}]}}
"""
ENSEMBLE = """\
apiVersion: unfurl/v1alpha1
kind: Ensemble
spec:
  service_template: service.yaml
  inputs: {name: web, port: "{{ 80 + 1 }}"}
"""


def described(folder: Path) -> dict[str, Any]:
    """What jobs of an ensemble in a folder of a repository can be given."""
    (folder / ".git").mkdir()
    (folder / "web").mkdir()
    (folder / "web" / "service.yaml").write_text(SERVICE)
    (folder / "web" / "ensemble.yaml").write_text(ENSEMBLE)
    return read_inputs(locate(folder / "web"), JobOptions())


def test_inputs_are_described_with_what_is_given(tmp_path: Path) -> None:
    found = described(tmp_path)
    assert found["path"] == "web/ensemble.yaml"
    inputs = {one.pop("name"): one for one in found["inputs"]}
    usual = {"type": "string", "constraints": [], "entry": None, "description": "", "required": False, "secret": False}
    ports = [{"less_than": 9000}, {"in_range": [1, 65535]}]
    assert inputs == {
        "text": usual | {"description": "What it says", "default": "hi"},
        "port": usual | {"type": "integer", "constraints": ports},
        "name": usual | {"default": "web"},
        "found": usual,
        "pin": usual | {"type": "integer", "secret": True},
        "db_password": usual | {"required": True, "secret": True},
        "login": usual | {"type": "map", "secret": True},
        "zones": usual
        | {"type": "list", "default": ["a"]}
        | {"entry": {"type": "string", "constraints": [{"valid_values": ["a", "b"]}]}},
    }
    assert found["workflows"] == {"backup": [usual | {"name": "to", "required": True}]}
    assert "4711" not in str(found)


PROJECT = """\
environments: {defaults: {external: {web: web/ensemble.yaml, edge: edge/ensemble.yaml, net: net/ensemble.yaml}}}
"""
WEB = """\
inputs:
  size: {type: integer, default: 1, description: How many}
  place: {type: string}
  kind: {type: string, default: a}
workflows:
  backup:
    inputs: {to: {type: string}}
    steps: {run: {target: one, activities: [{set_state: started}]}}
resources:
  one: {module: ansible.builtin.command, args: {cmd: "true", creates: {eval: {external: net}, select: "outputs::x"}}}
outputs: {x: {value: 1}}
"""
EDGE = """\
inputs:
  size: {type: integer, default: 1, description: How many}
  kind: {type: boolean}
  pin: {type: string, metadata: {sensitive: true}}
resources:
  one: {module: ansible.builtin.command, args: {cmd: "true", creates: {eval: {external: web}, select: "outputs::x"}}}
"""
NET = """\
inputs: {size: {type: integer, default: 1, description: How many}}
resources: {one: {module: ansible.builtin.command, args: {cmd: "true"}}}
outputs: {x: {value: 1}}
"""


def test_one_survey_is_for_several_ensembles(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "ensemble-project.yaml").write_text(PROJECT)
    for name, text in (("web", WEB), ("edge", EDGE), ("net", NET)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "service.yaml").write_text(text)
    locations = [locate(tmp_path / name / "service.yaml") for name in ("web", "edge", "net")]
    found = surveys(locations, JobOptions())
    web, edge, net = (f"{name}/service.yaml" for name in ("web", "edge", "net"))
    assert found["path"] == web
    [chosen] = found["choice"]
    assert (chosen["variable"], chosen["choices"], chosen["required"]) == ("ensemble", [web, edge, net], True)
    asked = {one["variable"]: one for one in found["deploy"]["spec"]}
    assert found["deploy"]["spec"][0] == chosen
    assert {name: (one["type"], one["required"]) for name, one in asked.items() if name.startswith("input_")} == {
        "input_size": ("integer", False),
        "input_place": ("text", False),
        "input_kind": ("text", False),
        "input_pin": ("password", False),
    }
    assert asked["input_size"]["question_description"] == "How many (unanswered: as deployed, at first 1)"
    assert edge in asked["input_pin"]["question_description"]
    assert asked["ensemble_reset_inputs"]["choices"] == ["size", "place", "kind", "pin"]
    [backed_up, *_] = found["workflows"]["backup"]["spec"]
    assert backed_up["choices"] == [web]
    assert {one["path"]: one["used_by"] for one in found["ensembles"]} == {web: [edge], edge: [], net: [web]}


def test_an_ensemble_alone_is_not_asked_for(tmp_path: Path) -> None:
    described(tmp_path)
    found = surveys([locate(tmp_path / "web")], JobOptions())
    assert found["choice"] == []
    assert "ensemble" not in [one["variable"] for one in found["deploy"]["spec"]]
    assert found["ensembles"] == [{"path": "web/ensemble.yaml", "used_by": []}]


NUMBERS = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs:
    mode: {type: integer, default: 0x1F, constraints: [{in_range: [0x01, 0xFF]}]}
    rate: {type: float, default: 1.50, constraints: [{valid_values: [1.50, 2.0]}]}
    rates: {type: list, default: [1.50], entry_schema: {type: float, constraints: [{valid_values: [1.50, 2.0]}]}}
    release: {type: version, default: 1.10}
"""


def test_numbers_are_numbers_however_they_are_written(tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text(NUMBERS)
    asked = survey([], also=read_inputs(locate(tmp_path / "service.yaml"), JobOptions())["inputs"])["spec"]
    mode, rate, rates, release = asked
    assert (mode["default"], type(mode["default"]), mode["min"], mode["max"]) == (31, int, 1, 255)
    assert (rate["default"], rate["choices"]) == ("1.5", ["1.5", "2.0"])
    assert (rates["default"], rates["choices"]) == ("1.5", ["1.5", "2.0"])
    assert release["default"] == "1.10"
