"""Interfaces, operations and implementations after inheritance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.language.entities import Operation, Topology

Load = Callable[..., Topology]


def create(load: Load, written: str, **options: Any) -> Operation:
    topology = load(
        f"topology_template:\n  node_templates:\n    a: {{type: Root, interfaces: {{Standard: {written}}}}}\n",
        **options,
    )
    found = topology.node_templates["a"].operation("Standard", "create")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("{create: ls -l}", {"primary": "ls -l"}),
        ("{operations: {create: ls -l}}", {"primary": "ls -l"}),
        ("{create: ansible.builtin.copy}", {"primary": "ansible.builtin.copy"}),
        ("{create: {implementation: ls}}", {"primary": "ls"}),
        ("{create: {implementation: {primary: ls, timeout: 5 m}}}", {"primary": "ls", "timeout": 300.0}),
        ("{create: {implementation: {primary: ls}, timeout: 7}}", {"primary": "ls", "timeout": 7.0}),
        ("{create: {implementation: {primary: ls, operation_host: HOST}}}", {"operation_host": "HOST"}),
        ("{create: {implementation: ls, operation_host: ORCHESTRATOR}}", {"operation_host": "ORCHESTRATOR"}),
        ("{create: {implementation: {className: Template}}}", {"class_name": "Template", "primary": None}),
        ("{create: {implementation: {configurator: Shell, primary: ls}}}", {"class_name": "Shell", "primary": "ls"}),
        (
            "{create: {implementation: {primary: ls, become: true, environment: {A: b}}}}",
            {"settings": {"become": True, "environment": {"A": "b"}}},
        ),
        ("{create: {implementation: ls, environment: {A: b}}}", {"settings": {"environment": {"A": "b"}}}),
    ],
)
def test_implementation(load: Load, written: str, expected: dict[str, Any]) -> None:
    implementation = create(load, written).implementation
    assert {name: getattr(implementation, name) for name in expected} == expected


def test_inputs_of_interface_and_operation(load: Load) -> None:
    text = """
node_types:
  N:
    interfaces:
      Standard:
        inputs:
          a: {type: string, default: type}
          b: {value: {get_property: [SELF, p]}, type: string}
          e: {type: string, required: false}
        operations:
          create: {implementation: ls, inputs: {c: {type: integer, default: 1}, d: plain}}
          delete: ls
    properties: {p: {type: string, default: x}}
topology_template:
  node_templates:
    n:
      type: N
      interfaces:
        Standard:
          inputs: {a: template}
          operations: {create: {inputs: {c: 2, undeclared: {x: y}}}}
"""
    node = load(text).node_templates["n"]
    operation = node.operation("Standard", "create")
    assert operation is not None
    assert {name: one.value for name, one in operation.inputs.items()} == {
        "a": "template",
        "b": {"get_property": ["SELF", "p"]},
        "c": 2,
        "d": "plain",
        "undeclared": {"x": "y"},
    }
    assert set(operation.input_definitions) == {"a", "b", "c", "e"}
    assert operation.implementation is not None
    deletion = node.operation("Standard", "delete")
    assert deletion is not None
    assert list(deletion.inputs) == ["a", "b"]
    assert deletion.full_name == "Standard.delete"


@pytest.mark.parametrize(("unfurl", "expected"), [(False, "of the derived interface"), (True, "of the operation")])
def test_inputs_of_a_derived_interface_over_those_of_an_operation(load: Load, unfurl: bool, expected: str) -> None:
    text = """
node_types:
  A:
    derived_from: Root
    interfaces: {Standard: {inputs: {word: of the interface}, operations: {create: {inputs: {word: of the operation}}}}}
  B:
    derived_from: A
    interfaces: {Standard: {inputs: {word: of the derived interface, more: 1}, operations: {create: ls}}}
topology_template: {node_templates: {b: {type: B}}}
"""
    found = load(text, unfurl=unfurl).node_templates["b"].operation("Standard", "create")
    assert found is not None
    assert {key: one.value for key, one in found.inputs.items()} == {"word": expected, "more": 1}


def test_inputs_of_the_wrong_type_are_refused(load: Load) -> None:
    with pytest.raises(InvalidInput, match="input 'k' of operation 'go': 'x' is not of type integer"):
        load(
            """
