"""What the measurements measure of ours works; how long it takes is not looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench import bench_deploy, bench_plan

pytestmark = pytest.mark.matrix
OURS = {name: way for name, way in bench_deploy.WAYS.items() if name.startswith("ours")}


@pytest.mark.parametrize("name", OURS)
def test_our_ways_of_deploying(name: str, tmp_path: Path) -> None:
    OURS[name](tmp_path, "chain", 2)
    assert (tmp_path / "output").read_text().count("2 added") == 1


def test_our_plan(tmp_path: Path) -> None:
    bench_plan.ours(tmp_path, "independent", 2)
    assert "No changes" in (tmp_path / "output").read_text()
