"""What finding out that nothing has changed costs, beside other tools: cpu and wall time of the whole command.

Run it with `make bench`, or `python tests/bench/bench_plan.py [N ...]`. Each tool first deploys the nodes, which is not
counted, and then plans. Peers that are not there are named and left out.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench import bench_deploy
from tests.bench.bench_deploy import ToolFailed, measure, program
from tests.bench.targets import Cost


def ours(folder: Path, shape: str, count: int) -> Cost:
    """Our plan."""
    bench_deploy.ours(folder, shape, count)
    return measure([str(Path(sys.executable).with_name("ansible-ensemble")), "plan", "service.yaml"], folder)


def terraform(folder: Path, shape: str, count: int) -> Cost:
    """Terraform's plan."""
    bench_deploy.terraform(folder, shape, count)
    return measure([program("terraform") or "", "plan", "-no-color"], folder)


def unfurl(folder: Path, shape: str, count: int) -> Cost:
    """Unfurl's deploy of what is there: its plan lists all, and only this says that there is nothing to do."""
    bench_deploy.unfurl(folder, shape, count)
    argv = [program("unfurl") or "", "--home", "", "-q", "deploy", "--approve", "."]
    return measure(argv, folder, UNFURL_NORUNTIME="1")


WAYS: dict[str, Callable[[Path, str, int], Cost]] = {"ours": ours, "terraform": terraform, "unfurl": unfurl}


def main(counts: list[int]) -> None:
    """Print the table."""
    print(f"{'N':>6} {'way':12} {'cpu s':>8} {'wall s':>8} {'x ours':>7} {'MiB':>5}")
    for count in counts:
        base: Cost | None = None
        for name, way in WAYS.items():
            if name != "ours" and program(name) is None:
                print(f"{name} is not here; it is left out")
                continue
            try:
                with tempfile.TemporaryDirectory() as folder:
                    cost = way(Path(folder), "independent", count)
            except ToolFailed as error:
                if name == "ours":
                    raise
                print(f"{count:6} {name:12} {error}")
                continue
            base = base or cost
            ratio = cost.cpu / base.cpu
            print(f"{count:6} {name:12} {cost.cpu:8.2f} {cost.wall:8.2f} {ratio:7.2f} {cost.memory:5.0f}", flush=True)


if __name__ == "__main__":
    main([int(number) for number in sys.argv[1:]] or [100, 1000])
