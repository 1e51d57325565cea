from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.provision.gotemplate.fault import TemplateError
from ansible_ensemble.provision.objects.content import Stage, Task
from ansible_ensemble.provision.objects.parts import TemplateInfo
from ansible_ensemble.provision.templates.job_actions import MissingParam, job_actions, problem_of_text
from tests.unit.provision.templates.sources import Known


def task(*templates: TemplateInfo, **fields: Any) -> Task:
    return Task(name="t1", templates=list(templates), **fields)


def inline(name: str, contents: str, path: str = "", **meta: str) -> TemplateInfo:
    return TemplateInfo(name=name, contents=contents, path=path, meta=meta)


def test_order_paths_and_meta() -> None:
    owner = task(
        inline("first", "1 {{template `second` .}}", Interpreter="python3"),
        inline("second", "2", path="a/../{{.Machine.ShortName}}/f"),
        TemplateInfo(name="third", id="lib"),
    )
    first, second, third = job_actions(Known({"lib": "from lib"}), owner)
    assert (first.name, first.path, first.content, first.meta) == ("first", "", "1 2", {"Interpreter": "python3"})
    assert (second.path, second.content) == ("m1/f", "2")
    assert third.content == "from lib"


@pytest.mark.parametrize(("system", "expected"), [("", "abc"), ("linux", "ac"), ("windows", "bc"), ("darwin", "c")])
def test_operating_systems(system: str, expected: str) -> None:
    owner = task(inline("a", "a", OS="linux, esxi"), inline("b", "b", OS="windows"), inline("c", "c", OS="any"))
    assert "".join(action.content for action in job_actions(Known(), owner, system)) == expected


def test_required_params() -> None:
    owner = task(inline("a", "x"), required_params=["console", "need"])
    with pytest.raises(MissingParam, match=r"^Missing required parameter need for tasks t1$"):
        job_actions(Known(), owner)
    assert job_actions(Known(need=[1]), owner)


def test_a_stage_has_actions_too() -> None:
    stage = Stage(name="s", templates=[inline("a", "{{.Machine.Name}}", path="/srv/x")])
    assert [(action.path, action.content) for action in job_actions(Known(), stage)] == [("/srv/x", "m1.example.com")]


@pytest.mark.parametrize(
    ("template", "message"),
    [
        (inline("a", "1\n{{.Param `q`}}"), "template: a:2:.*No such machine parameter q"),
        (inline("a", "x", path="{{.Machine.Params.q}}"), 'template: a path:1:.*map has no entry for key "q"'),
        (TemplateInfo(name="a", id="none"), "Template none does not exist"),
        (TemplateInfo(name="a", link="http://x"), "links are not followed"),
        (inline("a", "x", engine="mako"), "there is no engine mako"),
    ],
)
def test_what_cannot_be_rendered(template: TemplateInfo, message: str) -> None:
    with pytest.raises(TemplateError, match=message):
        job_actions(Known(), task(template))


@pytest.mark.parametrize(
    ("text", "meta", "problem"),
    [
        ("{{.x}}", {}, ""),
        ("\n{{if}}", {}, "template: template:2: missing value for if"),
        ("{{ x | upper }}", {"engine": "jinja"}, ""),
        (
            "\n{% if %}",
            {"engine": "jinja"},
            "template: template:2: Expected an expression, got 'end of statement block'",
        ),
        ("x", {"engine": "mako"}, "there is no engine mako; templates are rendered by go or jinja"),
    ],
)
def test_problems_of_texts(text: str, meta: dict[str, str], problem: str) -> None:
    assert problem_of_text(text, meta) == problem
