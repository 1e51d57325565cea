"""Each way for a template of a stranger into a look: none reads the reader's environment, none goes on without end."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.expressions import templates
from ansible_ensemble.jobs.inspection import query
from ansible_ensemble.jobs.planned import make_plan
from tests.preloaded import PROGRAMS, run

pytestmark = pytest.mark.usefixtures("nothing_trusted")

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs: {i: {type: string, default: plain}}
  node_templates:
    a:
      properties: {p: VALUE}
      interfaces: {Standard: {operations: {create: {implementation: "echo hi", inputs: {i: OPERAND}}}}}
  outputs: {o: {value: VALUE}}
"""
ENSEMBLE = "apiVersion: tosca-ensemble/v1\nkind: Ensemble\nenvironment: {ENVIRONMENT}\nspec: {SPEC}\n"
TEMPLATES = (
    "{{ '{0.__globals__[os].environ[CANARY]}'.format(now) }}",
    "{{ '{x.__init__.__globals__}'.format_map({'x': cycler}) }}",
    "{{ ('a' * 40) | regex_search('(a+)+$b') }}",
    "{{ 'a' * 10**10 }}",
)
WAYS = {
    "a property": ('"TEMPLATE"', "", ""),
    "a template function": ('{eval: {template: "TEMPLATE"}}', "", ""),
    "an input": ("{get_input: i}", "", 'inputs: {i: "TEMPLATE"}'),
    "the environment's inputs": ("{get_input: i}", 'inputs: {i: "TEMPLATE"}', ""),
    "the environment's variables": ("{get_env: X}", 'variables: {X: "TEMPLATE"}', ""),
    "the environment's locals": ("{eval: {local: x}}", 'locals: {x: "TEMPLATE"}', ""),
    "the environment's secrets": ("{eval: {secret: x}}", 'secrets: {x: "TEMPLATE"}', ""),
    "an operation's input": ("plain", "", ""),
}


@pytest.fixture
def little_memory() -> Iterator[None]:
    """Let the process have a gigabyte more than it has: without bounds, a template takes all that there is."""
    held = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (held + (1 << 30), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_DATA, before)


def written(folder, way, template):
    value, environment, spec = (part.replace("TEMPLATE", template) for part in WAYS[way])
    operand = f'"{template}"' if way == "an operation's input" else value
    (folder / "service.yaml").write_text(SERVICE.replace("VALUE", value).replace("OPERAND", operand))
    spec = f"service_template: service.yaml, {spec}"
    (folder / "ensemble.yaml").write_text(ENSEMBLE.replace("ENVIRONMENT", environment).replace("SPEC", spec))


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("way", WAYS)
def test_no_way_leads_out_or_goes_on_for_ever(tmp_path, monkeypatch, way, template):
    monkeypatch.setenv("CANARY", "hunter2")
    monkeypatch.setattr(templates, "_SECONDS", 0.2)
    written(tmp_path, way, template)
    looks = [
        lambda: str(make_plan(str(tmp_path), "deploy", {})),
        lambda: str(query(str(tmp_path), "::a::p", None, {})),
        lambda: str(query(str(tmp_path), "{{ NODES.a.p }}", None, {})),
    ]
    for look in looks[: 1 if way == "an operation's input" else None]:
        with pytest.raises(EnsembleError) as error:
            look()
        assert "hunter2" not in str(error.value)
        assert ("asks for too much" in str(error.value)) == (template in TEMPLATES[2:])


def test_no_command_that_looks_shows_it(tmp_path):
    written(tmp_path, "a property", TEMPLATES[0])
    for words in (["plan"], ["graph"], ["query", "::a::p"], ["status"], ["outputs"], ["validate"]):
        done = run([PROGRAMS / "ansible-ensemble", *words], cwd=tmp_path, env={**os.environ, "CANARY": "hunter2"})
        assert "hunter2" not in done.stdout + done.stderr, words
        assert "Traceback" not in done.stderr, words
