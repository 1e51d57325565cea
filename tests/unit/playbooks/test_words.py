from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.playbooks.words import (
    beside_hostvars,
    facts_in,
    handlers_in,
    notified_in,
    set_in,
    tags_of,
    words_of,
)

WORDS: list[tuple[Any, set[str]]] = [
    ("text without a template", set()),
    ({"name": "port", "copy": {"content": "{{ port + size }}"}}, {"port", "size"}),
    ({"when": "port == 80"}, {"port"}),
    ({"loop": ["a", "b"]}, set()),
    ({"loop": "users"}, {"users"}),
    ({"template": "{% if on %}x{% endif %}"}, {"if", "on", "endif"}),
    ({"debug": {"var": "port"}}, {"port"}),
]


@pytest.mark.parametrize(("data", "words"), WORDS, ids=[str(one[0]) for one in WORDS])
def test_words(data: Any, words: set[str]) -> None:
    assert set(words_of(data)) == words


def test_facts() -> None:
    names = ["ansible_facts", "ansible_hostname", "ansible_host", "ansible_check_mode", "ansible_ssh_user", "port"]
    assert facts_in(names) == ["ansible_facts", "ansible_hostname"]


OTHERS = [
    ("{{ hostvars['a'].ansible_facts.system }}", ["ansible_facts"]),
    ("{{ hostvars[item].port }} {{ ansible_facts.system }}", []),
    ("{% for h in groups.web %}{% set v = hostvars[h] %}{{ v.ansible_fqdn }}{% endfor %}", ["ansible_fqdn"]),
    ("{{ ansible_fqdn }}", []),
    ("when: hostvars['a'].ansible_fqdn == 'x'", ["ansible_fqdn"]),
]


@pytest.mark.parametrize(("text", "facts"), OTHERS, ids=[one[0] for one in OTHERS])
def test_facts_of_others(text: str, facts: list[str]) -> None:
    assert facts_in(beside_hostvars(text)) == facts


def test_what_tasks_set() -> None:
    tasks = [
        {"command": "x", "register": "one"},
        {"set_fact": {"two": 1}},
        {"ansible.builtin.set_fact": "three=1 four=2"},
        {"block": [{"service_facts": {}}], "always": [{"register": "five"}]},
    ]
    assert set_in(tasks) == {"one", "two", "three", "four", "ansible_facts", "services", "five"}


def test_handlers_and_who_notifies_them() -> None:
    handlers = [{"name": "a", "listen": ["b", "c"]}, {"block": [{"name": "d"}]}]
    assert handlers_in(handlers) == {"a", "b", "c", "d"}
    assert notified_in([{"notify": "a"}, {"block": [{"notify": ["b", "c"]}]}]) == {"a", "b", "c"}


def test_tags() -> None:
    assert tags_of({"tags": "a, b"}) == tags_of({"tags": ["a", "b"]}) == {"a", "b"}
    assert tags_of("role") == set()
