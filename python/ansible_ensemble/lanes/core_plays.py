"""Task files, roles and playbooks in a `TaskQueueManager` of our own, inside a forked child.

What differs from `ansible-playbook`: callbacks of the configuration do not run here (the outcome tells of each task,
the job of each one where the callbacks of its own playbook are told, and the default callback if the order wants it),
tags and `--start-at-task` of a playbook around us do not apply, prompts are refused, `gather_facts` is off for task
files and roles unless the keyword says otherwise, and in a playbook `hosts: all` means the order's host. If the
inventory does not know that host, the playbook sees an inventory that holds it alone; else it sees the whole one.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible.executor.playbook_executor import PlaybookExecutor
from ansible.plugins.strategy.linear import StrategyModule as LinearStrategy

from ansible_ensemble.core.orders import BACKUPS, REMOVALS, RETURNED, ModuleCall, Outcome, Play
from ansible_ensemble.core.regex import regex
from ansible_ensemble.core.sensitive import SensitiveMap
from ansible_ensemble.lanes import core, membership, outcomes, play_options, task_reports
from ansible_ensemble.lanes.core_recorder import Listener, TaskRecorder
from ansible_ensemble.lanes.core_removals import Removals
from ansible_ensemble.lanes.core_variables import LookUps, given_names

if TYPE_CHECKING:
    from ansible_ensemble.lanes.session import AnsibleSession

_PLAIN_NAME = regex(r"[\w.-]+")
#: Plugins that Ansible reads itself.
_FILTERS = Path(__file__).with_name("filters")


class PlayRunner:
    """Runs one play in this process, which ends afterwards: the session is used up.

    Args:
        session: whose inventory knows the order's host.
        inline: whether tasks of a play on one host may run in this process instead of a worker each.
        look_ups: notes what is read in this process.
        tell: gets a line for each task that ended and is to be told of.
        listener: gets an event for each task that begins or ends; None if nobody listens.
    """

    def __init__(
        self,
        session: AnsibleSession,
        inline: bool,
        look_ups: LookUps,
        tell: Callable[[str], None],
        listener: Listener | None = None,
    ) -> None:
        self._session = session
        self._recorder = TaskRecorder(tell, listener)
        self._recorder._init_callback_methods()
        self._manager: Any = None
        self._displayed, self._base = False, ""
        self._keys: tuple[str, ...] = ()
        self._look_ups = look_ups
        self._removals: Removals | None = None
        if inline and known_strategy():
            _install_inline_strategy()

    def run_play(self, order: Play, private: bool = False) -> Outcome:
        """Run a task file, a role or a playbook; `private` if the inventory did not know the order's host."""
        self._prepare(order.check, order.diff, order.options)
        self._recorder.discreet, self._recorder.quiet = order.discreet, order.quiet
        self._displayed, self._keys, self._base = order.displayed, tuple(order.keys), order.base or ""
        if order.inventory is not None:
            play_options.take_inventory(self._session, order.inventory)
        self._look_ups.begin(order.variables)
        if order.removing is not None:
            self._removals = Removals(order.removing)
            self._removals.install()
            self._recorder.going_on = self._removals.going_on
        given = play_options.extra_variables(self._session) if order.options.get("extra_vars") else {}
        self._session.variable_manager.extra_vars.update({**order.variables, **given})
        if order.base or order.kind == "tasks":
            self._session.move_to(str(order.base or Path(order.source).parent))
        if order.kind == "playbook":
            code = self._run_playbook(order, private)
        else:
            around = {"ignore_errors": True} if _only_looks(order) else {}
            code = self._run({**order.keywords, **around, **_body(order)}, order.host.name)
        return self._outcome(order.host.name if order.inventory is None else None, code)

    def run_call(self, call: ModuleCall) -> Outcome:
        """Run a module call as a play of one task.

        Returns:
            What `run_play` does for an action that only includes others; the task's own outcome for any other.
        """
        self._prepare(call.check, call.diff)
        self._recorder.discreet = self._recorder.quiet = False
        self._look_ups.begin(given_names(call))
        with self._session.based(call.base):
            code = self._run({"tasks": [core.task_data(call, modes=False)]}, call.host.name)
        if core.needs_play(call.module) or not self._recorder.tasks or self._recorder.broken:
            return self._outcome(call.host.name, code)
        last = self._recorder.tasks[-1]
        shown = dict(last["result"])
        if last["status"] in ("failed", "skipped", "unreachable"):
            shown[last["status"]] = True
        outcome = outcomes.outcome_of_task(shown, None, "stock")
        outcome.looked_up = self._look_ups.left(self._session, call.host.name)
        return outcome

    def _prepare(self, check: bool, diff: bool, given: Mapping[str, Any] | None = None) -> None:
        """Make a controller of this process again, after it was a worker's child."""
        from ansible import context
        from ansible.plugins.loader import filter_loader
        from ansible.utils.context_objects import CLIArgs

        self._recorder.diff, self._recorder.checks = diff, check
        filter_loader.add_directory(str(_FILTERS))
        self._session.inventory.remove_restriction()
        self._session.inventory.subset(None)
        _forget_rpc_server()
        options = {
            "start_at_task": None,
            "step": False,
            "syntax": False,
            "listhosts": False,
            "listtasks": False,
            "listtags": False,
            "check": check,
            "diff": diff,
            **play_options.command_line(given or {}),
        }
        context.CLIARGS = CLIArgs({"forks": 5, **context.CLIARGS, **options})
        variables = self._session.variable_manager._options_vars
        variables.update(
            ansible_check_mode=check,
            ansible_diff_mode=diff,
            ansible_run_tags=list(options["tags"]),
            ansible_skip_tags=list(options["skip_tags"]),
        )

    def _run(self, data: dict[str, Any], host: str) -> int:
        from ansible.executor.task_queue_manager import AnsibleEndPlay, TaskQueueManager
        from ansible.playbook.play import Play as AnsiblePlay

        session = self._session
        pattern = host if _PLAIN_NAME.fullmatch(host) else "all"
        play = AnsiblePlay.load(
            {"name": "operation", "gather_facts": False, **data, "hosts": pattern},
            variable_manager=session.variable_manager,
            loader=session.loader,
        )
        for role in play.roles:
            role._role_name = Path(role._role_name).name  # core calls one that is named by its path by the whole of it
        session.inventory.restrict_to_hosts([session.inventory.get_host(host)])
        manager = TaskQueueManager(
            inventory=session.inventory,
            variable_manager=session.variable_manager,
            loader=session.loader,
            passwords=session.passwords,
            forks=1,
        )
        self._listen(manager)
        try:
            return int(manager.run(play))
        except AnsibleEndPlay as end:
            return int(end.result)
        finally:
            manager.cleanup()
            session.loader.cleanup_all_tmp_files()

    def _run_playbook(self, order: Play, private: bool) -> int:
        session = self._session
        session.variable_manager._loader = session.loader  # a playbook brings its own folder for variables
        if order.inventory is not None:
            pass  # its hosts are those that it names
        elif private:
            for host in session.inventory.get_hosts("all"):
                if host.name != order.host.name:
                    membership.forget_host(session.inventory, host.name)
        executor = _OneHostPlaybook(
            [order.source], session.inventory, session.variable_manager, session.loader, session.passwords
        )
        executor.host_name = order.host.name if order.inventory is None else ""
        executor.environment = order.keywords.get("environment")
        executor.ignores_errors = _only_looks(order)
        self._listen(executor._tqm)
        return int(executor.run())

    def _listen(self, manager: Any) -> None:
        manager._callback_plugins = [self._recorder, *([_teller()] if self._displayed else [])]
        self._manager = manager

    def _outcome(self, host: str | None, code: int) -> Outcome:
        """Sum up the play on a host, or on all; its exit code is zero if every failure was rescued."""
        tasks = self._recorder.tasks
        looked_up = self._look_ups.left(self._session, host)
        if self._recorder.checks:
            task_reports.mark_unseen(tasks, self._look_ups.by_task)
        went_on = [task for task in tasks if task["status"] == "failed" and task["uuid"] in self._recorder.going_on]
        if code == 0:
            for task in tasks:
                rescued = task["status"] == "failed" and task not in went_on
                task["status"] = "rescued" if rescued else task["status"]
        bad = [task for task in tasks if task["status"] in ("failed", "unreachable")]
        results = [task["result"] for task in tasks]
        custom = self._manager._stats.custom
        own = [custom.get(host, {})] if host is not None else custom.values()
        stats = core.jsonable({key: value for found in (custom.get("_run", {}), *own) for key, value in found.items()})
        returned = play_options.merged(results, self._keys)
        backups = [backup for task in tasks for backup in task["backups"]]
        shown, hidden = self._facts(host)
        outcome = Outcome(
            ok=code == 0 and not went_on and not self._recorder.broken and not (self._recorder.unmatched and not tasks),
            changed=None if self._recorder.broken else any(bool(result.get("changed")) for result in results),
            result={
                "stats": core.masked(stats),
                "facts": shown,
                "tasks": [task_reports.summary_of(task) for task in tasks],
                **({RETURNED: returned} if returned else {}),
                **({BACKUPS: backups} if backups else {}),
                **({REMOVALS: self._removals.found()} if self._removals is not None else {}),
            },
            hidden=SensitiveMap(_hidden(hidden, stats)),
            diff=[diff for task in tasks if _shows(task) for diff in outcomes.diffs_of(task["result"])],
            unreachable=any(task["status"] == "unreachable" for task in bad),
            lane="stock",
            warnings=[text for result in results for text in outcomes.warnings_of(result)],
            looked_up=looked_up,
        )
        if not outcome.ok:
            reason = self._recorder.broken if code == 0 else ""
            last = [task for task in bad[-1:] if task not in went_on]
            ended = [reason] if reason else [task_reports.reason_of(last, self._recorder.unmatched, self._base)]
            each = [task_reports.reason_of([task], False, self._base) for task in went_on]
            outcome.error = "; ".join([*each, *(ended if reason or last or not each else ())])
            outcome.timed_out = any("timedout" in task["result"] for task in bad[-1:])
        return outcome

    def _facts(self, host: str | None) -> tuple[dict[str, Any], dict[str, Any]]:
        """The facts that the play's tasks set for the host, or for any: those to show, and those of `no_log` tasks."""
        caches = self._session.variable_manager._nonpersistent_fact_cache
        shown: dict[str, Any] = {}
        hidden: dict[str, Any] = {}
        for task in self._recorder.tasks:
            if host not in (None, task["host"]) or task["action"].endswith(".include_vars"):
                continue
            for result in (task["result"], *outcomes.items_of(task["result"])):
                shown.update(result.get("ansible_facts") or {})
            if "censored" in task["result"] and task["action"].endswith(".set_fact"):
                cache = caches.get(task["host"], {})
                hidden.update({name: core.jsonable(cache[name]) for name in task["names"] if name in cache})
        return shown, hidden


