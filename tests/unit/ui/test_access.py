"""Who may see the pages, and change something."""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from multidict import CIMultiDict

from ansible_ensemble.core.attempts import OF_USER
from ansible_ensemble.core.errors import InvalidInput, UsageError
from ansible_ensemble.core.passwords import hashed
from ansible_ensemble.ui.access import SESSION_LIFE, TOKEN_LIFE, Access
from ansible_ensemble.ui.rights import OPEN
from ansible_ensemble.ui.serve import Address
from ansible_ensemble.ui.users import Users
from tests.unit.ui.asking import Asked, answers, browser_of, get, post, statuses, write

PASSWORD = "correct horse"
KEPT = hashed(PASSWORD)
OTHER = hashed("battery staple")


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def log_in(name: str = "ann", password: str = PASSWORD, **said: Any) -> Asked:
    return post("/session", {"name": name, "password": password}, **said)


# --- whoever started the server -----------------------------------------------------------------------------------


def test_an_address_opens_once() -> None:
    access = Access(frozenset())
    token = access.new_token()
    first, again = answers(access, get(f"/?token={token}"), get(f"/?token={token}"))
    assert (first.status, first.text) == (200, "shown"), "the browser was sent on, and has a session"
    assert again.status == 401
    assert "used already" in again.text


@pytest.mark.parametrize("session", [None, "guessed", "gu\u00e9ssed", "\udcff"])
def test_nobody_without_a_session_sees_anything(session: str | None) -> None:
    access = Access(frozenset())
    headers = {} if session is None else {"Cookie": f"{access.cookie}={session}"}
    for answer in answers(access, get(headers=headers), get("/session", headers=headers), get("/nowhere")):
        assert answer.status == 401
        assert "shown" not in answer.text


def test_an_address_and_a_session_end_with_their_time() -> None:
    clock = Clock()
    access = Access(frozenset(), clock=clock)
    old, good = access.new_token(), access.new_token()

    def pass_by(seconds: float) -> None:
        clock.now += seconds

    assert statuses(
        access,
        get(f"/?token={good}"),
        get(first=lambda: pass_by(TOKEN_LIFE)),
        get(f"/?token={old}"),
        get(),
        get(first=lambda: pass_by(SESSION_LIFE - TOKEN_LIFE)),
    ) == [200, 200, 401, 200, 401]


FROM_ELSEWHERE = [
    {"Host": "attacker.example"},
    {"Host": "attacker.example:PORT"},
    {"Host": "localhost.attacker.example:PORT"},
    {"Host": ""},
    {"Origin": "http://attacker.example"},
    {"Origin": "https://127.0.0.1:PORT"},
    {"Origin": "http://localhost:PORT"},
    {"Origin": "http://127.0.0.1:1"},
    {"Origin": "null"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "none"},
    {"Content-Type": "text/plain"},
    {"Content-Type": "application/x-www-form-urlencoded"},
]


@pytest.mark.parametrize("headers", FROM_ELSEWHERE, ids=str)
def test_other_sites_change_nothing(headers: dict[str, str]) -> None:
    access = Access(frozenset())
    own = {"Origin": "http://127.0.0.1:PORT", "Sec-Fetch-Site": "same-origin"}
    assert statuses(access, get(f"/?token={access.new_token()}"), post(headers=headers), post(headers=own), post()) == [
        200,
        403,
        200,
        200,
    ]


@pytest.mark.parametrize("headers", [one for one in FROM_ELSEWHERE if "Host" in one], ids=str)
def test_a_name_that_leads_here_and_is_not_ours_shows_nothing(headers: dict[str, str]) -> None:
    access = Access(frozenset())
    assert statuses(access, get(f"/?token={access.new_token()}"), get(headers=headers)) == [200, 403]


@pytest.mark.parametrize("headers", [one for one in FROM_ELSEWHERE if "Host" not in one], ids=str)
def test_other_sites_log_nobody_in(access: Access, headers: dict[str, str]) -> None:
    refused, after = answers(access, log_in(headers=headers), get())
    assert (refused.status, refused.cookie, after.status) == (403, "", 401)


NAMED = {
    "https://Ensembles.Example.com:443": "ensembles.example.com",
    "https://ensembles.example.com": "ENSEMBLES.example.com:443",
    "https://ensembles.example.com:8443/": "ensembles.example.com:8443",
    "https://[::1]": "[::1]",
}


@pytest.mark.parametrize(("url", "host"), NAMED.items(), ids=NAMED)
def test_a_name_is_known_however_it_is_written(file: Path, url: str, host: str) -> None:
    async def ask() -> int:
        access = Access(frozenset(), users=Users(file), secure=True)
        application = web.Application(middlewares=[access.guard])
        application.router.add_post("/session", access.log_in)
        access.needs[access.log_in] = OPEN
        async with browser_of(application, access) as (browser, port):
            access.hosts = Address(url=url).hosts(port)
            origin = "https://" + host.lower().removesuffix(":443")
            asked = browser.post(
                f"http://127.0.0.1:{port}/session",
                json={"name": "ann", "password": PASSWORD},
                headers={"Host": host, "Origin": origin},
            )
            async with asked as answer:
                return answer.status

    assert asyncio.run(ask()) == 204


