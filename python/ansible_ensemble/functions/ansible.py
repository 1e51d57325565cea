"""Ansible's templates and lookups, and Python functions of the project."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.expressions.context import Call
from ansible_ensemble.expressions.files import file_path, note, read_contents
from ansible_ensemble.functions.registration import implements
from ansible_ensemble.views.data import Printed, bare


@implements("template", taints=False, safe=False)
def _template(call: Call, given: Any, *, overrides: Any = None) -> Any:
    options = bare(call.value(overrides)) if overrides is not None else {}
    if not isinstance(options, dict):
        raise call.failure("overrides must be a map of Jinja's options")
    templates = call.context.evaluator.templates
    if isinstance(given, str):
        return templates.render(given, call.context, options)
    if isinstance(given, dict) and set(given) == {"path"}:
        path = file_path(call.text(given["path"]), call.context)
        try:
            text = read_contents(path, call.context).decode()
        except UnicodeDecodeError:
            raise call.failure(f'"{path}" is not text in UTF-8') from None
        return templates.render(text, call.context, options)
    raise call.failure("template takes text, or {path: file}", hint="text that is computed is not taken as a template")


@implements("lookup", safe=False, runs=True)
def _lookup(call: Call, given: Any) -> Any:
    if not isinstance(given, dict) or not given:
        raise call.failure("lookup takes a map whose first key is a plugin")
    (plugin, terms), *options = given.items()
    arguments = call.value(terms)
    variables = {
        "__plugin": plugin,
        "__terms": arguments if isinstance(arguments, list) else [arguments],
        "__options": {key: call.value(value) for key, value in options},
    }
    text = "{{ lookup(__plugin, *__terms, **__options) }}"
    found = call.context.evaluator.templates.render(text, call.context.at(call.context.current, variables))
    return str.__str__(found) if isinstance(found, Printed) else found


@implements("python", safe=False, runs=True)
def _python(call: Call, name: Any, *, args: Any = None, result: Any = None) -> Any:  # noqa: ARG001  (of the check)
    from ansible_ensemble.functions.python_context import PythonContext, asks_for_context

    name = call.text(name)
    run = _function(call, name)
    arguments = bare(call.value(args)) if args is not None else []
    if asks_for_context(run):
        context = PythonContext(call)
        arguments = [context] if args is None else [context, arguments]
    try:
        if isinstance(arguments, dict):
            return run(**arguments)
        return run(*arguments) if isinstance(arguments, list) else run(arguments)
    except EnsembleError:
        raise
    except Exception as error:
        raise call.failure(f"{name} fails: {type(error).__name__}: {error}") from error


def _function(call: Call, name: str) -> Callable[..., Any]:
    file, separator, attribute = name.partition("#")
    try:
        if separator:
            path = note(file_path(file, call.context), call.context)
            spec = importlib.util.spec_from_file_location(path.stem, path)
            if spec is None or spec.loader is None:
                raise call.failure(f'"{path}" is no Python file')
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
        else:
            module_name, _separator, attribute = name.rpartition(".")
            module = importlib.import_module(module_name)
        found = getattr(module, attribute)
    except EnsembleError:
        raise
    except Exception as error:
        raise call.failure(f'there is no Python function "{name}": {error}') from error
    if not callable(found):
        raise call.failure(f'"{name}" is not a function')
    return found  # type: ignore[no-any-return]
