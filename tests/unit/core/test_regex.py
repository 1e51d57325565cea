from __future__ import annotations

import re

from ansible_ensemble.core import regex as module
from ansible_ensemble.core.regex import regex


def test_it_is_compiled_once_by_the_first_use(monkeypatch):
    compiled = []
    monkeypatch.setattr(module.re, "compile", lambda *given, made=re.compile: compiled.append(given) or made(*given))
    words = regex(r"(\w+)-", re.IGNORECASE)
    assert not compiled
    assert words.sub(r"\1+", "a-B-") == "a+B+"
    assert words.match("a-")[1] == "a" and words.fullmatch("a") is None
    assert compiled == [(r"(\w+)-", re.IGNORECASE)]