def test_a_machine_whose_name_has_capitals_is_known_as_browsers_write_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ansible_ensemble.ui.serve.names_of", lambda _host: ["Build.Example.com"])
    address = Address(host="0.0.0.0", cert=Path("cert"), key=Path("key"))
    assert address.hosts(8443) == {"build.example.com:8443"}
    assert address.hosts(443) == {"build.example.com"}


@pytest.mark.parametrize(
    "url",
    [
        "https://ann:secret@example.com",
        "https://@example.com",
        "https://example.com?x",
        "https://example.com/#x",
        "https://example.com:nowhere",
        "https://example.com:0",
        "https://[",
        "https://:443",
        "//example.com",
    ],
)
def test_a_url_that_is_more_or_less_than_a_server_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="--url"):
        Address(url=url).check(None)


def test_two_servers_have_sessions_of_their_own() -> None:
    assert Access(frozenset()).cookie != Access(frozenset()).cookie, "cookies know no ports"


def test_read_only_shows_and_changes_nothing() -> None:
    access = Access(frozenset(), read_only=True)
    opened, posted, deleted = answers(access, get(f"/?token={access.new_token()}"), post(), Asked("DELETE", "/"))
    assert opened.status == 200
    assert posted.status == deleted.status == 403
    assert "--read-only" in posted.text


# --- users --------------------------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(
        tmp_path / "users.yaml",
        f"users:\n  ann: {{roles: [approve, operate], password: {KEPT}}}\n"
        f"  joe: {{roles: [read], password: {OTHER}}}\n  eve: {{roles: [operate]}}\n",
    )


@pytest.fixture
def access(file: Path) -> Access:
    return Access(frozenset(), users=Users(file))


def test_a_user_logs_in_and_out(access: Access) -> None:
    before, _login, session, shown, posted, _logout, after = answers(
        access, get(), log_in(), get("/session"), get(), post(), Asked("DELETE", "/session"), get()
    )
    assert (before.status, before.text) == (401, "Log in first.\n")
    assert session.text == '{"user":"ann","may":["see","plan","look","cancel","approve","reject"],"session":true}'
    assert (shown.status, posted.status, after.status) == (200, 200, 401)


@pytest.mark.parametrize(
    ("name", "password"),
    [("ann", "wrong"), ("ann", ""), ("nobody", PASSWORD), ("", ""), ("eve", ""), ("joe", PASSWORD)],
)
def test_a_wrong_password_opens_nothing(access: Access, name: str, password: str) -> None:
    refused, after = answers(access, log_in(name, password), get())
    assert (refused.status, after.status, refused.cookie) == (403, 401, "")
    assert refused.text == "The name or the password is wrong.\n", "which of them is not said"


@pytest.mark.parametrize("body", [[], "x", {"name": "ann"}, None, 1], ids=str)
def test_what_is_no_login_is_refused(access: Access, body: Any) -> None:
    assert statuses(access, Asked("POST", "/session", {"Content-Type": "application/json"}, body))[0] == 400


