"""Values across nested topologies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

LEVEL = """\
tosca_definitions_version: tosca_simple_yaml_1_3
imports: [{imports}]
topology_template:
  inputs: {{size: {{type: integer}}}}
  substitution_mappings: {{node_type: Level{level}, properties: {{size: [size]}}, attributes: {{url: [inner, url]}}}}
  node_templates:
    inner: {{type: {type}, properties: {{size: {{get_input: size}}}}}}
"""
OUTERMOST = """\
tosca_definitions_version: tosca_simple_yaml_1_3
imports: [types.yaml, level1.yaml]
topology_template:
  node_templates:
    inner: {type: Level1, properties: {size: 5}}
"""


def test_a_nested_template_may_have_the_name_of_the_one_it_is_nested_in(job: Any, tmp_path: Path) -> None:
    kinds = ["Level1", "Level2", "Level3", "Leaf"]
    body = "{properties: {size: {type: integer}}, attributes: {url: {type: string}}}"
    types = "\n".join(f"  {name}: {body}" for name in kinds)
    (tmp_path / "types.yaml").write_text(f"tosca_definitions_version: tosca_simple_yaml_1_3\nnode_types:\n{types}\n")
    for level, inside in enumerate(kinds[1:], 1):
        imports = "types.yaml" if inside == "Leaf" else f"types.yaml, level{level + 1}.yaml"
        (tmp_path / f"level{level}.yaml").write_text(LEVEL.format(level=level, type=inside, imports=imports))
    read = job(OUTERMOST)
    leaf = read.instance("inner:inner:inner:inner", attributes={"url": "http://5"})
    evaluator = read.ensemble.evaluator
    assert evaluator.scope(leaf).property("size") == 5
    assert evaluator.scope().query("::inner::url") == "http://5"
