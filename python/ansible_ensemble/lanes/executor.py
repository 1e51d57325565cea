"""The executor: a forked process that executes one order after the other, warm with Ansible's objects."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import socket
import threading
from collections.abc import Callable
from typing import Any

from ansible.errors import AnsibleParserError
from msgspec.structs import replace

from ansible_ensemble.core.orders import Host, ModuleCall, Outcome, Play, Removing
from ansible_ensemble.core.parent import die_with_parent, end_group
from ansible_ensemble.core.processor_time import collect_rarely
from ansible_ensemble.core.sparse import as_map
from ansible_ensemble.core.texts import MAX_NESTING, deeper_than
from ansible_ensemble.lanes import core, core_remote, frames, outcomes, processes
from ansible_ensemble.lanes.core_callbacks import TaskEvent
from ansible_ensemble.lanes.core_connections import explain_failures
from ansible_ensemble.lanes.core_fast import FastLane
from ansible_ensemble.lanes.core_first import FirstCommand
from ansible_ensemble.lanes.core_lookups import remember_lookups
from ansible_ensemble.lanes.core_plays import PlayRunner
from ansible_ensemble.lanes.core_remote import RemoteLane
from ansible_ensemble.lanes.core_variables import LookUps, given_names
from ansible_ensemble.lanes.membership import make_groups
from ansible_ensemble.lanes.remote_hosts import RemoteHosts
from ansible_ensemble.lanes.returned import LIMIT, weight
from ansible_ensemble.lanes.session import AnsibleSession
from ansible_ensemble.lanes.zygote import Zygote


class SocketRelay:
    """Sends what is displayed, and outcomes, to the job. Threads of a nested play may use it at once."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._new_secrets = core.track_secrets()

    def send(self, message: dict[str, Any]) -> None:
        """Send a message, and before it the secrets that core learnt since the last one."""
        with self._lock:
            if secrets := self._new_secrets():
                frames.send(self._connection, {"secrets": secrets})
            frames.send(self._connection, message)

    def send_display(self, method: str, *args: Any, **kwargs: Any) -> None:
        """Have the job display something."""
        name, plain_args, plain_kwargs = core.plain_display(method, args, kwargs)
        self.send({"display": [name, plain_args, plain_kwargs]})

    def send_callback(self, method: str, *args: Any, **kwargs: Any) -> None:
        """Items and retries are in the outcome."""

    def send_prompt(self, **kwargs: Any) -> None:  # noqa: ARG002 - core's name and arguments
        """Refuse to ask.

        Raises:
            AnsibleError: always.
        """
        from ansible.errors import AnsibleError

        raise AnsibleError("an operation can't ask the user; give the value as an input or a variable")


