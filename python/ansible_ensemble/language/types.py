"""The registry of types: names are looked up in what the file that uses them sees, types are built on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct, field

from ansible_ensemble.core.errors import Place
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.core.notices import NoticeCode
from ansible_ensemble.core.regex import regex
from ansible_ensemble.documents.places import place_of
from ansible_ensemble.language.alien4cloud import is_alien4cloud
from ansible_ensemble.language.entities import EntityType, ParameterDefinition, Schema
from ansible_ensemble.language.entity_types import inherit
from ansible_ensemble.language.normative import PRIMITIVES, ROOTS, SECTIONS, SHORTHANDS, SUPPLEMENT, normative_types
from ansible_ensemble.language.problems import Problems, kind_of
from ansible_ensemble.language.scalars import version_value

#: The version that means Unfurl's dialect.
UNFURL_VERSION = "tosca_simple_unfurl_1_0_0"

#: Versions that are understood [TOSCA 1.3, 3.1].
VERSIONS: tuple[str, ...] = (
    "tosca_simple_yaml_1_0",
    "tosca_simple_yaml_1_1",
    "tosca_simple_yaml_1_2",
    "tosca_simple_yaml_1_3",
    "tosca_2_0",
    UNFURL_VERSION,
)

#: Other names of versions [TOSCA 1.0 to 1.3, 3.1].
_ALIASES = {
    **{f"{version}_0": version for version in VERSIONS[:4]},
    "unfurl/v1alpha1.ServiceTemplate": UNFURL_VERSION,
    **{f"http://docs.oasis-open.org/tosca/ns/simple/yaml/1.{n}": VERSIONS[n] for n in range(4)},
}


#: Types that profiles of the standard have, and that it has not itself.
_OF_PROFILE = regex(r"tosca\.\w+\.(nfv|mec)\b")
_BESIDE = "the types of that profile are not here: import the file that declares them"
#: Versions of profiles, as `tosca_simple_profile_for_nfv_1_0_0`: types beside the standard's, by the rules of 1.3.
_PROFILE = regex(r"tosca_simple_profile_for_[a-z]+(_\d+){2,3}")


def known_version(name: object) -> str | None:
    """The version of the language that a name means; None if it is not understood."""
    name = _ALIASES.get(name, name) if isinstance(name, str) else None
    if name is not None and _PROFILE.fullmatch(name):
        return VERSIONS[3]
    return name if name in VERSIONS or is_alien4cloud(name) else None


class Declaration(Struct, eq=False):
    """A type as it is declared in a file.

    Attributes:
        kind: the kind of type, a key of `SECTIONS`.
        name: canonical name: the declared one, after the prefix its file was first imported with.
        read: gives its definition as written.
        scope: what its file sees.
        built: the type, once it is built.
    """

    kind: str
    name: str
    read: Callable[[], Any]
    scope: Scope
    place: Place | None = None
    built: EntityType | None = None


class Scope(Struct, eq=False):
    """What a file sees.

    Attributes:
        base: directory that relative paths of the file start in.
        is_normative: whether it is the standard's own definitions, which are not checked.
        types: the registry that its names are looked up in.
        names: declarations by kind and by the name that the file knows them under.
        template: the file's own topology template, as written.
        imported: scopes of the files it imports, in order.
        built_in_prefixes: those it gives to Unfurl's own types, which are always there.
    """

    file: Path
    base: Path
    types: Types
    version: str = ""
    prefix: str = ""
    is_normative: bool = False
    names: dict[str, dict[str, Declaration]] = field(default_factory=lambda: {kind: {} for kind in SECTIONS})
    repositories: dict[str, Any] = field(default_factory=dict)
    repository_places: dict[str, Place | None] = field(default_factory=dict)
    document: Mapping[str, Any] = field(default_factory=dict)
    template: Mapping[str, Any] = field(default_factory=dict)
    imported: list[Scope] = field(default_factory=list)
    built_in_prefixes: set[str] = field(default_factory=set)

    @property
    def problems(self) -> Problems:
        """Where errors are noted."""
        return self.types.problems

    @property
    def is_unfurl(self) -> bool:
        """Whether the file is written in Unfurl's dialect: by its version, or for it is of an ensemble of Unfurl's."""
        return self.version == UNFURL_VERSION or (self.types.is_unfurl and not self.is_normative)


class BuiltOnUse(MutableMapping[str, EntityType]):
    """Types by name, each of which is built when something asks for it: of most of the standard's nothing does."""

    __slots__ = ("_build", "_built", "_declarations")

    def __init__(self, declarations: Mapping[str, Declaration], build: Callable[[Declaration], EntityType]) -> None:
        self._declarations, self._build = dict(declarations), build
        self._built: dict[str, EntityType] = {}

    def __getitem__(self, name: str) -> EntityType:
        found = self._built.get(name)
        if found is None:
            found = self._built[name] = self._build(self._declarations[name])
        return found

    def __setitem__(self, name: str, entity: EntityType) -> None:
        self._built[name] = entity

    def __delitem__(self, name: str) -> None:
        if self._built.pop(name, None) is None and name not in self._declarations:
            raise KeyError(name)
        self._declarations.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        yield from self._declarations
        yield from (name for name in self._built if name not in self._declarations)

    def __len__(self) -> int:
        return len(self._declarations.keys() | self._built.keys())


