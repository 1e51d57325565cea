"""Operations, and tasks of their plays, as tasks for the callback plugins of the playbook around a job.

Callback plugins live in the process of `ansible-playbook`, a job in a worker that is forked from it. What the worker
has displayed goes through core's queue by the name of a method of `Display`; events of tasks that core does not know go
the same way, to `OperationTasks`, which is put there before the fork. Core's own way for callbacks takes events of the
running task and its own host only.
"""

from __future__ import annotations

import copy
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.core.errors import Place
from ansible_ensemble.lanes.outcomes import items_of

#: The name under which `Display` has `OperationTasks`; ansible-runner leaves methods alone that begin with `_`.
_METHOD = "_tosca_ensemble_operation"
#: The callback plugin for which a job displays its progress itself.
_DEFAULT = "ansible.builtin.default"
_METHODS = {
    "ok": "v2_runner_on_ok",
    "failed": "v2_runner_on_failed",
    "skipped": "v2_runner_on_skipped",
    "unreachable": "v2_runner_on_unreachable",
    "retry": "v2_runner_retry",
}
#: What begins a task, and is held back of one that is a job.
_BEGINNINGS = ("v2_playbook_on_task_start", "v2_runner_on_start")
#: The module that is a job.
_JOB = "tosca.ensemble.execute"
#: Seconds between two looks of core whether a job has ended. By its default, it looks a thousand times a second.
_POLL_INTERVAL = 0.01
_STATISTICS = {"failed": "failures", "skipped": "skipped", "unreachable": "dark"}
#: What core counts for each host.
_COUNTED = ("ok", "changed", "failures", "dark", "skipped", "rescued", "ignored")


class TaskEvent(Struct, frozen=True, kw_only=True):
    """An operation begins or ends, as a task of a playbook does, or a task of its play. Plain data without secrets.

    Attributes:
        id: unique within a job; attempts of one operation share it.
        name: the task's name.
        action: what runs: the name of a module, else a short text.
        host: name of the host that it runs on.
        place: where it is written, if that is known.
        ending: how it ended (a key of `_METHODS`); None if it begins.
        result: what it returned, with `changed`, `failed`, `msg`, `diff`, ... as a task has them; `results` of a loop.
        diff: whether differences are shown.
        no_log: whether its results are hidden.
        ignored: whether its failure is ignored.
        counted: whether it counts as a failure of its host if it failed; one that may be rescued does not.
    """

    id: str
    name: str
    action: str
    host: str
    place: Place | None = None
    ending: str | None = None
    result: Mapping[str, Any] = field(default_factory=dict)
    diff: bool = False
    no_log: bool = False
    ignored: bool = False
    counted: bool = True

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> TaskEvent:
        """Read one back that `as_map` has taken apart."""
        place = document["place"]
        return cls(**{**document, "place": Place(**place) if place else None})


class Audience(Struct, frozen=True):
    """The callbacks that are told of operations, as a worker knows them.

    Attributes:
        send: takes an event.
        shows: whether the plugin that writes the playbook's output is one of them.
    """

    send: Callable[[TaskEvent], None]
    shows: bool


def install() -> None:
    """Have this process, which workers are forked from, tell its callbacks what a job in a worker sends."""
    from ansible.executor.task_queue_manager import TaskQueueManager
    from ansible.utils.display import Display

    if not hasattr(Display(), _METHOD):
        operations, polling = OperationTasks(), Polling()
        setattr(Display(), _METHOD, operations)
        os.register_at_fork(after_in_child=polling.as_usual)
        TaskQueueManager.send_callback = without_jobs(TaskQueueManager.send_callback, operations, polling)


class Polling:
    """How often core's strategies look for results of their workers: less often while one of them has a job."""

    def __init__(self) -> None:
        from ansible import constants

        self._constants = constants
        self._usual = constants.DEFAULT_INTERNAL_POLL_INTERVAL

    def as_usual(self) -> None:
        """Look as often as Ansible is set to."""
        self._constants.DEFAULT_INTERNAL_POLL_INTERVAL = self._usual

    def less_often(self) -> None:
        """Look less often, if it is not set to that anyway."""
        self._constants.DEFAULT_INTERNAL_POLL_INTERVAL = max(self._usual, _POLL_INTERVAL)


