"""`export` prints what `unfurl export` of Unfurl 1.2.0 was seen to print of the same project; with its command in the
variable UNFURL_COMMAND it runs as well."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
RECORDED: dict[str, Any] = json.loads((HERE / "exported.json").read_text())
UNFURL = os.environ.get("UNFURL_COMMAND", "")
PROJECT = """\
apiVersion: unfurl/v1alpha1
kind: Project
ensembles: [{file: ensemble.yaml, environment: prod}]
environments:
  prod:
    connections:
      primary_provider: {type: tosca.relationships.ConnectsTo, properties: {credential: {token: t}}}
    instances: {shared: {type: tosca.nodes.Root}}
  dev: {}
"""
#: Where the same thing is said in any order, or differs from run to run.
UNORDERED = ("extends", "environmentVariableNames")
PASSING = ("projectPath", "commitTime")


def write(folder: Path) -> Path:
    folder.mkdir()
    (folder / "ensemble.yaml").write_text((HERE / "exported.yaml").read_text())
    (folder / "unfurl.yaml").write_text(PROJECT)
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "begin"]):
        who = ["-c", "user.name=t", "-c", "user.email=t@t"]
        subprocess.run(["git", *who, *words], cwd=folder, check=True)
    return folder


def same(value: Any, key: str = "") -> Any:
    """A document without what may differ: order, paths, times, and the types that both ship in their own form."""
    if isinstance(value, dict):
        kept = {name: one for name, one in value.items() if name not in PASSING}
        if key == "ResourceType":
            kept = {name: one for name, one in kept.items() if "@" in name}
        return {re.sub(r"@[0-9a-f]{40}", "@COMMIT", name): same(one, name) for name, one in kept.items()}
    if isinstance(value, list):
        made = [same(one) for one in value]
        if key in UNORDERED or all(isinstance(one, dict) and "name" in one for one in made):
            made.sort(key=lambda one: json.dumps(one, sort_keys=True))
        return made
    return re.sub(r"@[0-9a-f]{40}", "@COMMIT", value) if isinstance(value, str) else value


@pytest.mark.parametrize("form", RECORDED)
def test_it_is_what_unfurl_exports(command: Callable[..., Any], tmp_path: Path, form: str) -> None:
    folder = write(tmp_path / "shop")
    done = command("unfurl", "export", "--format", form, "ensemble.yaml", cwd=folder)
    assert done.code == 0, done.output
    masked = json.dumps(RECORDED[form]).replace('"value": {"token": "t"}', '"value": "<<REDACTED>>"')
    assert same(json.loads(done.stdout)) == json.loads(masked)


@pytest.mark.skipif(not UNFURL, reason="UNFURL_COMMAND names no command of Unfurl 1.2")
@pytest.mark.parametrize("form", RECORDED)
def test_unfurl_exports_it(tmp_path: Path, form: str) -> None:
    folder = write(tmp_path / "shop")
    home = {"UNFURL_HOME": "", "UNFURL_NORUNTIME": "1", "HOME": str(tmp_path)}
    path = f"{Path(UNFURL).parent}{os.pathsep}{os.environ['PATH']}"
    words = [UNFURL, "export", "--format", form, "ensemble.yaml"]
    done = subprocess.run(words, cwd=folder, env={**os.environ, **home, "PATH": path}, capture_output=True, check=True)
    assert same(json.loads(done.stdout)) == RECORDED[form]


def test_what_is_deployed_is_exported_without_secrets(command: Callable[..., Any], tmp_path: Path) -> None:
    folder = write(tmp_path / "shop")
    text = (folder / "ensemble.yaml").read_text()
    text = text.replace("host: h,", "host: h, token: {concat: [hidden-word, x]}, key: {a: hidden-word},")
    reads = """implementation: "true {{ SELF.token }} {{ SELF.port }} {{ SELF.named }}\""""
    text = text.replace('implementation: "true"', reads, 1)
    (folder / "ensemble.yaml").write_text(text)
    assert command("deploy", "-y", cwd=folder).code == 0
    done = command("export", "--file", "out.json", cwd=folder)
    assert done.code == 0, done.output
    written = (folder / "out.json").read_text()
    assert "hidden-word" not in written
    found = json.loads(written)
    assert {name: (one["status"], one["state"]) for name, one in found["Resource"].items()} == {
        "db": (1, 5),
        "app": (1, 5),
    }
    computed = {one["name"]: one["value"] for one in found["Resource"]["db"]["computedProperties"]}
    assert computed == {"named": "h"}
    assert found["Deployment"]["shop"]["workflow"] == "deploy"
    assert found["Deployment"]["shop"]["status"] == 1
    assert re.fullmatch(r"[0-9-]{10} [0-9:]{8}[+-][0-9:]{5}", found["DeploymentTemplate"]["shop"]["commitTime"])
    needed = {one["name"]: one.get("target") for one in found["Resource"]["app"]["connections"]}
    assert needed == {"db": "db"}


def test_connections_that_interfaces_need(command: Callable[..., Any], tmp_path: Path) -> None:
    folder = write(tmp_path / "shop")
    text = (folder / "ensemble.yaml").read_text()
    cloud = "relationship_types: {demo.Cloud: {derived_from: tosca.relationships.ConnectsTo}}\n    node_types:"
    text = text.replace("node_types:", cloud, 1).replace("Standard: {", "Standard: {requirements: [demo.Cloud], ", 1)
    (folder / "ensemble.yaml").write_text(text)
    done = command("export", "--format", "blueprint", cwd=folder)
    assert done.code == 0, done.output
    found = json.loads(done.stdout)
    needed = {name.partition("@")[0]: one["implementation_requirements"] for name, one in found["ResourceType"].items()}
    assert [name.partition("@")[0] for name in needed["demo.Db"]] == ["demo.Cloud"]
    assert needed["demo.App"] == []
    assert found["ResourceTemplate"]["db"]["directives"] == []


def test_python_is_no_format(command: Callable[..., Any], tmp_path: Path) -> None:
    done = command("unfurl", "export", "--format", "python", cwd=write(tmp_path / "shop"))
    assert done.code == 2
    assert "docs/python-dsl.md" in done.output


@pytest.mark.parametrize(
    "url", ["https://user:word@git.example.com/acme/shop.git", "git@git.example.com:acme/shop.git", "/acme/shop.git"]
)
def test_the_project_has_the_path_of_its_remote(command: Callable[..., Any], tmp_path: Path, url: str) -> None:
    folder = write(tmp_path / "shop")
    subprocess.run(["git", "remote", "add", "origin", url], cwd=folder, check=True)
    done = command("export", "--format", "deployment", cwd=folder)
    assert done.code == 0, done.output
    (blueprint,) = json.loads(done.stdout)["ApplicationBlueprint"].values()
    assert blueprint["projectPath"] == "acme/shop"
