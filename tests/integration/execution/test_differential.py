"""The fast lane gives what the stock lane gives, call by call."""

from __future__ import annotations

import json
import re
import tarfile
from pathlib import Path
from typing import Any

import pytest

from .calls import CALLS, STOCK, Call
from .driving import DATA, drive

# what differs from run to run, in whatever lane
_CLOCKS = {"start", "end", "delta", "elapsed", "atime", "mtime", "ctime", "inode", "dev", "seconds", "ino", "version"}
_RANDOM = [
    (re.compile(r"ansible-(tmp|moduletmp|local)-[\w.-]+"), "TMP"),
    (re.compile(r"ansible\.\w{8}"), "TEMPFILE"),
    (re.compile(r"\.?ansible_tmp\w+|tmp[a-z0-9_]{8}\b"), "TMPFILE"),
    (re.compile(r"ansible_[\w.]+_payload_\w+"), "PAYLOAD"),
    (re.compile(r"^\.[a-z0-9_]{8}$"), "TMPFILE"),
    (re.compile(r"0x[0-9a-f]+"), "ADDRESS"),
]


def lane(
    folder: Path, fast: bool, calls: list[Call] = CALLS, host: dict[str, Any] | None = None
) -> list[dict[str, Any]]:
    """Make calls through one lane, in a folder of its own, on the controller or on a host."""
    (folder / "tree" / "inner").mkdir(parents=True)
    (folder / "tree" / "a").write_text("a\n")
    (folder / "tree" / "inner" / "b").write_text("b\n")
    (folder / "seed.txt").write_text("seed\n")
    (folder / "vars.yml").write_text("included: 1\n")
    (folder / "greeting.j2").write_text("hello {{ who }}\n")
    (folder / "script.sh").write_text("#!/bin/sh\necho script $1\n")
    (folder / "script.sh").chmod(0o755)
    with tarfile.open(folder / "seed.tar", "w") as tar:
        tar.add(folder / "seed.txt", "inside.txt")
    orders = [
        {
            "module": module,
            "args": json.loads(json.dumps(args).replace("@", str(folder))),
            **({"host": json.loads(json.dumps(host))} if host else {}),
            **more,
        }
        for _, module, args, more in calls
    ]
    # or the stock lane takes the home folder of the user database, and a module by itself that of the environment
    settings = {"ANSIBLE_REMOTE_TMP": str(folder / "remote-tmp"), "ANSIBLE_PIPELINING": "1"}
    outcomes = drive(orders, settings=settings, session={"base": str(folder)}, lanes={"fast": fast})["outcomes"]
    return [plain(outcome, folder) for outcome in outcomes]


def plain(value: Any, folder: Path) -> Any:
    """The value without what differs from run to run."""
    if isinstance(value, dict):
        return {key: plain(item, folder) for key, item in value.items() if key not in _CLOCKS}
    if isinstance(value, list):
        return [plain(item, folder) for item in value]
    if isinstance(value, str):
        value = value.replace(str(folder), "@")
        for pattern, word in _RANDOM:
            value = pattern.sub(word, value)
    return value


def differences(one: Any, other: Any, path: str = "") -> list[str]:
    """Where two values differ, each place with both values."""
    if isinstance(one, dict) and isinstance(other, dict):
        keys = sorted({*one, *other})
        return [text for key in keys for text in differences(one.get(key), other.get(key), f"{path}.{key}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return [text for number, (a, b) in pairs for text in differences(a, b, f"{path}[{number}]")]
    return [] if one == other and type(one) is type(other) else [f"{path}: {one!r} != {other!r}"]


@pytest.fixture(scope="module")
def lanes(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Every call's outcome through the stock lane and through the fast lane."""
    assert DATA.is_dir()
    return lane(tmp_path_factory.mktemp("stock"), False), lane(tmp_path_factory.mktemp("fast"), True)


@pytest.mark.parametrize("number", range(len(CALLS)), ids=[call[0] for call in CALLS])
def test_same_outcome(lanes: tuple[list[dict[str, Any]], list[dict[str, Any]]], number: int) -> None:
    stock, fast = lanes[0][number], dict(lanes[1][number])
    fast["lane"] = stock["lane"]
    assert differences(stock, fast) == []


def test_most_calls_take_the_fast_lane(lanes: tuple[list[dict[str, Any]], list[dict[str, Any]]]) -> None:
    taken = {call[0] for call, outcome in zip(CALLS, lanes[1], strict=True) if outcome["lane"] == "fast"}
    assert len(taken) >= 60
    assert not taken & STOCK
    assert {outcome["lane"] for outcome in lanes[0]} == {"stock"}
