"""The zygote runs what looks like a module, reports it, and ends with its clients."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.lanes import zygote_main
from ansible_ensemble.lanes.zygote import Zygote

GUARD = 'if __name__ == "__main__":\n'


@pytest.fixture
def modules(tmp_path: Path) -> Path:
    folder = tmp_path / "ansible_collections" / "some" / "thing" / "plugins" / "modules"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def zygote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Zygote]:
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)  # what it prints itself would hide from the tests
    zygote = Zygote([str(tmp_path)], {})
    yield zygote
    zygote.close()


def request(name: str, **more: Any) -> dict[str, Any]:
    return {
        "module": f"ansible_collections.some.thing.plugins.modules.{name}",
        "path": f"/modules/{name}.py",
        "arguments": json.dumps({"ANSIBLE_MODULE_ARGS": {}}),
        "profile": "legacy",
        "secrets": [],
        "modlib_path": "/",
        "folder": "/",
        "environment": dict(os.environ),
        **more,
    }


def test_what_is_printed_and_the_exit_code(zygote: Zygote, modules: Path) -> None:
    text = "import sys, os\nsys.stderr.write('err')\nos.write(1, b'\\xff')\nsys.exit(3)\n"
    (modules / "one.py").write_text(text)
    run = zygote.run(request("one"))
    assert run and (run.code, run.stdout, run.stderr) == (3, b"\xff", b"err")


def test_folder_environment_and_streams(zygote: Zygote, modules: Path, tmp_path: Path) -> None:
    text = "import os, sys\nprint(os.getcwd(), sorted(os.environ), sys.stdin.read() == '', sys.argv)\nsys.exit()\n"
    (modules / "one.py").write_text(text)
    run = zygote.run(request("one", folder=str(tmp_path), environment={"A": "b"}))
    assert run and run.stdout.decode() == f"{tmp_path} ['A'] True ['{modules / 'one.py'}']\n"


def test_a_module_that_changed_is_run_as_it_is_now(zygote: Zygote, modules: Path) -> None:
    for word in ("one", "another"):
        (modules / "one.py").write_text(f"import sys\n{GUARD}    print('{word}')\n    sys.exit()\n")
        run = zygote.run(request("one"))
        assert run and run.stdout == word.encode() + b"\n"


def test_a_module_does_not_change_the_next(zygote: Zygote, modules: Path) -> None:
    text = f"import sys, json\n{GUARD}    print(hasattr(json, 'spoiled'))\n    json.spoiled = 1\n    sys.exit()\n"
    (modules / "one.py").write_text(text)
    runs = [zygote.run(request("one")) for _ in range(2)]
    assert [run.stdout for run in runs if run] == [b"False\n"] * 2


def test_the_rehearsal_leaves_nothing(zygote: Zygote, modules: Path) -> None:
    text = (
        "import sys\nfrom ansible.module_utils import basic\n"
        "print(basic._PARSED_MODULE_ARGS, 'ansible.modules.ping' in sys.modules)\nsys.exit()\n"
    )
    (modules / "one.py").write_text(text)
    run = zygote.run(request("one"))
    assert run and run.stdout == b"None False\n"


def test_a_module_without_guard_runs_once(zygote: Zygote, modules: Path, tmp_path: Path) -> None:
    text = f"import sys\nopen({str(tmp_path / 'log')!r}, 'a').write('x')\nsys.exit()\n"
    (modules / "one.py").write_text(text)
    assert zygote.run(request("one"))
    assert (tmp_path / "log").read_text() == "x"


@pytest.mark.parametrize("text", ["raise ValueError('broken')\n", "import no_such_library\n", "def\n", "x = 1\n"])
def test_a_broken_module_tells_it_as_a_module_does(zygote: Zygote, modules: Path, text: str) -> None:
    (modules / "one.py").write_text(text)
    run = zygote.run(request("one"))
    assert run and run.code == 1
    assert json.loads(run.stdout)["failed"] is True


def test_a_module_that_is_killed(zygote: Zygote, modules: Path) -> None:
    (modules / "one.py").write_text("import os\nos.kill(os.getpid(), 9)\n")
    run = zygote.run(request("one"))
    assert run and run.code == -signal.SIGKILL


def test_many_at_once(zygote: Zygote, modules: Path) -> None:
    (modules / "one.py").write_text("import sys, os\nprint(os.environ['N'])\nsys.exit()\n")
    found: list[bytes] = []

    def one(number: int) -> None:
        run = zygote.run(request("one", environment={"N": str(number)}))
        found.append(run.stdout if run else b"")

    threads = [threading.Thread(target=one, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [b"%d\n" % number for number in range(8)]


def test_a_dead_zygote_has_run_nothing(zygote: Zygote, modules: Path) -> None:
    zygote._process.kill()
    zygote._process.wait()
    assert zygote.run(request("one")) is None


@pytest.mark.parametrize(
    ("source", "guarded"),
    [
        (GUARD, True),
        ("if __name__=='__main__' :\n", True),
        ("    if __name__ == '__main__':\n", False),
        ("main()\n", False),
    ],
)
def test_the_guard_is_found(source: str, guarded: bool) -> None:
    assert bool(zygote_main._GUARD.search(source.encode())) is guarded


def test_a_newer_runner_with_unknown_arguments_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from ansible.module_utils._internal._ansiballz import _loader

    def run_module(
        *, json_params: bytes, profile: str, module_fqn: str, modlib_path: str, extensions: Any, new: Any
    ) -> None:
        """A runner with an argument that nobody here knows."""

    monkeypatch.setattr(_loader, "run_module", run_module)
    monkeypatch.setattr(
        "ansible.utils.collection_loader._collection_finder._AnsibleCollectionFinder._install", lambda _: 0
    )
    assert zygote_main.prepare({}, []) is None


def test_it_parses_no_file_of_core(zygote: Zygote, modules: Path) -> None:
    (modules / "one.py").write_text(
        "import sys\nfrom ansible.module_utils import basic\nprint('yaml' in sys.modules)\nsys.exit()\n"
    )
    run = zygote.run(request("one"))
    assert run and (run.stdout, run.stderr) == (b"False\n", b"")


def test_imports_of_core_are_redirected(tmp_path: Path, modules: Path) -> None:
    (modules / "one.py").write_text(
        "import ansible.module_utils.former as found\nprint(found.__name__)\nraise SystemExit\n"
    )
    zygote = Zygote([str(tmp_path)], {"ansible.module_utils.former": {"redirect": "ansible.module_utils.basic"}})
    try:
        run = zygote.run(request("one"))
    finally:
        zygote.close()
    assert run and run.stdout == b"ansible.module_utils.basic\n", run
