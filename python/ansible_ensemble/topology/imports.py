"""Reading a service template and all that it imports [TOSCA 1.3, 3.6.8]."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import unquote, urlsplit

from msgspec import Struct, field

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.core.notices import NoticeCode, Rewrite
from ansible_ensemble.core.texts import with_shown_urls
from ansible_ensemble.documents.merge import FileReader, expand
from ansible_ensemble.documents.paths import is_file, resolved
from ansible_ensemble.documents.places import place_of
from ansible_ensemble.documents.pointers import part_of
from ansible_ensemble.documents.yaml import Document, read_yaml
from ansible_ensemble.language.alien4cloud import from_alien4cloud, is_alien4cloud
from ansible_ensemble.language.keys import KEYS, RESOURCES
from ansible_ensemble.language.problems import Problems, kind_of
from ansible_ensemble.language.short_form import in_long_form
from ansible_ensemble.language.types import UNFURL_VERSION, VERSIONS, Scope, Types, known_version
from ansible_ensemble.language.version_2 import VERSION_2, in_words_of_1_3
from ansible_ensemble.language.version_2_calls import OwnFunction
from ansible_ensemble.topology.profiles import SHIPPED, find_profile, is_built_in, place_for
from ansible_ensemble.topology.remote import SCHEME, Remote, url_of

#: The repository of Unfurl's own types, which are always there; imports from it need nothing.
UNFURL_REPOSITORY = "unfurl"

MAX_DEPTH = 100  #: Imports of imports of imports: deeper than this is a mistake.
_VERSION = "tosca_definitions_version"

#: Whether the condition of an import holds: the expression, the file that has it, and its position in that.
IsMet = Callable[[Any, Path, Place | None], bool]


class Importer(Struct):
    """Reads service templates, each file once.

    Attributes:
        types: where their types are declared.
        repositories: local folders by repository name; they win over the URLs that files give.
        find_clone: gives the folder that a repository by URL is cloned to.
        roots: folders that imported files must lie in; none is no limit.
        leaves: whether a relative path may lead to a service template outside of these, too.
        is_met: evaluates the `when` of an import.
        remote: fetches what is imported over https; None fetches nothing.
        read_file: reads what is imported from this machine.
        fetched: digests of what was fetched, by URL.
        files: the files of this machine read so far, in order.
        versions: the version that each was read by.
        is_complete: whether each import was read; where one was not, what names it brings is not known.
    """

    types: Types
    repositories: Mapping[str, Path] = field(default_factory=dict)
    roots: Sequence[Path] = ()
    find_clone: Callable[[str], Path | None] | None = None
    is_met: IsMet = lambda *_arguments: True
    leaves: bool = False
    remote: Remote | None = None
    read_file: FileReader = read_yaml
    fetched: dict[str, str] = field(default_factory=dict)
    files: list[Path] = field(default_factory=list)
    versions: dict[Path, str] = field(default_factory=dict)
    _scopes: dict[tuple[Path, str], Scope] = field(default_factory=dict)
    is_complete: bool = True
    _chain: list[Path] = field(default_factory=list)
    _urls: dict[Path, str] = field(default_factory=dict)
    _paths: dict[str, Path] = field(default_factory=dict)
    _circular: list[tuple[Scope, Scope, str, Place | None]] = field(default_factory=list)

    def read(
        self, document: Document, data: Any = None, prefix: str = "", version: str | None = None, fragment: str = ""
    ) -> Scope:
        """What a file sees, with its types declared.

        Args:
            document: the file.
            data: the service template, where it is only a part of the document.
            prefix: what the canonical names of its types begin with.
            version: the version where the file need not give one.
            fragment: the JSON pointer to the part of the file that is the service template; empty is all of it.
        """
        problems = self.types.problems
        file = document.path
        if file not in self._urls:
            self.files.append(file)
        raw = data
        if data is None:
            find = self.repositories.get
            whole = expand(document, roots=self.roots, find_repository=find, included=self.files)
            raw = part_of(whole, fragment, Place(str(file))) if fragment else whole
        if isinstance(raw, Mapping):
            imported = self._functions(raw, file.parent) if raw.get(_VERSION, version) == VERSION_2 else {}
            raw = _in_one_language(raw, raw.get(_VERSION, version), problems, imported)
        place = place_of(raw) or Place(str(file))
        scope = Scope(file, file.parent, self.types, prefix=prefix)
        key = file.resolve()
        self._scopes[key, fragment] = scope
        self._chain.append(key)
        if raw is None or not isinstance(raw, Mapping):
            problems.add("a service template must be a map", place)  # it may be any file: its text is not shown
        body = problems.mapping(raw if isinstance(raw, Mapping) else {}, "a service template", place)
        scope.document = body
        if isinstance(raw, Mapping):
            problems.check_keys(body, "service_template", place)
            scope.version = self._version(body, place, version)
        for one in self.files:
            self.versions.setdefault(one, scope.version if one == file else "")
        template = body.get("topology_template")
        where = place_of(body, "topology_template")
        scope.template = problems.mapping(template, "the topology_template", where)
        problems.check_keys(scope.template, "topology_template", where)
        problems.mapping(body.get("metadata"), "the metadata", place_of(body, "metadata"))
        self._read_repositories(scope, body)
        self._read_imports(scope, body)
        self.types.declare(scope, body)
        self._chain.pop()
        if not self._chain:
            for circular in self._circular:
                self._take_over(*circular)
        return scope

    def _functions(self, raw: Mapping[str, Any], base: Path) -> dict[str, OwnFunction]:
        from ansible_ensemble.topology.imported_functions import imported_functions  # of TOSCA 2.0 alone

        def find(url: str, folder: Path) -> Path | None:
            path = local_path(url, folder)
            return path if path is not None and is_file(path) and not self._is_outside(resolved(path)) else None

        return imported_functions(raw, base, find, self.read_file)

    def _version(self, body: Mapping[str, Any], place: Place | None, default: str | None) -> str:
        version, problems = body.get(_VERSION, default), self.types.problems
        where, known = place_of(body, _VERSION) or place, known_version(version)
        if version is None:
            problems.add(f"a service template needs a {_VERSION}", where, f"add {_VERSION}: {VERSIONS[3]}")
        elif known is None:
            hint = nearest(str(version), VERSIONS) or f"one of {', '.join(VERSIONS)}"
            problems.add(f"the {_VERSION} {kind_of(version)} is not known", where, hint)
        elif known in VERSIONS[:4] and not _is_first(body, _VERSION):
            problems.add(f"the {_VERSION} is not the first key", where, "move it to the top")
        return known or str(version)

    def _read_repositories(self, scope: Scope, body: Mapping[str, Any]) -> None:
        problems = self.types.problems
        section = problems.mapping(body.get("repositories"), "the repositories", place_of(body, "repositories"))
        for name, raw in section.items():
            place = place_of(section, name)
            entry = {"url": raw} if isinstance(raw, str) else problems.mapping(raw, f"repository '{name}'", place)
            problems.check_keys(entry, "repository", place)
            if not isinstance(entry.get("url", entry.get("file")), str):
                problems.add(f"repository '{name}' has no url", place)
            scope.repositories[name], scope.repository_places[name] = entry, place
        for name, folder in self.repositories.items():
            scope.repositories[name] = {**scope.repositories.get(name, {}), "url": str(folder)}

    def _read_imports(self, scope: Scope, body: Mapping[str, Any]) -> None:
        problems = self.types.problems
        raw = body.get("imports")
        place = place_of(body, "imports")
        if isinstance(raw, Mapping):
            for name, entry in problems.mapping(raw, "the imports", place).items():
                self._import(scope, entry, place_of(raw, name))
            return
        for number, entry in enumerate(problems.sequence(raw, "the imports", place)):
            label = next(iter(entry)) if isinstance(entry, Mapping) and len(entry) == 1 else None
            if label is not None and label not in KEYS["import"]:
                self._import(scope, entry[label], place_of(entry, label))
            else:
                self._import(scope, entry, place_of(raw, number))

    def _import(self, scope: Scope, raw: Any, place: Place | None) -> None:
        """Take over the names of one import: a file's name, or a map."""
        problems = self.types.problems
        entry = {"file": raw} if isinstance(raw, str) else problems.mapping(raw, "an import", place)
        if not isinstance(raw, str | Mapping):
            return
        problems.check_keys(entry, "import", place)
        if "when" in entry and not self._is_wanted(entry, scope, place):
            return
        prefix = problems.text(entry.get("namespace_prefix"), "namespace_prefix", place_of(entry, "namespace_prefix"))
        if _is_built_in(entry, scope):
            if prefix:
                scope.built_in_prefixes.add(prefix)
            return
        name = self._name_of(entry, scope, place)
        if name is None:
            return
        imported = self._scope_of(name, entry.get("repository"), scope, place, prefix)
        if imported is None:
            self.is_complete = False
            return
        if entry.get("profile") not in (None, imported.document.get("profile")):
            problems.add(
                f"{imported.file} is not the profile {entry['profile']}", place, f"profile: {entry['profile']}"
            )
        if imported not in scope.imported:
            scope.imported.append(imported)
        if imported.file.resolve() in self._chain:
            # it imports this file in turn: its own names are known once it is read
            self._circular.append((scope, imported, prefix or "", place))
        else:
            self._take_over(scope, imported, prefix or "", place)

    def _name_of(self, entry: Mapping[str, Any], scope: Scope, place: Place | None) -> str | None:
        """The file that an import names, or that its profile is in; None, and an error, if there is none."""
        problems, profile = self.types.problems, entry.get("profile")
        if isinstance(profile, str):
            file = find_profile(profile, scope.base, self.roots)
            if file is not None:
                return str(file)
            problems.add(f"the profile {profile} is not there", place, f"it is looked for at {place_for(profile)}")
            self.is_complete = False
            return None
        name = entry.get("file", entry.get("url", entry.get("uri")))
        if isinstance(name, str) and name:
            return name
        problems.add("an import names no file", place, "write its path, or file: and its path")
        return None

    def _is_wanted(self, entry: Mapping[str, Any], scope: Scope, place: Place | None) -> bool:
        """Whether a conditional import of Unfurl's dialect is to be read; a wrong condition is an error."""
        problems, condition = self.types.problems, entry["when"]
        place = place_of(entry, "when") or place
        if not scope.is_unfurl:
            problems.add("`when` of an import is of Unfurl's dialect", place, f"its version is {UNFURL_VERSION}")
        elif isinstance(condition, bool):
            return condition
        elif not isinstance(condition, Mapping | str):
            hint = "when: {eval: ...}"
            problems.add(f"the `when` of an import is {kind_of(condition)}, not an expression", place, hint)
        else:
            try:
                return self.is_met(condition, scope.file, place)
            except InvalidInput as error:
                problems.errors.append(error)
        return False

    def _take_over(self, scope: Scope, imported: Scope, prefix: str, place: Place | None) -> None:
        """Let a file see the names of one that it imports."""
        for kind, declarations in imported.names.items():
            known = scope.names[kind]
            for type_name, declaration in declarations.items():
                key = f"{prefix}:{type_name}" if prefix else type_name
                first = known.setdefault(key, declaration)
                if first is not declaration and first.read() != declaration.read():
                    self.types.refuse_twin(first, declaration, scope, place)
        for key, repository in imported.repositories.items():
            other = imported.repository_places.get(key)
            first = scope.repositories.setdefault(key, repository)
            counts = scope.repository_places.setdefault(key, other)
            if _url(first) != _url(repository):
                message = f"the repository '{key}' is another at {counts} than at {other}, and the first counts"
                self.types.problems.warn(NoticeCode.SECOND_REPOSITORY, message, place)

    def _scope_of(
        self, name: str, repository: Any, importing: Scope, place: Place | None, prefix: str | None
    ) -> Scope | None:
        problems = self.types.problems
        file, _separator, fragment = name.partition("#") if importing.is_unfurl else (name, "", "")
        path = self._locate(file, repository, importing, place)
        if path is None:
            return None
        key = resolved(path)
        url = self._urls.get(path)
        leaves = self.leaves and repository is None and _is_relative_template(file, key)
        if url is None and self._is_outside(key) and not leaves:
            hint = self._hint_outside(key, repository)
            problems.add(f"the imported file {name} lies outside of the project", place, hint)
            return None
        if (key, fragment) in self._scopes:
            return self._scopes[key, fragment]
        if len(self._chain) >= MAX_DEPTH:
            problems.add(f"the imports are more than {MAX_DEPTH} files deep", place)
            return None
        try:
            document = self.read_file(path) if url is None else read_yaml(path, with_shown_urls(url))
        except InvalidInput as error:
            if not is_file(path):
                problems.add(f"the imported file {name} does not exist", place, f"looked for {path}")
            else:
                problems.errors.append(error)
            return None
        version = importing.version if isinstance(document.data, Mapping) else None
        own = set(document.data) if version else set()
        if version and not importing.is_unfurl and not {_VERSION, RESOURCES} & own:
            message = f"the file has no {_VERSION}, {version} is assumed"
            rewrite = Rewrite("", f"{_VERSION}: {version}\n")
            problems.warn(NoticeCode.NO_VERSION, message, Place(str(document.path)), rewrite)
        inner = importing.prefix + (f"{prefix}:" if prefix else "")
        return self.read(document, prefix=inner, version=version, fragment=fragment)

    def _is_outside(self, path: Path) -> bool:
        return bool(self.roots) and not any(path.is_relative_to(root.resolve()) for root in self.roots)

    def _hint_outside(self, path: Path, repository: Any) -> str:
        if repository is not None:
            return f"it is {path}; name the folder of '{repository}' among the repositories of an environment"
        return (
            f"it is {path}, and the project is {self.roots[0]}; "
            "a git repository or an ensemble-project.yaml in a folder above both would make that the project"
        )

    def _locate(self, name: str, repository: Any, importing: Scope, place: Place | None) -> Path | None:
        """The path of an imported file; None, and an error, if it is not on this machine and cannot be fetched."""
        problems = self.types.problems
        base = importing.base
        url = url_of(name, repository, importing.repositories, self._urls.get(importing.file))
        if url is not None and (repository is None or (self.remote is not None and self.remote.allows(url))):
            return self._fetch(url, place)
        if repository is not None:
            known = importing.repositories
            if not isinstance(repository, str) or repository not in known:
                problems.add(f"unknown repository {kind_of(repository)}", place, nearest(str(repository), known))
                return None
            url = known[repository].get("url", known[repository].get("file", ""))
            folder = local_path(str(url), base)
            if folder is None and self.find_clone is not None:
                folder = self.find_clone(str(url))
            if folder is None:
                hint = "clone it, and name the folder among the project's repositories"
                problems.add(
                    f"repository '{repository}' is not on this machine: {with_shown_urls(str(url))}", place, hint
                )
                return None
            base = folder
        path = local_path(name, base)
        if path is None:
            problems.add(f"imports are fetched by {SCHEME} only: {with_shown_urls(name)}", place)
        elif repository is None and self.files and not is_file(path):
            # tosca-parser's users write paths that start at the first file, others such as start at the archive's root
            starts = [self.files[0].parent / name, *(root / name.lstrip("/") for root in self.roots)]
            path = next((other for other in starts if is_file(other)), path)
        return path

    def _fetch(self, url: str, place: Place | None) -> Path | None:
        """The file that was fetched from a URL; None, and an error, if it was not."""
        problems = self.types.problems
        if url in self.fetched:  # one reading sees one version
            return self._paths[url]
        if self.remote is None:
            message = f"imports are not fetched from the network: {with_shown_urls(url)}"
            problems.add(message, place, "save the file beside this one")
            return None
        try:
            path, self.fetched[url], warnings = self.remote.fetch(url)
        except InvalidInput as error:
            problems.add(error.message, place, error.hint)
            return None
        for warning in warnings:
            problems.warn(NoticeCode.FETCHED_EARLIER, warning, place)
        self._urls[path], self._paths[url] = url, path
        return path


