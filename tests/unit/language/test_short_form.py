"""What the short form of node templates means, in plain TOSCA."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.documents.places import place_of
from ansible_ensemble.documents.yaml import parse_yaml
from ansible_ensemble.language.short_form import in_long_form, template_in_long_form

MEANS = {
    "module": (
        "{module: a.b.c, args: {x: 1}, host: web1}",
        "{type: ansible.Resource, properties: {module: a.b.c, args: {x: 1}, inventory_host: web1}}",
    ),
    "role": (
        "{role: web, vars: {x: 1}, tasks_from: y, absent: {tasks_from: z}, keywords: {become: true}}",
        "{type: ansible.Role, properties: {role: web, vars: {x: 1}, tasks_from: y, absent: {tasks_from: z}, "
        "keywords: {become: true}}}",
    ),
    "tasks": ("{tasks: a.yml}", "{type: ansible.Tasks, properties: {tasks: a.yml}}"),
    "playbook": ("{playbook: a.yml}", "{type: ansible.Playbook, properties: {playbook: a.yml}}"),
    "other parts stay": (
        "{module: a.b.c, description: x, properties: {absent: {role: y}}, requirements: [{dependency: other}]}",
        "{type: ansible.Resource, description: x, requirements: [{dependency: other}], "
        "properties: {absent: {role: y}, module: a.b.c}}",
    ),
    "a host that is a node": (
        "{module: a.b.c, host: other, requirements: [{dependency: x}]}",
        "{type: ansible.Resource, requirements: [{dependency: x}, {host: other}], properties: {module: a.b.c}}",
    ),
    "a host beside a map of requirements": (
        "{module: a.b.c, host: other, requirements: {dependency: x}}",
        "{type: ansible.Resource, requirements: [{dependency: x}, {host: other}], properties: {module: a.b.c}}",
    ),
    "parts that are refused where they are read": (
        "{module: a.b.c, host: other, requirements: 3, properties: [4]}",
        "{type: ansible.Resource, requirements: 3, properties: [4]}",
    ),
    "a type": ("{type: x, module: y}", "{type: x, module: y}"),
    "nothing of it": ("{properties: {module: x}}", "{properties: {module: x}}"),
    "no map": ("text", "text"),
}


def read(text: str) -> Any:
    return parse_yaml(text, "s.yaml").data


@pytest.mark.parametrize(("short", "long"), MEANS.values(), ids=MEANS)
def test_a_template(short: str, long: str) -> None:
    assert template_in_long_form(read(short), {"other"}) == read(long)


def test_values_keep_their_places() -> None:
    made = template_in_long_form(read("module: a.b.c\nargs:\n  x: 1\n"), ())
    place = place_of(made["properties"], "args")
    assert place is not None
    assert (place.line, place.column) == (3, 3)


UNTYPED = """\
topology_template:
  node_templates:
    app:
      properties:
        {port: 80, ratio: 0.5, on: true, name: x, all: [1], more: {a: 1}, computed: {get_input: x}, text: "{{ x }}"}
      attributes: {url: x}
      requirements: [{host: vm}, {dependency: vm}, {db: vm}, {db: vm}]
    vm: {type: Compute}
    copied: {copy: app}
    empty: {}
"""
MADE = """\
derived_from: tosca.nodes.Root
properties:
  {port: {type: integer}, ratio: {type: float}, on: {type: boolean}, name: {type: string}, all: {type: list},
   more: {type: map}, computed: {type: any}, text: {type: any}}
attributes: {url: {type: string}}
requirements:
  - host: {capability: tosca.capabilities.Container, relationship: tosca.relationships.HostedOn,
           occurrences: [0, UNBOUNDED]}
  - db: {capability: tosca.capabilities.Node, relationship: tosca.relationships.DependsOn, occurrences: [0, UNBOUNDED]}