def without_jobs(send: Callable[..., None], operations: OperationTasks, polling: Polling) -> Callable[..., None]:
    """Core's `send_callback`, by which a task that is a job is told to the plugin that writes the output alone.

    Others are told of its operations instead; of itself where that would hide something: it failed and no operation
    did, or it had none. A plugin that has written operations is told once more what the result belongs to.
    """
    held: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
    jobs = JobCounts()

    def send_callback(manager: Any, *call: Any, **more: Any) -> None:
        if call[0] == "v2_playbook_on_stats" and jobs.counts:
            send(_with_plugins(manager, slice(1)), *call, **more)
            send(_without_output(manager), call[0], jobs.taken_from(call[1]), *call[2:], **more)
            return
        if all(_action_of(one) != _JOB for one in call):
            send(manager, *call, **more)
            return
        writer = _with_plugins(manager, slice(1))
        if operations.shown and call[0] not in _BEGINNINGS:
            operations.shown = False
            for begun, besides in held[:1]:
                send(writer, *begun, **besides)
        send(writer, *call, **more)
        if call[0] in _BEGINNINGS:
            polling.less_often()
            if call[0] == _BEGINNINGS[0]:
                operations.endings.clear()
                operations.counts.clear()
                operations.shown = False
                held.clear()
            else:
                jobs.begin(manager._stats, call[1].get_name())
            held.append((call, more))
            return
        polling.as_usual()
        if not (operations.have_failed if call[0] == _METHODS["failed"] else operations.endings):
            for begun, besides in held:
                send(_without_output(manager), *begun, **besides)
            held.clear()
            send(_without_output(manager), *call, **more)
        else:
            jobs.end(manager._stats, call[1].host.get_name(), operations.counts)

    return send_callback


class JobCounts:
    """What core has counted of jobs that only the plugin that writes the output is told of.

    Attributes:
        counts: by host, the names of `_COUNTED`.
    """

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = {}
        self._before: dict[str, Counter[str]] = {}

    def begin(self, statistics: Any, host: str) -> None:
        """Note what is counted for the host of a job as it begins."""
        self._before[host] = _counted(statistics, host)

    def end(self, statistics: Any, host: str, operations: Mapping[str, Counter[str]]) -> None:
        """Take what was counted since then, but for the operations, as the count of the job."""
        counted = _counted(statistics, host) - self._before.pop(host, Counter()) - operations.get(host, Counter())
        self.counts[host] = self.counts.get(host, Counter()) + counted

    def taken_from(self, statistics: Any) -> Any:
        """The statistics without these jobs, and without hosts for which nothing else was counted."""
        others = copy.deepcopy(statistics)
        for host, counted in self.counts.items():
            left = _counted(statistics, host) - counted
            for what in _COUNTED:
                getattr(others, what).pop(host, None)
            others.processed.pop(host, None)
            for what, number in left.items():
                getattr(others, what)[host] = number
                others.processed[host] = 1
        return others


def _counted(statistics: Any, host: str) -> Counter[str]:
    return +Counter({what: getattr(statistics, what).get(host, 0) for what in _COUNTED})


def _action_of(argument: Any) -> str | None:
    """The module of a task, or of the task of a result."""
    return getattr(getattr(argument, "task", argument), "resolved_action", None)


def audience(*, output: bool) -> Audience | None:
    """The callbacks that are told of operations; None if there are none, or if this core has no known way.

    Args:
        output: whether the plugin that writes the playbook's output may be one of them. Ansible's default one never is.
    """
    from ansible.utils.display import Display

    queue, found = getattr(Display(), "_final_q", None), _running_play()
    if queue is None or found is None or not hasattr(Display(), _METHOD):
        return None
    writer, *others = found[0]._callback_plugins
    shows = output and getattr(writer, "ansible_name", None) != _DEFAULT
    if not shows and all(plugin.disabled for plugin in others):
        return None
    return Audience(lambda event: queue.send_display(_METHOD, event, shows), shows)


def _running_play() -> tuple[Any, Any] | None:
    """Core's manager of tasks and its play, of this process or of the one that it was forked from while they ran."""
    from ansible.executor.task_queue_manager import TaskQueueManager

    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    while frame is not None:
        if frame.f_code.co_name == "run" and isinstance(manager := frame.f_locals.get("self"), TaskQueueManager):
            return manager, frame.f_locals.get("new_play")
        frame = frame.f_back
    return None


