from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.configurators.kubernetes_inputs import as_options, definitions_of
from ansible_ensemble.core.errors import InvalidInput

Make = Callable[..., Any]

PAGES = """
apiVersion: v1
kind: ConfigMap
metadata: {name: one}
data: {day: 2024-01-01}
---
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: two}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: three}}
"""


def of(task: Make, what: str, **inputs: Any) -> list[dict[str, Any]]:
    return definitions_of(task(inputs=inputs), what)


def test_an_object_is_made_from_its_fields_and_its_definition(task: Make) -> None:
    (made,) = of(
        task,
        "object",
        kind="ConfigMap",
        name="a",
        labels={"x": "y"},
        definition={"metadata": {"labels": {"z": "w"}}, "data": {"b": "c"}},
    )
    metadata = {"name": "a", "labels": {"z": "w", "x": "y"}}
    assert made == {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"b": "c"}}


def test_a_definition_may_be_text_and_its_name_is_the_object_s(task: Make) -> None:
    text = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n"
    (made,) = of(task, "object", definition=text)
    assert made == {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}}


def test_values_of_a_secret_need_not_be_encoded(task: Make) -> None:
    (made,) = of(task, "object", kind="Secret", name="s", type="Opaque", data={"a": "b"})
    assert (made["stringData"], made["type"]) == ({"a": "b"}, "Opaque")


def test_a_namespace(task: Make) -> None:
    (made,) = of(task, "namespace", name="shop", annotations={"a": "b"})
    metadata = {"name": "shop", "annotations": {"a": "b"}}
    assert made == {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}


def test_a_manifest_has_files_and_more(task: Make, tmp_path: Path) -> None:
    (tmp_path / "pages" / "more").mkdir(parents=True)
    (tmp_path / "pages" / "a.yaml").write_text(PAGES)
    (tmp_path / "pages" / "more" / "b.json").write_text(
        '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}'
    )
    (tmp_path / "pages" / "notes.txt").write_text("no manifest")
    made = of(
        task, "manifest", src="pages", definition=[{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "q"}}]
    )
    assert [one["metadata"]["name"] for one in made] == ["one", "two", "three", "p", "q"]
    assert made[0]["data"] == {"day": "2024-01-01"}


POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}

WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("object", {"name": "a"}, "without kind"),
    ("object", {"name": "a", "definition": [POD, POD]}, "more than one object"),
    ("object", {"name": "a", "kind": "Pod", "definition": "text"}, "'text', which is no object"),
    ("manifest", {}, "is empty .give it src, definition or kustomize"),
    ("manifest", {"src": "none"}, "none cannot be read: No such file"),
    ("manifest", {"src": "."}, "has no manifest"),
    ("manifest", {"definition": "a: [\nb"}, "definition:.*did not find"),
    ("manifest", {"definition": [{"kind": "Pod"}]}, "without apiVersion, metadata.name"),
    ("manifest", {"definition": [{**POD, "apiVersion": 1}]}, "without apiVersion"),
]


@pytest.mark.parametrize(("what", "inputs", "message"), WRONG)
def test_what_is_no_object_is_refused(task: Make, what: str, inputs: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        of(task, what, **inputs)


def test_how_objects_are_treated(task: Make) -> None:
    given = {"wait": "Ready", "wait_timeout": 5, "force": True, "field_manager": "m", "propagation": "foreground"}
    expected = {"wait": "Ready", "timeout": 5.0, "force": True, "manager": "m", "propagation": "Foreground"}
    assert as_options(task(inputs=given)) == expected
    assert as_options(task(inputs={"prune": "app=web"})) == {"wait": None, "force": False, "labels": "app=web"}
    assert as_options(task(inputs={"prune": False})) == {"wait": None, "force": False, "prune": False}
    with pytest.raises(InvalidInput, match="wait cannot be 'two words'"):
        as_options(task(inputs={"wait": "two words"}))
