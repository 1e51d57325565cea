"""Links between pages lead somewhere, and the index leads to every page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.docs.pages import REPOSITORY, prose

DOCS = REPOSITORY / "docs"
PAGES = [
    page
    for pattern in ("*.md", "docs/**/*.md", "examples/*/*.md", "roles/*/README.md")
    for page in sorted(REPOSITORY.glob(pattern))
]
CODE = re.compile(r"`([a-z_]+/[\w/]+\.py):(\w+)`")
LISTED = re.compile(r"^(?:-|\d+\.) \[[^\]]*\]\((?!https?:|\.\./)([^)#]+\.md)\)", re.MULTILINE)


def links(page: Path) -> Iterator[tuple[Path, str]]:
    """The files that a page links to, each with the anchor in it."""
    text = re.sub(r"`[^`\n]*`", "", prose(page.read_text()))
    for target in re.findall(r"\]\((?!https?:|mailto:)([^)\s]+)\)", text):
        name, _, anchor = target.partition("#")
        yield (page.parent / name).resolve() if name else page, anchor


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.*)$", prose(page.read_text()), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in links(page):
        assert target.exists(), target
        assert target.is_relative_to(REPOSITORY)
        assert not anchor or anchor in anchors(target), (target, anchor)


def test_the_index_leads_to_every_page() -> None:
    """By lists alone, of which the site makes its navigation: those of the index, and those of indexes it lists."""
    reached, left = set(), [DOCS / "index.md"]
    while left:
        page = left.pop()
        reached.add(page)
        if page.name == "index.md":
            left += [
                found
                for name in LISTED.findall(page.read_text())
                if (found := (page.parent / name).resolve()) not in reached
            ]
    assert set(DOCS.rglob("*.md")) - reached == set()


@pytest.mark.parametrize("page", ["architecture.md", "glossary.md"])
def test_the_code_that_a_page_names_is_there(page: str) -> None:
    named = CODE.findall((DOCS / page).read_text())
    assert named
    for file, name in named:
        source = (REPOSITORY / "python/ansible_ensemble" / file).read_text()
        assert re.search(rf"^ *(async def|def|class) {name}\b", source, re.MULTILINE), f"{file} has no {name}"
