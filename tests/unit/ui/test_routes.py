"""Every route: who may ask it, and that it leads nowhere else."""

from __future__ import annotations

import asyncio
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from multidict import CIMultiDictProxy
from yarl import URL

from ansible_ensemble.ui import application
from ansible_ensemble.ui.access import Access
from ansible_ensemble.ui.application import Pages
from ansible_ensemble.ui.rights import OPEN, RIGHTS, ROLES, SEE
from ansible_ensemble.ui.static_files import machine_pages, project_pages
from ansible_ensemble.ui.users import Users
from tests.unit.ui.asking import browser_of, write


def pages(tmp_path: Path) -> Pages:
    users = "".join(f"  {role}: {{roles: [{role}]}}\n" for role in ROLES)
    text = f"users:\n{users}  none: {{roles: []}}\nproxy: {{header: X-User, addresses: [127.0.0.1]}}\n"
    return Pages(tmp_path, Access(frozenset(), users=Users(write(tmp_path / "users.yaml", text))))


def requests_of(made: Pages) -> Iterator[tuple[str, str]]:
    for method, path, _handler, _right in made.routes():
        yield method, re.sub(r"\{name.*\}", "style.css", path).replace("{", "").replace("}", "")


EXPECTED = {
    "/api/1/session": {"GET": "anyone", "POST": "anyone", "DELETE": "anyone"},
    "/style.css": {"GET": "anyone"},
    **{
        f"/api/1/{name}": {"GET": "read approve operate"}
        for name in ("status", "outputs", "inputs", "history", "validate", "project", "graph", "drift", "events")
    },
    "/api/1/jobs/job": {"GET": "read approve operate"},
    "/api/1/jobs/job/entries": {"GET": "read approve operate"},
    "/api/1/runs": {"GET": "read approve operate", "POST": "operate"},
    "/api/1/runs/run": {"DELETE": "operate"},
    "/api/1/plans": {"GET": "read approve operate", "POST": "operate"},
    "/api/1/plans/plan": {"GET": "read approve operate", "DELETE": "approve operate"},
    "/api/1/plans/plan/approval": {"POST": "approve"},
}


def test_each_role_may_ask_what_the_table_says_and_nothing_else(tmp_path: Path) -> None:
    """A request that is let through answers something of its own: there is no such ensemble, plan or run."""

    async def ask() -> dict[str, dict[str, str]]:
        made = pages(tmp_path)
        found: dict[str, dict[str, str]] = {}
        async with browser_of(made.application(), made.access) as (browser, port):
            for method, path in requests_of(made):
                let = []
                for name in ("", "none", *ROLES):
                    headers = {"X-User": name, "Content-Type": "application/json"}
                    url = f"http://127.0.0.1:{port}{path}"
                    async with browser.request(method, url, headers=headers) as answer:
                        refused = {"": 401, "none": 401}.get(name, 403)
                        let += [] if answer.status == refused else [name]
                        assert answer.status != 500
                if "" in let:
                    assert let == ["", "none", *ROLES]
                    let = ["anyone"]
                found.setdefault(path, {})[method] = " ".join(let)
        return found

    assert asyncio.run(ask()) == EXPECTED


def test_a_folder_whose_name_is_no_unicode_is_listed(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"bad\xffname")
    folder.mkdir()
    (folder / "ensemble.yaml").write_text("apiVersion: tosca-ensemble/v1\nkind: Ensemble\n")

    async def ask() -> Any:
        made = pages(tmp_path)
        async with browser_of(made.application(), made.access) as (browser, port):
            answer = await browser.get(f"http://127.0.0.1:{port}/api/1/project", headers={"X-User": "read"})
            return await answer.json()

    assert [one["path"] for one in asyncio.run(ask())["ensembles"]] == [
        "bad\N{REPLACEMENT CHARACTER}name/ensemble.yaml"
    ]


