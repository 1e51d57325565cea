"""The arguments that a module takes, read from its documentation and source; nothing of it is run or imported.

Which arguments there are, of which types, with which choices, is in the documentation, which Ansible's own tests hold
against the argument spec. Which are secrets (`no_log`) is only in the source, of the module or of its module_utils.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.configurators.argument_rules import IN_CODE, ArgumentRules, read_rules
from ansible_ensemble.configurators.locations import BUILTIN, ansible_homes, is_fqcn
from ansible_ensemble.configurators.module_names import module_file
from ansible_ensemble.configurators.module_sources import sources, syntax_tree, util_file
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.regex import regex
from ansible_ensemble.documents.scalars import spoken_boolean
from ansible_ensemble.documents.yaml import parse_yaml, read_yaml

_DOCUMENTATION = "DOCUMENTATION"
_FRAGMENTS = "extends_documentation_fragment"
_ROLE_FILES = ("argument_specs.yml", "argument_specs.yaml", "main.yml", "main.yaml")
_FORESEEN_BY = frozenset({"creates", "removes"})
_OF_ANSIBLE = "ansible.module_utils."
#: Every module imports it; it is long, and has no argument of its own that is secret.
_BASIC = f"{_OF_ANSIBLE}basic"
_SOURCES = frozenset({".py", ".ps1"})
#: `password = @{ type = "str"; no_log = $true }`
_HIDDEN_IN_POWERSHELL = regex(rb"([\w-]+)\s*=\s*@\{[^{}]*\bno_log\s*=\s*\$true", re.IGNORECASE)
#: Arguments with `no_log` that are texts, not secrets: it keeps the system log small, and diffs show them.
_TEXTS = {f"{BUILTIN}copy": frozenset({"content"})}


class Option(Struct, frozen=True):
    """An argument that a module takes.

    Attributes:
        type: `str`, `int`, `list`, ..., as Ansible calls them.
        elements: the type of the items of a list.
        choices: the values that it may have; empty is any.
        secret: whether the module keeps its value out of logs, for it may be a password or the like.
        options: the arguments within it, where it is a map, or a list of maps.
        description: what it is for, in short.
    """

    type: str = "str"
    elements: str = "raw"
    choices: tuple[Any, ...] = ()
    required: bool = False
    default: Any = None
    secret: bool = False
    aliases: tuple[str, ...] = ()
    options: Mapping[str, Option] = field(default_factory=dict)
    description: str = ""


class ModuleSpec(Struct, frozen=True):
    """What a module takes.

    Attributes:
        options: its arguments, by their own names.
        check_mode: whether it has a check mode, as far as it says.
        foreseen_by: arguments without all of which it does nothing in check mode (`creates`, `removes`).
        description: what it does, in short.
        name: the FQCN of a module in a collection, else empty.
        rules: those between its arguments.
    """

    options: Mapping[str, Option]
    check_mode: bool = True
    foreseen_by: frozenset[str] = frozenset()
    description: str = ""
    name: str = ""
    rules: ArgumentRules = field(default_factory=ArgumentRules)

    def option(self, name: str) -> Option | None:
        """The argument of a name or an alias."""
        return self.options.get(name) or next((one for one in self.options.values() if name in one.aliases), None)


@functools.lru_cache(maxsize=1024)
def module_spec(name: str, collections: tuple[Path, ...], libraries: tuple[Path, ...] = ()) -> ModuleSpec | None:
    """The spec of a module by its FQCN, or of one in folders `library` by its short name.

    None where there is no such module, or it has no documentation that can be read.
    """
    file = _file_of(name, collections, libraries)
    documented = _document(file) if file is not None else None
    if file is None or not isinstance(documented, Mapping):
        return None
    whole = _with_fragments(documented, collections)
    secrets = (_secrets(name, file, collections) or frozenset()) - _TEXTS.get(name, frozenset())
    attributes = whole.get("attributes")
    support = attributes.get("check_mode") if isinstance(attributes, Mapping) else None
    support = support.get("support") if isinstance(support, Mapping) else None
    options = _options(whole.get("options"), secrets)
    foreseen_by = _FORESEEN_BY if support == "partial" and options.keys() >= _FORESEEN_BY else frozenset[str]()
    described = _description(whole.get("short_description"))
    return ModuleSpec(options, support != "none", foreseen_by, described, name, _rules(name, file))


def _rules(name: str, file: Path) -> ArgumentRules:
    """The rules between the arguments of a module, in its source and in the code of its action plugin."""
    rules = read_rules(file.read_bytes()) if file.suffix == ".py" else ArgumentRules()
    return rules.with_more(IN_CODE.get(name, ArgumentRules()))


@functools.lru_cache(maxsize=1024)
def secret_arguments(
    name: str, collections: tuple[Path, ...], libraries: tuple[Path, ...] = ()
) -> frozenset[str] | None:
    """The names and aliases of a module's secret arguments, by its source, whatever its documentation says.

    None where there is a module whose source cannot be read: a program, or what is no Python.
    """
    file = _file_of(name, collections, libraries) or next(_programs(name, libraries), None)
    return _secrets(name, file, collections) if file is not None else frozenset()


def _file_of(name: str, collections: Iterable[Path], libraries: Iterable[Path]) -> Path | None:
    if not name.isidentifier():
        return module_file(name, collections)
    found = (folder / f"{name}{suffix}" for folder in libraries for suffix in (".py", ".yml"))
    return next((one for one in found if one.is_file()), None)


def _programs(name: str, libraries: Iterable[Path]) -> Iterator[Path]:
    """Modules of folders `library` that are not written in Python."""
    yield from (one for folder in libraries for one in (folder / name, *folder.glob(f"{name}.*")) if one.is_file())


@functools.lru_cache(maxsize=256)
def role_spec(role: str, entry: str, collections: tuple[Path, ...]) -> ModuleSpec | None:
    """The spec of an entry of a role, `main` or another task file, by the role's absolute path or FQCN.

    None where the role has no argument specs, or none for this entry.
    """
    folder = role_folder(role, collections)
    files = (folder / "meta" / name for name in _ROLE_FILES) if folder is not None else ()
    file = next((one for one in files if one.is_file()), None)
    try:
        data = read_yaml(file).data if file is not None else None
    except InvalidInput:
        return None
    for key in ("argument_specs", entry):
        data = data.get(key) if isinstance(data, Mapping) else None
    return ModuleSpec(_options(data.get("options"), frozenset())) if isinstance(data, Mapping) else None


def role_folder(role: str, collections: Iterable[Path]) -> Path | None:
    """The folder of a role by its path or FQCN; None if there is none."""
    folders = [Path(role)]
    if is_fqcn(role):
        namespace, collection, name = role.split(".", 2)
        folders = [base / namespace / collection / "roles" / name for base in collections]
    return next((folder for folder in folders if folder.is_dir()), None)


def _document(file: Path) -> Any:
    """The documentation of a module: in its source, or in a file beside it."""
    if file.suffix == ".py":
        beside = next((one for one in (file.with_suffix(".yml"), file.with_suffix(".yaml")) if one.is_file()), None)
        return documented_text(file, _DOCUMENTATION) or (_document(beside) if beside else None)
    try:
        data = read_yaml(file).data
    except InvalidInput:
        return None
    return data.get(_DOCUMENTATION) if isinstance(data, Mapping) else None


def documented_text(file: Path, name: str) -> Any:
    """The data in a text that a source assigns to a name, of the file or of a class in it."""
    tree = syntax_tree(file.read_bytes())
    assigned = (node for node in ast.walk(tree) if isinstance(node, ast.Assign)) if tree is not None else ()
    for node in assigned:
        text = node.value.value if isinstance(node.value, ast.Constant) else None
        if isinstance(text, str) and any(isinstance(one, ast.Name) and one.id == name for one in node.targets):
            try:
                return parse_yaml(text, str(file)).data
            except InvalidInput:
                return None
    return None


def _with_fragments(
    document: Mapping[str, Any], collections: Iterable[Path], within: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """Documentation with what it has in common with others, which it is not `within` yet; its own entries win."""
    whole: dict[str, Any] = {}
    for name in (str(one).strip() for one in _listed(document.get(_FRAGMENTS))):
        fragment = _fragment(name, collections) if name not in within else None
        if isinstance(fragment, Mapping):
            whole = _merged(whole, _with_fragments(fragment, collections, within | {name}))
    return _merged(whole, document)


def _fragment(name: str, collections: Iterable[Path]) -> Any:
    """A fragment: `files`, `ansible.builtin.files`, `community.general.ldap.documentation`."""
    parts = name.removeprefix(BUILTIN).split(".")
    if len(parts) < 3:
        folders = [home / "plugins" / "doc_fragments" for home in ansible_homes()]
    else:
        folders = [base / parts[0] / parts[1] / "plugins" / "doc_fragments" for base in collections]
        parts = parts[2:]
    files = (folder / f"{parts[0]}.py" for folder in folders)
    file = next((one for one in files if one.is_file()), None)
    return documented_text(file, parts[1].upper() if len(parts) > 1 else _DOCUMENTATION) if file is not None else None


def _merged(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    made = dict(first)
    for key, value in second.items():
        known = made.get(key)
        made[key] = _merged(known, value) if isinstance(known, Mapping) and isinstance(value, Mapping) else value
    return made


def _options(raw: Any, secrets: frozenset[str], *, hidden: bool = False) -> dict[str, Option]:
    """Options by name; all of them are secrets if they are `hidden` in one that is."""
    entries = raw.items() if isinstance(raw, Mapping) else ()
    known = ((str(name), body) for name, body in entries if isinstance(body, Mapping))
    return {name: _option(name, body, secrets, hidden=hidden) for name, body in known}


def _option(name: str, body: Mapping[str, Any], secrets: frozenset[str], *, hidden: bool) -> Option:
    aliases = tuple(str(one) for one in _listed(body.get("aliases")))
    secret = hidden or _is_true(body.get("no_log")) or not secrets.isdisjoint((name, *aliases))
    return Option(
        type=str(body.get("type") or "str"),
        elements=str(body.get("elements") or "raw"),
        choices=_listed(body.get("choices")),  # of a map: what each means
        required=_is_true(body.get("required")),
        default=body.get("default"),
        secret=secret,
        aliases=aliases,
        options=_options(body.get("suboptions") or body.get("options"), secrets, hidden=secret),
        description=_description(body.get("description")),
    )


def _description(raw: Any) -> str:
    """The first paragraph of a description, without its markup."""
    first = next(iter(_listed(raw)), "")
    return re.sub(r"\b[A-Z]{1,2}\(([^(),]*)[^()]*\)", r"\1", str(first))


def _listed(raw: Any) -> tuple[Any, ...]:
    """What documentation has where a list is meant: one thing is a list of it, and nothing is an empty one."""
    if isinstance(raw, Mapping | list):
        return tuple(raw)
    return () if raw is None else (raw,)


def _is_true(word: Any) -> bool:
    """Whether documentation says yes, be it in the words of YAML 1.1."""
    return word is True or spoken_boolean(word) is True


def _secrets(name: str, file: Path, collections: Iterable[Path]) -> frozenset[str] | None:
    """Names of the arguments that are marked with `no_log` in a module, or in a module_util that it imports.

    None where the source of the module is not Python.
    """
    source = next(
        (one for one in (file, file.with_suffix(".py"), file.with_suffix(".ps1")) if one.suffix in _SOURCES), file
    )
    if source.suffix == ".ps1" and source.is_file():
        return frozenset(match[1].decode() for match in _HIDDEN_IN_POWERSHELL.finditer(source.read_bytes()))
    if source.suffix != ".py" or not source.is_file() or syntax_tree(source.read_bytes()) is None:
        return None
    file = source
    parts = file.parts
    if "ansible_collections" in parts:
        start = len(parts) - parts[::-1].index("ansible_collections") - 1
        name = ".".join(file.with_suffix("").parts[start:])
    bases = [base.parent for base in collections]

    def find(util: str) -> str | None:
        if util == _BASIC:
            return None
        if util.startswith(_OF_ANSIBLE):
            return next((found for home in ansible_homes() if (found := util_file(util, home.parent))), None)
        return next((found for base in bases if (found := util_file(util, base))), None)

    return frozenset().union(*(_hidden(text) for text in sources(name, str(file), find) if b"no_log" in text))


@functools.lru_cache(maxsize=128)  # most modules import the same few
def _hidden(source: bytes) -> frozenset[str]:
    """Names of the arguments that a source marks with `no_log`."""
    found: set[str] = set()
    tree = syntax_tree(source)
    for node in ast.walk(tree) if tree is not None else ():
        hidden = ((key, value) for key, value in _entries(node) if _is_hidden(value))
        found.update(name for key, value in hidden for name in (key, *_aliases(value)))
    return frozenset(found)


def _entries(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """What a part of a source gives by name: `dict(a=...)`, `{"a": ...}`, `spec["a"] = ...`."""
    if isinstance(node, ast.keyword) and node.arg:
        yield node.arg, node.value
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values):
            if isinstance(key, ast.Constant):
                yield str(key.value), value
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
                yield str(target.slice.value), node.value


def _is_hidden(value: ast.expr) -> bool:
    """Whether the spec of an argument has `no_log`; one that is computed may be true."""
    found = (one for name, one in _parts(value) if name == "no_log")
    return any(not isinstance(one, ast.Constant) or bool(one.value) for one in found)


def _aliases(value: ast.expr) -> list[str]:
    lists = (one.elts for name, one in _parts(value) if name == "aliases" and isinstance(one, (ast.List, ast.Tuple)))
    return [str(item.value) for items in lists for item in items if isinstance(item, ast.Constant)]


def _parts(value: ast.expr) -> list[tuple[Any, ast.expr]]:
    """What the spec of an argument says by name."""
    if isinstance(value, ast.Call):
        return [(one.arg, one.value) for one in value.keywords]
    if isinstance(value, ast.Dict):
        return [(getattr(key, "value", None), one) for key, one in zip(value.keys, value.values)]
    return []
