"""Inputs, and variables of roles, task files and playbooks, whose names stand nowhere that could read them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ansible_ensemble.core.notices import Notice, NoticeCode
from ansible_ensemble.core.regex import regex
from ansible_ensemble.documents.digest import OF_TOOLS
from ansible_ensemble.documents.places import place_of
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.implementation import own_files
from ansible_ensemble.language.entities import NodeTemplate, Topology
from ansible_ensemble.topology.host_copies import written_name

#: Types whose `vars` are variables of Ansible.
_WITH_VARIABLES = ("ansible.Role", "ansible.Tasks", "ansible.Playbook")
#: A key of YAML, with its quotes.
_KEY = regex(r"""(?m)(?:"[^"\n]*"|'[^'\n]*'|[\w.-]+)(?=:(?:[ \t]|$))""")
#: Texts for people, in which a name reads nothing.
_PROSE = frozenset({".md", ".rst", ".txt", ".html", ".pdf", ".png", ".svg"})
#: More files or bytes of one are not looked at; then nothing is said.
_MOST_FILES, _MOST_BYTES = 2_000, 500_000
#: Ways to read variables whose names do not stand there.
_BY_OTHER_WAYS = regex(
    r"""(?x) ['"](?:ansible\.builtin\.)?(?:vars|varnames)['"] | \bvars\s*[\[|] | \bhostvars\b[^}\n]*\[\s*[^'"\s]
    | \b(?:include|import)_role\b[^\n]*\n?[^\n]*\{\{ | \(\?i\) | \binputs\b(?!\s*[.\[:=]) """
)


def unread_values(ensemble: Ensemble) -> Iterator[Notice]:
    """What is set and nothing reads, as far as texts tell; nothing where they may be read by other ways."""
    topology = ensemble.topology
    set_here = {**dict.fromkeys(topology.inputs), **{name: None for name, *_rest in _variables(topology)}}
    texts = _texts(ensemble) if set_here else None
    if texts is None:
        return
    for name, definition in topology.inputs.items():
        if name not in texts:
            yield _notice(f"nothing reads the input '{name}'", definition.place)
    said = set()
    for name, node, place in _variables(topology):
        written = written_name(topology, node.name)
        if name not in texts and (written, name) not in said:
            said.add((written, name))
            yield _notice(f"nothing reads the variable '{name}' of '{written}'", place)


def _notice(message: str, place: Any) -> Notice:
    return Notice(NoticeCode.UNREAD, message, place)


def _variables(topology: Topology) -> Iterator[tuple[str, NodeTemplate, Any]]:
    for node in topology.node_templates.values():
        given = node.properties.get("vars")
        value = given.value if given is not None and any(map(node.type.is_a, _WITH_VARIABLES)) else None
        for name in value if isinstance(value, Mapping) else ():
            if not str(name).startswith("ansible_"):
                yield str(name), node, place_of(value, name) or node.place


def _texts(ensemble: Ensemble) -> str | None:
    """All that may read something, as one text; None where what it reads cannot be told by it."""
    declared = {path.resolve() for path in (*ensemble.topology.files, ensemble.path)}
    if any(path.suffix == ".py" for path in declared):
        return None
    files = _files(ensemble)
    if files is None:
        return None
    parts: list[str] = []
    for file in {*files, *(path for path in declared if path.is_file())}:
        with file.open("rb") as opened:
            content = opened.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            return None
        text = content.decode("utf-8", "replace")
        # a key sets what it names, where something is declared
        parts.append(_KEY.sub("", text) if file in declared else text)
    text = "\n".join(parts)
    return None if _BY_OTHER_WAYS.search(text) else text


def _files(ensemble: Ensemble) -> set[Path] | None:
    """The files of the project, and those elsewhere that operations are made of; None if they are too many."""
    nodes = ensemble.topology.node_templates.values()
    operations = [one for node in nodes for face in node.interfaces.values() for one in face.operations.values()]
    own = {path for one in operations if one.implementation is not None for path in own_files(one, ensemble.root)}
    found: set[Path] = set()
    for top in {ensemble.root.resolve(), ensemble.folder.resolve(), *own}:
        for folder, folders, names in os.walk(top) if top.is_dir() else [(str(top.parent), [], [top.name])]:
            folders[:] = [one for one in folders if one not in OF_TOOLS and one not in ("changes", "jobs", "planned")]
            paths = (Path(folder, name) for name in names if Path(name).suffix not in _PROSE)
            found.update(path for path in paths if path.is_file())
            if len(found) > _MOST_FILES:
                return None
    return found