class Executor:
    """Carries out orders in this process, which is private to it.

    Args:
        session: the Ansible objects, owned by this process since the fork.
        connection: to the job.
        zygote: the zygote, or None to run every module core's own way.
        hub: where the hub of kept connections takes conversations, or None to keep none.
        deny: names of modules that must not take the fast lane.
        use_task_executor: False runs each module call as a one-task play, as on a core with an unknown TaskExecutor.
        use_inline: False lets nested plays fork a worker per task, as on a core with an unknown strategy.
        tells_tasks: whether the job wants to be told of tasks of plays that begin and end.
    """

    def __init__(
        self,
        session: AnsibleSession,
        connection: socket.socket,
        zygote: Zygote | None,
        hub: socket.socket | None = None,
        deny: frozenset[str] = frozenset(),
        *,
        use_task_executor: bool = True,
        use_inline: bool = True,
        tells_tasks: bool = False,
    ) -> None:
        self._session = session
        self._tells_tasks = tells_tasks
        self._connection = connection
        self._relay = SocketRelay(connection)
        remote = RemoteLane(RemoteHosts(hub)) if hub and core_remote.known_shape() else None
        self._lane = FastLane(zygote, deny, remote) if zygote else None
        self._first = FirstCommand(self._ask, remote)
        self._shape = core.task_shape() if use_task_executor else None
        self._inline = use_inline
        self._look_ups: LookUps

    def serve(self) -> None:
        """Carry out orders until the job closes the connection."""
        from ansible.utils.collection_loader import AnsibleCollectionConfig
        from ansible.utils.display import Display

        Display()._final_q = self._relay
        # ours, where the job is a playbook of the collection; operations are not part of it
        AnsibleCollectionConfig.default_collection = None
        core.own_temporary_files(self._session.loader)
        make_groups(self._session.inventory, self._session.groups)
        remember_lookups()
        self._look_ups = LookUps()
        explain_failures()
        if self._lane and not self._lane.install():
            self._lane = None
        self._first.install()
        while (message := frames.receive(self._connection)) is not None:
            outcome = self._carry_out(message)
            if outcome is not None:
                self._tell(outcome)

    def _tell(self, outcome: Outcome) -> None:
        """Send an outcome; it is none if the order read what is not here, whatever became of that."""
        if self._session.brought is not None and (problem := self._session.brought.refused()) is not None:
            outcome.ok, outcome.error = False, problem
        self._relay.send({"outcome": outcomes.to_message(outcome)})

    def _carry_out(self, message: dict[str, Any]) -> Outcome | None:
        kind, data = message["kind"], dict(message["order"])
        host = Host(**data.pop("host"))
        try:
            if self._session.brought is not None:
                self._session.brought.learn(message["hosts"])
            with self._session.knowing(host) as private:
                self._first.begin(data.get("first", ()))
                if kind == "play":
                    removing = data.pop("removing", None)
                    play = Play(host=host, removing=Removing(**removing) if removing else None, **data)
                    return self._in_child(play.fast, lambda runner: runner.run_play(play, private))
                call = ModuleCall(host=host, **data)
                if core.needs_play(call.module) or self._shape is None:
                    return self._in_child(call.fast, lambda runner: runner.run_call(call))
                return self._run_call(call, self._shape)
        except AnsibleParserError as error:
            # there is no such module, say: nothing ran
            return replace(outcomes.failure(core.describe(error)), changed=False)
        except Exception as error:
            return outcomes.failure(core.describe(error))
        finally:
            # decrypted copies of vaulted files
            self._session.loader.cleanup_all_tmp_files()

    def _ask(self, asked: dict[str, Any]) -> None:
        """Ask the job something, and wait for its answer; without a job, nothing goes on."""
        self._relay.send({"asked": asked})
        if frames.receive(self._connection) is None:
            os._exit(1)

    def _run_call(self, call: ModuleCall, shape: str) -> Outcome:
        if self._lane:
            self._lane.begin(call.fast)
        self._look_ups.begin(given_names(call))
        result = core.run_task(self._session, call, self._relay, shape)
        outcome = outcomes.outcome_of_task(result.shown, result.hidden, self._lane.lane if self._lane else "stock")
        if self._lane and self._lane.broken:
            outcome.changed = None
        outcome.looked_up = self._look_ups.left(self._session, call.host.name)
        return outcome

    def _in_child(self, fast: bool, run: Callable[[PlayRunner], Outcome]) -> Outcome | None:
        """Run a play in a child, so that its facts, handlers and inventory changes end with it.

        The child sends its outcome itself; None means that it did.
        """
        pid = os.fork()
        if pid == 0:
            code = 1
            gc.freeze()
            try:
                self._run_play(fast, run)
                code = 0
            except BaseException as error:
                with contextlib.suppress(OSError):
                    self._relay.send({"outcome": outcomes.to_message(outcomes.failure(core.describe(error)))})
                    code = 0
            finally:
                os._exit(code)
        _other, status = os.waitpid(pid, 0)
        if os.waitstatus_to_exitcode(status) == 0:
            return None
        return outcomes.failure(f"the play's process was killed (status {os.waitstatus_to_exitcode(status)})")

    def _run_play(self, fast: bool, run: Callable[[PlayRunner], Outcome]) -> None:
        if self._lane:
            self._lane.begin(fast)
        listener = self._tell_task if self._tells_tasks else None
        outcome = run(
            PlayRunner(
                self._session,
                self._inline,
                self._look_ups,
                lambda text: self._relay.send({"told": text}),
                listener,
            )
        )
        if self._lane:
            outcome.lane = self._lane.lane
        self._tell(outcome)

    def _tell_task(self, event: TaskEvent) -> None:
        """Tell the job of a task; the result of one that is too large is left out, as it is cut in the outcome."""
        document = as_map(event)
        if weight(document) > LIMIT or deeper_than(document, MAX_NESTING):
            document["result"] = {"changed": bool(event.result.get("changed")), "msg": "the result is too large"}
        self._relay.send({"task": document})


def start(executor: Executor, parent: int, inherited: list[int]) -> None:
    """Turn this forked child of the job into an executor, without the job's descriptors; never returns."""
    try:
        os.setpgid(0, 0)
        signal.set_wakeup_fd(-1)
        # core refuses a task's timeout if an alarm is set already
        for number in (signal.SIGCHLD, signal.SIGALRM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, _end_group)
        die_with_parent(parent)
        os.register_at_fork(after_in_child=_follow)
        for descriptor in inherited:
            with contextlib.suppress(OSError):
                os.close(descriptor)
        processes.detach_stdio()
        collect_rarely()  # it would touch pages that are shared with the job
        executor.serve()
    except BaseException:
        os._exit(1)
    os._exit(0)


def _end_group(*_arguments: object) -> None:
    end_group(os.getpgrp())


def _follow() -> None:
    """What an executor's child forks (a play's workers have sessions of their own) ends with it as well."""
    die_with_parent(os.getppid())
