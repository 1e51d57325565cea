"""Files that once broke `validate`, and a short run of the fuzzer that found them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

FUZZ = Path(__file__).parents[2] / "fuzz"
SPEC = importlib.util.spec_from_file_location("fuzz_validate", FUZZ / "fuzz_validate.py")
assert SPEC is not None and SPEC.loader is not None
fuzz = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(fuzz)


def test_what_broke_it_once_does_so_no_more() -> None:
    for seed in sorted((FUZZ / "seeds").glob("*")):
        assert fuzz.check(seed) is None, seed.name


def test_changed_files_get_a_verdict(probes: Path) -> None:
    assert fuzz.mutate(sorted(probes.glob("*.yaml")), 3, 1) == 0
