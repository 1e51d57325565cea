"""Core's file of renamed plugins says the same if it is parsed part by part."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import pytest
import yaml

from ansible_ensemble.lanes.core_routing import lazily

#: Reads an inventory and says which parts of the file were parsed for that.
READS_AN_INVENTORY = """
from ansible_ensemble.lanes.session import standalone_session
standalone_session(["some.example.com,"])
from ansible_collections.ansible import builtin
meta = builtin._collection_meta
print(*sorted({*meta._parsed, *getattr(meta["plugin_routing"], "_parsed", ())}))
"""


def parse(text: str) -> Any:
    return yaml.load(text, yaml.BaseLoader)


def whole(value: Any) -> Any:
    return {name: whole(item) for name, item in value.items()} if isinstance(value, Mapping) else value


def test_the_file_of_this_core() -> None:
    text = (files("ansible") / "config" / "ansible_builtin_runtime.yml").read_text()
    parsed: list[int] = []

    def noting(part: str) -> Any:
        parsed.append(len(part))
        return parse(part)

    found = lazily(text, noting)
    assert not parsed
    assert found["plugin_routing"]["connection"].get("podman")
    assert sum(parsed) < len(text) / 20
    assert whole(found) == parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "a:\n  b:\n    c: 1\n  d: {e: 2}\n",
        "# a remark\na:\n  b:\n  - 1\n  - 2\nc:\n",
        "a: &a\n  b: 1\nc: *a\n",
        "a:\n  b: &b\n    c: 1\nd:\n  e: *b\n",
        "a:\n  b: |\n    c:\n      d\n  e:\n    f: 1\n",
        "---\na:\n  b: 1\n",
        "a.b:\n  c: 1\n'd':\n  e: 2\n",
        "a:\n    b:\n        c: 1\n",
        "a: 1\nb:\n  c: 2\n",
        "a:\n  b: 1\na:\n  c: 2\n",
    ],
)
def test_other_mappings(text: str) -> None:
    assert whole(lazily(text, parse)) == parse(text)


def test_an_inventory_needs_no_list_of_modules() -> None:
    found = subprocess.run([sys.executable, "-c", READS_AN_INVENTORY], capture_output=True, text=True, check=True)
    assert set(found.stdout.split()) <= {"import_redirection", "plugin_routing", "inventory", "vars"}