def written_out(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """A service template with nothing left to be made up: in plain TOSCA 1.3, its node templates in their long form."""
    version = raw.get(_VERSION)
    made = _in_one_language(raw, version, Problems())
    is_other = version == VERSION_2 or is_alien4cloud(version)
    return {**made, "tosca_definitions_version": VERSIONS[3]} if is_other else made


def _in_one_language(
    raw: Mapping[str, Any],
    version: object,
    problems: Problems,
    imported: Mapping[str, OwnFunction] = MappingProxyType({}),
) -> Mapping[str, Any]:
    """A file in the words of TOSCA 1.3, whatever version or dialect it is written in; Unfurl's is close enough."""
    if version == VERSION_2:
        raw = in_words_of_1_3(raw, problems, imported)
    return in_long_form(from_alien4cloud(raw) if is_alien4cloud(version) else raw)


def _is_relative_template(name: str, path: Path) -> bool:
    """Whether a path leads upwards, to a file that says of itself that it is a service template: no other is read."""
    if not name.startswith("../") or not is_file(path):
        return False
    try:
        data = read_yaml(path).data
    except InvalidInput:
        return False
    return isinstance(data, Mapping) and any(
        key == "tosca_definitions_version" or str(key).endswith("_types") for key in data
    )


def _is_built_in(entry: Mapping[str, Any], scope: Scope) -> bool:
    """Whether an import is of types that are always there: Unfurl's own, or a profile's, the shipped one as a file."""
    if is_built_in(str(entry.get("profile"))) or (entry.get("file") == SHIPPED and "repository" not in entry):
        return True
    return entry.get("repository") == UNFURL_REPOSITORY and UNFURL_REPOSITORY not in scope.repositories


def _url(repository: Mapping[str, Any]) -> Any:
    """Where a repository is, however its URL ends."""
    url = repository.get("url", repository.get("file"))
    return url.removesuffix("/").removesuffix(".git") if isinstance(url, str) else url


def local_path(text: str, base: Path) -> Path | None:
    """The path that a relative or absolute path or a `file:` URL means; None for every other URL."""
    if "://" not in text and not text.startswith("file:"):
        return base / text
    try:
        parts = urlsplit(text)
    except ValueError:
        return None
    return Path(unquote(parts.path)) if parts.scheme == "file" and parts.netloc in ("", "localhost") else None


def _is_first(body: Mapping[str, Any], key: str) -> bool:
    """Whether no other key stands above one in its own file; true also of a template within another file."""
    top, where = place_of(body), place_of(body, key)
    if top is None or where is None or top.column != 1 or top.file != where.file:
        return True
    places = (place_of(body, other) for other in body)
    return not any(place and place.file == where.file and place.line < where.line for place in places)
