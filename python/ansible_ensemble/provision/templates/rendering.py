"""Renders one text with all the templates that it may invoke."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from ansible_ensemble.core.budget import Budget, Fault, Limits
from ansible_ensemble.provision.gotemplate.evaluator import Evaluator
from ansible_ensemble.provision.gotemplate.fault import TemplateError
from ansible_ensemble.provision.gotemplate.nodes import Tree
from ansible_ensemble.provision.gotemplate.parser import parse
from ansible_ensemble.provision.gotemplate.values import Value
from ansible_ensemble.provision.templates import library


@lru_cache(maxsize=512)
def parsed(name: str, text: str) -> Mapping[str, Tree]:
    """The trees of a text; raise TemplateError for what is no template."""
    return parse(name, text, library.functions())


class _Trees(Mapping[str, Tree]):
    """The templates of one rendering, parsed when first invoked.

    What a text defines itself comes before a template of that name, and that before what other templates define.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._known: dict[str, Tree] = {}
        self._whole = False

    def add(self, name: str, text: str) -> None:
        """Take over the trees of a text, except empty ones where there is another."""
        for key, tree in parsed(name, text).items():
            if key not in self._known or not tree.empty:
                self._known[key] = tree

    def __getitem__(self, name: str) -> Tree:
        if name not in self._known:
            self._search(name)
        return self._known[name]

    def _search(self, name: str) -> None:
        if name in self._texts:
            self._offer(name)
        elif not self._whole:
            self._whole = True
            for other in sorted(self._texts):
                if "define" in self._texts[other] or "block" in self._texts[other]:
                    self._offer(other)

    def _offer(self, name: str) -> None:
        """Take those trees of a template whose names are not taken yet."""
        self._known = {**parsed(name, self._texts[name]), **self._known}

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


class Rendering:
    """One rendering with its budget: a text, and all that is rendered on the way.

    Args:
        texts: other templates by the name that invokes them.
        limits: what it may use.
        strict: whether a key that a map does not have is an error.
    """

    def __init__(self, texts: Mapping[str, str], limits: Limits | None = None, strict: bool = False) -> None:
        self.budget = Budget(limits or Limits())
        self._trees = _Trees(texts)
        self._evaluator = Evaluator(self._trees, library.functions(), self.budget, strict)

    def text(self, name: str, text: str, data: Value) -> str:
        """What a text gives.

        Raises:
            TemplateError: it is no template, or cannot be rendered with these data; the message names where.
        """
        self._trees.add(name, text)
        try:
            return self.invoked(name, data)
        except Fault as fault:
            raise TemplateError(f"template: {name}: {fault}") from None

    def invoked(self, name: str, data: Value) -> str:
        """What a template gives; raise Fault if there is none of that name."""
        budget = self.budget
        outside, budget.parts = budget.parts, []
        try:
            self._evaluator.render(name, data)
            return "".join(budget.parts)
        finally:
            budget.parts = outside


def printable(text: str) -> str:
    """A text without bytes that are no UTF-8: as JSON has it, with a mark in the place of each."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
