"""Small ensembles of Unfurl's dialect end here as they end in Unfurl 1.2.0: instances, statuses, states, attributes.

`ends` of a case is what Unfurl was seen to come to; `here` is what we do instead where that differs on purpose, with
the reason, which docs/coming-from.md tells, too. With Unfurl's command in the variable UNFURL_COMMAND it runs as well.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.matrix import sampled

CASES: dict[str, dict[str, Any]] = yaml.load(Path(__file__).with_name("cases.yaml").read_text(), yaml.CSafeLoader)
UNFURL = os.environ.get("UNFURL_COMMAND", "")


class Recorded(yaml.SafeLoader):
    """Reads what jobs write: a value with a tag is the tag, be it `!sensitive` or `!vault`."""


Recorded.add_multi_constructor("!", lambda _loader, tag, _node: tag)


def write(case: dict[str, Any], folder: Path) -> None:
    for name, text in case.get("files", {}).items():
        (folder / name).write_text(text)
    topology = {**case.get("topology", {}), "node_templates": case["nodes"]}
    version = {"tosca_definitions_version": "tosca_simple_unfurl_1_0_0"}
    spec = {"service_template": {**version, **case.get("types", {}), "topology_template": topology}}
    ensemble = {"apiVersion": "unfurl/v1alpha1", "kind": "Ensemble", "spec": {**spec, **case.get("spec", {})}}
    if "environment" in case:
        ensemble["environment"] = case["environment"]
    (folder / "ensemble.yaml").write_text(yaml.safe_dump(ensemble, sort_keys=False, width=1000))


def end_of(case: dict[str, Any], folder: Path, run: Callable[[str], int]) -> dict[str, Any]:
    """What the case's jobs end in."""
    folder.mkdir()
    write(case, folder)
    ok = []
    ensemble = folder / "ensemble.yaml"
    for number, workflow in enumerate(case.get("run", ["deploy"])):
        if number:
            text = ensemble.read_text()
            for old, new in case.get("change", {}).items():
                text = text.replace(old, new)
            ensemble.write_text(text)
        ok.append(run(workflow) == 0)
    status = yaml.load(ensemble.read_text(), Recorded).get("status") or {}
    found: dict[str, Any] = {"ok": ok, "instances": instances_of(status)}
    return found | ({"outputs": status["outputs"]} if status.get("outputs") else {})


def instances_of(status: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, one in (status.get("instances") or {}).items():
        ready = one.get("readyState") or {}
        ready = {"local": ready} if isinstance(ready, str) else ready
        found[name] = {"status": ready.get("effective", ready.get("local")), "state": ready.get("state")}
        if one.get("attributes"):
            found[name]["attributes"] = one["attributes"]
        found |= instances_of(one)
    return found


@pytest.mark.parametrize("name", sampled(CASES, 5))
def test_it_ends_as_in_unfurl(command: Callable[..., Any], tmp_path: Path, name: str) -> None:
    case, folder, output = CASES[name], tmp_path / name, []

    def run(workflow: str) -> int:
        done = command(workflow, *([] if workflow in ("check", "discover") else ["-y"]), "ensemble.yaml", cwd=folder)
        output.append(done.output)
        return int(done.code)

    end = end_of(case, folder, run)
    assert end == case.get("here", case["ends"]), "\n".join(output)


@pytest.mark.skipif(not UNFURL, reason="UNFURL_COMMAND names no command of Unfurl 1.2")
@pytest.mark.parametrize("name", CASES)
def test_unfurl_itself_ends_so(tmp_path: Path, name: str) -> None:
    home = {"UNFURL_HOME": "", "UNFURL_NORUNTIME": "1", "HOME": str(tmp_path.parent)}
    path = f"{Path(UNFURL).parent}{os.pathsep}{os.environ['PATH']}"
    folder = tmp_path / name

    def run(workflow: str) -> int:
        words = ["teardown" if workflow == "undeploy" else workflow, "ensemble.yaml", "--jobexitcode", "error"]
        words += [] if workflow == "check" else ["-a"]
        done = subprocess.run(
            [UNFURL, *words], cwd=folder, env={**os.environ, **home, "PATH": path}, capture_output=True, check=False
        )
        return done.returncode

    assert end_of(CASES[name], folder, run) == CASES[name]["ends"]


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 40
    assert all("why" in case for case in CASES.values() if "here" in case)