class Build(Protocol):
    """Fills in a type from its definition; the type has the parent's definitions already."""

    def __call__(self, entity: EntityType, raw: Mapping[str, Any], scope: Scope) -> None:
        """Read `raw` into `entity`."""


class Check(Struct):
    """A value that is to be checked once every type is known."""

    value: Any
    definition: ParameterDefinition
    what: str
    place: Place | None
    hint: str | None = None


class Types:
    """The types that a topology uses.

    Attributes:
        normative: the standard's own types.
        problems: where errors are noted.
        build: how a type is filled in.
        by_name: every declaration by kind and canonical name.
        checks: values to check, in order.
        limits: constraints to check against the type that they limit: the schema, its own clauses, whose it is, where.
        is_unfurl: whether every file counts as written in Unfurl's dialect, whatever version it names.
        is_part: whether the files are parts of a larger one, which may have the types that are missing.
        is_strict: whether values are of their types as TOSCA 2.0 has it: no number is a text.
    """

    def __init__(self, problems: Problems, build: Build, *, is_unfurl: bool = False) -> None:
        self.problems = problems
        self.build = build
        self.by_name: dict[str, dict[str, Declaration]] = {kind: {} for kind in SECTIONS}
        self.checks: list[Check] = []
        self.limits: list[tuple[Schema, list[dict[str, Any]], str, Place | None]] = []
        self.is_unfurl = is_unfurl
        self.is_part = False
        self.is_strict = False
        self.normative = _normative_scope(self)

    def declare(self, scope: Scope, document: Mapping[str, Any]) -> None:
        """Declare the types of a file in its scope."""
        for kind, section in SECTIONS.items():
            entries = self.problems.mapping(document.get(section), section, place_of(document, section))
            for name, raw in entries.items():
                self._declare(kind, name, raw, scope, place_of(entries, name))
        if document.get("types") is not None:
            self._declare_mixed(scope, document)

    def _declare(self, kind: str, name: str, raw: Any, scope: Scope, place: Place | None) -> None:
        declaration = Declaration(kind, scope.prefix + name, lambda: raw, scope, place)
        first = scope.names[kind].get(name)
        if first is not None and first.read() != raw:
            self.refuse_twin(first, declaration, scope, place)
        scope.names[kind][name] = declaration
        self.by_name[kind][declaration.name] = declaration

    def _declare_mixed(self, scope: Scope, document: Mapping[str, Any]) -> None:
        """Declare the types of the section `types` of Unfurl's dialect, each of the kind that it derives from."""
        place = place_of(document, "types")
        if not scope.is_unfurl:
            message = "the section 'types' is one of Unfurl's dialect"
            self.problems.add(message, place, f"use {', '.join(SECTIONS.values())}, or the version {UNFURL_VERSION}")
            return
        entries = self.problems.mapping(document["types"], "types", place)
        for name, raw in entries.items():
            base, seen = str(name), set[str]()
            while base in entries and base not in seen:
                seen.add(base)
                base = _first_parent(entries[base])
            is_data = base.removeprefix("tosca:") in PRIMITIVES
            kinds = ["data"] if is_data else [one for one in SECTIONS if self.find(one, base, scope) is not None]
            if not kinds:
                message = f"what kind of type '{name}' is cannot be determined"
                self.problems.add(message, place_of(entries, name), "derive it from a known type")
            else:
                self._declare(kinds[0], name, raw, scope, place_of(entries, name))

    def refuse_twin(self, first: Declaration, second: Declaration, scope: Scope, place: Place | None) -> None:
        """Refuse a type that is there already with another definition [TOSCA 1.3, 3.1.3]; in Unfurl's dialect, warn."""
        message = f"the {first.kind} type '{first.name}' is defined twice, at {first.place} and at {second.place}"
        if scope.is_unfurl:
            self.problems.warn(NoticeCode.SECOND_TYPE, f"{message}; that of {first.scope.file} counts", place)
        else:
            self.problems.add(message, place, "rename one of them, or import one with a namespace_prefix")

    def find(self, kind: str, name: str, scope: Scope) -> Declaration | None:
        """The declaration that a name means in a scope.

        The file's own and imported names come first, then the standard's, then those of any file that was read: files
        that are imported side by side use each other's names in the wild.
        """
        found = scope.names[kind].get(name) or _normative_declaration(self.normative, kind, name)
        found = found or self.by_name[kind].get(name)
        if found is None and "." in name:
            # tosca-parser joins prefix and name with a dot
            prefix, _separator, rest = name.partition(".")
            found = scope.names[kind].get(f"{prefix}:{rest}")
        own = next((one for one in scope.built_in_prefixes if name.startswith((f"{one}.", f"{one}:"))), None)
        if found is None and own is not None:
            found = _normative_declaration(self.normative, kind, name[len(own) + 1 :])
        return found

    def get(self, kind: str, name: Any, scope: Scope, place: Place | None) -> EntityType | None:
        """The type of a name; None, and an error with the nearest known name, if there is none."""
        declaration = self.declaration(kind, name, scope, place)
        return self.entity(declaration) if declaration is not None else None

    def declaration(self, kind: str, name: Any, scope: Scope, place: Place | None) -> Declaration | None:
        """The declaration of a name; None, and an error, if there is none."""
        if not isinstance(name, str):
            self.problems.add(f"the name of a {kind} type must be text, not {kind_of(name)}", place)
            return None
        found = self.find(kind, name, scope)
        if found is None:
            known = [*scope.names[kind], *self.normative.names[kind], *(PRIMITIVES if kind == "data" else ())]
            hint = _BESIDE if _OF_PROFILE.match(name) else nearest(name, known)
            message = f"unknown {kind} type '{name}'"
            if self.is_part:
                self.problems.warn(NoticeCode.UNKNOWN_TYPE, message, place)
            else:
                self.problems.add(message, place, hint)
        return found

    def canonical(self, kind: str, name: Any, scope: Scope, place: Place | None) -> str | None:
        """The canonical name of a type, without building it; None, and an error, if there is none."""
        if kind == "data" and name == "number" and scope.is_unfurl:
            return "float"
        if kind == "data" and isinstance(name, str) and name.removeprefix("tosca:") in PRIMITIVES:
            return name.removeprefix("tosca:")
        declaration = self.declaration(kind, name, scope, place)
        return declaration.name if declaration is not None else None

    def named(self, kind: str, canonical: str) -> EntityType | None:
        """The type of a canonical name."""
        declaration = self.by_name[kind].get(canonical) or self.normative.names[kind].get(canonical)
        return self.entity(declaration) if declaration is not None else None

    def data_type(self, canonical: str) -> EntityType | None:
        """The data type of a canonical name."""
        return self.named("data", canonical)

    def seen(self, scope: Scope, kind: str) -> Mapping[str, EntityType]:
        """The types of a kind that a file sees, by the names that it knows them under."""
        return BuiltOnUse({**self.normative.names[kind], **scope.names[kind]}, self.entity)

    def data_types(self) -> MutableMapping[str, EntityType]:
        """Every data type but the primitive ones, by canonical name; those of files are built, so that faults show."""
        for declaration in self.by_name["data"].values():
            self.entity(declaration)
        declarations = {**self.normative.names["data"], **self.by_name["data"]}
        return BuiltOnUse({one.name: one for one in declarations.values()}, self.entity)

    def root(self, kind: str) -> EntityType:
        """The root type of a kind."""
        return self.entity(self.normative.names[kind][ROOTS[kind]])

    def is_a(self, kind: str, canonical: str, ancestor: str) -> bool:
        """Whether the type of a canonical name is, or derives from, another."""
        entity = self.named(kind, canonical)
        return canonical == ancestor or (entity is not None and entity.is_a(ancestor))

    def refines(self, data_type: str, refined: str) -> bool:
        """Whether a data type is another one, or derives from it, be it a primitive one."""
        seen: set[str] = set()
        current: str | None = data_type
        while current is not None and current not in seen:
            if refined in (current, "any") or (refined == "scalar-unit" and current.startswith("scalar-unit.")):
                return True
            seen.add(current)
            entity = self.named("data", current) if current not in PRIMITIVES else None
            parent = entity.parent.name if entity is not None and entity.parent is not None else None
            current = entity.schema.type if entity is not None and entity.schema is not None else parent
        return False

    def entity(self, declaration: Declaration) -> EntityType:
        """The type of a declaration, built with what it inherits; a loop of inheritance is an error."""
        chain = [declaration]
        parents: dict[Declaration, list[Declaration]] = {}
        while chain:
            current = chain[-1]
            if current not in parents:
                parents[current] = self._parents(current)
            waiting = next((one for one in parents[current] if one.built is None), None)
            if waiting is None or current.built is not None:
                chain.pop()
                if current.built is None:
                    self._built(current, [one.built for one in parents[current] if one.built is not None])
            elif waiting in chain:
                names = " -> ".join(one.name for one in [*chain[chain.index(waiting) :], waiting])
                self.problems.add(f"type derives from itself: {names}", waiting.place)
                parents[current].remove(waiting)
            else:
                chain.append(waiting)
        if declaration.built is None:
            raise AssertionError(declaration.name)
        return declaration.built

    def _parents(self, declaration: Declaration) -> list[Declaration]:
        """What a type derives from: several types in Unfurl's dialect, of which the first wins."""
        definition = declaration.read()
        raw = definition if isinstance(definition, Mapping) else {}
        names: Any = raw.get("derived_from")
        if names is None:
            root = self.normative.names[declaration.kind][ROOTS[declaration.kind]]
            return [] if root is declaration or (declaration.kind == "data" and "type" in raw) else [root]
        if not (isinstance(names, list) and declaration.scope.is_unfurl):
            names = [names]
        if declaration.kind == "data" and isinstance(names[0], str) and names[0].removeprefix("tosca:") in PRIMITIVES:
            return []
        place = place_of(raw, "derived_from")
        found = [self.declaration(declaration.kind, name, declaration.scope, place) for name in names]
        return list(dict.fromkeys(one for one in found if one is not None))

    def _built(self, declaration: Declaration, parents: list[EntityType]) -> EntityType:
        entity = EntityType(declaration.kind, declaration.name, place=declaration.place)
        if parents:
            inherit(entity, parents)
        declaration.built = entity
        what = f"the {declaration.kind} type '{declaration.name}'"
        raw = self.problems.mapping(declaration.read(), what, declaration.place)
        if not declaration.scope.is_normative and declaration.kind != "interface":
            self.problems.check_keys(raw, f"{declaration.kind}_type", declaration.place)
        entity.description = str(raw.get("description") or "")
        entity.metadata = dict(self.problems.mapping(raw.get("metadata"), f"metadata of {what}", declaration.place))
        if self.is_strict and "version" in raw and version_value(raw["version"]) is None:
            self.problems.add(f"the version of {what} is none", place_of(raw, "version"), "for instance 1.2.3")
        base = raw.get("derived_from")
        if self.is_part and not parents and base is not None and str(base).removeprefix("tosca:") not in PRIMITIVES:
            inherit(entity, [self.root(declaration.kind)])
            entity.metadata["additionalProperties"] = True  # its parent may have any
        self.build(entity, raw, declaration.scope)
        return entity

    def check_later(
        self, value: Any, definition: ParameterDefinition, what: str, place: Place | None, hint: str | None = None
    ) -> None:
        """Have a value checked against its definition when every type is known; a hint is for all that is wrong."""
        self.checks.append(Check(value, definition, what, place, hint))


