"""Operations of a substituted node that workflows of the topology in its place carry out."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.language.entities import Topology

Load = Callable[..., Topology]

TYPES = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Database: {interfaces: {Backup: {type: tosca.interfaces.Root, operations: {save: {}}}}}
  Engine: {interfaces: {Own: {type: tosca.interfaces.Root, operations: {flush: "true", copy: "true"}}}}
"""
NESTED = """\
tosca_definitions_version: tosca_simple_yaml_1_3
imports: [types.yaml]
topology_template:
  substitution_mappings:
    node_type: Database
    interfaces: {Standard: {configure: w}, Backup: {save: w}}
  node_templates: {engine: {type: Engine}, disk: {type: Engine}}
  workflows:
    w:
      steps:
        last: {target: disk, activities: [{call_operation: Own.copy}]}
        first:
          {target: engine, activities: [{call_operation: Own.flush}, {call_operation: Own.copy}], on_success: [last]}
"""
OUTER = """\
imports: [nested.yaml, types.yaml]
topology_template: {node_templates: {db: {type: Database, directives: [substitute]}}}
"""


def loaded(load: Load, nested: str) -> Topology:
    return load(OUTER, files={"types.yaml": TYPES, "nested.yaml": nested})


def test_calls_in_the_order_of_the_steps(load: Load) -> None:
    topology = loaded(load, NESTED)
    calls = [("db:engine", "Own.flush"), ("db:engine", "Own.copy"), ("db:disk", "Own.copy")]
    assert topology.node_templates["db"].mapped == {"Standard.configure": calls, "Backup.save": calls}
    assert topology.warnings == []


REFUSED = [
    ("save: w", "save: v", "the operation Backup.save is mapped to no workflow of the topology"),
    ("save: w", "save: [engine, Own.flush]", "the operation Backup.save is mapped to no workflow of the topology"),
    ("save: w", "restore: w", "Database has no operation Backup.restore"),
    ("{save: w}", "w", "the mapped interface 'Backup' must be a map"),
    ("    w:\n", "    w:\n      inputs: {i: {type: integer}}\n", "workflow 'w' cannot carry out an operation"),
    ("on_success", "on_failure", "step 'first' of workflow 'w' cannot carry out a part of an operation"),
    ("[{call_operation: Own.copy}]}", "[{set_state: started}]}", "step 'last' of workflow 'w' cannot carry out"),
]


@pytest.mark.parametrize(("old", "new", "message"), REFUSED)
def test_refused(load: Load, old: str, new: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=r"nested\.yaml:\d+:\d+: ") as caught:
        loaded(load, NESTED.replace(old, new, 1))
    assert message in str(caught.value)
