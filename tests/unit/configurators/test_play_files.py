from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.configurators.play_files import (
    check_filters,
    expressions_named,
    parts_named,
    play_texts,
    texts_of,
)
from ansible_ensemble.core.errors import InvalidInput

from .conftest import operation

NAMED = {
    "no part": ("MYSELF HOSTS HOST_NAME ITSELF", {}),
    "a member": ("{{ SELF.port }} {{ SELF.url }}", {"SELF": {"port", "url"}}),
    "by key": ("{{ SELF['a-b'] }} {{ HOST[\"ip\"] }}", {"SELF": {"a-b"}, "HOST": {"ip"}}),
    "a special key": ("{{ SELF['.name'] }}", {"SELF": {".name"}}),
    "a key in JSON": (r'{"x": "{{ SELF[\"port\"] }}"}', {"SELF": {"port"}}),
    "a condition": ("when: SELF.port == 1", {"SELF": {"port"}}),
    "as a whole": ("{{ SELF | to_json }} {{ SELF.port }}", {"SELF": None}),
    "a computed key": ("{{ HOST[item] }}", {"HOST": None}),
    "no template": ("environment: {HOST: here}", {}),
    "after a template": ("{{ x }} HOST", {}),
    "a statement": ("{% for item in HOST %}", {"HOST": None}),
    "ends of a relationship": ("{{ SOURCE.a }} {{ TARGET.b }}", {"SOURCE": {"a"}, "TARGET": {"b"}}),
    "a method": ("{{ SELF.get('port') }}", {"SELF": None}),
}


@pytest.mark.parametrize("text,named", NAMED.values(), ids=NAMED)
def test_parts_that_a_text_names(text: str, named: dict[str, Any]) -> None:
    assert parts_named([text]) == named


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {
        "play.yml": "- hosts: all\n  roles: [web]\n  tasks: [{include_tasks: more.yml}, {template: {src: x.j2}}]\n",
        "more.yml": "- include_tasks: play.yml\n",
        "templates/x.j2": "a template",
        "roles/web/tasks/main.yml": "- debug: {msg: a role}\n",
        "roles/web/templates/deep/y.j2": "its template",
        "roles/web/files/data": "no text of the play",
        "roles/other/tasks/main.yml": "another role",
        "unused.yml": "unused",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_the_files_that_run(project: Path) -> None:
    found = "\n".join(texts_of(str(project / "play.yml"), project))
    for text in ("include_tasks: play.yml", "a template", "a role", "its template"):
        assert text in found
    for text in ("no text of the play", "another role", "unused"):
        assert text not in found


def test_a_file_that_has_changed_is_read_again(project: Path) -> None:
    assert texts_of(str(project / "unused.yml"), None) == ["unused"]
    (project / "unused.yml").write_text("used now")
    assert texts_of(str(project / "unused.yml"), None) == ["used now"]


@pytest.mark.parametrize("source", ["acme.tools.role", "/nowhere/x.yml"])
def test_what_is_not_of_the_project_has_no_texts(source: str) -> None:
    assert texts_of(source, None) == []


EVALUATED = [
    ("{{ '.name' | eval }}", [".name"]),
    ("{{ \"::a::b['c'=d]\"|ref }}", ["::a::b['c'=d]"]),
    ("when: '.x' | eval == '::y' | ref\n{% if '.x' | eval %}", [".x", "::y"]),
]


@pytest.mark.parametrize(("text", "expressions"), EVALUATED)
def test_expressions_are_found_in_a_file_and_in_an_inline_playbook(text: str, expressions: list[str]) -> None:
    assert expressions_named([text]) == expressions
    assert expressions_named([json.dumps({"msg": text})]) == expressions


@pytest.mark.parametrize("text", ["{{ x | eval }}", "{{ ('::' ~ x)|ref }}", "{{ 1 if (x.y | eval) else 2 }}"])
@pytest.mark.parametrize("where", ["inline", "a file", "a role's template"])
def test_the_filters_of_what_is_computed_are_refused(project: Path, text: str, where: str) -> None:
    files = {"a file": "more.yml", "a role's template": "roles/web/templates/deep/y.j2"}
    target = "" if where == "inline" else str(project / "play.yml")
    if target:
        (project / files[where]).write_text(text)
    one = operation("x", base=project, inputs={"playbook": {"q": [{"debug": {"msg": text}}]}})
    with pytest.raises(InvalidInput, match="take a text in quotes"):
        check_filters(play_texts(one, target), one.place)


@pytest.mark.parametrize(
    "text", ["{{ x | evaluate }}", "shell: cat x | eval", "{{ x | ref.my.filter }}", "{{ eval }}", "{{ '.x' | eval }}"]
)
def test_others_are_not(text: str) -> None:
    check_filters([text], None)


def test_what_the_job_evaluates_may_use_them() -> None:
    one = operation("x", inputs={"playbook": [{"debug": {"msg": "{{ x | eval }}"}}]})
    check_filters(play_texts(one, ""), None)