interface_types: {If: {operations: {go: {inputs: {k: {type: integer}}}}}}
node_types: {N: {interfaces: {My: {type: If}}}}
topology_template:
  node_templates: {n: {type: N, interfaces: {My: {operations: {go: {implementation: ls, inputs: {k: x}}}}}}}
"""
        )


def test_a_map_input_is_a_value_though_it_looks_like_a_definition(load: Load) -> None:
    operation = (
        load(
            """
interface_types: {If: {operations: {go: {inputs: {k: {type: map}}}}}}
node_types: {N: {interfaces: {My: {type: If}}}}
topology_template:
  node_templates: {n: {type: N, interfaces: {My: {operations: {go: {implementation: ls, inputs: {k: {type: x}}}}}}}}
"""
        )
        .node_templates["n"]
        .operation("My", "go")
    )
    assert operation is not None
    assert operation.inputs["k"].value == {"type": "x"}


def test_outputs(load: Load) -> None:
    operation = create(load, "{operations: {create: {implementation: ls, outputs: {o: [SELF, state], p: state}}}}")
    assert operation.outputs == {"o": ["SELF", "state"], "p": ["SELF", "state"]}


@pytest.mark.parametrize("declared", ["", "{type: string}"], ids=["unfurl", "tosca"])
def test_an_output_may_be_declared_alone(load: Load, declared: str) -> None:
    operation = create(load, f"{{operations: {{create: {{implementation: ls, outputs: {{o: {declared}}}}}}}}}")
    assert operation.outputs == {"o": []}


def test_artifacts_by_name_inline_and_as_dependencies(load: Load) -> None:
    node = load(
        """
node_types:
  N:
    artifacts: {script: {type: Bash, file: a.sh}, lib: {type: File, file: lib.py}}
    interfaces:
      Standard:
        create: {implementation: {primary: script, dependencies: [lib, {type: File, file: other.j2}]}}
        start: {implementation: {primary: {type: Bash, file: a.sh}}}
topology_template:
  node_templates:
    n: {type: N, artifacts: {script: {file: b.sh}}}
    m: {type: N}
""",
        files=dict.fromkeys(("a.sh", "b.sh", "lib.py", "other.j2"), ""),
    ).node_templates
    for name, file in (("n", "b.sh"), ("m", "a.sh")):
        operation = node[name].operation("Standard", "create")
        assert operation is not None
        implementation = operation.implementation
        assert implementation is not None
        assert implementation.artifact is node[name].artifacts["script"]
        assert implementation.artifact.file == file
        assert implementation.artifact.type == "tosca.artifacts.Implementation.Bash"
        assert [one.file for one in implementation.dependencies] == ["lib.py", "other.j2"]
    start = node["n"].operation("Standard", "start")
    assert start is not None
    assert start.implementation is not None
    assert start.implementation.primary == "a.sh"


def test_notifications_and_derived_interface_types(load: Load) -> None:
    node = load(
        """
interface_types:
  Base: {operations: {go: {}}, notifications: {ev: {description: d}}}
  Derived: {derived_from: Base, operations: {stop: {}}}
node_types: {N: {interfaces: {My: {type: Derived}}}}
topology_template:
  node_templates:
    n: {type: N, interfaces: {My: {notifications: {ev: {implementation: ls, outputs: {o: [SELF, state]}}}}}}
"""
    ).node_templates["n"]
    assert list(node.interfaces["My"].operations) == ["go", "stop"]
    assert node.interfaces["My"].type == "Derived"
    assert node.interfaces["My"].notifications["ev"].outputs == {"o": ["SELF", "state"]}
    assert node.interfaces["My"].operations["go"].interface == "My"


def test_mock_takes_every_operation_and_install_its_own(load: Load) -> None:
    node = load(
        """
topology_template:
  node_templates:
    n: {type: Root, interfaces: {Mock: {create: ls, anything: ls}, Install: {check: ls}}}
"""
    ).node_templates["n"]
    assert node.operation("Mock", "anything") is not None
    assert node.operation("Install", "check") is not None
    assert list(node.interfaces["Install"].operations) == ["check", "discover", "revert", "connect", "restart"]


def test_defaults_of_an_interface(load: Load) -> None:
    node = load(
        """
