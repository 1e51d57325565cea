"""Markup, codes for terminals and secrets in what a person or a host can set: none runs, and none is shown."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tests.integration.ui.chromium import PROGRAM, Chromium
from tests.integration.ui.conftest import SECRET, Served, ended
from tests.integration.ui.test_pages import PAGES, at, go, in_browser

MARKUP = "<script>window.hit=1</script><img src=x onerror=window.hit=1>\"'>"
HOSTILE = f"{MARKUP}\x1b[31mred\x1b]0;title\x07"
SERVICE = """
tosca_definitions_version: tosca_simple_yaml_1_3
description: HOSTILE
node_types:
  App:
    derived_from: tosca.nodes.Root
    description: HOSTILE
    properties:
      title: {type: string}
      more: {type: map, entry_schema: {type: string}}
      toString: {type: float, default: .inf}
    attributes: {url: {type: string}}
topology_template:
  inputs:
    title: {type: string, default: HOSTILE, description: HOSTILE}
    pin: {type: string, default: SECRET, metadata: {sensitive: true}}
  node_templates:
    app:
      type: App
      description: HOSTILE
      properties: {title: {get_input: title}, more: {HOSTILE: HOSTILE}}
      interfaces:
        Standard:
          create:
            implementation: ./create.sh
            inputs: {PIN: {get_input: pin}, TITLE: {get_property: [SELF, title]}, ODD: {get_property: [SELF, toString]}}
            outputs: {url: [SELF, url]}
          delete: echo gone
    constructor: {type: App, properties: {title: plain, more: {}}}
    broken:
      type: tosca.nodes.Root
      requirements: [{dependency: app}]
      interfaces: {Standard: {create: {implementation: ./fail.sh, inputs: {PIN: {get_input: pin}}}, delete: echo gone}}
  outputs:
    url: {value: {get_attribute: [app, url]}, description: HOSTILE}
"""


@pytest.fixture
def hostile(project: Path) -> Path:
    """The project, with what is hostile wherever there is a place for it, and a deploy of it that failed."""
    web = project / "web"
    said = json.dumps(HOSTILE)
    (web / "service.yaml").write_text(SERVICE.replace("HOSTILE", said).replace("SECRET", json.dumps(SECRET)))
    alias = f"ensembles: [{{alias: {said}, file: web/ensemble.yaml}}]\n"
    (project / "ensemble-project.yaml").write_text(f"environments: {{}}\n{alias}")
    answer = json.dumps({"url": HOSTILE})
    for name, script in {
        "create.sh": f'printf "%s" "$PIN" >&2; printf "%s\\n" {shlex.quote(answer)}',
        "fail.sh": f'printf "%s" "$PIN" {shlex.quote(HOSTILE)} >&2; exit 1',
    }.items():
        (web / name).write_text(f"#!/bin/sh\n{script}\n")
        (web / name).chmod(0o755)
    code, printed = ended(project, "deploy", "web", "--approve", ANSIBLE_ENSEMBLE_APPROVED_BY=HOSTILE)
    assert code == 1, printed
    assert SECRET not in printed
    return project


def _job(project: Path) -> str:
    code, printed = ended(project, "history", "web", "--output", "json")
    assert code == 0, printed
    return str(json.loads(printed)["jobs"][0]["change_id"])


def _is_harmless(text: str) -> None:
    assert MARKUP not in text
    assert "<script" not in text
    assert "<img" not in text
    assert "\x1b" not in text
    assert SECRET not in text


def test_files_show_it_as_text(hostile: Path) -> None:
    for words in (
        ("show", _job(hostile), "--ensemble", "web", "--output", "html"),
        ("graph", "web", "--format", "html"),
        ("graph", "web", "--format", "svg"),
    ):
        code, printed = ended(hostile, *words)
        assert code == 0, printed
        _is_harmless(printed)
        assert "app" in printed


def test_terminals_show_it_as_text(hostile: Path) -> None:
    for words in (("show", _job(hostile), "--ensemble", "web"), ("history", "web"), ("status", "web")):
        code, printed = ended(hostile, *words)
        assert code == 0, printed
        assert "\x1b" not in printed
        assert SECRET not in printed


@pytest.mark.matrix
@pytest.mark.skipif(PROGRAM is None, reason="Chromium is not installed")
def test_pages_show_it_as_text(hostile: Path, served: Served) -> None:
    job = _job(hostile)

    async def work(browser: Chromium) -> None:
        ways = [at(served, page) for page in PAGES]
        ways += [
            *(at(served, "instance", name) for name in ("app", "broken", "constructor")),
            at(served, "job", job),
            "#/",
        ]
        seen = ""
        for way in ways:
            await go(browser, way)
            await browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            await browser.until("!document.body.innerText.includes('Loading')")
            seen += await browser.run("document.body.innerText + document.title")
            assert not await browser.run("window.hit || document.querySelector('main script, main img')?.outerHTML"), (
                way
            )
        assert MARKUP in seen, "it is shown as it is"
        assert "is a bug of the page" not in seen
        assert "\x1b" not in seen
        assert SECRET not in seen

    in_browser(served, work)
