"""Run a playbook of a job through ansible-runner."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.core.ansible_settings import may_be_set, setting
from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.regex import regex
from ansible_ensemble.documents.private import make_private
from ansible_ensemble.execution.watchdog import Watchdog
from ansible_ensemble.runner.signals import Interruption


@contextmanager
def closed_at_once() -> Iterator[None]:
    """While it is entered, the terminal of a process that has ended is closed without a pause.

    pexpect waits a tenth of a second there for the process to end, also where it has seen that it did.
    """
    import pexpect

    class Terminal(pexpect.spawn):  # type: ignore[misc]
        def close(self, force: bool = True) -> None:
            process: Any = getattr(self, "ptyproc", None)
            if process is not None and not self.isalive():
                process.delayafterclose = 0
            super().close(force)

    before, pexpect.spawn = pexpect.spawn, Terminal
    try:
        yield
    finally:
        pexpect.spawn = before


#: From this verbosity on, everything that ansible-playbook prints is shown.
EVERYTHING = 2

#: How Python begins to report an uncaught error.
_CRASH = regex(r"Traceback \(most recent call last\):|During handling of the above|[\w.]+(?:Error|Exception): ")

#: What Ansible prints about its own start at the first `-v`.
_OWN_START = regex(
    r"Using \S.* as config file$|No config file found; using defaults$|Using inventory plugin |"
    r"running playbook inside collection |Set default localhost to "
)
_FAILED = ("runner_on_failed", "runner_on_unreachable")


class EventFilter:
    """Shows a job's output, without Ansible's own output about running it or about a crash.

    Args:
        show: called with each line to show.
        verbosity: the user's `-v`s.

    Attributes:
        failures: messages of the tasks that failed.
    """

    def __init__(self, show: Callable[[str], None], verbosity: int) -> None:
        self._show = show
        self._verbosity = verbosity
        self.failures: list[str] = []
        self._crashed = False

    def handle(self, event: dict[str, Any]) -> None:
        """Take one event of ansible-runner."""
        kind = event.get("event")
        text = str(event.get("stdout") or "").rstrip("\r\n")
        if kind in _FAILED:
            self._remember(event)
        if kind == "verbose" and _CRASH.match(text):
            self._crashed = True
        if self._verbosity < EVERYTHING and _OWN_START.match(text):
            return
        if self._verbosity >= EVERYTHING or (kind == "verbose" and not self._crashed):
            for line in text.splitlines():
                if line.strip() or self._verbosity >= EVERYTHING:
                    self._show(line)

    def _remember(self, event: dict[str, Any]) -> None:
        data = event.get("event_data") or {}
        if data.get("ignore_errors"):
            return
        message = (data.get("res") or {}).get("msg")
        if message:
            self.failures.append(str(message))


#: Warnings that say nothing in a job: that there is no inventory is the usual case.
_QUIET = {
    "ANSIBLE_LOCALHOST_WARNING": "False",
    "ANSIBLE_INVENTORY_UNPARSED_WARNING": "False",
    "ANSIBLE_DEPRECATION_WARNINGS": "False",
}
#: Where Ansible looks for callback plugins.
_CALLBACKS = "ANSIBLE_CALLBACK_PLUGINS"
#: Variable of ansible-runner with the name of the user's callback plugin, which its own one derives from.
_ORIGINAL = "ORIGINAL_STDOUT_CALLBACK"
_USUAL = "{home}/plugins/callback:/usr/share/ansible/plugins/callback"


class RunnerResult(Struct, frozen=True):
    """How a playbook ended.

    Attributes:
        rc: the exit code of ansible-playbook.
        status: `successful`, `failed` or `canceled`, as ansible-runner names it.
        artifacts: the folder with the run's stdout and events.
        failures: messages of the tasks that failed, oldest first, rescued ones included.
        interrupted_by: number of the first signal that came in while it ran, or None.
    """

    rc: int
    status: str
    artifacts: Path
    failures: list[str] = field(default_factory=list)
    interrupted_by: int | None = None


def run_playbook(
    playbook: str,
    *,
    private_data_dir: Path,
    ident: str,
    extravars: Mapping[str, Any],
    show: Callable[[str], None],
    cmdline: Sequence[str] = (),
    verbosity: int = 0,
    environment: Mapping[str, str] | None = None,
    callback_folders: Iterable[Path] = (),
) -> RunnerResult:
    """Run a playbook to its end and keep its events and output.

    A first SIGINT, SIGTERM or SIGHUP is passed on to the playbook, which ends in its own time; a second kills it.
    If the playbook's output can no longer be written (a full disk), it is killed too, and that is one of its failures.
    Ansible reads its configuration, inventory and roles from the working directory, as it does without ansible-runner.

    Args:
        playbook: a path, or the full name of a collection's playbook.
        private_data_dir: folder of the run's record, made if it is missing; artifacts are put in `artifacts/<ident>`.
        ident: name of the run: the job's id.
        extravars: variables of the playbook. They are readable in the list of processes: no secrets.
        show: called with each line for the user.
        cmdline: options to pass on to ansible-playbook.
        verbosity: 0 to 6, as of ansible-playbook.
        environment: variables to add to those of this process.
        callback_folders: where callback plugins are as well, as beside a playbook.
    """
    try:
        from ansible_runner.exceptions import AnsibleRunnerException
        from ansible_runner.interface import init_runner
    except ImportError as error:
        raise EnsembleError(
            f"ansible-runner cannot be loaded: {error}", hint="install it with `pip install ansible-runner`"
        ) from error
    make_private(private_data_dir)
    events = EventFilter(show, verbosity)
    given = {**os.environ, **(environment or {})}
    # without us the playbook's terminal is gone, on which it would wait for ever
    with Interruption(show) as interruption, closing(Watchdog()) as watchdog:
        watched: set[int] = set()

        def on_event(event: dict[str, Any]) -> bool:
            if event.get("pid"):
                pid = int(event["pid"])
                interruption.target(pid)
                if pid not in watched:
                    watched.add(pid)
                    watchdog.watch(pid)
            events.handle(event)
            return True

        try:
            runner = init_runner(
                playbook=playbook,
                private_data_dir=str(private_data_dir),
                project_dir=str(Path.cwd()),
                ident=ident,
                extravars=dict(extravars),
                cmdline=shlex.join(cmdline),
                verbosity=verbosity or None,
                envvars=_environment(given, verbosity, callback_folders),
                quiet=True,
                # the files in env/ would keep what is passed here, and its fact cache would replace the user's
                suppress_env_files=True,
                fact_cache_type="none",
                event_handler=on_event,
                status_handler=_forget_command,
                cancel_callback=interruption.is_final,
            )
            if "ANSIBLE_HOST_KEY_CHECKING" not in given:
                # ansible-runner turns the check off; the user's configuration decides
                runner.config.env.pop("ANSIBLE_HOST_KEY_CHECKING", None)
            _keep_callback(runner.config.env, given)
            with closed_at_once():
                runner.run()
        except AnsibleRunnerException as error:
            raise EnsembleError(f"ansible-playbook could not be run: {error}") from error
        except OSError as error:
            if not interruption.kill():
                raise EnsembleError(f"ansible-playbook could not be run: {error}") from error
            events.failures.append(f"the output of ansible-playbook cannot be written: {error.strerror}")
            show(f"Stopped: {events.failures[-1]}.")
        return RunnerResult(
            rc=1 if runner.rc is None else int(runner.rc),
            status=str(runner.status),
            artifacts=Path(runner.config.artifact_dir),
            failures=events.failures,
            interrupted_by=interruption.received,
        )


def _environment(given: Mapping[str, str], verbosity: int, callback_folders: Iterable[Path]) -> dict[str, str]:
    """What the process needs beside its own environment: our interpreter's Ansible first, and less noise."""
    scripts = str(Path(sys.executable).parent)
    added = {"PATH": os.pathsep.join(filter(None, (scripts, given.get("PATH"))))}
    # ansible-runner sets the variable, which replaces what ansible.cfg says
    is_configured = _CALLBACKS not in given and may_be_set("callback_plugins", ())
    usual = given.get(_CALLBACKS) or _USUAL.format(home=given.get("ANSIBLE_HOME") or "~/.ansible")
    configured = setting("DEFAULT_CALLBACK_PLUGIN_PATH") if is_configured else [usual]
    folders = [str(folder) for folder in callback_folders if folder.is_dir()]
    added[_CALLBACKS] = os.pathsep.join([*configured, *folders])
    if not verbosity:
        added.update({name: value for name, value in _QUIET.items() if name not in given})
    return {**given, **added}


def _keep_callback(environment: dict[str, str], given: Mapping[str, str]) -> None:
    """Within another run of ansible-runner, have its callback for events stand before the user's, not before itself."""
    if environment.get(_ORIGINAL) == environment.get("ANSIBLE_STDOUT_CALLBACK"):
        environment.pop(_ORIGINAL, None)
        if _ORIGINAL in given:
            environment[_ORIGINAL] = given[_ORIGINAL]


def _forget_command(status: dict[str, Any], runner_config: Any) -> None:
    """Remove the record of the command line and environment, which may hold secrets, before anything runs."""
    if status["status"] == "running":
        (Path(runner_config.artifact_dir) / "command").unlink(missing_ok=True)
