"""What people read of a request that failed."""

from __future__ import annotations

import errno
import pickle

import pytest

from ansible_ensemble.provision.client.failure import RequestFailed, describe, refusal, unreachable
from ansible_ensemble.provision.objects.event import Error

DESCRIBED = [
    (Error(type="GET", model="machines", key="m1", messages=["Not Found"]), "GET: machines/m1: Not Found"),
    (Error(type="PATCH", model="jobs", messages=["one", "two"]), "PATCH: jobs\n  one\n  two"),
    (Error(messages=["Access Denied"]), "Access Denied"),
    (Error(code=502), "HTTP status 502"),
]


@pytest.mark.parametrize(("error", "text"), DESCRIBED)
def test_an_error_is_one_message(error: Error, text: str) -> None:
    assert describe(error) == text


BODIES = [
    (b'{"Type":"CREATE","Model":"tasks","Key":"t","Messages":["already exists"],"Code":409}', "CREATE: tasks/t"),
    (b"", "POST: tasks: the server answered with HTTP status 409"),
    (b"<html>", "POST: tasks: the server answered with HTTP status 409"),
    (b"[]", "POST: tasks: the server answered with HTTP status 409"),
]


@pytest.mark.parametrize(("body", "beginning"), BODIES)
def test_an_answer_without_an_error_is_a_failure_as_well(body: bytes, beginning: str) -> None:
    failure = refusal("POST", "tasks", 409, body)
    assert str(failure).startswith(beginning)
    assert failure.error.code == 409


@pytest.mark.parametrize(
    ("status", "code"), [(0, 7), (503, 7), (404, 5), (401, 6), (403, 6), (409, 6), (422, 6), (500, 1)]
)
def test_the_exit_code_tells_what_kind_of_failure_it_is(status: int, code: int) -> None:
    assert RequestFailed(Error(code=status)).exit_code == code


def test_a_failure_passes_between_processes() -> None:
    failure = unreachable("https://127.0.0.1:1", ConnectionRefusedError("refused"))
    again = pickle.loads(pickle.dumps(failure))
    assert isinstance(again, RequestFailed)
    assert again.error == failure.error
    assert str(again) == "CONNECT: https://127.0.0.1:1: no answer: refused"


def test_a_refused_connection_is_told_without_what_the_library_adds() -> None:
    refused = ConnectionRefusedError(errno.ECONNREFUSED, "Connect call failed ('127.0.0.1', 1)")
    assert unreachable("https://127.0.0.1:1", refused).message.endswith("no answer: Connection refused")