def test_who_guesses_is_sent_away(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ansible_ensemble.core.password_check.LONGEST_WAIT", 0.4)
    access = Access(frozenset(), users=Users(file), clock=Clock())
    guessed = statuses(access, *[log_in(password="wrong")] * (OF_USER + 1), log_in())
    assert guessed == [403] * OF_USER + [429, 429], "also with the right one, until the wait is over"


def test_a_session_that_somebody_planted_stays_closed(access: Access) -> None:
    planted = {"Cookie": f"{access.cookie}=planted"}
    (login,) = answers(access, log_in(headers=planted))
    assert "planted" not in login.cookie
    assert login.cookie.startswith(access.cookie)
    assert statuses(access, get(headers=planted)) == [401]


def test_a_login_ends_the_session_before(access: Access) -> None:
    first, _second = answers(access, log_in(), log_in())
    kept = first.cookie.partition(";")[0]
    assert statuses(access, get(headers={"Cookie": kept})) == [401]


@pytest.mark.parametrize("secure", [False, True])
def test_what_browsers_are_told_of_the_cookie(file: Path, secure: bool) -> None:
    access = Access(frozenset(), users=Users(file), secure=secure)
    own = {"Origin": "https://127.0.0.1:PORT"} if secure else {}
    (login,) = answers(access, log_in(headers=own))
    said = set(re.split(r"; ", login.cookie)[1:])
    assert said == {"HttpOnly", "Path=/", "SameSite=Strict", *(["Secure"] if secure else [])}
    assert login.cookie.startswith("__Host-") is secure, "no other name's server can set it"


CHANGES = {
    "is removed": "users: {joe: {roles: [read]}}\n",
    "has another password": f"users: {{ann: {{roles: [operate], password: {OTHER}}}}}\n",
    "is of a file that is wrong now": "users: [\n",
}


def test_a_session_ends_when_others_may_read_the_file(access: Access, file: Path) -> None:
    assert statuses(access, log_in(), get(), get(first=lambda: file.chmod(0o644))) == [204, 200, 401]


@pytest.mark.parametrize("text", CHANGES.values(), ids=CHANGES)
def test_a_session_ends_when_its_user(access: Access, file: Path, text: str) -> None:
    assert statuses(access, log_in(), get(), get(first=lambda: write(file, text))) == [204, 200, 401]


def test_a_role_that_is_taken_away_is_gone(access: Access, file: Path) -> None:
    text = f"users: {{ann: {{roles: [read], password: {KEPT}}}}}\n"
    assert statuses(access, log_in(), post(), post(first=lambda: write(file, text)), get()) == [204, 200, 403, 200]


def test_a_token_opens_nothing_where_there_are_users(access: Access) -> None:
    assert statuses(access, get(f"/?token={access.new_token()}"), get()) == [401, 401]


def test_what_a_user_changes_is_told_where_the_server_runs(file: Path) -> None:
    told: list[str] = []
    access = Access(frozenset(), users=Users(file), tell=told.append)
    answers(access, log_in(), get(), post("/?ensemble=web"), post(headers={"Origin": "http://attacker.example"}))
    (line,) = told
    assert line.endswith(" ann: plan /?ensemble=web")


WRONG = {
    "a password as it is": "users: {ann: {roles: [read], password: secret}}\n",
    "an unknown role": "users: {ann: {roles: [admin]}}\n",
    "an unknown field": "users: {ann: {role: read}}\n",
    "no map": "- ann\n",
    "no YAML": "users: [\n",
    "an address that is none": "proxy: {header: X-User, addresses: [proxy.example]}\n",
}


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_a_file_of_users_that_is_wrong(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidInput):
        Users(write(tmp_path / "users.yaml", text))


@pytest.mark.parametrize("mode", [0o604, 0o620, 0o602, 0o666])
def test_a_file_of_users_that_others_may_read_or_change(tmp_path: Path, mode: int) -> None:
    with pytest.raises(InvalidInput, match="others may"):
        Users(write(tmp_path / "users.yaml", "users: {}\n", mode))


def test_a_file_of_users_that_is_another_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path / "users.yaml", "users: {}\n")
    if os.geteuid():
        monkeypatch.setattr(os, "geteuid", lambda: file.stat().st_uid + 1)
    else:
        os.chown(file, 1, 1)
    with pytest.raises(InvalidInput, match="another user's"):
        Users(file)


# --- a proxy ------------------------------------------------------------------------------------------------------


def behind(tmp_path: Path, addresses: str, roles: str = "", **said: Any) -> Access:
    text = f"users: {{ann: {{roles: [operate]}}}}\nproxy: {{header: X-User, addresses: [{addresses}]{roles}}}\n"
    return Access(frozenset(), users=Users(write(tmp_path / "users.yaml", text)), **said)


def test_a_name_that_a_proxy_gives_writes_no_codes_to_the_terminal(tmp_path: Path) -> None:
    told: list[str] = []
    access = behind(tmp_path, "127.0.0.1", ", roles: [operate]", tell=told.append)
    assert statuses(access, post(headers={"X-User": "e\x9bve"})) == [200]
    (line,) = told
    assert "\x9b" not in line


def test_a_proxy_says_who_asks(tmp_path: Path) -> None:
    access = behind(tmp_path, "127.0.0.0/8")
    named = {"X-User": "ann"}
    assert statuses(access, get(headers=named), post(headers=named), get()) == [200, 200, 401]


def test_a_proxy_is_no_way_around_the_origin(tmp_path: Path) -> None:
    access = behind(tmp_path, "127.0.0.1")
    assert statuses(access, post(headers={"X-User": "ann", "Origin": "http://attacker.example"})) == [403]


@pytest.mark.parametrize("addresses", ["192.0.2.7", "127.0.0.2", "'::1'", ""])
def test_a_header_that_does_not_come_from_the_proxy_says_nothing(tmp_path: Path, addresses: str) -> None:
    access = behind(tmp_path, addresses, ", roles: [operate]")
    forwarded = {
        "X-User": "ann",
        "X-Forwarded-For": "192.0.2.7",
        "X-Real-IP": "192.0.2.7",
        "Forwarded": "for=192.0.2.7",
    }
    assert statuses(access, get(headers=forwarded), post(headers=forwarded)) == [401, 401]


def test_a_header_that_the_proxy_did_not_replace_says_nothing(tmp_path: Path) -> None:
    access = behind(tmp_path, "127.0.0.1")
    both = CIMultiDict([("X-User", "ann"), ("X-User", "joe")])
    assert statuses(access, get(headers=both)) == [401]


@pytest.mark.parametrize(("roles", "expected"), [("", 401), (", roles: [read]", 200)])
def test_whom_the_proxy_names_and_the_file_does_not(tmp_path: Path, roles: str, expected: int) -> None:
    access = behind(tmp_path, "127.0.0.1", roles)
    assert statuses(access, get(headers={"X-User": "joe"})) == [expected]
