"""Bad input ends in one clear message and the right exit code: where, what, and what to do; never a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

HEAD = "tosca_definitions_version: tosca_simple_yaml_1_3\n"
NODE = """
node_types:
  App:
    derived_from: tosca.nodes.Root
    properties:
      port: {{type: integer, required: {required}, constraints: [in_range: [1, 65535]]}}
    interfaces:
      Standard:
        operations:
          create:
            implementation: {implementation}
            inputs: {inputs}
topology_template:
  node_templates:
    app:
      type: App
{template}
"""


def app(
    *,
    template: str = "      properties: {port: 80}",
    implementation: str = "{className: Cmd, primary: echo}",
    inputs: str = "{}",
    required="true",
) -> str:
    return HEAD + NODE.format(template=template, implementation=implementation, inputs=inputs, required=required)


ENSEMBLE = "apiVersion: tosca-ensemble/v1\nkind: Ensemble\nspec:\n  service_template: service.yaml\n"
CYCLE = (
    HEAD
    + """
topology_template:
  node_templates:
    a: {type: tosca.nodes.Root, requirements: [dependency: b]}
    b: {type: tosca.nodes.Root, requirements: [dependency: c]}
    c: {type: tosca.nodes.Root, requirements: [dependency: a]}
"""
)

#: Name -> files, exit code, what the message must hold.
INVALID: dict[str, tuple[dict[str, str | bytes], int, list[str]]] = {
    "truncated yaml": ({"service.yaml": app()[:-60] + "\n      properties: {port: 80"}, 3, ["service.yaml:"]),
    "tab indentation": (
        {"service.yaml": HEAD + "topology_template:\n\tnode_templates: {}\n"},
        3,
        ["service.yaml:3", "tab"],
    ),
    "duplicate key": ({"service.yaml": app() + "    app: {type: App}\n"}, 3, ["service.yaml:", "app"]),
    "empty file": ({"service.yaml": ""}, 3, ["service.yaml", "empty"]),
    "not text": ({"service.yaml": b"\xff\xfe\x00\x01"}, 3, ["service.yaml"]),
    "unknown version": (
        {"service.yaml": "tosca_definitions_version: tosca_simple_yaml_9_9\n"},
        3,
        ["service.yaml:1:28"],
    ),
    "unknown type": (
        {"service.yaml": app().replace("type: App", "type: Ap")},
        3,
        ["service.yaml:17:13", "'Ap'", "did you mean App"],
    ),
    "wrong property type": (
        {"service.yaml": app(template="      properties: {port: eighty}")},
        3,
        ["service.yaml:18:26", "integer"],
    ),
    "constraint violated": (
        {"service.yaml": app(template="      properties: {port: 70000}")},
        3,
        ["service.yaml:18:26", "65535"],
    ),
    "missing property": ({"service.yaml": app(template="      properties: {}")}, 3, ["service.yaml:18:19", "'port'"]),
    "unknown property": (
        {"service.yaml": app(template="      properties: {port: 1, prot: 2}")},
        3,
        ["service.yaml:18:29", "'prot'", "did you mean port"],
    ),
    "unknown key": ({"service.yaml": app(template="      propertys: {port: 1}")}, 3, ["propertys", "properties"]),
    "cycle": ({"service.yaml": CYCLE}, 3, ["a -> b -> c -> a"]),
    "unknown requirement target": (
        {"service.yaml": app(template="      properties: {port: 1}\n      requirements: [dependency: databas]")},
        3,
        ["service.yaml:19:34", "databas"],
    ),
    "missing import": ({"service.yaml": HEAD + "imports: [types.yaml]\n"}, 3, ["service.yaml:2", "types.yaml"]),
    "missing script": (
        {"service.yaml": app(implementation="scripts/create.sh")},
        3,
        ["service.yaml:", "scripts/create.sh"],
    ),
    "unknown input": (
        {"service.yaml": app(template="      properties: {port: {get_input: prt}}")},
        3,
        ["service.yaml:18:26", "prt"],
    ),
    "missing service template": ({"ensemble.yaml": ENSEMBLE}, 3, ["ensemble.yaml:4:21", "service.yaml"]),
    "unknown key in the ensemble": (
        {"ensemble.yaml": ENSEMBLE.replace("spec:", "specs:")},
        3,
        ["ensemble.yaml:3", "specs", "spec"],
    ),
    "unknown status": (
        {
            "ensemble.yaml": ENSEMBLE + "status:\n  instances:\n    app: {readyState: {local: fine}}\n",
            "service.yaml": app(),
        },
        3,
        ["ensemble.yaml:7", "fine", "ok"],
    ),
    "undefined variable in a template": (
        {"service.yaml": app(inputs='{text: "{{ nowhere }}"}')},
        3,
        ["service.yaml:", "nowhere", "undefined"],
    ),
    "operation that exits 3": (
        {"service.yaml": app(implementation='"echo no luck >&2; exit 3"')},
        1,
        ["exit code 3", "no luck"],
    ),
    "command that does not exist": ({"service.yaml": app(implementation='"nonesuch --now"')}, 3, ["nonesuch"]),
    "unknown module": (
        {"service.yaml": app(implementation="ansible.builtin.comand")},
        3,
        ["service.yaml:", "there is no module ansible.builtin.comand", "did you mean ansible.builtin.command"],
    ),
    "module with a wrong argument": (
        {"service.yaml": app(implementation="ansible.builtin.file", inputs="{path: /tmp, stat: touch}")},
        3,
        ["service.yaml:", "has no argument 'stat'", "did you mean state"],
    ),
    "wrong function": (
        {"service.yaml": app(inputs="{text: {get_attribute: [databse, url]}}")},
        3,
        ["service.yaml:", "databse"],
    ),
    "file outside of the project": (
        {"service.yaml": app(inputs="{text: {eval: {file: ../../etc/hostname}, select: contents}}")},
        3,
        ["service.yaml:", "../../etc/hostname"],
    ),
}


def write(folder: Path, files: dict[str, str | bytes]) -> str:
    for name, content in files.items():
        if isinstance(content, bytes):
            (folder / name).write_bytes(content)
        else:
            (folder / name).write_text(content)
    return "ensemble.yaml" if "ensemble.yaml" in files else "service.yaml"


@pytest.mark.parametrize("name", INVALID)
def test_one_clear_message_and_the_right_exit_code(command, tmp_path, name):
    files, code, expected = INVALID[name]
    folder = tmp_path / "project"
    folder.mkdir()
    run = command("deploy", "--approve", write(folder, files), cwd=folder)
    assert run.code == code, run.output
    assert "Traceback" not in run.output
    assert "defect" not in run.output
    for text in expected:
        assert text in run.output, run.output
    if code == 3:
        assert run.stdout == ""
        assert run.stderr.startswith("Error: ")
        assert not (folder / "jobs.tsv").exists()
    assert not (folder / "ensemble.yaml.lock").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        (["deploy", "service.yaml"], 2, "--approve"),
        (["deploy", "--approve", "nothere.yaml"], 3, "nothere.yaml"),
        (["deploy", "--approve", "--instance", "ap", "service.yaml"], 3, "did you mean app"),
        (["deploy", "--approve", "--input", "nosuch=1", "service.yaml"], 3, "nosuch"),
        (["deploy", "--approve", "--repair", "always", "service.yaml"], 2, "repair"),
        (["deploi", "service.yaml"], 2, "deploy"),
        (["plan", "--workflow", "fly", "service.yaml"], 2, "fly"),
        (["unlock", "0123"], 2, "not locked"),
    ],
)
def test_wrong_usage(command, tmp_path, arguments, code, expected):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "service.yaml").write_text(app())
    if "unlock" in arguments:
        (folder / "ensemble.yaml").write_text(ENSEMBLE)
    run = command(*arguments, cwd=folder)
    assert run.code == code, run.output
    assert expected in run.stderr
    assert "Traceback" not in run.output
