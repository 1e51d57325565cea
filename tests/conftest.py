"""Fixtures for every test."""

from __future__ import annotations

import atexit
import gc
import json
import os
import shlex
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.matrix import others_than
from tests.measured import Measured

REPOSITORY = Path(__file__).resolve().parent.parent


# `make test` tries the same examples each time; `make fuzz` searches for new ones. Slowness alone fails nothing.
_PATIENT = settings(deadline=None, suppress_health_check=list(HealthCheck))
settings.register_profile("fixed", _PATIENT, derandomize=True, max_examples=50)
settings.register_profile("search", _PATIENT, print_blob=True, max_examples=500)
settings.load_profile("fixed")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take a share of the tests marked `matrix`."""
    parser.addoption(
        "--matrix", default="all", metavar="SHARE", help="all (default) of those marked matrix, none, or 2/4"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Heed interrupts: a shell's background job ignores them, and so would all that the tests start and interrupt."""
    if file := os.environ.get("MEASURED"):
        config.pluginmanager.register(Measured(Path(file)))
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    _be_in_the_environment_of_make()
    _trust_the_folders_of_tests()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    """Keep the garbage collector from what is collected: it stays, and there is much of it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what another share has, and begin with what takes long, so that tests side by side end together."""
    if others := others_than(config.getoption("--matrix"), items):
        config.hook.pytest_deselected(items=others)
        left_out = {id(item) for item in others}
        items[:] = [item for item in items if id(item) not in left_out]
    items.sort(key=lambda item: (not _is_long(item), item.nodeid.startswith("tests/unit/")))


def _is_long(item: pytest.Item) -> bool:
    return any(item.get_closest_marker(name) for name in ("slow", "matrix")) or item.path.parent.name == "gates"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List what failed, each with the command that repeats it alone."""
    commands = {}
    for report in [one for kind in ("failed", "error") for one in terminalreporter.getreports(kind)]:
        pytest_alone = f"{os.path.relpath(Path(sys.executable).with_name('pytest'))} {shlex.quote(report.nodeid)}"
        commands[report.nodeid] = dict(getattr(report, "user_properties", ())).get("repeat", pytest_alone)
    if commands:
        terminalreporter.section("failed; to repeat one alone:", sep="=", red=True, bold=True)
        for command in commands.values():
            terminalreporter.line(str(command))


def _be_in_the_environment_of_make() -> None:
    """A test that is repeated by pytest alone finds what it finds in `make test`."""
    programs = str(Path(sys.executable).parent)
    if programs not in os.environ["PATH"].split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join([programs, os.environ["PATH"]])
    os.environ.setdefault("ANSIBLE_HOME", str(REPOSITORY / ".build" / "ansible"))
    # Without compiled files each process would compile all that it imports.
    of_python = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "VIRTUAL_ENV")
    for name in ("ANSIBLE_COLLECTIONS_PATH", "ANSIBLE_CONFIG", *of_python):
        os.environ.pop(name, None)


def _trust_the_folders_of_tests() -> None:
    """Tests keep what they trust for themselves, and trust what they make; those of trust begin with nothing."""
    state = Path(tempfile.mkdtemp(prefix="ansible-ensemble-tests-"))
    atexit.register(shutil.rmtree, state, ignore_errors=True)
    folders = {str(folder.resolve()): "all" for folder in (REPOSITORY, Path(tempfile.gettempdir()))}
    (state / "ansible-ensemble").mkdir()
    (state / "ansible-ensemble" / "trust.json").write_text(json.dumps({"version": 1, "folders": folders}))
    os.environ["XDG_STATE_HOME"] = str(state)


@pytest.fixture(autouse=True)
def _forget_what_was_decrypted() -> Iterator[None]:
    """Let no test mask what another one decrypted: the register is one for a process."""
    yield
    module = sys.modules.get("ansible_ensemble.lanes.decrypted")
    if module is not None and module.secret_register.cache_info().currsize:
        register = module.secret_register()
        if isinstance(register, module.Decrypted):
            register._catch_up()
            register._known.clear()
            register._redactor = module.Redactor()


@pytest.fixture
def nothing_trusted(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's state folder, in which nothing is trusted yet."""
    state = tmp_path_factory.mktemp("state")
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    monkeypatch.setenv("ANSIBLE_ENSEMBLE_TRUST", "")
    return state


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the project."""
    return REPOSITORY


@pytest.fixture(scope="session")
def probes() -> Path:
    """The folder of small service templates, one for each feature of the language."""
    return REPOSITORY / "tests" / "probes"


@pytest.fixture(scope="session")
def corpus_folder() -> Path:
    """The folder of third-party topologies that may lie beside the project."""
    folder = REPOSITORY.parent / "shared" / "corpus"
    if not folder.is_dir():
        pytest.skip("the folder of third-party test files is not here")
    return folder


@pytest.fixture(scope="session")
def language_cases() -> Path:
    """The folder of small cases of the language, one for each fault that users met, that may lie beside the project."""
    folder = REPOSITORY.parent / "shared" / "repro" / "language"
    if not folder.is_dir():
        pytest.skip("the folder of cases of the language is not here")
    return folder


@pytest.fixture(scope="session")
def collected(request: pytest.FixtureRequest) -> Callable[[str], Path]:
    """A file of the probes or of the third-party topologies, by a name that begins with `probes/` or `corpus/`."""
    fixtures = {"probes": "probes", "corpus": "corpus_folder"}

    def find(name: str) -> Path:
        folder, _, rest = name.partition("/")
        return Path(request.getfixturevalue(fixtures[folder])) / rest

    return find
