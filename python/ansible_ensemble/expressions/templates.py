"""Templates, rendered by Ansible's own engine with its filters, tests and lookups.

Text is a template only where the author of the spec wrote it; what operations, attributes and other values hold is
handed to the engine untrusted, and Ansible (2.19 and newer) does not evaluate it.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn

from msgspec.structs import replace

from ansible_ensemble.core.budget import Budget, Fault, Limits, NoData
from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.processor_time import at_most
from ansible_ensemble.core.regex import regex
from ansible_ensemble.core.sensitive import Sensitive, is_sensitive, mark_sensitive
from ansible_ensemble.core.vault_errors import opened
from ansible_ensemble.documents.scalars import VaultText
from ansible_ensemble.expressions.connections import Connections
from ansible_ensemble.expressions.context import TRUST, Context, Unreadable
from ansible_ensemble.expressions.inventory import free_names, inventory_variables
from ansible_ensemble.expressions.keywords import named
from ansible_ensemble.expressions.node_variables import VARS, node_variables
from ansible_ensemble.expressions.printed import printed
from ansible_ensemble.expressions.special import Everything, special
from ansible_ensemble.language.functions import KEYWORDS, TEMPLATE_HEADER, is_template
from ansible_ensemble.views.data import MISSING, bare, child, plain
from ansible_ensemble.views.lazy import ExternalValue, LazyMap, UnfinishedList
from ansible_ensemble.views.view import View

if TYPE_CHECKING:
    from pathlib import Path

    from ansible_ensemble.views.evaluation_environment import EvaluationEnvironment

#: How many compiled templates are kept.
_COMPILED = 1024
#: What a template may use in a project that is not trusted, with those that it needs.
_LIMITS, _SECONDS = Limits(steps=3_000_000), 5
_BOUNDED = f"templates are bounded in a project that is not trusted; {TRUST}"
_WORD = regex(r"[A-Za-z_]\w*")


#: Functions of the language that are filters too.
_FUNCTION_FILTERS = (
    *("sensitive", "abspath", "get_dir", "to_label", "to_dns_label", "to_kubernetes_label", "to_googlecloud_label"),
)


#: The lookup of Unfurl's, and the variable of its functions.
_LOOKUP, _FUNCTIONS = "unfurl", "__unfurl"
_LOOKUPS = ("lookup", "query", "q")


def _which(program: str) -> str | None:
    """The path of a program, null where there is none."""
    return shutil.which(program)


class _Functions:
    """The functions of the language as attributes: `__unfurl.to_label("a", "b")`."""

    def __init__(self, function: Callable[[str], Callable[..., Any]]) -> None:
        self._function = function

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._function(name)


class TemplateMap(Mapping[str, Any]):
    """A part of the model as templates see it; its values are evaluated when they are read.

    Errors are kept in `errors`: tests such as `is defined` swallow them, and a value that is not known yet must not
    pass for one that is not there.
    """

    __slots__ = ("_context", "_errors", "_of")

    def __init__(self, of: View | Mapping[Any, Any], context: Context, errors: list[EnsembleError]) -> None:
        self._of = of
        self._context = context
        self._errors = errors

    def __getitem__(self, key: str) -> Any:
        try:
            value = self._read(key)
        except EnsembleError as error:
            self._errors.append(error)
            raise
        if value is MISSING:
            raise KeyError(key)
        return exposed(value, self._context, self._errors)

    def _read(self, key: str) -> Any:
        of = self._of
        if not isinstance(of, View):
            return child(of, of[key]) if key in of else MISSING
        if isinstance(key, str) and key.startswith("."):
            return special(of, key, self._context)
        return of.lookup(key, self._context.tracker)

    def __contains__(self, key: object) -> bool:
        return key in self._names()

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())

    def __str__(self) -> str:
        return str(plain(dict(self)))

    __repr__ = __str__

    def _names(self) -> list[str]:
        return self._of.names() if isinstance(self._of, View) else list(self._of)


def exposed(value: Any, context: Context, errors: list[EnsembleError]) -> Any:
    """A value as templates see it: plain data without marks, parts of the model as maps.

    The tracker of the context records if it is sensitive, so that the whole result of the template will be.
    """
    if isinstance(value, (View, LazyMap, ExternalValue, Everything)):
        return TemplateMap(value, context, errors)
    if isinstance(value, VaultText):
        value = mark_sensitive(context.evaluator.templates.decrypt(value, context))
    if isinstance(value, UnfinishedList):
        return UnfinishedList(len(value), lambda index: exposed(value[index], context, errors))
    context.tracker.hide(value)
    if isinstance(value, Mapping):
        return {bare(key): exposed(item, context, errors) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [exposed(item, context, errors) for item in value]
    return bare(value)


def template_variables(context: Context, errors: list[EnsembleError] | None = None) -> dict[str, Any]:
    """What templates see by name."""
    errors = errors if errors is not None else []
    frame, evaluator = context.frame, context.evaluator
    found: dict[str, Any] = {"__python_executable": sys.executable}
    for keyword in KEYWORDS:
        view = named(context, keyword)
        if view is not None:
            found[keyword] = TemplateMap(view, context, errors)
    found["ROOT"] = found["TOPOLOGY"] = TemplateMap(evaluator.root, context, errors)
    found["NODES"] = TemplateMap(Everything(evaluator, context.tracker), context, errors)
    found["inputs"] = TemplateMap(frame.inputs, context, errors)
    found["task"] = _task(context)
    return found


def _of_node(names: Collection[str], context: Context, errors: list[EnsembleError]) -> dict[str, Any]:
    """Those of the names that are variables of the expression's own node; each is evaluated when it is asked for."""
    found = node_variables(names, context)
    if not found or context.frame.instance is None:
        return {}
    given = TemplateMap(context.frame.instance, context, errors)["keywords"][VARS]
    return {name: given[name] for name in found}


