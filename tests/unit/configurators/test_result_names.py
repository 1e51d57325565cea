from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.configurators import result_names


@pytest.mark.parametrize(("source", "known"), [("a = 1\n", True), ("print 'for Python 2'\n", False)])
def test_names_in_the_source_of_a_module(
    source: str, known: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "modules" / "app.py"
    file.parent.mkdir()
    file.write_text(source)
    monkeypatch.setattr(result_names, "module_file", lambda _name, _collections: file)
    found = result_names._names("a.b.app", tmp_path)
    assert (found is not None) is known
    assert found is None or "a" in found