def test_every_right_is_one_of_the_table(tmp_path: Path) -> None:
    needed = {right for _method, _path, _handler, right in pages(tmp_path).routes()}
    assert needed == {OPEN, *RIGHTS}
    assert set(RIGHTS[SEE]) == set(ROLES), "whoever may do something sees it"


@pytest.mark.parametrize("method", ["PUT", "PATCH", "OPTIONS", "TRACE", "POST"])
def test_a_method_that_no_route_has_is_refused(tmp_path: Path, method: str) -> None:
    async def ask() -> int:
        made = pages(tmp_path)
        headers = {"X-User": "operate", "Content-Type": "application/json"}
        async with browser_of(made.application(), made.access) as (browser, port):
            answer = await browser.request(method, f"http://127.0.0.1:{port}/", headers=headers)
            return answer.status

    assert asyncio.run(ask()) == 405


PATHS = [
    "/access.py",
    "/../access.py",
    "/static/../access.py",
    "/..%2faccess.py",
    "/%2e%2e%2faccess.py",
    "/%2e%2e/access.py",
    "//etc/passwd",
    "/%2fetc%2fpasswd",
    "/..%5caccess.py",
    "/style.css%00.py",
    "/api/1/jobs/..%2f..%2fusers.yaml?ensemble=users.yaml",
    "/api/1/jobs/..%2fx/entries?ensemble=..%2fusers.yaml",
    "/api/1/plans/..%2fusers.yaml?ensemble=users.yaml",
]


@pytest.mark.parametrize("path", PATHS)
def test_no_path_leads_to_other_files(tmp_path: Path, path: str) -> None:
    async def ask() -> tuple[int, str]:
        made = pages(tmp_path)
        async with browser_of(made.application(), made.access) as (browser, port):
            url = URL(f"http://127.0.0.1:{port}{path}", encoded=True)
            answer = await browser.get(url, headers={"X-User": "operate"})
            return answer.status, await answer.text()

    status, text = asyncio.run(ask())
    assert status == 404
    assert "roles" not in text
    assert "import" not in text


def test_every_answer_forbids_scripts_of_others(tmp_path: Path) -> None:
    async def ask() -> list[tuple[int, CIMultiDictProxy[str]]]:
        made = pages(tmp_path)
        async with browser_of(made.application(), made.access) as (browser, port):
            told = [await browser.get(f"http://127.0.0.1:{port}/{path}") for path in ("", "nowhere", "api/1/project")]
            return [(one.status, one.headers) for one in told]

    for _status, headers in (found := asyncio.run(ask())):
        policy = headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self';")
        assert "unsafe" not in policy
    assert [status for status, _headers in found] == [200, 404, 401]


def test_who_works_on_an_ensemble_is_read_beside_the_event_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ensemble-project.yaml").write_text("environments: {}\n")
    (tmp_path / "ensemble.yaml").write_text("apiVersion: tosca-ensemble/v1\nkind: Ensemble\n")
    threads: list[int] = []
    monkeypatch.setattr(application, "holder", lambda _path: threads.append(threading.get_ident()))

    async def ask() -> int:
        made = pages(tmp_path)
        async with browser_of(made.application(), made.access) as (browser, port):
            url = f"http://127.0.0.1:{port}/api/1/project"
            return (await browser.get(url, headers={"X-User": "read"})).status

    assert asyncio.run(ask()) == 200
    assert len(threads) == 1
    assert threads[0] != threading.get_ident()


MARKUP = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function")
INLINE = re.compile(r"<script(?! type=\"module\" src=)|\son\w+=\"|\sstyle=\"|https?://(?!www.w3.org)")


def test_no_page_makes_markup_of_values() -> None:
    pages = [*project_pages().items(), *machine_pages().items()]
    faults = [name for name, file in pages for rule in (MARKUP, INLINE) if rule.search(file.body.decode())]
    assert len(pages) > 20
    assert not faults
