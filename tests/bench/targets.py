"""What is asked of the measurements, and whether they keep it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

INDEPENDENT = "independent"


@dataclass(frozen=True)
class Cost:
    """What a command cost: seconds of cpu and on the wall, and the memory of its largest process in MiB."""

    cpu: float
    wall: float
    memory: float


#: What each way, shape and number cost.
Costs = dict[tuple[str, str, int], Cost]


@dataclass(frozen=True)
class Target:
    """A bound and how the measurements stand to it.

    Attributes:
        text: what is bounded.
        bound: the bound.
        unit: of both.
        measure: gives what was measured; raises `KeyError` if it was not.
    """

    text: str
    bound: float
    unit: str
    measure: Callable[[Costs], float]


def each(costs: Costs, way: str, low: int, high: int) -> float:
    """Milliseconds of cpu that an operation adds, between two numbers of them: without the start."""
    first, last = costs[way, INDEPENDENT, low], costs[way, INDEPENDENT, high]
    return (last.cpu - first.cpu) / (high - low) * 1000


def growth(costs: Costs) -> float:
    """How much more an operation of 10,000 costs than one of 1,000, the start of the job taken off."""
    many = each(costs, "ours, shell", 1000, 10_000)
    return (many / each(costs, "ours, shell", 10, 1000) - 1) * 100


def beside(peer: str) -> Callable[[Costs], float]:
    """The cpu of the whole deploy of 1,000 nodes as a part of a peer's."""
    return lambda costs: costs["ours, shell", INDEPENDENT, 1000].cpu / costs[peer, INDEPENDENT, 1000].cpu


TARGETS = (
    Target(
        "shell, cpu of an operation above xargs",
        3,
        "ms",
        lambda costs: each(costs, "ours, shell", 10, 1000) - each(costs, "xargs -P", 10, 1000),
    ),
    Target("local module (ping), cpu of an operation", 12, "ms", lambda costs: each(costs, "ours, module", 10, 1000)),
    Target("local role of five tasks, cpu", 80, "ms", lambda costs: each(costs, "ours, role of 5", 10, 100)),
    Target("stock lane beside TaskExecutor alone", 1.15, "x", lambda costs: costs["stock lane", "", 0].cpu),
    Target("deploy of 1,000 shell nodes beside Unfurl, cpu", 1 / 3, "x", beside("unfurl")),
    Target("deploy of 1,000 shell nodes beside Terraform, cpu", 1, "x", beside("terraform")),
    Target("10 times `sleep 1`, 10 at a time, wall", 2, "s", lambda costs: costs["ten sleeps", "", 10].wall),
    Target("10,000 operations: an operation costs more by", 20, "%", growth),
    Target(
        "10,000 operations: largest process", 600, "MiB", lambda costs: costs["ours, shell", INDEPENDENT, 10_000].memory
    ),
)


def verdicts(costs: Costs, targets: Iterable[Target] = TARGETS) -> Iterator[str]:
    """A line for each target."""
    yield f"{'target':52} {'at most':>10} {'measured':>10}"
    for target in targets:
        bound = f"{target.bound:.4g} {target.unit}"
        try:
            found = target.measure(costs)
        except KeyError:
            yield f"{target.text:52} {bound:>10} {'-':>10}  not measured"
            continue
        kept = "kept" if found <= target.bound else "MISSED"
        yield f"{target.text:52} {bound:>10} {f'{found:.3g} {target.unit}':>10}  {kept}"
