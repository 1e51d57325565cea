from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.changes.merge import Merged, merge_ensembles
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.documents.yaml import parse_yaml

FILE = Path("ensemble.yaml")
OLD, NEW, NEWER = "A6AAAAAA0000", "A6BBBBBB0000", "A6CCCCCC0000"


def instance(change: str, state: str = "created", more: str = "") -> str:
    return f"{{template: t, readyState: {{local: ok, state: {state}}}, lastConfigChange: {change}{more}}}"


def ensemble(
    instances: dict[str, str], job: str = OLD, spec: str = "{inputs: {a: 1, b: 1}}", outputs: str = "{}"
) -> str:
    lines = "".join(f"    {name}: {text}\n" for name, text in instances.items())
    return (
        f"# a comment\nkind: Ensemble\nspec: {spec}\nstatus:\n  outputs: {outputs}\n"
        f"  instances:\n{lines}lastJob:\n  changeId: {job}\n"
    )


def merge(base: str, ours: str, theirs: str) -> tuple[Merged, dict[str, object]]:
    merged = merge_ensembles(base, ours, theirs, FILE)
    return merged, parse_yaml(merged.text, FILE).data


BASE = ensemble({"app": instance(OLD), "db": instance(OLD)})


def test_jobs_on_different_instances_merge_in_silence() -> None:
    ours = ensemble({"app": instance(NEW, "configured"), "db": instance(OLD)}, NEW)
    theirs = ensemble({"app": instance(OLD), "db": instance(NEWER, "started"), "web": instance(NEWER)}, NEWER)
    for one, other in ((ours, theirs), (theirs, ours)):
        merged, data = merge(BASE, one, other)
        assert (merged.reported, merged.unresolved) == ([], [])
        expected = ensemble(
            {"app": instance(NEW, "configured"), "db": instance(NEWER, "started"), "web": instance(NEWER)}, NEWER
        )
        assert data == parse_yaml(expected, FILE).data
        assert merged.text.startswith("# a comment\n")


def test_an_instance_that_both_changed_is_the_newer_one_and_reported() -> None:
    ours = ensemble({"app": instance(NEW, "configured"), "db": instance(OLD)}, NEW)
    theirs = ensemble({"app": instance(NEWER, "started"), "db": instance(OLD)}, NEWER)
    for one, other in ((ours, theirs), (theirs, ours)):
        merged, data = merge(BASE, one, other)
        assert data == parse_yaml(theirs, FILE).data
        assert len(merged.reported) == 1
        assert "instance app" in merged.reported[0]
        assert NEWER in merged.reported[0]


def test_the_same_change_on_both_sides_is_none() -> None:
    both = ensemble({"app": instance(NEW), "db": instance(OLD)}, NEW)
    merged, data = merge(BASE, both, both)
    assert merged == Merged(both)
    assert data == parse_yaml(both, FILE).data


def test_hosted_instances_are_merged_on_their_own() -> None:
    def host(host_change: str, hosted: str) -> str:
        return instance(host_change, more=f", instances: {{{hosted}}}")

    base = ensemble({"vm": host(OLD, f"a: {instance(OLD)}")})
    ours = ensemble({"vm": host(OLD, f"a: {instance(NEW)}")}, NEW)
    theirs = ensemble({"vm": host(NEWER, f"a: {instance(OLD)}, b: {instance(NEWER)}")}, NEWER)
    merged, data = merge(base, ours, theirs)
    assert merged.reported == []
    assert (
        data == parse_yaml(ensemble({"vm": host(NEWER, f"a: {instance(NEW)}, b: {instance(NEWER)}")}, NEWER), FILE).data
    )


def test_a_removed_instance_stays_removed_unless_the_other_side_changed_it() -> None:
    ours = ensemble({"app": instance(OLD)}, NEW)
    merged, data = merge(BASE, ours, ensemble({"app": instance(NEWER), "db": instance(OLD)}, NEWER))
    assert merged.reported == []
    assert list(data["status"]["instances"]) == ["app"]  # type: ignore[index]
    merged, data = merge(BASE, ours, ensemble({"app": instance(OLD), "db": instance(NEWER)}, NEWER))
    assert list(data["status"]["instances"]) == ["app", "db"]  # type: ignore[index]
    assert "instance db" in merged.reported[0]


def test_a_removed_host_stays_while_it_hosts_something_new() -> None:
    base = ensemble({"vm": instance(OLD)})
    ours = ensemble({}, NEW).replace("instances:\n", "instances: {}\n")
    theirs = ensemble({"vm": instance(OLD, more=f", instances: {{new: {instance(NEWER)}}}")}, NEWER)
    _, data = merge(base, ours, theirs)
    assert data["status"] == parse_yaml(theirs, FILE).data["status"]


def test_outputs_of_the_newer_job() -> None:
    base, ours, theirs = (
        ensemble({"app": instance(OLD)}, job, outputs=text)
        for job, text in ((OLD, "{u: 1, v: 1}"), (NEW, "{u: 2, v: 2}"), (NEWER, "{u: 3, v: 1, w: 1}"))
    )
    merged, data = merge(base, ours, theirs)
    assert data["status"]["outputs"] == {"u": 3, "v": 2, "w": 1}  # type: ignore[index]
    assert merged.reported == ["outputs u: both sides changed it; took the newer job's"]


def test_the_spec_is_merged_by_key_and_never_guessed() -> None:
    ours = ensemble({"app": instance(OLD), "db": instance(OLD)}, spec="{inputs: {a: 2, b: 1}}")
    theirs = ensemble({"app": instance(OLD), "db": instance(OLD)}, spec="{inputs: {a: 1, b: 2, c: 3}}")
    merged, data = merge(BASE, ours, theirs)
    assert data["spec"] == {"inputs": {"a": 2, "b": 2, "c": 3}}
    assert merged.unresolved == []
    merged, data = merge(BASE, ours, theirs.replace("a: 1", "a: 3"))
    assert merged.unresolved == ["spec.inputs.a"]


def test_without_a_common_version() -> None:
    ours, theirs = ensemble({"app": instance(NEW)}, NEW), ensemble({"db": instance(NEWER)}, NEWER)
    merged, data = merge("", ours, theirs)
    assert list(data["status"]["instances"]) == ["app", "db"]  # type: ignore[index]
    assert merged.unresolved == []


@pytest.mark.parametrize("text", ["[]", "{", "x"])
def test_what_is_no_ensemble_is_named(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"ensemble\.yaml"):
        merge_ensembles(BASE, BASE, text, FILE)
