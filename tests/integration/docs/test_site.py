"""The site of the documentation is made without a warning, is whole, and needs nothing of the network."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from ansible_ensemble.cli.catalogue import COMMANDS
from tests.integration.ui.chromium import PROGRAM as CHROMIUM

REPOSITORY = Path(__file__).parents[3]


pytestmark = pytest.mark.matrix


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for module in ("furo", "myst_parser", "sphinx_antsibull_ext"):
        pytest.importorskip(module)
    folder = tmp_path_factory.mktemp("docs") / "site"
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "ANSIBLE_HOME": str(folder.parent / "ansible"),
    }
    done = subprocess.run(
        [REPOSITORY / "docsite" / "build", folder],
        env=environment,
        capture_output=True,
        text=True,
        timeout=1000,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    return folder / "html"


def test_each_page_is_there(site: Path) -> None:
    pages = [page.relative_to(REPOSITORY / "docs") for page in (REPOSITORY / "docs").rglob("*.md")]
    assert [page for page in pages if not (site / page).with_suffix(".html").is_file()] == []


def test_the_reference_has_all_commands_types_and_plugins(site: Path) -> None:
    commands = {leaf.name for command in COMMANDS for leaf in command.leaves()}
    pages = (site / "reference" / "commands").glob("*.html")
    told = {name for page in pages for name in re.findall(r"<h[12]>([^<]*)<", page.read_text())}
    assert commands - told == set()
    profile = yaml.safe_load((REPOSITORY / "python/ansible_ensemble/language/profile.yaml").read_text())
    types = (site / "reference" / "types.html").read_text()
    assert [name for name in profile["node_types"] if f"<h2>{name}<" not in types] == []
    modules = {file.stem for file in (REPOSITORY / "plugins" / "modules").glob("*.py")}
    assert [name for name in sorted(modules) if not (site / "collection" / f"{name}_module.html").exists()] == []


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_the_pictures_are_of_the_pages_as_they_are(site: Path) -> None:
    kept = {picture.name: picture.read_bytes() for picture in (REPOSITORY / "docs" / "pictures").iterdir()}
    shown = {name: (site / "_images" / name).read_bytes() for name in kept}
    assert kept["ui-jobs.webp"] != shown["ui-jobs.webp"], "jobs of another day"


def test_the_search_knows_the_pages(site: Path) -> None:
    index = (site / "searchindex.js").read_text()
    for page in ("jobs", "reference/commands/deploy", "reference/types", "collection/plan_module"):
        assert f'"{page}"' in index


def test_nothing_is_fetched(site: Path) -> None:
    fetched = re.compile(r'<(?:script|img|iframe)[^>]* src="(?:https?:)?//|<link[^>]* href="(?:https?:)?//|@import')
    assert [page for page in site.rglob("*.html") if fetched.search(page.read_text())] == []
    assert [file for file in site.rglob("*.css") if re.search(r"url\(['\"]?(?:https?:)?//", file.read_text())] == []