class OperationTasks:
    """Tells the callbacks of this process of operations; called by the thread that reads what workers send.

    Attributes:
        endings: how those of the last job ended, but for failures that are ignored or rescued.
        counts: what was counted of the last job's for each host.
        shown: whether one of them was told to the plugin that writes the output.
    """

    def __init__(self) -> None:
        self.endings: list[str] = []
        self.counts: dict[str, Counter[str]] = {}
        self.shown = False
        self._current: Any = None
        self._tasks: dict[tuple[str, str], Any] = {}

    @property
    def have_failed(self) -> bool:
        """Whether one of them failed."""
        return not {"failed", "unreachable"}.isdisjoint(self.endings)

    def __call__(self, event: TaskEvent, shows: bool) -> None:
        """Take an event; an error here must not end the thread, without which the playbook would wait for ever."""
        from ansible.utils.display import Display

        try:
            self._take(event, shows)
        except Exception as error:
            Display().warning(f"callback plugins could not be told of {event.name}: {type(error).__name__}: {error}")

    def _take(self, event: TaskEvent, shows: bool) -> None:
        from ansible.inventory.host import Host

        found = _running_play()
        if found is None:
            return
        manager, play = found
        callbacks = manager if shows else _without_output(manager)
        self.shown |= shows
        host = manager.get_inventory().get_host(event.host) or Host(event.host)
        key = (event.id, event.host)
        task = self._tasks.pop(key, None)
        if task is None:
            task = _task_of(event, play)
            with _beside(play, others=bool(self._tasks)):
                callbacks.send_callback("v2_playbook_on_task_start", task, is_conditional=False)
            callbacks.send_callback("v2_runner_on_start", host, task)
        elif event.ending not in (None, "retry") and task is not self._current:
            # as the strategy free does; plugins such as ARA take the task that began last for the one that ends
            _without_output(manager).send_callback("v2_playbook_on_task_start", task, is_conditional=False)
        self._current = task
        if event.ending in (None, "retry"):
            self._tasks[key] = task
        if event.ending is not None:
            _tell_end(callbacks, host, task, event)
        if event.ending not in (None, "retry"):
            counted = _count(event)
            for what in counted:
                manager._stats.increment(what, event.host)
            self.counts.setdefault(event.host, Counter()).update(counted)
            self.endings.append("ok" if event.ignored or not event.counted else event.ending)


@contextmanager
def _beside(play: Any, *, others: bool) -> Iterator[None]:
    """While others run, a task begins as those of the strategy free do, whose names are shown with their results."""
    strategy = getattr(play, "strategy", None)
    if play is not None and others:
        play.strategy = "free"
    try:
        yield
    finally:
        if play is not None:
            play.strategy = strategy


def _without_output(manager: Any) -> Any:
    """The manager without the plugin that writes the playbook's output, which is the first one."""
    return _with_plugins(manager, slice(1, None))


def _with_plugins(manager: Any, chosen: slice) -> Any:
    other = copy.copy(manager)
    other._callback_plugins = manager._callback_plugins[chosen]
    return other


def _task_of(event: TaskEvent, play: Any) -> Any:
    from ansible._internal._datatag._tags import Origin
    from ansible.playbook.block import Block
    from ansible.playbook.task import Task

    task = Task(block=Block(play=play) if play is not None else None)
    task.name, task.action, task.args, task.no_log = event.name, event.action, {}, event.no_log
    task._resolved_action = event.action
    if event.place:
        task._origin = Origin(path=event.place.file, line_num=event.place.line or None)
    return task


def _tell_end(callbacks: Any, host: Any, task: Any, event: TaskEvent) -> None:
    data = dict(event.result)
    items = [dict(item) for item in items_of(data) if "ansible_loop_var" in item]
    if items and event.ending != "retry":
        task.loop = [item.get(item["ansible_loop_var"]) for item in items]
        del data["results"]
        for item in items:
            ending = "failed" if item.get("failed") else "skipped" if item.get("skipped") else "ok"
            callbacks.send_callback(f"v2_runner_item_on_{ending}", _result(host, task, dict(item), event.no_log, []))
    result = _result(host, task, data, event.no_log, items)
    if event.diff and event.ending == "ok" and (data.get("diff") or any(item.get("diff") for item in items)):
        callbacks.send_callback("v2_on_file_diff", result)
    more = {"ignore_errors": event.ignored} if event.ending == "failed" else {}
    callbacks.send_callback(_METHODS[str(event.ending)], result, **more)


def _result(host: Any, task: Any, data: dict[str, Any], no_log: bool, items: list[dict[str, Any]]) -> Any:
    """A result in the shape that this core's callbacks get theirs from."""
    if no_log:
        data["_ansible_no_log"] = True
    try:
        from ansible._internal._task import HostTaskResult  # 2.21 and newer
    except ImportError:
        from ansible.executor.task_result import _RawTaskResult

        if items:
            data["results"] = items
        return _RawTaskResult(host=host, task=task, return_data=data, task_fields=task.dump_attrs())
    unified = _unified(data)
    if items:
        unified.loop_results = [_unified(item) for item in items]
    return HostTaskResult(host=host, task=task, utr=unified)


def _unified(data: dict[str, Any]) -> Any:
    from ansible._internal._task import UnifiedTaskResult

    variable, label = data.pop("ansible_loop_var", None), data.pop("_ansible_item_label", None)
    item = data.pop(variable, None) if variable else None
    unified = UnifiedTaskResult.from_action_result_dict(data)
    if variable:
        unified.loop_var, unified.loop_item, unified.loop_item_label = variable, item, label
    return unified


def _count(event: TaskEvent) -> list[str]:
    """What an operation counts as for its host, as core's strategies count a task."""
    what = "ok" if event.ignored else _STATISTICS.get(str(event.ending), "ok")
    counted = ["ignored"] if event.ignored and event.ending != "ok" else []
    if what in ("failures", "dark") and not event.counted:
        return counted
    counted.append(what)
    if what == "ok" and event.result.get("changed"):
        counted.append("changed")
    return counted