def _shows(task: dict[str, Any]) -> bool:
    """Whether a task has a diff to show, as in Ansible: `file` has one of what it leaves as it is, too."""
    return bool(task["result"].get("changed")) and not task["unseen"]


class _OneHostPlaybook(PlaybookExecutor):  # type: ignore[misc]
    """A playbook whose `hosts: all` means one host, and whose plays have an environment beside their own."""

    host_name = ""
    environment: dict[str, Any] | None = None
    ignores_errors = False

    def _get_serialized_batches(self, play: Any) -> Any:
        if self.ignores_errors:
            play.ignore_errors = True
        if self.environment:
            own = play.environment or []
            play.environment = [self.environment, *(own if isinstance(own, list) else [own])]
        if self.host_name and list(play.hosts if isinstance(play.hosts, list) else [play.hosts]) in (["all"], ["*"]):
            host = self._inventory.get_host(self.host_name)
            if host is not None and host.implicit:
                play.hosts = [host.name]  # `all` has the hosts of the inventory alone
            return [[host]] if host else []
        return super()._get_serialized_batches(play)


def _teller() -> Any:
    """The callback that displays what `ansible-playbook` shows by default."""
    from ansible.plugins.loader import callback_loader

    teller = callback_loader.get("ansible.builtin.default")
    teller._init_callback_methods()
    teller.set_options()
    return teller


