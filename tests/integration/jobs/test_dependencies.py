"""Files that an implementation depends on lie beside its primary, whatever that is and wherever it runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.matrix import sampled

FILES = {
    "files/word.txt": "hello",
    "scripts/say.sh": """
beside=$(dirname "$0")
echo "{\\"said\\": \\"$(cat word.txt) $(cat "$beside/word.txt") $(cat near.txt) $1\\"}"
""",
    "scripts/near.txt": "near",
    "scripts/say.py": "import json, pathlib\nprint(json.dumps({'said': pathlib.Path('word.txt').read_text()}))\n",
    "plays/play.yaml": """
- hosts: all
  gather_facts: false
  tasks:
    - command: cat word.txt
      delegate_to: localhost
      register: read
    - set_stats: {data: {said: "{{ read.stdout }} {{ lookup('file', 'word.txt') }}"}}
""",
    "plays/tasks.yaml": """
- set_stats: {data: {said: "{{ lookup('file', 'word.txt') }}"}}
""",
    "roles/say/tasks/main.yml": """
- set_stats: {data: {said: "{{ lookup('file', 'word.txt') }}"}}
""",
    "say.py": """
from pathlib import Path
def say(task):
    return task.done(outputs={"said": Path("word.txt").read_text() + Path(__file__).with_name("word.txt").read_text()})
""",
    "hosts.ini": 'there ansible_connection=local ansible_python_interpreter="{{ ansible_playbook_python }}"\n',
}
#: primary -> what it said
PRIMARIES: dict[str, tuple[Any, str]] = {
    "playbook": ("plays/play.yaml", "hello hello"),
    "tasks": ("plays/tasks.yaml", "hello"),
    "role": ("roles/say", "hello"),
    "script": ("scripts/say.sh", "hello hello near a b"),
    "script in Python": ("scripts/say.py", "hello"),
    "shell": ('echo "{\\"said\\": \\"$(cat word.txt)\\"}"', "hello"),
}
LOCAL_ONLY: dict[str, tuple[Any, str]] = {"Python": ({"className": "say.py#say"}, "hellohello")}
CASES = {
    **{f"{name}, here": (*case, "ORCHESTRATOR") for name, case in {**PRIMARIES, **LOCAL_ONLY}.items()},
    # what lies beside the primary in the project, but is not named, does not come to another host
    **{
        f"{name}, on another host": (*case, "there")
        for name, case in {
            **PRIMARIES,
            "script": ("scripts/say.sh", "hello hello  a b"),
        }.items()
    },
}


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def service(operations: dict[str, Any]) -> str:
    node = {"type": "A", "interfaces": {"Standard": {"operations": operations}}}
    return json.dumps(
        {
            "tosca_definitions_version": "tosca_simple_yaml_1_3",
            "node_types": {"A": {"derived_from": "tosca.nodes.Root", "attributes": {"said": {"type": "string"}}}},
            "topology_template": {"node_templates": {"a": node}},
        }
    )


@pytest.mark.parametrize("case", sampled(CASES, 3))
def test_beside_the_primary(command: Callable[..., Any], tmp_path: Path, case: str) -> None:
    primary, said, host = CASES[case]
    named = {"primary": primary} if isinstance(primary, str) else primary
    implementation = {**named, "dependencies": ["files/word.txt"], "operation_host": host}
    inputs = {"arguments": ["a b"]} if primary == "scripts/say.sh" else {}
    operation = {"implementation": implementation, "outputs": {"said": ["SELF", "said"]}, "inputs": inputs}
    write(tmp_path, {**FILES, "service.yaml": service({"create": operation})})
    run = command("deploy", "-y", "-i", "hosts.ini", "service.yaml")
    assert run.code == 0, run.output
    told = command("query", "::a::said")
    assert told.stdout.strip().strip('"') == said
    assert not (tmp_path / "word.txt").exists()


def test_what_is_deleted_after_its_files_have_gone_has_them(command: Callable[..., Any], tmp_path: Path) -> None:
    written = {"primary": f"cat word.txt > {tmp_path}/deleted", "dependencies": ["files/word.txt"]}
    write(tmp_path, {**FILES, "service.yaml": service({"delete": {"implementation": written}})})
    assert command("deploy", "-y", "service.yaml").code == 0
    (tmp_path / "files" / "word.txt").unlink()
    write(tmp_path, {"service.yaml": "tosca_definitions_version: tosca_simple_yaml_1_3\n"})
    run = command("deploy", "-y", "--prune")
    assert run.code == 0, run.output
    assert (tmp_path / "deleted").read_text() == "hello"


def test_a_file_that_changed_is_a_reason_to_run_again(command: Callable[..., Any], tmp_path: Path) -> None:
    written = {"primary": f"cat word.txt >> {tmp_path}/log", "dependencies": ["files/word.txt"]}
    write(tmp_path, {**FILES, "service.yaml": service({"configure": {"implementation": written}})})
    for word in ("hello", "hello", "world"):
        (tmp_path / "files" / "word.txt").write_text(word)
        assert command("deploy", "-y", "service.yaml").code == 0
    assert (tmp_path / "log").read_text() == "helloworld"
