"""A package that an operation needs is installed by pip, from a wheel beside the spec, before the operation runs."""

from __future__ import annotations

import base64
import hashlib
import json
import zipfile
from pathlib import Path
from typing import NoReturn

import pytest

from ansible_ensemble.engine.plan import plan_workflow
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.jobs.run import run_plan
from ansible_ensemble.records.record import record_journal

WHEEL = "acme_greeting-1.2-py3-none-any.whl"
SERVICE = f"""\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Greeting:
    derived_from: tosca.nodes.Root
    attributes: {{said: {{type: string}}}}
    interfaces:
      Standard:
        operations:
          create:
            implementation:
              primary: greet.py
              dependencies: [{{type: artifact.PythonPackage, file: wheels/{WHEEL}}}]
topology_template:
  node_templates:
    greeting: {{type: Greeting}}
"""


def without_ansible() -> NoReturn:
    pytest.fail("it needs no Ansible")


def write_wheel(file: Path) -> None:
    about = "acme_greeting-1.2.dist-info"
    contents = {
        "acme_greeting.py": "WORD = 'hello'\n",
        f"{about}/METADATA": "Metadata-Version: 2.1\nName: acme-greeting\nVersion: 1.2\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    lines = [f"{about}/RECORD,,"]
    for name, text in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(text)}")
    with zipfile.ZipFile(file, "w") as wheel:
        for name, text in {**contents, f"{about}/RECORD": "\n".join(lines) + "\n"}.items():
            wheel.writestr(name, text)


def test_a_wheel_is_installed_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / "site"
    monkeypatch.setenv("PIP_TARGET", str(site))
    monkeypatch.setenv("PYTHONPATH", str(site))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    (tmp_path / "wheels").mkdir()
    write_wheel(tmp_path / "wheels" / WHEEL)
    (tmp_path / "service.yaml").write_text(SERVICE)
    (tmp_path / "greet.py").write_text("import acme_greeting, json\nprint(json.dumps({'said': acme_greeting.WORD}))\n")
    options = JobOptions()
    location = locate(tmp_path / "service.yaml")
    ensemble = read_ensemble(location, options)
    outcome, journal = run_plan(
        ensemble, plan_workflow(ensemble, "deploy", options), options, without_ansible, show=lambda _: None
    )
    record_journal(read_ensemble(location, options), journal)
    assert outcome.ok, [json.loads(line).get("error") for line in journal.read_text().splitlines()]
    instances = read_ensemble(locate(tmp_path / "ensemble.yaml"), options).instances
    assert instances.by_name["greeting"].attributes["said"] == "hello"
    assert instances.by_name["tool-acme_greeting"].created is not None
