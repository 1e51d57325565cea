"""Files of a stranger that ask for more than there is: each look ends in one message, within time and memory."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.integration.jobs.conftest import environment
from tests.preloaded import run, run_fresh

HEAD = "tosca_definitions_version: tosca_simple_yaml_1_3\n"
ENSEMBLE = "apiVersion: tosca-ensemble/v1\nkind: Ensemble\nspec: {service_template: service.yaml}\n"
LOOKS = "validate", "plan", "status", "outputs", "graph", "query ::a::p", "history", "deploy"
#: The command with as much memory as a small machine has, beside what it holds when it starts.
LIMITED = """\
import resource
from pathlib import Path

from ansible_ensemble.cli.main import main

held = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_DATA, (held + (520 << 20), held + (520 << 20)))
raise SystemExit(main())
"""
#: A bomb of which each look is a process of its own.
FRESH = "billion laughs"
HUGE = "0x" + "f" * 2_000_000
LAUGHS = "[" + ", ".join(f"&b{n} [{', '.join([f'*b{n - 1}'] * 10 if n else ['x'] * 10)}]" for n in range(12)) + "]"


def of(properties: str, name: str = "a") -> str:
    return f"{HEAD}topology_template: {{node_templates: {{{name}: {{properties: {{{properties}}}}}}}}}\n"


def chain(first: str, then: str, length: int = 40) -> str:
    """Properties each of which is made of the one before, twice."""
    return of(", ".join([f"p0: {first}", *(f"p{n}: {then.replace('BEFORE', f'p{n - 1}')}" for n in range(1, length))]))


BOMBS = {
    "billion laughs": of(f"p: {LAUGHS}"),
    "many digits": of(f"p: {'9' * 100_000}"),
    "many hexadecimal digits": of(f"p: {HUGE}"),
    "deep lists": of(f"p: {'[' * 100_000}{']' * 100_000}"),
    "deep maps": of(f"p: {'{a: ' * 5000}1{'}' * 5000}"),
    "a long key": of(f"{'k' * 3_000_000}: 1"),
    "a long name": of("p: 1", "n" * 1_000_000),
    "a key twice": of("p: 1, p: 2"),
    "a NUL": of("p: 'a\0b'"),
    "a name with a NUL": of("p: 1", r'"a\0b"'),
    "half a character": of(r'p: "\ud800"'),
    "a name that clears the screen": of("p: 1", r'"\e[2Ja"'),
    "a name that forges a line": of("p: 1", r'"a\nPlan: 0 to add, 0 to change, 0 to destroy."'),
    "a name that turns text round": of("p: 1", r'"a\u202eb"'),
    "a Python object": of("p: !!python/object/apply:os.system [touch ran]"),
    "itself": of("p: &x {<<: *x}"),
    "a product": chain("1" + "0" * 1000, "{eval: {mul: [.::BEFORE, .::BEFORE]}}"),
    "a text twice as long each time": chain(
        "x" * 1000, "{concat: [get_property: [SELF, BEFORE], get_property: [SELF, BEFORE]]}"
    ),
    "a template twice as long each time": chain("xx", "'{{ SELF.BEFORE ~ SELF.BEFORE }}'"),
    "a number of a template": of("""p: "{{ ('0x' ~ 'f' * 4000000) | from_yaml }}" """),
    "copies": f"{HEAD}topology_template: {{node_templates: {{a: {{occurrences: [1000000000, 1000000000]}}}}}}\n",
}
#: What is no fault of a file.
PLAIN = {
    "not a number": of("p: .nan, q: -0, r: -0.0, s: -.inf, t: 1e999999999"),
    "control characters in a value": of(r'p: "\e[2J\0\u202e"'),
    "some depth": of(f"p: {'[' * 60}{']' * 60}"),
}


def looks(folder: Path, service: str, fresh: bool = False) -> list[tuple[str, int, str, str]]:
    """Look by each command, with as much memory as a small machine has; each with exit code and outputs."""
    (folder / "service.yaml").write_text(service)
    (folder / "ensemble.yaml").write_text(ENSEMBLE)
    program = folder / "limited.py"
    program.write_text(LIMITED)
    env = {name: value for name, value in environment(folder).items() if name != "XDG_STATE_HOME"}  # nothing is trusted
    found = []
    for words in LOOKS:
        ran = (run_fresh if fresh else run)([sys.executable, program, *words.split()], cwd=folder, env=env)
        found.append((words, ran.returncode, ran.stdout, ran.stderr))
    return found


@pytest.mark.parametrize("bomb", BOMBS)
def test_each_look_says_what_is_wrong_or_works(tmp_path: Path, bomb: str) -> None:
    found = looks(tmp_path, BOMBS[bomb], bomb == FRESH)
    assert {code for _words, code, *_ in found} <= {0, 2, 3}, found
    assert {words: code for words, code, *_ in found}["validate"] in (0, 3)
    assert 3 in {code for _words, code, *_ in found}, "nothing says that it cannot be planned"
    for words, code, shown, said in found:
        text = shown + said
        assert len(text) < 2000, words
        assert "Traceback" not in text
        assert "bug" not in text
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert code == 0 or text.count("Error: ") + (words == "validate") >= 1
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("value", PLAIN)
def test_what_is_strange_and_allowed_forges_nothing(tmp_path: Path, value: str) -> None:
    for words, code, shown, said in looks(tmp_path, PLAIN[value]):
        assert code == (2 if words == "deploy" else 0), shown + said
        if not words.startswith("query"):  # gives the value itself, but to a terminal
            assert "\x1b" not in shown + said