def known_strategy() -> bool:
    """Whether this core's strategies queue tasks the way that the inline strategy replaces."""
    from ansible.plugins.strategy import StrategyBase

    known = ["self", "host", "task", "task_vars", "play_context"]
    return list(inspect.signature(StrategyBase._queue_task).parameters) == known and core.task_shape() is not None


class _InlineStrategy(LinearStrategy):  # type: ignore[misc]
    """Core's linear strategy, but a task runs in this process: it serves one host and ends after the play."""

    def _queue_task(self, host: Any, task: Any, task_vars: dict[str, Any], play_context: Any) -> None:
        from ansible._internal._task import TaskContext
        from ansible.executor.task_executor import TaskExecutor
        from ansible.plugins.loader import get_plugin_loader_namespace

        self._queued_task_cache[(host.name, task._uuid)] = {
            "host": host,
            "task": task,
            "task_vars": task_vars,
            "play_context": play_context,
        }
        self._tqm.send_callback("v2_runner_on_start", host, task)
        # a worker has a copy by its fork; the strategy continues with the task as it was
        copy = task.copy(exclude_parent=True, exclude_tasks=True)
        copy._parent, copy._uuid = task._parent, task._uuid
        rest = (play_context.copy(), self._loader, get_plugin_loader_namespace(), self._final_q, self._variable_manager)
        if core.task_shape() == "ambient":
            with TaskContext.create(task=copy, task_vars=task_vars, host_name=host.name):
                copy.squash()
                unified = TaskExecutor(host, *rest).run()
                unified.finalize_registered_values()
                copy.ignore_errors, copy.ignore_unreachable = unified.ignore_errors, unified.ignore_unreachable
                self._pending_results += 1
                self._final_q.send_task_result(host, copy, unified)
        else:
            from ansible.executor.task_result import _RawTaskResult

            with TaskContext(copy):
                data = TaskExecutor(host, copy, task_vars, *rest).run()
                fields = copy.dump_attrs()
                self._pending_results += 1
                self._final_q.send_task_result(
                    _RawTaskResult(host=host, task=copy, return_data=data, task_fields=fields)
                )