topology_template:
  node_templates:
    n:
      type: Root
      interfaces:
        Standard:
          defaults: {implementation: ls, inputs: {a: 1}}
          operations: {create: {inputs: {b: 2}}, delete: {implementation: rm}}
"""
    ).node_templates["n"]
    operation, deletion = node.operation("Standard", "create"), node.operation("Standard", "delete")
    assert operation is not None
    assert operation.implementation is not None
    assert operation.implementation.primary == "ls"
    assert {name: one.value for name, one in operation.inputs.items()} == {"a": 1, "b": 2}
    assert deletion is not None
    assert deletion.implementation is not None
    assert deletion.implementation.primary == "rm"
    assert node.operation("Standard", "start") is None


def test_operations_of_a_type_are_shared_by_its_templates(load: Load) -> None:
    nodes = load(
        """
node_types: {N: {interfaces: {Standard: {create: ls}}}}
topology_template:
  node_templates: {a: {type: N}, b: {type: N, interfaces: {Standard: {create: rm}}}, c: {type: N}}
"""
    ).node_templates
    found = {name: node.operation("Standard", "create") for name, node in nodes.items()}
    assert found["a"] is found["c"]
    assert [one.implementation.primary for one in found.values() if one and one.implementation] == ["ls", "rm", "ls"]


def test_an_artifact_brings_its_configurator(load: Load) -> None:
    node = load(
        """
topology_template:
  node_templates:
    n:
      type: Root
      artifacts: {tool: {type: unfurl.artifacts.HasConfigurator, file: x, properties: {className: Template}}}
      interfaces: {Standard: {create: tool, delete: {implementation: {primary: tool, className: Shell}}}}
"""
    ).node_templates["n"]
    found = {name: node.operation("Standard", name) for name in ("create", "delete")}
    names = {name: one.implementation.class_name for name, one in found.items() if one and one.implementation}
    assert names == {"create": "Template", "delete": "Shell"}


def test_names_of_operation_hosts(load: Load) -> None:
    for host in ("SELF", "HOST", "ORCHESTRATOR", "localhost", "a", "'{{ x }}'"):
        written = f"{{create: {{implementation: {{primary: ls, operation_host: {host}}}}}}}"
        implementation = create(load, written).implementation
        assert implementation is not None
        assert implementation.operation_host == host.strip("'")


def test_an_unknown_operation_host_may_be_one_of_the_inventory(load: Load) -> None:
    host = "{create: {implementation: {primary: ls, operation_host: %s}}}"
    body = "topology_template: {node_templates: {web: {type: Compute, interfaces: {Standard: %s}}}}"
    for known in ("web", "db1.example.org"):
        assert load(body % (host % known)).warnings == []
    (warning,) = load(body % (host % "wbe")).warnings
    assert "the operation_host 'wbe' of operation Standard.create is not a node template: did you mean web?" in warning


def test_an_operation_that_is_not_implemented_in_unfurls_dialect(load: Load) -> None:
    text = """
node_types:
  A: {derived_from: tosca.nodes.Root, interfaces: {Standard: {create: ls, configure: ls}}}
  B: {derived_from: A, interfaces: {Standard: {configure: not_implemented}}}
topology_template: {node_templates: {b: {type: B}}}
"""
    node = load(text, unfurl=True).node_templates["b"]
    assert node.operation("Standard", "create") is not None
    assert node.operation("Standard", "configure") is None


def test_defaults_of_all_interfaces_and_operations_that_invoke_others_in_unfurls_dialect(load: Load) -> None:
    topology = load(
        """
node_types:
  Zone:
    artifacts: {image: {type: tosca.artifacts.File, required: false}}
    interfaces:
      defaults: {implementation: ./zone.sh, inputs: {zone: home}}
      Standard:
        operations:
          configure:
          start: {inputs: {zone: away}}
          stop: {invoke: Standard.start, inputs: {a: 1}}
      Install: {operations: {check: null}}
