"""What an operation returns is data: it comes back from every file as it was, whatever it looks like."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ansible_ensemble.changes.job_record import read_job, write_job
from ansible_ensemble.changes.jobs_tsv import append_job, read_jobs
from ansible_ensemble.changes.record import ChangeRecord, JobRecord
from ansible_ensemble.core.sensitive import Redactor, is_sensitive, mark_sensitive, reveal
from ansible_ensemble.documents.writer import rewrite, same
from ansible_ensemble.documents.yaml import parse_yaml
from ansible_ensemble.ensembles.merge_directives import expanded
from ansible_ensemble.ensembles.secret_codec import SecretCodec
from ansible_ensemble.execution.journal import Journal, read_journal
from ansible_ensemble.instances.instance import Instances
from ansible_ensemble.instances.patch import apply_patch
from ansible_ensemble.instances.status_document import read_status, write_instance
from ansible_ensemble.projects.vault import Vault

JOB, TASK = "A6BM3xRT0000", "A6BM3xRT0001"
#: Texts that mean something to one of the readers: YAML, merge directives, TOSCA, Ansible, Jinja, our own marks.
WORDS = [
    "+49 170 555", "+include", "+?include", "+/spec", "+./x", "+*a", "+%", "+&", "+", "__ansible_vault",
    "__ansible_unsafe", "$ANSIBLE_VAULT;1.1;AES256", "eval", "get_attribute", "get_input", "concat", "q", "ref",
    "{{ 1 + 1 }}", "{% if %}", "{#", "<<", "=", "!vault", "!x", ".name", "$x", "sensitive", "yes", "~", "null", "true",
    "1e3", "0o7", "0x1f", "1_000", "2020-01-01", "12:30:45", "", "-", "- a", "a: b", "a #b", "#", "&a b", "*a", "?",
    "|", ">", "%x", "@x", "`x", "'", '"', "\\", "http://h/?a=1&b=2", "\0", "\x07", "\x1b[31m", "\x85", "\x9f", "\u2028",
    "\ufeff", "\U0001f600", "\r", "\r\n", "\n", "a\n", "\na\n\n", " a", "a ", "\t", "a\tb", "a,b", "a%2Cb", "::n::x",
]  # fmt: skip
TEXTS = st.one_of(st.sampled_from(WORDS), st.text(st.characters(exclude_categories=["Cs"]), max_size=8))
LEAVES = st.one_of(st.none(), st.booleans(), st.integers(-(10**400), 10**400), st.integers(-99, 99), st.floats(), TEXTS)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4), max_leaves=12
)
ATTRIBUTES = st.dictionaries(TEXTS, VALUES, max_size=4)
ENSEMBLE = """\
apiVersion: tosca-ensemble/v1
kind: Ensemble
# by hand
spec: {service_template: service.yaml}
"""


@given(ATTRIBUTES)
@example({"x": {"__ansible_vault": "garbage"}, "y": {"__ansible_vault": ["a"]}, "z": {"__ansible_vault": 5}})
@example({"x": {"+include": "secrets/secrets.yaml"}, "y": {"+%": "whiteout"}, "z": [{"+%": "whiteout"}]})
@example({"url": "http://h/?a=1&b=2", "tags": []})
@example({"x": float("nan"), "big": 10**1000, "long": "x" * 70_000})
def test_status_and_journal_give_back_what_was_returned(
    tmp_path_factory: pytest.TempPathFactory, attributes: dict[str, Any]
) -> None:
    codec, folder = SecretCodec(), tmp_path_factory.mktemp("returned")
    patch = through_journal(folder, codec.for_json({"name": "n", "attributes": attributes}))
    instances = Instances()
    instance = apply_patch(instances, codec.open_json(patch))
    assert instance is not None
    assert same(instance.attributes, attributes)
    text = ENSEMBLE
    for again in (attributes, {**attributes, "more": 1}, attributes):  # written, edited and written again
        instance.attributes = dict(again)
        text = record(text, {"n": write_instance(instance, codec.for_yaml)})
        read = expanded(parse_yaml(text, folder / "ensemble.yaml"))
        assert read["spec"] == {"service_template": "service.yaml"}
        assert same(read_status(codec.open(read["status"])).by_name["n"].attributes, again)
    assert "# by hand" in text


def through_journal(folder: Path, patch: Any) -> Any:
    journal = Journal.create(folder / "x.journal", JOB, {})
    journal.append({"event": "finished", "patches": [patch]})
    journal.close()
    reading = read_journal(journal.path)
    assert not reading.damage
    return reading.events[0]["patches"][0]


def record(text: str, entries: dict[str, Any]) -> str:
    document = parse_yaml(text, "ensemble.yaml")
    return rewrite(document, {**document.data, "status": {"instances": entries}})


@given(ATTRIBUTES, st.lists(TEXTS, max_size=3))
@example({"o": {"__ansible_vault": "garbage"}}, ["+x", "a,b"])
def test_records_give_back_what_was_returned(
    tmp_path_factory: pytest.TempPathFactory, outputs: dict[str, Any], names: list[str]
) -> None:
    codec, folder = SecretCodec(), tmp_path_factory.mktemp("records")
    refs = [f"::n::{name}" for name in names]
    closed = codec.for_json(outputs)
    task = ChangeRecord(TASK, "::n", "create", outputs=closed, inputs=outputs, changes={"::n": outputs})
    task.digest_keys, task.digests, task.digest_value, task.digest_put = refs, ["1"] * len(refs), "1", refs
    job = JobRecord(JOB, "deploy")
    for path in write_job(folder, job, [task], Redactor()):
        [read] = read_job(path).tasks
        assert same(codec.open_json(read.outputs), outputs)
        assert same(read.inputs, outputs)
        assert same(read.changes.get("::n", {}), outputs)
        assert read.digest_put == refs
    append_job(folder / "jobs.tsv", job, [task])
    lines = read_jobs(folder / "jobs.tsv")
    assert list(lines) == [JOB, TASK]
    assert lines[TASK].digest_put == lines[TASK].digest_keys == refs


@given(VALUES)
@example({"__ansible_vault": "garbage"})
@example({"{{ x }}": {"eval": "::n"}})
def test_what_is_kept_of_a_template_comes_back(value: Any) -> None:
    codec = SecretCodec()
    assert same(codec.open_json(json.loads(json.dumps(codec.for_json(value)))), value)


@pytest.mark.parametrize("key", ["__ansible_vault", "+%", "json"])
def test_what_looks_like_a_mark_beside_a_secret(tmp_path: Path, key: str) -> None:
    (tmp_path / "password").write_text("of the tests\n")
    codec = SecretCodec(Vault([str(tmp_path / "password")]))
    value = {"mark": {key: "$ANSIBLE_VAULT;1.1;AES256\n61"}, "secret": mark_sensitive({key: "s3cret"})}
    opened = codec.open_json(json.loads(json.dumps(codec.for_json(value))))
    assert reveal(opened) == reveal(value)
    assert is_sensitive(opened["secret"])
    assert not is_sensitive(opened["mark"])


def test_no_directive_of_people_reaches_into_what_jobs_recorded(tmp_path: Path) -> None:
    """What is recorded is neither merged with what is included, nor found by an anchor of the same name."""
    (tmp_path / "base.yaml").write_text("spec: {inputs: {a: 1}}\nstatus: {instances: {old: {template: old}}}\n")
    text = (
        "apiVersion: tosca-ensemble/v1\nkind: Ensemble\n+include: base.yaml\nspec: {inputs: {b: {+*mine: null}}}\n"
        "here: {+&: mine, c: 1}\nstatus: {instances: {n: {attributes: {x: {+&: mine, c: 2}}}}}\n"
    )
    read = expanded(parse_yaml(text, tmp_path / "ensemble.yaml"))
    assert read["spec"] == {"inputs": {"a": 1, "b": {"c": 1}}}
    assert read["status"] == {"instances": {"n": {"attributes": {"x": {"+&": "mine", "c": 2}}}}}
