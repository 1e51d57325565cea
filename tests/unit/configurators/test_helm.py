"""Helm by answers as it gives them; tests/integration/kubernetes/test_helm.py has the real one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.configurators.helm import HelmConfigurator
from ansible_ensemble.configurators.helm_repository import HelmRepositoryConfigurator
from ansible_ensemble.configurators.protocol import Configurator, Result
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.orders import Command, Outcome, Request
from ansible_ensemble.core.sensitive import mark_sensitive
from tests.unit.configurators.conftest import FakeTask, operation

SECRET = "s3cret-of-the-values"
SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}]}}
SETTINGS = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web"}}
ABSENT = Outcome(ok=False, rc=1, stderr="Error: release: not found\n")
METADATA = {"chart": "shop", "version": "1.0.0", "appVersion": "7"}

Answers = Mapping[str, Any]


@dataclass
class Task(FakeTask):
    hosted: tuple[str, ...] = ()

    def query(self, expression: Any) -> Any:
        return {".name": "web", ".tosca_name": "web", "::*::.name": list(self.hosted)}.get(str(expression))

    def hide(self, value: Any) -> None:
        del value


@pytest.fixture
def task(tmp_path: Path) -> Callable[..., Task]:
    (tmp_path / "shop").mkdir()

    def make(name: str = "configure", **given: Any) -> Task:
        told = {key: given.pop(key) for key in ("check", "hosted", "timeout") if key in given}
        inputs = {"name": "web", "chart": "./shop", "objects": ["Service"], **given}
        attributes = frozenset({"revision", "release_status", "chart_version", "app_version"})
        return Task(operation("helm", name=name, base=tmp_path), tmp_path, inputs, attributes=attributes, **told)

    return make


def told(status: str = "deployed", number: int = 1, *, live: bool = True, **more: Any) -> dict[str, Any]:
    manifest = "".join(f"---\n{json.dumps(one)}\n" for one in (SERVICE, SETTINGS))
    resources = {"v1/Service": [SERVICE], "v1/ConfigMap": [SETTINGS]} if live else {}
    info = {"status": status, "resources": resources}
    return {"info": info, "version": number, "namespace": "shop", "manifest": manifest, "config": {}, **more}


def wanted(**more: Any) -> dict[str, Any]:
    return {**told("pending-upgrade", 2), "chart": {"metadata": {"name": "shop", "version": "1.0.0"}}, **more}


THERE = {"status": told(), "metadata": METADATA, "dry-run": wanted(), "look": Outcome(ok=True, changed=False)}
#: What applying the objects again would change.
BY_HAND = Outcome(ok=True, changed=True, diff=[{"before": "a", "after": "b", "before_header": "Service shop/web"}])


def words_of(order: Command | Request) -> list[str]:
    """The program and its arguments, without what leads the answer into a file."""
    if isinstance(order, Request):
        return ["kubernetes", order.request["action"]]
    return list(order.argv[5:] if order.argv[0] == "/bin/sh" else order.argv)


def drive(task: Task, *answers: Answers, configurator: Configurator | None = None) -> tuple[Result, list[Command]]:
    """Run an operation; orders are answered by the word that tells them, the last map as often as needed."""
    configurator = configurator or HelmConfigurator()
    configurator.render(task)
    steps, orders, outcome, left = configurator.run(task), [], None, list(answers)
    try:
        while True:
            order = steps.send(outcome)
            words = words_of(order)
            orders.append(order)
            if words[1] == "status" and orders.count(order) > 1 and len(left) > 1:
                left.pop(0)
            key = "dry-run" if "--dry-run=server" in words and words[0] == "helm" else words[1]
            key = words[2] if key == "get" else key
            answer = left[0].get(key, Outcome(ok=True, changed=None, rc=0))
            if not isinstance(answer, Outcome):
                Path(order.argv[4]).write_text(json.dumps(answer))
                answer = Outcome(ok=True, changed=None, rc=0)
            elif answer.ok and isinstance(order, Command) and order.argv[0] == "/bin/sh":
                Path(order.argv[4]).write_text("{}")
            outcome = answer
    except StopIteration as stop:
        assert not (task.folder / ".helm").exists(), "nothing of its home is left"
        return stop.value, orders


def commands(orders: list[Command]) -> list[str]:
    return [" ".join(words_of(order)[:2]) for order in orders]


def test_a_release_is_installed_and_what_it_made_is_reported(task: Callable[..., Task]) -> None:
    given = task(values={"password": mark_sensitive(SECRET)}, wait=True, atomic=True, version="1.2", namespace="shop")
    result, orders = drive(given, {"status": ABSENT, "dry-run": wanted()}, THERE)
    assert commands(orders) == ["helm status", "helm upgrade", "helm upgrade", "helm status", "helm get"]
    words = words_of(orders[2])
    assert words[2:4] == ["web", str(given.base / "shop")]
    expected = {"--install", "--reset-values", "--wait", "--atomic", "--version", "1.2", "--history-max", "10", "300s"}
    assert expected <= set(words)
    assert re.fullmatch(r"ansible-ensemble=1\.[0-9a-f]{16}", words[words.index("--labels") + 1])
    assert words[-2:] == ["--namespace", "shop"]
    assert json.loads(orders[2].stdin or "") == {"password": SECRET}
    assert not any(SECRET in word for order in orders for word in words_of(order))
    assert (result.success, result.outcome and result.outcome.changed) == (True, True)
    assert result.attributes == {
        "revision": 1,
        "release_status": "deployed",
        "chart_version": "1.0.0",
        "app_version": "7",
    }
    (made,) = result.instances
    assert (made["name"], made["template"], made["parent"]) == ("web/service/web", "web/objects", "SELF")
    assert (made["readyState"], made["attributes"]["namespace"]) == ({"local": "ok"}, "shop")


def test_its_home_is_its_own_and_private(task: Callable[..., Task]) -> None:
    given = task()
    steps = HelmConfigurator().run(given)
    order = next(steps)
    home = given.folder / ".helm"
    assert home.stat().st_mode & 0o777 == 0o700
    variables = {name: value for name, value in order.environment.items() if name.startswith("HELM_")}
    assert variables.keys() >= {"HELM_REPOSITORY_CONFIG", "HELM_REPOSITORY_CACHE", "HELM_CACHE_HOME"}
    assert all(str(value).startswith(str(home)) for value in variables.values())
    steps.close()
    assert not home.exists()


@pytest.mark.parametrize(
    ("answers", "status"),
    [
        ({"status": ABSENT}, "absent"),
        ({**THERE, "status": told("uninstalled")}, "absent"),
        (THERE, "ok"),
        ({**THERE, "status": told("failed")}, "error"),
        ({**THERE, "status": told("pending-upgrade")}, "error"),
        ({**THERE, "status": told(live=False)}, "error"),
        ({**THERE, "dry-run": wanted(config={"port": 81})}, "degraded"),
        ({**THERE, "dry-run": wanted(chart={"metadata": {"name": "shop", "version": "1.1.0"}})}, "degraded"),
        ({**THERE, "look": BY_HAND}, "degraded"),
    ],
)
def test_a_check_compares_what_is_there(task: Callable[..., Task], answers: Answers, status: str) -> None:
    result, orders = drive(task("check"), answers)
    assert (result.success, result.status and result.status.value) == (True, status)
    assert not {"helm rollback", "helm uninstall"}.intersection(commands(orders))
    assert all("--dry-run=server" in words_of(one) for one in orders if "upgrade" in words_of(one))


def test_what_cannot_be_compared_is_told(task: Callable[..., Task]) -> None:
    result, _ = drive(task("check"), {**THERE, "look": Outcome(ok=False, error="it is forbidden")})
    assert (result.status and result.status.value, len(result.messages)) == ("ok", 1)
    assert "it is forbidden" in result.messages[0]


def test_a_cluster_that_does_not_answer_makes_the_status_unknown(task: Callable[..., Task]) -> None:
    error = "Error: Kubernetes cluster unreachable: Get\n  refused\n"
    result, _ = drive(task("check"), {"status": Outcome(ok=False, rc=1, stderr=error)})
    assert (result.success, result.status, result.error) == (False, None, "Kubernetes cluster unreachable: Get refused")


def test_what_is_as_it_should_be_is_left_alone(task: Callable[..., Task]) -> None:
    result, orders = drive(task(), THERE)
    assert (result.success, result.outcome and result.outcome.changed) == (True, False)
    assert commands(orders).count("helm upgrade") == 1, "a dry run"


def test_an_object_that_is_gone_or_changed_by_hand_is_put_right(task: Callable[..., Task]) -> None:
    for there in ({**THERE, "status": told(live=False)}, {**THERE, "look": BY_HAND}):
        result, orders = drive(task(), there)
        assert (result.outcome and result.outcome.changed, commands(orders).count("helm upgrade")) == (True, 2)


def test_what_a_release_has_no_more_is_absent(task: Callable[..., Task]) -> None:
    hosted = ("web/service/old", "web/service/web", "app-on-it")
    result, _ = drive(task("check", hosted=hosted), THERE)
    assert {one["name"]: one["readyState"]["local"] for one in result.instances} == {
        "web/service/old": "absent",
        "web/service/web": "ok",
    }


def test_a_dry_run_changes_nothing_and_shows_what_would(task: Callable[..., Task]) -> None:
    answers = {**THERE, "dry-run": wanted(config={"port": 81, "password": "x"})}
    result, orders = drive(task(check=True, values={"password": mark_sensitive("x")}), answers)
    assert result.basis.value == "predicted"
    (values,) = result.outcome.diff if result.outcome else []
    assert (values["before"]["values"], values["after"]["values"]["port"]) == ({}, 81)
    assert values["after"]["values"]["password"] == "<<REDACTED>>"
    assert all("--dry-run=server" in words_of(one) for one in orders if "upgrade" in words_of(one))


@pytest.mark.parametrize(
    ("before", "after", "modified"),
    [
        ({"status": ABSENT}, {"status": ABSENT}, False),
        ({"status": ABSENT}, {**THERE, "status": told("failed")}, True),
        (THERE, {**THERE, "status": told(number=3)}, False),
        (THERE, {**THERE, "status": told("failed", 2)}, True),
        (THERE, {**THERE, "status": told(number=3, config={"a": 1})}, True),
        (THERE, {"status": Outcome(ok=False, rc=1, stderr="Error: unreachable")}, None),
    ],
    ids=["came back to nothing", "left broken", "rolled back", "left broken after", "other values", "nobody knows"],
)
def test_a_failure_says_whether_something_is_left(
    task: Callable[..., Task], before: Answers, after: Answers, modified: bool | None
) -> None:
    failed = Outcome(ok=False, rc=1, stderr="Error: UPGRADE FAILED: too late\n")
    one = {**before, "dry-run": wanted(config={"a": 2}), "upgrade": failed}
    result, _ = drive(task(), one, after)
    assert (result.success, result.error, result.modified) == (False, "UPGRADE FAILED: too late", modified)


@pytest.mark.parametrize(
    ("history", "way"),
    [
        ([{"revision": 1, "status": "deployed"}, {"revision": 2, "status": "pending-upgrade"}], "helm rollback web 1"),
        ([{"revision": 1, "status": "pending-install"}], "helm uninstall web"),
    ],
)
def test_what_a_killed_job_left_pending_is_ended_first(task: Callable[..., Task], history: list[Any], way: str) -> None:
    pending = {
        "status": told("pending-upgrade", 2),
        "metadata": METADATA,
        "list": [{"name": "web"}],
        "history": history,
    }
    result, orders = drive(task(), pending, THERE)
    lines = [" ".join(words_of(one)) for one in orders]
    assert result.success
    assert [line for line in lines if line.startswith(way)]
    assert "--selector ansible-ensemble=2." in lines[2]


def test_what_somebody_else_left_pending_is_left_to_them(task: Callable[..., Task]) -> None:
    pending = {"status": told("pending-upgrade", 2), "metadata": METADATA, "list": []}
    result, orders = drive(task(), pending)
    assert (result.success, result.modified) == (False, False)
    assert "somebody else works on it" in (result.error or "")
    assert commands(orders)[-1] == "helm list"


@pytest.mark.parametrize(
    ("inputs", "answers", "expected"),
    [
        ({}, THERE, ["helm status", "helm get", "helm uninstall"]),
        ({"keep_history": True}, THERE, ["helm status", "helm get", "helm uninstall"]),
        ({}, {"status": ABSENT}, ["helm status"]),
        ({"check": True}, THERE, ["helm status", "helm get"]),
    ],
)
def test_delete_uninstalls_what_is_there(
    task: Callable[..., Task], inputs: dict[str, Any], answers: Answers, expected: list[str]
) -> None:
    result, orders = drive(task("delete", chart=None, **inputs), answers)
    assert result.success
    assert commands(orders) == expected
    assert ("--keep-history" in words_of(orders[-1])) is bool(inputs.get("keep_history"))


REPOSITORY = {"name": "ours", "url": "https://127.0.0.1/charts/", "username": "u", "password": mark_sensitive(SECRET)}


@pytest.mark.parametrize(
    ("chart", "repository", "reference"),
    [
        ("shop", {"name": "ours", "url": "https://127.0.0.1/charts"}, "ours/shop"),
        ("ours/shop", {"name": "ours", "url": "https://127.0.0.1/charts"}, "ours/shop"),
        ("shop", {"url": "oci://127.0.0.1/charts/"}, "oci://127.0.0.1/charts/shop"),
        ("oci://127.0.0.1/x", None, "oci://127.0.0.1/x"),
        ("https://127.0.0.1/x.tgz", {}, "https://127.0.0.1/x.tgz"),
    ],
)
def test_a_chart_comes_from_a_repository_a_registry_or_an_address(
    task: Callable[..., Task], chart: str, repository: Any, reference: str
) -> None:
    _, orders = drive(task(chart=chart, repository=repository), THERE)
    (upgrade,) = [words_of(one) for one in orders if "upgrade" in words_of(one)]
    assert upgrade[3] == reference


def test_the_version_that_is_there_is_compared_where_none_is_asked_for(task: Callable[..., Task]) -> None:
    for name, pinned in (("check", True), ("configure", False)):
        _, orders = drive(task(name, chart="shop", repository={"url": "https://127.0.0.1"}), THERE)
        (upgrade,) = [words_of(one) for one in orders if "upgrade" in words_of(one)]
        assert ("--version" in upgrade) is pinned


def test_a_repository_is_asked_and_its_password_is_in_no_command_line(task: Callable[..., Task]) -> None:
    for name, answer, expected in (
        ("configure", Outcome(ok=True), (True, None)),
        ("configure", Outcome(ok=False, rc=1, stderr="Error: no such host"), (False, None)),
        ("check", Outcome(ok=False, rc=1, stderr="Error: no such host"), (True, "error")),
    ):
        result, (order,) = drive(
            task(name, repository=REPOSITORY), {"repo": answer}, configurator=HelmRepositoryConfigurator()
        )
        assert (result.success, result.status and result.status.value) == expected
        assert order.argv[:5] == ("helm", "repo", "add", "ours", REPOSITORY["url"])
        assert (order.stdin, "--password-stdin" in order.argv) == (SECRET, True)


def test_a_registry_is_logged_in_to(task: Callable[..., Task]) -> None:
    given = {**REPOSITORY, "url": "oci://127.0.0.1:5000/charts", "plain_http": True}
    _, (order,) = drive(task(repository=given), {}, configurator=HelmRepositoryConfigurator())
    assert order.argv[:4] == ("helm", "registry", "login", "127.0.0.1:5000")
    assert "--plain-http" in order.argv


def test_values_come_from_files_properties_and_single_ones(task: Callable[..., Task], tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("a: 1\n")
    single = {"b.c": 2, "key": mark_sensitive(SECRET)}
    _, orders = drive(task(values={"x": 1}, values_files=["a.yaml"], set=single), THERE)
    (upgrade,) = [words_of(one) for one in orders if "upgrade" in words_of(one)]
    at = upgrade.index("--values")
    assert upgrade[at : at + 4] == ["--values", str(tmp_path / "a.yaml"), "--values", "-"]
    assert upgrade[upgrade.index("--set-json") + 1] == "b.c=2"
    assert upgrade[upgrade.index("--set-file") + 1].startswith("key=")


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"chart": None}, "the release has no chart"),
        ({"chart": "./none"}, 'there is no chart "./none"'),
        ({"chart": ["x"]}, "the input chart must be a text"),
        ({"name": ""}, "the release has no name"),
        ({"values": [1]}, "the values of the release must be a map"),
        ({"values_files": "a.yaml"}, "the input values_files must be a list"),
        ({"values_files": ["none.yaml"]}, 'there is no file "none.yaml" with values'),
        ({"set": ["a=b"]}, "the input set must be a map"),
        ({"objects": "Service"}, "the input objects must be a list"),
        ({"timeout": "5m"}, "the input timeout must be a whole number"),
        ({"repository": {"name": "x"}}, "the repository has no url"),
        ({"repository": {"url": "https://127.0.0.1", "username": "u"}}, "a username and no password"),
        ({"repository": {"url": "https://127.0.0.1", "user": "u"}}, "the repository has no user"),
        ({"history_max": -1}, "the input history_max must be a whole number"),
    ],
)
def test_wrong_inputs_are_refused_before_anything_runs(
    task: Callable[..., Task], inputs: dict[str, Any], message: str
) -> None:
    given = task()
    given.inputs |= inputs
    with pytest.raises(InvalidInput, match=message):
        HelmConfigurator().render(given)
