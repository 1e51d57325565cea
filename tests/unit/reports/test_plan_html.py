from __future__ import annotations

from html.parser import HTMLParser

from ansible_ensemble.reports.plan_html import plan_html

VOID = {"meta", "br"}


class Checker(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def read(page: str) -> Checker:
    checker = Checker()
    checker.feed(page)
    checker.close()
    assert checker.open == []
    return checker


def test_it_is_well_formed_and_holds_the_plan(document):
    plan = document("plan")
    plan["operations"][0]["host"] = "HOST"
    plan["resource_changes"][0]["leaves"] = "the package"
    page = read(plan_html(plan))
    for part in (
        "on its host",
        "would change something",
        "cannot be predicted",
        "Plan: 2 to add",
        "will be created (new)",
        "8080 → 8081",
        "(sensitive value)",
        "it is protected",
        "undeploy leaves: the package",
    ):
        assert part in page.text


def test_it_says_the_inputs_and_what_was_renamed(document):
    inputs = [
        {"name": "title", "value": "Our", "before": "My", "origin": "given to this job", "sensitive": False},
        {"name": "key", "value": None, "origin": "given to deploy on 2026-01-02", "sensitive": True},
    ]
    page = read(plan_html(document("plan") | {"inputs": inputs, "moved": [{"previous_address": "a", "address": "b"}]}))
    for part in ("My -> Our", "given to this job", "(sensitive value)", "a has moved to b"):
        assert part in page.text


def test_values_are_escaped(document):
    plan = document("plan")
    plan["resource_changes"][0]["change"]["values"][0]["after"] = "<script>alert(1)</script>"
    plan["warnings"] = ["<img src=x>"]
    page = read(plan_html(plan))
    assert not {"script", "img"} & page.seen


def test_it_refers_to_nothing_else(document):
    page = plan_html(document("plan") | {"output_changes": {}})
    assert "src=" not in page
    assert "<link" not in page
