"""A literal of a sensitive property is found nowhere but in the file that has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.jobs.records.canaries import CANARY
from tests.integration.jobs.records.repositories import git, make_project

LITERAL = f"{CANARY}literal-2e7"

#: A literal of a sensitive property that stands in texts beside it as well, and a sensitive input.
LITERAL_SERVICE = f"""\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Holder:
    derived_from: tosca.nodes.Root
    properties:
      password: {{type: string, metadata: {{sensitive: true}}}}
      given: {{type: string, metadata: {{sensitive: true}}}}
    interfaces:
      Standard:
        operations:
          create: 'echo {LITERAL}; echo {LITERAL} >&2'
          configure:
            implementation: 'echo "$GIVEN {LITERAL}"; CODE'
            inputs: {{GIVEN: {{get_property: [SELF, given]}}}}
topology_template:
  inputs:
    given: {{type: string, metadata: {{sensitive: true}}}}
  node_templates:
    holder:
      type: Holder
      properties: {{password: {LITERAL}, given: {{get_input: given}}}}
"""


def objects(folder: Path) -> set[str]:
    return set(git(folder, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split())


@pytest.mark.parametrize(("ending", "code"), [("true", 0), ("false", 1)])
def test_literals_of_sensitive_properties_in_implementations(command, tmp_path, watched, ending, code):
    project = make_project(tmp_path / "project", LITERAL_SERVICE.replace("CODE", ending))
    given = tmp_path / "given.yaml"
    given.write_text(f"given: {CANARY}input-8c2\n")
    (project / "planned").mkdir()
    before = objects(project)
    runs = [
        command(*arguments, "--inputs", str(given), cwd=project)
        for arguments in (
            ("plan", "--out", str(project / "planned" / "plan.json")),
            ("deploy", "--approve", "--commit", "-vvv"),
            ("run", "--approve", "--save", "--", "echo", LITERAL),
        )
    ]
    watched.done.set()
    assert [done.code for done in runs] == [0, code, 0], [done.output for done in runs]
    kept = [path.relative_to(project) for path in project.rglob("jobs/**/*") if path.is_file()]
    assert {"stdout", "rc"} <= {path.name for path in kept}
    assert any("job_events" in path.parts for path in kept)
    found = [path for path in project.rglob("*") if path.is_file() and ".git" not in path.parts]
    assert [path for path in found if path.name != "service.yaml" and CANARY.encode() in path.read_bytes()] == []
    made = objects(project) - before
    assert made
    assert [one for one in made if CANARY in git(project, "cat-file", "-p", one)] == []
    assert [done.output for done in runs if CANARY in done.output] == []
