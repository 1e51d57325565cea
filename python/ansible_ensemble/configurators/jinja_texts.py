"""Templates of Jinja, read and not rendered: whether they can be, and which variables they cannot do without.

Ansible is not imported for it, and nothing of a template is run. A template can do without the variables that it gives
a default or tests, and those that it reads in a branch, a loop or a macro, of which nobody knows whether it runs.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible_ensemble.configurators.locations import BUILTIN, ansible_homes, is_fqcn
from ansible_ensemble.configurators.module_names import builtin_routes
from ansible_ensemble.core.ansible_settings import may_be_set, setting
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.core.regex import regex

if TYPE_CHECKING:
    from jinja2 import Environment, nodes

#: What the first line of a template says of its signs.
_HEADER = regex(r"#jinja2:(.*)\n?")
#: Options of the module `template` that are options of Jinja.
SIGNS = tuple(f"{kind}_{end}_string" for kind in ("block", "variable", "comment") for end in ("start", "end"))
#: Names that Ansible gives each template [Ansible, "Special Variables"], beside those that begin with `ansible_`.
_GIVEN = frozenset(
    {"environment", "group_names", "groups", "hostvars", "inventory_dir", "inventory_file", "inventory_hostname"}
    | {"inventory_hostname_short", "item", "omit", "play_hosts", "playbook_dir", "role_name", "role_names", "role_path"}
    | {
        "template_destpath",
        "template_fullpath",
        "template_host",
        "template_mtime",
        "template_path",
        "template_run_date",
    }
    | {"template_uid", "vars", "lookup", "query", "q", "now", "undef", "self", "super", "caller", "loop", "varargs"}
    | {"kwargs", "true", "false", "none"}
)
_OF_ANSIBLE = "ansible_"
#: Filters with which a template may do without what they are given.
_DEFAULTS = ("default", "d")


def syntax_fault(text: str, signs: Mapping[str, Any] | None = None) -> tuple[str, int] | None:
    """What Jinja has against a template, and in which of its lines; None if it can be rendered as far as that goes."""
    if "{" not in text and not signs and not text.startswith("#"):  # most texts are no templates
        return None
    from jinja2 import TemplateSyntaxError

    body, options, before = _headed(text, signs)
    try:
        _environment(tuple(sorted(options.items()))).parse(body)
    except TemplateSyntaxError as error:
        return str(error.message), error.lineno + before
    except (ValueError, AssertionError, RecursionError):  # signs that are none, or too deep to be read
        return None
    return None


def expression_fault(text: str) -> str | None:
    """What Jinja has against an expression without signs around it, as `when` has it; it may be a template, too."""
    is_template = "{{" in text or "{%" in text
    found = syntax_fault(text if is_template else f"{{{{ {text} }}}}")
    return found[0] if found is not None else None


def needed_names(text: str, signs: Mapping[str, Any] | None = None) -> dict[str, int]:
    """Variables without which a template always fails -> the line that reads each; none of what cannot be read."""
    from jinja2 import nodes

    read = parsed(text, signs)
    if read is None:
        return {}
    tree, before = read
    own = set_names(text, signs)
    found: dict[str, int] = {}
    for one in always_rendered(tree, _does_without):
        if isinstance(one, nodes.Name) and one.name not in own | _GIVEN and not one.name.startswith(_OF_ANSIBLE):
            found.setdefault(one.name, one.lineno + before)
    return {name: line for name, line in found.items() if name not in _globals()}


def set_names(text: str, signs: Mapping[str, Any] | None = None) -> set[str]:
    """The names that a template gives a value itself."""
    from jinja2 import nodes

    read = parsed(text, signs)
    if read is None:
        return set()
    tree, _before = read
    own = {one.name for one in tree.find_all(nodes.Name) if one.ctx != "load"}
    own |= {one.name for one in tree.find_all(nodes.Macro)}
    own |= {one.target for one in tree.find_all(nodes.Import)}
    for one in tree.find_all(nodes.FromImport):
        own |= {name if isinstance(name, str) else name[1] for name in one.names}
    return own


def parsed(text: str, signs: Mapping[str, Any] | None = None) -> tuple[nodes.Template, int] | None:
    """The syntax tree of a template, and how many lines are before it; None if it cannot be read."""
    body, options, before = _headed(text, signs)
    return _parsed(body, tuple(sorted(options.items())), before)


@lru_cache(maxsize=256)
def _parsed(body: str, options: tuple[tuple[str, str], ...], before: int) -> tuple[nodes.Template, int] | None:
    from jinja2 import TemplateError

    try:
        return _environment(options).parse(body), before
    except (TemplateError, ValueError, AssertionError, RecursionError):
        return None


def included(text: str, signs: Mapping[str, Any] | None = None) -> dict[str, int]:
    """The files that a template always takes in, by their names as they are written -> the line that does."""
    from jinja2 import nodes

    read = parsed(text, signs)
    if read is None:
        return {}
    tree, before = read
    found: dict[str, int] = {}
    for node in always_rendered(tree):
        is_optional = isinstance(node, nodes.Include) and node.ignore_missing
        if isinstance(node, nodes.Extends | nodes.Import | nodes.FromImport | nodes.Include) and not is_optional:
            named = node.template
            if isinstance(named, nodes.Const) and isinstance(named.value, str):
                found.setdefault(named.value, node.lineno + before)
    return found


def always_rendered(
    node: nodes.Node, leave: Callable[[nodes.Node], bool] = lambda _node: False
) -> Iterator[nodes.Node]:
    """The parts of a template that are rendered whenever it is: no branch, loop or macro; some may be left out."""
    from jinja2 import nodes

    if leave(node):
        return
    yield node
    inner: Iterable[nodes.Node] = node.iter_child_nodes()
    if isinstance(node, nodes.Macro | nodes.CallBlock):
        inner = ()
    elif isinstance(node, nodes.If | nodes.CondExpr):
        inner = (node.test,)
    elif isinstance(node, nodes.For):
        inner = (node.iter,)
    elif isinstance(node, nodes.And | nodes.Or):
        inner = (node.left,)
    for one in inner:
        yield from always_rendered(one, leave)


def _does_without(node: nodes.Node) -> bool:
    """Whether a part of a template tests what it is given, or has a default in its place."""
    from jinja2 import nodes

    is_default = isinstance(node, nodes.Filter) and node.name.rpartition(".")[2] in _DEFAULTS
    return is_default or isinstance(node, nodes.Test)


def _headed(text: str, signs: Mapping[str, Any] | None) -> tuple[str, dict[str, str], int]:
    """A template without its header, its signs, and how many lines the header has."""
    given = {name: str(value) for name, value in (signs or {}).items() if name in SIGNS and value}
    header = _HEADER.match(text)
    if header is None:
        return text, given, 0
    for part in header[1].split(","):
        name, _colon, value = part.partition(":")
        if name.strip() in SIGNS:
            given[name.strip()] = value.strip().strip("'\"")
    return text[header.end() :], given, 1


@lru_cache(maxsize=32)
def _environment(signs: tuple[tuple[str, str], ...]) -> Environment:
    from jinja2 import Environment

    options: dict[str, Any] = dict(signs)
    set_here = may_be_set("jinja2_extensions", ("ANSIBLE_JINJA2_EXTENSIONS",))
    extensions = setting("DEFAULT_JINJA2_EXTENSIONS") if set_here else []
    listed = extensions.split(",") if isinstance(extensions, str) else extensions
    return Environment(extensions=[one.strip() for one in listed if one.strip()], **options)


@lru_cache(maxsize=1)
def _globals() -> frozenset[str]:
    from jinja2.defaults import DEFAULT_NAMESPACE

    return frozenset(DEFAULT_NAMESPACE)


_LOOKUPS = frozenset({"lookup", "query", "q"})
_LOOKUP = "lookup"
#: Lookups that read one file.
_OF_FILES = frozenset({"file", f"{BUILTIN}file"})
#: Has the plugins that plays of operations get.
_OF_PLAYS = Path(__file__).parents[1] / "lanes"
_WORDS = {"filter": "filter", "test": "test", _LOOKUP: "lookup"}


def name_faults(
    text: str, folders: Iterable[Path], signs: Mapping[str, Any] | None = None
) -> Iterator[tuple[str, int, str | None]]:
    """Filters, tests and lookups that a template always uses and that there are not.

    Each is what is wrong, in which line, and a hint. Names of collections are left to Ansible.

    Args:
        text: the template.
        folders: those that may hold `filter_plugins`, `test_plugins` and `lookup_plugins`.
        signs: see `jinja_texts.parsed`.
    """
    folders = tuple(folders)
    for kind, name, line in _used(text, signs):
        short = name.removeprefix(BUILTIN).removeprefix("ansible.legacy.")
        if is_fqcn(short) or may_be_set(f"{kind}_plugins", (f"ANSIBLE_{kind.upper()}_PLUGINS",)):
            continue
        known = _builtin(kind) | builtin_routes(kind)
        if short not in known and not _may_be_own(kind, short, folders):
            yield f"there is no {_WORDS[kind]} {name}", line, nearest(short, known)


def with_fault(key: str, folders: Iterable[Path]) -> str | None:
    """What is wrong with the lookup of a keyword such as `with_items`."""
    found = next(name_faults(f"{{{{ lookup('{key.removeprefix('with_')}') }}}}", folders), None)
    return found[0] if found is not None else None


def looked_up(text: str, signs: Mapping[str, Any] | None = None) -> dict[str, int]:
    """The files that a template always looks up, by their names as they are written -> the line that does."""
    from jinja2 import nodes

    tree, before = parsed(text, signs) or (None, 0)
    found: dict[str, int] = {}
    for node in always_rendered(tree) if tree is not None else ():
        if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name in _LOOKUPS:
            named = [one.value if isinstance(one, nodes.Const) else None for one in node.args]
            if len(named) == 2 and named[0] in _OF_FILES and isinstance(named[1], str) and not node.kwargs:
                found.setdefault(named[1], node.lineno + before)
    return found


def _used(text: str, signs: Mapping[str, Any] | None) -> Iterator[tuple[str, str, int]]:
    from jinja2 import nodes

    read = parsed(text, signs)
    if read is None:
        return
    tree, before = read
    for node in always_rendered(tree):
        line = (node.lineno or 1) + before
        if isinstance(node, nodes.Filter):
            yield "filter", node.name, line
        elif isinstance(node, nodes.Test):
            yield "test", node.name, line
        elif isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name in _LOOKUPS:
            first = node.args[0] if node.args else None
            if isinstance(first, nodes.Const) and isinstance(first.value, str):
                yield _LOOKUP, first.value, line


def _may_be_own(kind: str, name: str, folders: tuple[Path, ...]) -> bool:
    """Whether a file of plugins of the project's, or of a role's, has this name in it."""
    files = (file for folder in folders for file in folder.glob(f"{kind}_plugins/*.py"))
    beside = (file for folder in folders for file in folder.glob(f"roles/*/{kind}_plugins/*.py"))
    return any(name in (file.stem, *_words(file, file.stat().st_mtime_ns)) for file in (*files, *beside))


@lru_cache(maxsize=256)
def _words(file: Path, _changed: int) -> frozenset[str]:
    """The texts in a source."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return frozenset()
    texts = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return frozenset(filter(str.isidentifier, texts))


@lru_cache(maxsize=4)
def _builtin(kind: str) -> frozenset[str]:
    """The names of Ansible's and Jinja's own, and of those that plays of operations have besides."""
    from jinja2 import filters, tests

    of_jinja: Mapping[str, object] = {"filter": filters.FILTERS, "test": tests.TESTS}.get(kind, {})
    folders = [home / "plugins" / kind for home in ansible_homes()]
    stems = {file.stem for folder in folders for file in folder.glob("*.*")}
    if kind != _LOOKUP:
        folders.append(_OF_PLAYS / f"{kind}s")
        sources = (file for folder in folders for file in folder.glob("*.py"))
        stems = stems.union(*(_words(file, 0) for file in sources))
    return frozenset(stems).union(of_jinja)