def _first_parent(raw: Any) -> str:
    """The name of the type that a definition as written derives from, the first of several; empty if it is none."""
    names = raw.get("derived_from") if isinstance(raw, Mapping) else None
    name = names[0] if isinstance(names, list) and names else names
    return name if isinstance(name, str) else ""


def _normative_scope(types: Types) -> Scope:
    """Every type of the standard, of Unfurl's dialect and of the product, by canonical name and aliases.

    A type is built only when something asks for it.
    """
    scope = Scope(SUPPLEMENT, SUPPLEMENT.parent, types, is_normative=True)
    files = normative_types()
    for definitions in files:
        for kind, section in SECTIONS.items():
            known = scope.names[kind]
            for name, read in definitions.get(section, {}).items():
                known[name] = Declaration(kind, name, read, scope)
    for kind, aliases in files[1]["aliases"].items():
        for alias, name in aliases().items():
            scope.names[kind][alias] = scope.names[kind][name]
    return scope


def _normative_declaration(scope: Scope, kind: str, name: str) -> Declaration | None:
    """The normative type of this full, shorthand (`Compute`) or prefixed (`tosca:Compute`) name."""
    known = scope.names[kind]
    name = name.removeprefix("tosca:")
    found = known.get(name)
    if found is not None:
        return found
    for prefix in SHORTHANDS[kind]:
        found = known.get(prefix + name)
        if found is not None:
            return found
    return None