topology_template: {node_templates: {z: {type: Zone}}}
""",
        unfurl=True,
        check_files=False,
    )
    node = topology.node_templates["z"]
    for key, zone in (("Standard.configure", "home"), ("Standard.start", "away"), ("Install.check", "home")):
        operation = node.operation(*key.split("."))
        assert operation is not None
        assert operation.implementation is not None
        assert (operation.implementation.primary, operation.inputs["zone"].value) == ("./zone.sh", zone)
    assert node.operation("Standard", "create") is None
    stop = node.operation("Standard", "stop")
    assert stop is not None
    assert stop.implementation is not None
    assert (stop.implementation.class_name, stop.inputs["operation"].value) == ("delegate", "Standard.start")
    assert stop.inputs["inputs"].value == {"zone": "home", "a": 1}


#: The interfaces of a node type -> what is wrong with them, if anything is.
DECLARED = {
    "{Standard: {configur: ls -l}}": "interface 'Standard' has no operation 'configur' (did you mean configure?)",
    "{Standard: {operations: {cretae: ls -l}}}": "has no operation 'cretae' (did you mean create?)",
    "{Standard: {tune: ls -l}}": "has no operation 'tune' (its operations are: create, configure",
    "{Install: {chekc: ls -l}}": "has no operation 'chekc' (did you mean check?)",
    "{My: {og: ls -l}}": None,
    "{My: {rotaet: ls -l}}": "has no operation 'rotaet' (did you mean rotate?)",
    "{My: {tune: ls -l}}": None,
    "{Mine: {type: Longer, tune: ls -l}}": None,
    "{Mine: {type: Longer, stopp: ls -l}}": "has no operation 'stopp' (did you mean stop?)",
    "{My: {notifications: {evnet: ls -l}}}": "has no notification 'evnet' (did you mean event?)",
}


@pytest.mark.parametrize("written", DECLARED)
def test_a_type_declares_no_operation_that_nobody_calls(load: Load, written: str) -> None:
    text = f"""
interface_types:
  My: {{operations: {{go: {{}}, rotate: {{}}}}, notifications: {{event: {{}}}}}}
  Longer: {{derived_from: tosca.interfaces.node.lifecycle.Standard}}
node_types: {{N: {{derived_from: tosca.nodes.Root, interfaces: {written}}}}}
topology_template: {{node_templates: {{n: {{type: N}}}}}}
"""
    if DECLARED[written] is None:
        load(text)
        return
    with pytest.raises(InvalidInput) as caught:
        load(text)
    assert DECLARED[written] in str(caught.value)


def test_a_relationship_type_declares_no_operation_that_nobody_calls(load: Load) -> None:
    with pytest.raises(InvalidInput, match=r"no operation 'pre_configure_sourc' \(did you mean pre_configure_source"):
        load("""
relationship_types:
  R: {derived_from: tosca.relationships.DependsOn, interfaces: {Configure: {pre_configure_sourc: ls -l}}}
topology_template: {relationship_templates: {r: {type: R}}}
""")


def test_an_implementation_may_map_its_outputs(load: Load) -> None:
    operation = create(
        load, "{create: {implementation: {primary: ls, outputs: {o: [SELF, state]}}, outputs: {p: state}}}"
    )
    assert operation.outputs == {"o": ["SELF", "state"], "p": ["SELF", "state"]}


@pytest.mark.parametrize("name", ["tosca.interfaces.node.lifecycle.Standard", "tosca:Standard", "Own"])
def test_an_interface_may_be_given_by_the_name_of_its_type(load: Load, name: str) -> None:
    types = "interface_types: {Own: {derived_from: tosca.interfaces.Root, operations: {create: {}}}}\n"
    own = "own: {type: Own}, " if name == "Own" else ""
    topology = load(
        f"{types}node_types: {{T: {{interfaces: {{{own}{name}: {{create: ls}}}}}}}}\n"
        f"topology_template: {{node_templates: {{a: {{type: T, interfaces: {{{name}: {{create: pwd}}}}}}}}}}\n"
    )
    found = topology.node_templates["a"].operation("own" if own else "Standard", "create")
    assert found is not None
    assert found.implementation is not None
    assert found.implementation.primary == "pwd"
    assert name not in topology.node_templates["a"].interfaces
