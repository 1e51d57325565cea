from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import REDACTED, SensitiveStr, is_sensitive
from ansible_ensemble.views.reads import Deferred

VALUES: list[tuple[str, Any]] = [
    ("{{ SELF.port }}", 8080),
    ("port {{ SELF.port }}", "port 8080"),
    ("{{ SELF['port'] + 1 }}", 8081),
    ("{{ HOST.os }}", "linux"),
    ("{{ NODES.db.tags }}", ["x", "y"]),
    ("{{ NODES.db.tags | join('-') }}", "x-y"),
    ("{{ NODES.db.settings.a.b }}", 1),
    ("{{ SELF['.name'] }}", "app"),
    ("{{ SELF['.targets'].db.name }}", "orders"),
    ("{{ ROOT.inputs.size }}", 3),
    ("{{ TOPOLOGY.inputs.database.port }}", 5432),
    ("{{ '.targets::db::name' | eval }}", "orders"),
    ("{{ '::app::port' | ref }}", 8080),
    ("{{ {'get_property': ['SELF', 'port']} | eval }}", 8080),
    ("{{ ('::db' | eval).tags[0] }}", "x"),
    ("{{ SELF.nothing | default('none') }}", "none"),
    ("{{ SELF.nothing is defined }}", False),
    ("{% for tag in NODES.db.tags %}{{ tag }};{% endfor %}", "x;y;"),
    ("{{ [1, 2] | map('string') | list }}", ["1", "2"]),
    ("{{ 'abc' is match('a.c') }}", True),
    ("{{ lookup('ansible.builtin.env', 'NO_SUCH_VARIABLE', default='unset') }}", "unset"),
    ("#jinja2: variable_start_string: '[%', variable_end_string: '%]'\n[% SELF.port %] {{ x }}", "8080 {{ x }}"),
    ("{{ lookup('unfurl', '::db::name') }}", "orders"),
    ("{{ lookup('unfurl', '::db::tags') }}", ["x", "y"]),
    ("{{ query('unfurl', '::db::name') }}", ["orders"]),
    ("{{ query('unfurl', '::db::name', '.::port') }}", ["orders", 8080]),
    ("{{ __unfurl.to_label(['a', 'b'], sep='-') }}", "a-b"),
    ("{{ variable }}", "v"),
    ("{{ structure.a }}", 1),
    ("{{ task.dryrun }}", False),
    ("a\n{{ 1 }}\n", "a\n1\n"),
    ("{{ none }}", None),
]


@pytest.mark.parametrize(("template", "value"), VALUES, ids=[case[0] for case in VALUES])
def test_values(model: Any, template: str, value: Any) -> None:
    model.environment.variables = {"variable": "v", "structure": {"a": 1}}
    result = model.evaluate(template, "app")
    assert result == value
    assert type(result) is type(value), "no type of Ansible's own"


ERRORS: list[tuple[str, str]] = [
    ("{{ nope }}", "'nope' is undefined"),
    ("{{ SELF.nope }}", "no attribute 'nope'"),
    ("{{ 1 +", "Syntax error"),
    ("{{ 1 | nofilter }}", "nofilter"),
    ("{{ 1 / 0 }}", "division by zero"),
    ("{{ '::app::[' | eval }}", "is not a path"),
    ("{{ lookup('nolookup') }}", "nolookup"),
]


@pytest.mark.parametrize(("template", "message"), ERRORS, ids=[case[0] for case in ERRORS])
def test_errors_name_the_template_and_what_failed(model: Any, template: str, message: str) -> None:
    with pytest.raises(InvalidInput) as error:
        model.evaluator().scope(model.instance("app")).evaluate(template, model.place)
    assert message in error.value.message
    assert error.value.place == model.place


@pytest.mark.parametrize(
    "template",
    ["{{ SELF.url }}", "{{ SELF.url | default('x') }}", "{{ SELF.url is defined }}", "{{ '::app::url' | eval }}"],
)
def test_a_value_that_is_not_known_yet_is_never_taken_for_missing(model: Any, template: str) -> None:
    with pytest.raises(Deferred) as deferred:
        model.evaluate(template, "app")
    assert deferred.value.refs == ("app.url",)


