"""The process in which a user's own configurator runs."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
import traceback
from pathlib import Path
from typing import Any

from msgspec.structs import asdict

from ansible_ensemble.configurators.api import Channel, Done, Task, TaskError
from ansible_ensemble.configurators.api_unfurl import Configurator as UnfurlConfigurator
from ansible_ensemble.configurators.api_unfurl import TaskView, stand_in
from ansible_ensemble.core.orders import CHANNEL


def main() -> None:
    """Connect to the job, run the configurator it names, and report the result to it."""
    channel = Channel(os.environ.pop(CHANNEL))
    begin = channel.ask(ask="begin")
    task = Task(channel, begin)
    try:
        stand_in()
        configurator = load(begin["target"], begin["base"])
        task = TaskView(channel, begin) if isinstance(configurator, UnfurlConfigurator) else task
        done = carry_out(configurator, task)
    except BaseException as error:  # whatever a user's code ends with is how the operation ended
        traceback.print_exc()
        said = str(error) if isinstance(error, TaskError) else f"{type(error).__name__}: {error}"
        done = Done(success=False, error=said)
    try:
        channel.ask(ask="end", done=asdict(done), messages=task.messages, instances=task.instances)
    except TypeError as error:
        failed = Done(success=False, error=f"its result is not plain data: {error}")
        channel.ask(ask="end", done=asdict(failed), messages=task.messages, instances=[])


def load(target: str, base: str) -> Any:
    """A class, made, or a function: `/path/file.py#Name`, or `package.module.Name`, also looked for in a folder.

    Raises:
        TaskError: there is no such thing.
    """
    if "#" in target:
        file, _separator, name = target.rpartition("#")
        sys.path.insert(0, str(Path(file).parent))
        spec = importlib.util.spec_from_file_location(Path(file).stem, file)
        if spec is None or spec.loader is None:
            raise TaskError(f"{file} is no Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    else:
        module_name, _separator, name = target.rpartition(".")
        sys.path.append(base)
        try:
            module = importlib.import_module(module_name)
        except ModuleNotFoundError as error:
            raise TaskError(f'there is no configurator "{target}": {error}') from error
    found = getattr(module, name, None)
    if found is None:
        raise TaskError(f'{module.__name__} has no "{name}"')
    return found() if inspect.isclass(found) else found


def carry_out(configurator: Any, task: Task) -> Done:
    """Run a configurator, behind those of its hooks that it has."""
    ready = _hook(configurator, "can_run", task, True)
    if ready is not True:
        return Done(success=False, modified=False, error=f"it cannot run{f': {ready}' if ready else ''}")
    if task.check and not _hook(configurator, "can_dry_run", task, False):
        return Done(modified=False, ran=False)
    if not _hook(configurator, "should_run", task, True):
        task.add_message("there is nothing to do")
        return Done(modified=False, ran=False)
    for expression in _hook(configurator, "digest", task, ()):
        task.add_dependency(expression)
    task.rendered = _hook(configurator, "render", task, None)
    run = getattr(configurator, "run", configurator)
    if not callable(run):
        raise TaskError(f"{type(configurator).__name__} has no run")
    ended = run(task)
    if inspect.isgenerator(ended):
        ended = _drive(ended, task)
    return task.ended(ended)


def _hook(configurator: Any, name: str, task: Task, default: Any) -> Any:
    hook = getattr(configurator, name, None)
    return hook(task) if callable(hook) else default


def _drive(steps: Any, task: Task) -> Any:
    """Have the job execute each order that a generator yields; it may yield its end as well."""
    answer = None
    while True:
        try:
            order = steps.send(answer)
        except StopIteration as stop:
            return stop.value
        if isinstance(order, Done):
            steps.close()
            return order
        answer = task.perform(order)