"""


def test_a_node_without_a_type_gets_one_of_its_own() -> None:
    document = read(UNTYPED)
    made = in_long_form(document)
    templates = made["topology_template"]["node_templates"]
    assert made["node_types"] == {"nodes.app": read(MADE)}
    assert templates["app"] == {"type": "nodes.app", **document["topology_template"]["node_templates"]["app"]}
    assert [templates[name] for name in ("vm", "copied", "empty")] == [{"type": "Compute"}, {"copy": "app"}, {}]
    assert in_long_form(made) is made, "what is written out stays as it is"


@pytest.mark.parametrize("text", ["{}", "{topology_template: x}", "{topology_template: {node_templates: [x]}}"])
def test_nothing_to_write_out(text: str) -> None:
    document = read(text)
    assert in_long_form(document) is document


@pytest.mark.parametrize(("requirements", "names"), [("{db: vm, dependency: vm}", ["db"]), ("3", []), ("[x]", [])])
def test_requirements_in_another_form(requirements: str, names: list[str]) -> None:
    made = in_long_form(read(f"{{topology_template: {{node_templates: {{app: {{requirements: {requirements}}}}}}}}}"))
    declared = made["node_types"]["nodes.app"].get("requirements", [])
    assert [name for one in declared for name in one] == names


KEYWORDS = {
    "become: true": "write keywords: {become: ...}",
    "vars: {a: b}": "write keywords: {vars: ...}",
    "when: x": "write the task in a task file",
    "with_items: [1]": "write a resource for each",
    "tags: [a]": "--instance and --template",
    "name: x": "the resource's name is its key",
}


@pytest.mark.parametrize("keyword", KEYWORDS)
def test_keywords_of_a_task_beside_what_runs_are_refused(keyword: str) -> None:
    with pytest.raises(InvalidInput, match="a keyword of Ansible's") as refused:
        in_long_form(read(f"resources:\n  a:\n    module: ansible.builtin.ping\n    {keyword}\n"))
    assert (refused.value.place.line, refused.value.place.column) == (4, 5)
    assert KEYWORDS[keyword] in (refused.value.hint or "")


def test_two_things_that_run_are_refused_where_the_second_stands() -> None:
    text = "topology_template: {node_templates: {a: {module: copy, role: web}}}"
    with pytest.raises(InvalidInput, match="says module and role") as refused:
        in_long_form(parse_yaml(text, "service.yaml").data)
    assert refused.value.place is not None
    assert text[refused.value.place.column - 1 :].startswith("role")


RESOURCES = """\
description: x
inputs: {text: {type: string}}
resources:
  motd: {module: a.b.c, args: {x: {get_input: text}}}
outputs: {a: {value: b}}
"""


def test_a_file_of_resources() -> None:
    assert in_long_form(read(RESOURCES)) == read(
        """\
tosca_definitions_version: tosca_simple_yaml_1_3
description: x
topology_template:
  inputs: {text: {type: string}}
  node_templates: {motd: {type: ansible.Resource, properties: {module: a.b.c, args: {x: {get_input: text}}}}}
  outputs: {a: {value: b}}
"""
    )


def test_a_file_of_resources_keeps_its_places() -> None:
    made = in_long_form(read(RESOURCES))
    places = [place_of(made["topology_template"], key) for key in ("node_templates", "outputs")]
    assert [(place.line, place.column) for place in places if place] == [(4, 3), (5, 10)]


def test_resources_and_a_topology_template_are_refused() -> None:
    with pytest.raises(InvalidInput, match="this one has both"):
        in_long_form(read("{resources: {}, topology_template: {}}"))


#: Resources that are none; where that is, and what is said.
NO_RESOURCES = {
    "resources: [a]": ("1:12", "resources must be a map of names, not a list"),
    "resources: []": ("1:12", "resources must be a map of names, not a list"),
    "resources: 3": ("1:12", "resources must be a map of names, not 3"),
    "resources: {x: [a]}": ("1:16", "the resource 'x' must say what runs, not a list"),
    "resources: {x: 0}": ("1:16", "the resource 'x' must say what runs, not 0"),
    "resources: {x: {}}": ("1:16", "the resource 'x' must say what runs, and is empty"),
    "resources: {x: }": ("1:16", "the resource 'x' must say what runs, and is empty"),
}


@pytest.mark.parametrize("text", NO_RESOURCES)
def test_resources_that_are_none_are_refused_once(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        in_long_form(read(text))
    place, words = NO_RESOURCES[text]
    assert (str(refused.value.place), refused.value.message) == (f"s.yaml:{place}", words)
    assert "module: ansible.builtin.copy" in (refused.value.hint or "")


def test_each_resource_that_is_none_is_named() -> None:
    with pytest.raises(InvalidInput, match=r"(?s)'x' must say .*'y' must say"):
        in_long_form(read("resources: {x: 1, y: 2, z: {module: a.b.c}}"))


@pytest.mark.parametrize("text", ["resources: {}", "resources:"])
def test_there_may_be_no_resources(text: str) -> None:
    assert not in_long_form(read(text))["topology_template"]["node_templates"]
