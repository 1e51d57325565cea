"""The service of the torture: nodes whose operations leave files, and print a word of their own that is an attribute.

Each operation notes its beginning, and its end with the word, in `log`. What is there is told by files: `N.made.txt`
and `N.up.txt` of node N, by which its check finds it ok, pending or absent.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

NODES = 20
#: Every fifth node's operations are run by Ansible's shell module.
CALLED = 5
#: What each operation does, and the attribute that it prints.
OPERATIONS = {
    "create": ("touch $name.made.txt", "made"),
    "start": ("touch $name.up.txt", "up"),
    "stop": ("rm -f $name.up.txt", "down"),
    "delete": ("rm -f $name.made.txt", "gone"),
}
_TYPES = """\
  Looked:
    derived_from: tosca.nodes.Root
    attributes: {made: {type: string}, up: {type: string}, down: {type: string}, gone: {type: string}}
    interfaces:
      Install:
        inputs: {name: {get_attribute: [SELF, tosca_name]}}
        operations:
          check: >-
            if test -e $name.up.txt; then echo '{"status": "ok"}';
            elif test -e $name.made.txt; then echo '{"status": "pending"}'; else echo '{"status": "absent"}'; fi
"""


def words_service(seconds: float) -> str:
    """The service template."""
    lines = ["tosca_definitions_version: tosca_simple_yaml_1_3", "node_types:", _TYPES.rstrip()]
    for name, operations in (("Noted", _standard(seconds)), ("Called", _called(seconds))):
        lines += [f"  {name}:", "    derived_from: Looked", "    interfaces:", *operations]
    lines += ["topology_template:", "  node_templates:"]
    for number in range(NODES):
        lines += [f"    n{number}:", f"      type: {'Noted' if number % CALLED else 'Called'}"]
    return "\n".join(lines) + "\n"


def _script(operation: str, seconds: float) -> str:
    deed, attribute = OPERATIONS[operation]
    end = f"echo end {operation} $name $$ >> log; echo '{{\"{attribute}\": \"'$$'\"}}'"
    return f"echo begin {operation} $name >> log; sleep {seconds}; {deed}; sleep {seconds}; {end}"


def _standard(seconds: float) -> Iterator[str]:
    yield "      Standard:"
    yield "        inputs: {name: {get_attribute: [SELF, tosca_name]}}"
    yield "        operations:"
    for operation in OPERATIONS:
        yield f"          {operation}: |-"
        yield f"            {_script(operation, seconds)}"


def _called(seconds: float) -> Iterator[str]:
    yield "      Standard:"
    yield "        operations:"
    for operation, (_, attribute) in OPERATIONS.items():
        script = _script(operation, seconds)
        yield f"          {operation}:"
        yield "            implementation: ansible.builtin.shell"
        yield "            inputs:"
        yield "              _raw_params:"
        yield "                concat:"
        yield "                  - 'name='"
        yield "                  - {get_attribute: [SELF, tosca_name]}"
        yield "                  - |-"
        yield f"                    ; {script}"
        yield "              resultTemplate:"
        yield f"                attributes: {{{attribute}: '{{{{ (stdout | from_json).{attribute} }}}}'}}"


def noted(folder: Path, mark: str = "end") -> list[str]:
    """What operations noted, in order: `create n0`, ..."""
    return [" ".join(words[1:3]) for words in _lines(folder) if words[0] == mark]


def last_words(folder: Path) -> dict[str, str]:
    """The word that each operation printed the last time it came to its end: `create n0` -> word."""
    return {" ".join(words[1:3]): words[3] for words in _lines(folder) if words[0] == "end" and len(words) == 4}


def _lines(folder: Path) -> list[list[str]]:
    log = folder / "log"
    return [line.split() for line in log.read_text().splitlines() if line] if log.exists() else []
