"""What the rules say of the objects of a pack, and what else a user would want to know of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.hints import known_names, slip_hint, slip_of
from ansible_ensemble.provision.content.document import Steps
from ansible_ensemble.provision.content.mentions import MEMBERS, Mention, defined, mentions
from ansible_ensemble.provision.content.pack import Entry
from ansible_ensemble.provision.objects.base import Object, Reference
from ansible_ensemble.provision.objects.content import BootEnv, Param, Profile, Stage, Task, Template
from ansible_ensemble.provision.rules.availability import lacks, problems
from ansible_ensemble.provision.rules.problem import Circle, Problem, placed
from ansible_ensemble.provision.rules.schemas import problem_of_schema
from ansible_ensemble.provision.templates.job_actions import JINJA, problem_of_text

Kept = TypeVar("Kept", bound=Object)

#: How errors of templates begin: with the name that the check gives them all, and a line.
_OF_TEMPLATE = re.compile(r"template: template:(\d+)(?::\d+)?: ")
_JINJA_MARKS = ("{%", "{{ param(", "{#")


class PackChecker:
    """Checks a pack's objects among those that a server has.

    Args:
        made: the pack's objects, each with what it was made from.
        others: what else there is.
        unread: sections of the pack that may have more objects, which could not be read.
        lenient: whether there may be more objects of other packs.
    """

    def __init__(
        self, made: Sequence[tuple[Entry, Object]], others: Iterable[Object], unread: frozenset[str], lenient: bool
    ) -> None:
        self.errors: list[InvalidInput] = []
        self.warnings: list[InvalidInput] = []
        #: What has problems or lacks something; each of these is told, or follows from one that is.
        self.faulty: set[str] = set()
        self._made, self._unread, self._lenient = made, unread, lenient
        self._objects = {_reference(one): one for one in others}
        # What is wrong with one of the pack is told of that one, and not of those that name it.
        self._objects |= {_reference(one): one.replaced(available=True) for _other, one in made}
        self._circles: set[Reference] = set()
        params = (one for _other, one in made if isinstance(one, Param) and one.schema is not None)
        self._unsound = {param.name for param in params if problem_of_schema(param.schema)}
        self._invoked = self._invocable()

    def get(self, kind: type[Kept], key: str) -> Kept | None:
        """The object of a kind with a key."""
        return self._objects.get((kind.PREFIX, key))  # type: ignore[return-value] # the prefix is the kind's

    def check(self) -> None:
        """Find errors and warnings."""
        rendered = {template.id for _other, one in self._made for template in getattr(one, "templates", ())}
        for entry, one in self._made:
            for message in (*problems(one, self, problem_of_text), *lacks(one, self)):
                self.faulty.add(entry.name)
                self._of_rules(entry, one, placed(message))
            self._of_params(entry, one)
            self._of_texts(entry, one, rendered)

    # --- what the rules say ---

    def _of_rules(self, entry: Entry, one: Object, problem: Problem) -> None:
        if (isinstance(problem, Circle) and self._is_known_circle(one)) or self._is_of_schema(problem):
            return
        if problem.reference:
            self._absent(entry, problem, problem.reference)
            return
        line = _OF_TEMPLATE.search(problem)
        told = _OF_TEMPLATE.sub("", problem.brief, count=1)
        self.errors.append(entry.error(told, problem.path, _hint(entry, problem), int(line[1]) if line else 0))

    def _is_of_schema(self, problem: Problem) -> bool:
        """Whether it is the schema of a param that is wrong, and not the value."""
        return problem.path[:1] == ("Params",) and problem.path[1] in self._unsound

    def _absent(self, entry: Entry, problem: Problem, reference: Reference) -> None:
        """Tell of an object that is named and not there: it may be in what could not be read, or in another pack."""
        prefix, key = reference
        if prefix in self._unread:
            return
        if slip := slip_of(key, self._keys(prefix)):
            self.errors.append(entry.error(problem, problem.path, f"did you mean {slip}?"))
        elif self._lenient:
            self.warnings.append(entry.error(problem, problem.path, "one of the prerequisites has to bring it"))
        else:
            self.errors.append(
                entry.error(problem, problem.path, known_names(self._keys(prefix)) or f"add it in {prefix}/")
            )

    def _is_known_circle(self, one: Object) -> bool:
        """Whether an object is not in a circle, but leads to one, or is in one that is told already."""
        reached = self._reached(_reference(one))
        if _reference(one) not in reached or reached & self._circles:
            return True
        self._circles.add(_reference(one))
        return False

    def _reached(self, start: Reference) -> set[Reference]:
        """What an object names of its own kind, and what that names."""
        seen: set[Reference] = set()
        waiting = [start]
        while waiting:
            found = self._objects.get(waiting.pop())
            named = {reference for reference in found.references() if reference[0] == start[0]} if found else set()
            waiting.extend(named - seen)
            seen |= named
        return seen

    # --- what nothing refuses ---

    def _of_params(self, entry: Entry, one: Object) -> None:
        if isinstance(one, Task | Stage | BootEnv):
            for field, names in (("RequiredParams", one.required_params), ("OptionalParams", one.optional_params)):
                for name in names:
                    self._of_param(entry, name, (field, name))
        if isinstance(one, Stage | Profile):
            for name in one.params:
                self._of_param(entry, name, ("Params", name))

    def _of_param(self, entry: Entry, name: str, path: Steps, line: int = 0) -> None:
        """Tell of a param that nothing defines: one that is nearly another is taken for a slip."""
        known = self._keys("params")
        if name in known or "params" in self._unread:
            return
        message = f"Param {name} is not defined"
        if slip := slip_of(name, known):
            self.errors.append(entry.error(message, path, f"did you mean {slip}?", line))
        elif not self._lenient:
            self.warnings.append(entry.error(message, path, "define it in params/: then values are checked", line))

    def _of_texts(self, entry: Entry, one: Object, rendered: set[str]) -> None:
        for path, text, own in _texts(one):
            meta = one.meta if isinstance(one, Template) else own
            for mention in mentions(text, meta):
                at_root = not isinstance(one, Template) or one.id in rendered
                self._of_mention(entry, mention, path, at_root, _own_names(one))

    def _of_mention(self, entry: Entry, mention: Mention, path: Steps, at_root: bool, own: set[str]) -> None:
        if mention.kind == "params":
            self._of_param(entry, mention.name, path, mention.line)
        elif mention.kind == "templates" and mention.name not in self._invoked | own:
            message = f"Template {mention.name} does not exist"
            if "templates" not in self._unread:
                hint = slip_hint(mention.name, sorted(self._invoked | own))
                found = entry.error(message, path, hint, mention.line)
                (self.warnings if self._lenient and not hint else self.errors).append(found)
        elif mention.kind == "members" and at_root:
            self._of_member(entry, mention, path)

    def _of_member(self, entry: Entry, mention: Mention, path: Steps) -> None:
        owner, _separator, name = mention.name.rpartition(".")
        message = f"there is no .{mention.name}"
        slip = slip_of(name, sorted(MEMBERS[owner]))
        hint = f"did you mean .{'.'.join(filter(None, (owner, slip)))}?" if slip else None
        (self.errors if slip else self.warnings).append(entry.error(message, path, hint, mention.line))

    # --- what there is ---

    def _keys(self, prefix: str) -> list[str]:
        return [key for kind, key in self._objects if kind == prefix]

    def _invocable(self) -> set[str]:
        """The names by which templates can be invoked everywhere."""
        templates = [one for one in self._objects.values() if isinstance(one, Template)]
        return {template.id for template in templates}.union(*(defined(one.contents, one.meta) for one in templates))


def _reference(one: Object) -> Reference:
    return one.PREFIX, one.key


def _texts(one: Object) -> Iterator[tuple[Steps, str, dict[str, str]]]:
    """The texts of an object that are templates, with their places and their Meta."""
    if isinstance(one, Template):
        yield ("Contents",), one.contents, one.meta
    if isinstance(one, BootEnv):
        yield ("BootParams",), one.boot_params, {}
    for index, template in enumerate(one.templates if isinstance(one, Task | Stage | BootEnv) else ()):
        yield ("Templates", index, "Contents"), template.contents, template.meta
        yield ("Templates", index, "Path"), template.path, template.meta


def _own_names(one: Object) -> set[str]:
    """The names by which only an object itself can invoke templates: those in it, and what they define."""
    own = [template for template in getattr(one, "templates", ()) if template.contents]
    names = {template.name for template in own}
    return names.union(*(defined(template.contents, template.meta) for template in own))


def _hint(entry: Entry, message: str) -> str | None:
    """What to do about what a rule says."""
    for words, hint in _HINTS.items():
        if words in message:
            return hint
    written = str(entry.value)
    if _OF_TEMPLATE.search(message) and any(mark in written for mark in _JINJA_MARKS) and "'engine'" not in written:
        return f"a template of Jinja says engine: {JINJA} in its Meta"
    return None


#: What helps against what rules say, by words of theirs.
_HINTS = {
    "Invalid Name": "a letter first, then letters, digits, spaces and - _ . are possible, and two at least",
    "Invalid ID": "a letter or digit first, then letters, digits, spaces and - _ . are possible, and two at least",
    "Invalid task entry": "as in TASK, stage:NAME, bootenv:NAME, context:NAME, action:COMMAND, action:PLUGIN:COMMAND",
    "exactly one of": "keep one of them",
    "has no Path": "templates of stages and bootenvs are files: say where they go",
    "has no Name": "as in Name: script",
    "Duplicate": "remove one of the two",
    "used more than once": "give it another name",
    "invalid val": "see the schema of the param",
    "invalid default": "change the default or the schema",
    "depends on itself": "remove one of the prerequisites",
    "includes itself": "remove it from one of the profiles",
    "invalid OS": "systems are any, darwin, esxi, freebsd, linux, netbsd, openbsd, solaris, windows",
    "all templates or none": "add OS to each, or remove it",
    "there is no engine": "remove engine, or say engine: jinja",
}
