"""What jobs can be given, as text."""

from __future__ import annotations

from typing import Any

from ansible_ensemble.reports.inputs_text import declared_inputs_text
from ansible_ensemble.reports.style import Style


def declared(name: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": kind, "entry": None, "description": "", "required": False, "secret": False, **more}


def test_inputs_of_the_topology_and_of_workflows() -> None:
    inputs = [
        declared("port", "integer", default=80, description="where it listens"),
        declared("names", "list", entry={"type": "string"}, default=["a", "b"]),
        declared("region", "string", required=True),
        declared("pin", "string", secret=True),
    ]
    document = {"inputs": inputs, "workflows": {"backup": [declared("kept", "integer", default=7)], "none": []}}
    assert declared_inputs_text(document, Style()).splitlines() == [
        "INPUT   TYPE            VALUE              DESCRIPTION",
        "port    integer         80                 where it listens",
        "names   list of string  [a, b]",
        "region  string          required",
        "pin     string          (sensitive value)",
        "",
        "Of the workflow backup:",
        "INPUT  TYPE     VALUE",
        "kept   integer  7",
    ]


def test_that_there_are_none_is_said() -> None:
    assert declared_inputs_text({"inputs": [], "workflows": {"none": []}}, Style()) == "There are no inputs.\n"
