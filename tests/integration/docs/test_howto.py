"""How-to pages are done as they stand: their files are written, their commands run and print what the page says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.docs.pages import REPOSITORY, section, steps
from tests.integration.docs.shell import live

DOCS = REPOSITORY / "docs"
PAGES = [*sorted((DOCS / "howto").glob("*.md")), DOCS / "import.md"]


@pytest.mark.matrix
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_so(page: Path, short: Path, collections: Path) -> None:
    folder, served = short / "work", short / "srv"
    folder.mkdir()
    served.mkdir()
    text = page.read_text(encoding="utf-8")
    if page.parent == DOCS:
        text = section(text, "Step by step")
    words = {"/srv": str(served), "/home/you": str(short)}
    live(steps(text), folder, words, home=short, ANSIBLE_COLLECTIONS_PATH=str(collections))
