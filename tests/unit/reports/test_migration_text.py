"""The report of a migration as text: its words, its colours, and nothing that acts on a terminal."""

from __future__ import annotations

from typing import Any

from ansible_ensemble.reports.migration_text import migration_text
from ansible_ensemble.reports.style import Style


def document(**changed: Any) -> dict[str, Any]:
    finding = {"effect": "tolerated", "code": "no-version", "line": 2, "column": 3, "message": "it has none"}
    rewrite = {"old": "", "new": "version: 1\n"}
    finding |= {"remedy": "write one", "rewrite": rewrite}
    refused = {**finding, "effect": "refused", "code": "refused", "remedy": "a hint", "line": 0, "rewrite": None}
    files = [
        {"file": "a.yaml", "version": "1", "outcome": "tolerated", "findings": [finding]},
        {"file": "b.yaml", "version": "", "outcome": "refused", "findings": [refused, {**finding, "rewrite": None}]},
    ]
    diff = "--- a.yaml\n+++ a.yaml\n@@ -0,0 +1 @@\n+version: 1\n"
    return {"path": ".", "outcome": "refused", "files": files, "diff": diff, "written": []} | changed


def test_text() -> None:
    assert migration_text(document(), Style()).splitlines() == [
        "a.yaml (1): understood, with tolerance",
        "  2:3: tolerated: [no-version] it has none",
        "b.yaml: refused",
        "  refused: it has none (a hint)",
        "  2:3: tolerated: [no-version] it has none",
        "    To do: write one",
        "",
        "--- a.yaml",
        "+++ a.yaml",
        "@@ -0,0 +1 @@",
        "+version: 1",
        "",
        "2 files: 1 understood, with tolerance; 1 refused.",
        "`--write` makes the changes above.",
    ]


def test_what_was_written_is_named() -> None:
    assert migration_text(document(written=["a.yaml"]), Style()).endswith("1 refused.\nChanged: a.yaml.\n")


def test_names_and_lines_of_files_do_nothing_to_a_terminal() -> None:
    text = migration_text(document(diff="+\x1b[2J\n", written=["\x1b]0;x"]), Style(colour=True))
    assert "\x1b[2J" not in text
    assert "\x1b]" not in text
    assert Style(colour=True).bad("refused") in text