class _StrategyLoader:
    """Core's strategy loader; a linear play on one host gets the inline strategy."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def get(self, name: str, manager: Any) -> Any:
        hosts = manager.get_inventory()._restriction
        if name in ("linear", "ansible.builtin.linear") and hosts is not None and len(hosts) == 1:
            return _InlineStrategy(manager)
        return self._real.get(name, manager)


def _install_inline_strategy() -> None:
    from ansible.executor import task_queue_manager

    task_queue_manager.strategy_loader = _StrategyLoader(task_queue_manager.strategy_loader)


def _forget_rpc_server() -> None:
    """The server that workers call lives in a thread of the controller (2.21 and newer), which no fork inherits."""
    try:
        from ansible._internal import _rpc_host
    except ImportError:
        return
    _rpc_host.LocalManager._shared_instance = None
    _rpc_host._server_ready.clear()


def _only_looks(order: Play) -> bool:
    """Whether it is to be seen what was there: a task that cannot look does not keep the others from it."""
    return order.removing is not None and order.removing.only is None


def _body(order: Play) -> dict[str, Any]:
    """What a play of a task file or a role holds."""
    if order.kind == "tasks":
        return {"tasks": [{"name": "tasks", "ansible.builtin.import_tasks": order.source}]}
    if order.tasks_from is None:
        return {"roles": [{"role": order.source}]}
    role = {"name": order.source, "tasks_from": order.tasks_from}
    return {"tasks": [{"name": order.tasks_from, "ansible.builtin.import_role": role}]}


def _hidden(facts: dict[str, Any], stats: dict[str, Any]) -> dict[str, Any]:
    hidden = {"facts": facts} if facts else {}
    return hidden if core.masked(stats) == stats else {**hidden, "stats": stats}
