from __future__ import annotations

import argparse
import io

import pytest

from ansible_ensemble.cli.console import Console
from ansible_ensemble.cli.passwords import asked_passwords
from ansible_ensemble.core.errors import UsageError


def nobody(_prompt: str) -> str:
    raise EOFError


def test_a_question_that_nobody_answers() -> None:
    console = Console(io.StringIO(), io.StringIO(), io.StringIO(), {}, ask_password=nobody)
    given = argparse.Namespace(ask_become_pass=True, ansible=[])
    with pytest.raises(UsageError, match="there is no answer to: BECOME password"), asked_passwords(given, console):
        pass
