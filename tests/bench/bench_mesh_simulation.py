"""What a deploy over simulated nodes comes to.

Run it with `python -m tests.bench.bench_mesh_simulation [NODES [OPERATIONS]]`.
"""

from __future__ import annotations

import resource
import sys
import time

from msgspec.structs import replace

from tests.simulation.simulation import simulate
from tests.simulation.world import Setting


def main(nodes: int = 1000, operations: int = 1_000_000) -> None:
    """Print the figures: without faults, and with many."""
    calm = Setting(
        nodes=nodes, operations=operations, at_once=20, per_node=24, seconds=60.0, latency=0.05, cpu=0.001, skew=0.01
    )
    rough = replace(calm, fails=0.0005, cuts=2.0, partitions=0.5, kills=0.1, deaths=2)
    for name, setting in (("calm", calm), ("rough", rough)):
        since = time.process_time()
        found = simulate(setting, 1)
        print(
            f"{name}: {nodes} nodes, {operations} operations: makespan {found.makespan:.0f} s, "
            f"{found.makespan / found.bound:.3f} of the bound of {found.bound:.0f} s; {found.jobs} jobs, "
            f"{found.messages:.2f} messages an operation, {found.repeated} begun again, {found.most_out} out at most; "
            f"{time.process_time() - since:.0f} s of cpu, "
            f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
