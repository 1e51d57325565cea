from __future__ import annotations

from typing import Any

from ansible_ensemble.kubernetes.objects import Reference, counted, difference, in_order, secrets


def definition(kind: str, name: str = "a", **more: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name}, **more}


def test_what_others_need_comes_first_and_all_else_as_it_is_written() -> None:
    kinds = ["Pod", "Namespace", "Service", "CustomResourceDefinition", "Deployment"]
    ordered = [one["kind"] for one in in_order(map(definition, kinds))]
    assert ordered == ["Namespace", "CustomResourceDefinition", "Pod", "Service", "Deployment"]


def test_what_the_server_keeps_does_not_count() -> None:
    live = definition("ConfigMap", data={"a": "b"}, status={"x": 1})
    live["metadata"] |= {"uid": "1", "resourceVersion": "2", "managedFields": [], "annotations": {}}
    live["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] = "{}"
    assert counted(live) == definition("ConfigMap", data={"a": "b"})


def test_of_a_secret_it_is_shown_that_it_changes_and_not_what_it_is() -> None:
    before, after = (definition("Secret", data={"word": word, "same": "c2FtZQ=="}) for word in ("b25l", "dHdv"))
    shown = difference(Reference("v1", "Secret", "a", "default"), before, after)
    assert shown is not None
    text = shown["before"] + shown["after"]
    assert "word: <<REDACTED>> (changed)" in shown["after"]
    assert "same: <<REDACTED>>\n" in shown["after"]
    assert "b25l" not in text
    assert "dHdv" not in text
    assert difference(Reference("v1", "Secret", "a"), before, before) is None


def test_the_values_of_a_secret() -> None:
    assert list(secrets(definition("Secret", data={"a": "YQ=="}, stringData={"b": "c"}))) == ["YQ==", "c"]
    assert list(secrets(definition("ConfigMap", data={"a": "b"}))) == []


def test_another_version_is_the_same_object() -> None:
    one, other = (Reference(f"apps/{version}", "Deployment", "a", "b") for version in ("v1", "v1beta1"))
    assert one.identity == other.identity
    assert one.identity != Reference("extensions/v1", "Deployment", "a", "b").identity