INJECTION = "{{ 6 * 7 }}{{ lookup('pipe', 'touch /tmp/pwned') }}"


def test_untrusted_text_is_never_evaluated(model: Any) -> None:
    model.environment.variables = {"given": INJECTION, "nested": {"a": [INJECTION]}}
    model.environment.environ = {"EVIL": INJECTION}
    model.instance("app", url=INJECTION, data={"eval": "::db::name", "get_input": "size"})
    for raw in (
        {"get_attribute": ["app", "url"]},
        {"eval": "::app::url"},
        {"get_env": "EVIL"},
        "{{ SELF.url }}",
        "{{ given }}",
        "{{ nested.a[0] }}",
        "{{ '::app::url' | eval }}",
    ):
        assert model.evaluate(raw, "app") == INJECTION
    assert model.evaluate({"concat": ["a ", {"get_attribute": ["app", "url"]}]}, "app") == "a " + INJECTION
    assert model.evaluate("b {{ SELF.url }}", "app") == "b " + INJECTION
    assert model.evaluate({"get_attribute": ["app", "data"]}, "app") == {"eval": "::db::name", "get_input": "size"}
    assert model.evaluate({"eval": "::app::data"}, "app")["eval"] == "::db::name"


def test_inputs_given_as_values_are_not_evaluated(model: Any) -> None:
    operation = model.operation(command="{{ inputs.text }}")
    scope = model.evaluator().scope(model.instance("app"), operation=operation, inputs={"text": INJECTION})
    assert scope.inputs["command"] == INJECTION


def test_a_template_in_a_property_that_a_template_reads(model: Any) -> None:
    model.node("web", {"a": "{{ SELF.b }}-a", "b": "{{ NODES.app.port }}-b"})
    assert model.evaluate("{{ NODES.web.a }}!", "app") == "8080-b-a!"


def test_the_result_of_a_template_that_read_a_secret_is_sensitive(model: Any) -> None:
    model.environment.secrets = {"pw": "hunter22"}
    model.environment.variables = {"token": SensitiveStr("t0ken-value"), "plain": "p"}
    model.node("web", {"password": {"eval": {"secret": "pw"}}, "port": 1})
    for template, value in (
        ("x {{ NODES.web.password }}", "x hunter22"),
        ("{{ NODES.web.password | length }}", 8),
        ("{{ [NODES.web.password] }}", ["hunter22"]),
        ("{{ token }}!", "t0ken-value!"),
        ("{{ 'a' | sensitive }}", "a"),
    ):
        result = model.evaluate(template, "app")
        assert result == value
        assert is_sensitive(result), template
        assert repr(result) == REDACTED
    assert not is_sensitive(model.evaluate("{{ NODES.web.port }} {{ plain }}", "app"))
    assert model.environment.redactor.text("it is hunter22") == f"it is {REDACTED}"


def test_an_error_does_not_show_a_secret(model: Any) -> None:
    model.environment.secrets = {"pw": "hunter22"}
    model.node("web", {"password": {"eval": {"secret": "pw"}}})
    with pytest.raises(InvalidInput) as error:
        model.evaluate("{{ NODES.web.password | from_json }}", "app")
    assert "hunter22" not in str(error.value)


def test_a_long_chain_of_errors_ends_with_the_first_cause(model: Any) -> None:
    model.node("web", {"a": "{{ SELF.b }}", "b": {"get_property": ["SELF", "c"]}})
    with pytest.raises(InvalidInput, match='"web" has no property "c"'):
        model.evaluate("{{ NODES.web.a }}", "app")


def test_variables_that_jobs_take_are_read_when_they_are_used(model: Any) -> None:
    scope = model.evaluator().scope(model.instance("app"))
    variables = scope.template_variables()
    assert scope.reads.keys() == []
    assert variables["SELF"]["port"] == 8080
    assert scope.reads.keys() == ["::app::port"]
    assert "SOURCE" not in variables