def _task(context: Context) -> dict[str, Any]:
    frame, environment = context.frame, context.environment
    task: dict[str, Any] = {"dryrun": environment.check, "cwd": str(context.folder)}
    if frame.operation is not None:
        task["name"] = task["operation"] = frame.operation.name
        task["timeout"] = frame.operation.implementation.timeout if frame.operation.implementation else None
    if frame.instance is not None:
        task["target"] = frame.instance.name
    return {**task, **bare(environment.job)}


def _find_plugins(folders: Iterable[Path]) -> None:
    """Let plugins be found: those of collections, as Ansible's commands do when they start, and those in folders."""
    from ansible.plugins.loader import add_all_plugin_dirs, init_plugin_loader
    from ansible.utils.collection_loader import AnsibleCollectionConfig

    if AnsibleCollectionConfig.collection_finder is None:
        init_plugin_loader()
    for folder in folders:
        add_all_plugin_dirs(str(folder))


class Templates:
    """Ansible's template engine, kept warm; imported when the first template is rendered."""

    def __init__(self, environment: EvaluationEnvironment) -> None:
        self._environment = environment
        self._engines: list[Any] = []
        self._contexts: list[tuple[Context, list[EnsembleError]]] = []
        self._loader: Any = None
        self._budget = Budget(_LIMITS)

    def render(self, text: str, context: Context, overrides: Mapping[str, Any] | None = None) -> Any:
        """The value of a template that the spec's author wrote; a native one where it is a single expression.

        `overrides` are options of Jinja, as `variable_start_string`. In Unfurl the space around a template does not
        count, and what it prints may be other data than text.

        Raises:
            Deferred: it needs an attribute that is not known yet.
        """
        from ansible.template import trust_as_template

        errors: list[EnsembleError] = []
        tracker = context.tracker
        before, tracker.sensitive = tracker.sensitive, isinstance(text, Sensitive)
        text = str.__str__(text).strip() if context.is_unfurl else text
        engine = self._engine(len(self._contexts))
        bounds = self._bounds()
        self._contexts.append((context, errors))
        try:
            variables = {**self._variables(text, context, errors), **template_variables(context, errors)}
            plain_syntax = not overrides and not text.startswith(TEMPLATE_HEADER)
            words = free_names(engine._engine.environment, str(text)) if plain_syntax else set(_WORD.findall(text))
            variables |= _of_node(words - variables.keys(), context, errors)
            free = words - variables.keys()
            variables |= inventory_variables(free, context, lambda value: exposed(value, context, errors), errors)
            engine.available_variables = variables
            with bounds:
                result = engine.template(trust_as_template(str.__str__(text)), overrides=dict(overrides or {}))
                result = plain(result if self._environment.trusted else self._paid(result))
        except EnsembleError:
            raise
        except Exception as error:
            self._fail(error, errors, context)
        finally:
            self._contexts.pop()
            touched, tracker.sensitive = tracker.sensitive, before or tracker.sensitive
        if errors:
            raise errors[0]
        if touched:
            return tracker.hide(mark_sensitive(result))
        if isinstance(result, str) and context.is_unfurl and is_template(text):
            return printed(result, text, engine._engine.environment)
        return result

    def _bounds(self) -> AbstractContextManager[None]:
        """What holds a template within bounds, in a project that is not trusted; with those that it needs."""
        if self._environment.trusted or self._contexts:
            return nullcontext()
        self._budget.renew()
        return at_most(_SECONDS)

    def _paid(self, result: Any) -> Any:
        self._budget.spend(0)  # tests such as `is defined` swallow that nothing is left
        self._budget.pay(result)
        return result

    def _fail(self, error: Exception, errors: list[EnsembleError], context: Context) -> None:
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, (EnsembleError, Fault)):
            cause = cause.__cause__
        if isinstance(cause, Fault):
            problem = "fails" if isinstance(cause, NoData) else "asks for too much"
            raise context.failure(f"the template {problem}: {cause}", _BOUNDED) from error
        if cause is None and errors:
            cause = errors[0]
        if cause is not None:
            raise cause
        message = " ".join(str(getattr(error, "message", None) or error).split())
        raise context.failure(f"the template fails: {message}") from error

    def _variables(self, text: str, context: Context, errors: list[EnsembleError]) -> dict[str, Any]:
        """The job's, the scope's and the expression's variables, inner ones first."""
        given = {**self._environment.variables, **context.frame.variables, **context.variables}
        words = set(_WORD.findall(text))
        folders = [context.folder, self._environment.folder, self._environment.root]
        found: dict[str, Any] = {"ansible_search_path": [str(folder) for folder in dict.fromkeys(folders)]}
        if "connections" in words:
            found["connections"] = TemplateMap(Connections(context), context, errors)
        for name, value in given.items():
            if isinstance(value, Unreadable):
                if name in words:
                    raise value.error
                continue
            kinds = (View, LazyMap, ExternalValue, Everything, list, tuple, VaultText)
            on_demand = isinstance(value, kinds) or is_sensitive(value)
            if name in words and (on_demand or isinstance(value, dict)):
                found[name] = exposed(value, context, errors)
            elif not on_demand:
                found[name] = plain(value)
        return found

    def _engine(self, depth: int) -> Any:
        """The engine for templates at this depth: a template may need a value that is a template itself."""
        while len(self._engines) <= depth:
            from ansible.template import Templar

            trusted = self._environment.trusted
            _find_plugins((self._environment.root, self._environment.folder) if trusted else ())
            engine = Templar(loader=self.loader(), variables={})
            inner = engine._engine
            if hasattr(inner, "_compile_template"):
                # the same text is rendered for each instance of a type; compiling it costs more than rendering it
                inner._compile_template = lru_cache(_COMPILED)(inner._compile_template)
            filters = inner.environment.filters
            for name, run in self._filters().items():
                filters[name] = run
            if not trusted:
                from ansible_ensemble.expressions.confinement import confine

                confine(inner.environment, self._budget, self._distrust, self._filters().keys() - {"which"})
            known = inner.environment.globals
            known |= {name: self._lookup(known[name], as_list=name != "lookup") for name in _LOOKUPS}
            known[_FUNCTIONS] = _Functions(self._function)
            self._engines.append(engine)
        return self._engines[depth]

    def _distrust(self, what: str) -> NoReturn:
        context, errors = self._contexts[-1]
        errors.append(context.distrust(what))  # a test such as `is defined` would swallow it
        raise errors[-1]

    def loader(self) -> Any:
        """Ansible's DataLoader: the job's, or one of the ensemble's folder."""
        if self._environment.loader is not None:
            return self._environment.loader()
        if self._loader is None:
            from ansible.parsing.dataloader import DataLoader

            self._loader = DataLoader()
            self._loader.set_basedir(str(self._environment.folder))
        return self._loader

    def _filters(self) -> dict[str, Callable[..., Any]]:
        filters = {name: self._function(name) for name in _FUNCTION_FILTERS}
        return {
            **filters,
            "eval": self._eval,
            "ref": self._eval,
            "map_value": self._map_value,
            "mapValue": self._map_value,
            "which": _which,
        }

    def _function(self, name: str) -> Callable[..., Any]:
        """A function of the language as a filter: what is filtered is its first argument, and is not evaluated."""

        def run(value: Any, *more: Any, **options: Any) -> Any:
            quoted = [{"q": plain(item)} for item in (value, *more)]
            expression = {name: quoted if more else quoted[0], **{key: {"q": plain(o)} for key, o in options.items()}}
            return self._guarded(lambda context: context.query(expression))

        return run

    def _lookup(self, others: Callable[..., Any], *, as_list: bool) -> Callable[..., Any]:
        """Ansible's function for lookups, with Unfurl's of paths: `lookup("unfurl", "::app::url")`."""

        def run(plugin: Any, *terms: Any, **options: Any) -> Any:
            if plugin != _LOOKUP:
                return others(plugin, *terms, **options)
            found = [self._eval(term) for term in terms]
            return found if as_list or len(found) != 1 else found[0]

        return run

    def _guarded(self, run: Callable[[Context], Any]) -> Any:
        context, errors = self._contexts[-1]
        try:
            return exposed(run(replace(context, safe=True)), context, errors)
        except EnsembleError as error:
            errors.append(error)
            raise

    def _eval(self, expression: Any, **variables: Any) -> Any:
        return self._guarded(lambda context: context.at(context.current, plain(variables)).query(plain(expression)))

    def _map_value(self, value: Any, **variables: Any) -> Any:
        return self._guarded(lambda context: context.at(context.current, plain(variables)).evaluate(plain(value)))

    def encrypt(self, text: str, context: Context) -> str:
        """The text encrypted with Ansible Vault."""
        vault: Any = getattr(self.loader(), "_vault", None)
        try:
            return str(vault.encrypt(text).decode())
        except Exception as error:
            raise context.failure("the value cannot be encrypted: there is no vault password") from error

    def decrypt(self, text: str, context: Context) -> str:
        """The clear text of a value encrypted with Ansible Vault."""
        return opened(str.__str__(text).encode(), self.loader()._vault.secrets, context.place).decode()
