"""What deploying N operations costs, beside other tools: cpu and wall time of the whole command, and the targets.

Run it with `make bench`, or `python tests/bench/bench_deploy.py [N ...]`. Peers that are not there are named and left
out; UNFURL, OPERA and TERRAFORM name their programs, else they are looked for in .build/peers and on the PATH. The
numbers of a slow peer are limited (`LIMITS`), and nothing runs longer than PATIENCE seconds.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench import bench_lanes, services
from tests.bench.targets import INDEPENDENT, Cost, Costs, verdicts

ROOT = Path(__file__).resolve().parents[2]
JOBS = 4
PATIENCE = 300
MANY = 10_000


class ToolFailed(Exception):
    """A tool did not do the work; of ours that ends the measurement."""


def measure(argv: list[str], cwd: Path, patience: float = PATIENCE, **environment: str) -> Cost:
    """Run a command to its end; its cpu is that of all processes it has waited for."""
    given = {name: value for name, value in os.environ.items() if not name.startswith(("ANSIBLE_", "PYTHON"))}
    given |= {"PATH": f"{Path(sys.executable).parent}:{given['PATH']}", "HOME": str(cwd)} | environment
    log = cwd / "output"
    begin = time.perf_counter()
    with log.open("wb") as output:
        process = subprocess.Popen(argv, cwd=cwd, env=given, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        alarm = threading.Timer(patience, process.kill)
        alarm.start()
        _, status, used = os.wait4(process.pid, 0)
        alarm.cancel()
    wall = time.perf_counter() - begin
    if wall >= patience:
        raise ToolFailed(f"took more than {patience} s")
    if status != 0:
        text = log.read_text(errors="replace")[-2000:]
        raise ToolFailed(f"{argv[0]} failed:\n{text}")
    return Cost(used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024)


def ours(folder: Path, shape: str, count: int) -> Cost:
    """Us, with a shell command per node."""
    services.tosca(folder, shape, count, '{className: Cmd, primary: "true"}')
    return deploy(folder)


def deploy(folder: Path, jobs: int = JOBS) -> Cost:
    """Our command."""
    program = str(Path(sys.executable).with_name("ansible-ensemble"))
    return measure([program, "deploy", "--approve", "--jobs", str(jobs), "service.yaml"], folder)


def our_modules(folder: Path, shape: str, count: int) -> Cost:
    """Us, with a local Ansible module per node."""
    services.tosca(folder, shape, count, "ansible.builtin.ping")
    return deploy(folder)


def our_commands(folder: Path, shape: str, count: int) -> Cost:
    """Us, with a local Ansible module per node that starts a process of its own."""
    services.tosca(folder, shape, count, "ansible.builtin.command", ", inputs: {_raw_params: 'true'}")
    return deploy(folder)


def our_roles(folder: Path, shape: str, count: int) -> Cost:
    """Us, with a role of five local tasks per node."""
    services.tosca(folder, shape, count, services.role(folder, services.FIVE_TASKS))
    return deploy(folder)


def our_heavy_roles(folder: Path, shape: str, count: int) -> Cost:
    """Us, with a role of five local tasks per node, of which four start processes."""
    services.tosca(folder, shape, count, services.role(folder, services.FIVE_HEAVY_TASKS))
    return deploy(folder)


def xargs(folder: Path, _shape: str, count: int) -> Cost:
    """The floor of commands."""
    return measure(["sh", "-c", f"seq {count} | xargs -P {JOBS} -n 1 true"], folder)


def ansible(folder: Path, _shape: str, count: int) -> Cost:
    """One play with the tasks one after the other."""
    services.playbook(folder, count, "ansible.builtin.command", "'true'")
    return measure([str(Path(sys.executable).with_name("ansible-playbook")), "play.yml"], folder)


def terraform(folder: Path, shape: str, count: int) -> Cost:
    """Terraform's apply; its init is not counted."""
    services.terraform(folder, shape, count)
    tool = program("terraform") or ""
    (folder / "terraform.rc").touch()
    environment = {"TF_CLI_CONFIG_FILE": str(folder / "terraform.rc"), "CHECKPOINT_DISABLE": "1"}
    measure([tool, "init", "-input=false"], folder, **environment)
    return measure([tool, "apply", "-auto-approve", f"-parallelism={JOBS}", "-no-color"], folder, **environment)


def unfurl(folder: Path, shape: str, count: int) -> Cost:
    """Unfurl's deploy."""
    services.unfurl(folder, shape, count)
    argv = [program("unfurl") or "", "--home", "", "-q", "deploy", "--approve", "--jobexitcode", "error", "."]
    return measure(argv, folder, UNFURL_NORUNTIME="1")


def opera(folder: Path, shape: str, count: int) -> Cost:
    """XOpera's deploy."""
    services.opera(folder, shape, count)
    tool = program("opera") or ""
    return measure(
        [tool, "deploy", "--workers", str(JOBS), "service.yaml"], folder, PATH=f"{Path(tool).parent}:/usr/bin:/bin"
    )


WAYS: dict[str, Callable[[Path, str, int], Cost]] = {
    "ours, shell": ours,
    "ours, module": our_modules,
    "ours, command": our_commands,
    "ours, role of 5": our_roles,
    "ours, heavy role": our_heavy_roles,
    "xargs -P": xargs,
    "ansible-playbook": ansible,
    "terraform": terraform,
    "unfurl": unfurl,
    "opera": opera,
}
PEERS = ("terraform", "unfurl", "opera")
#: The largest number of a way, for a shape if that is named.
LIMITS: dict[tuple[str, ...], int] = {
    ("ours, role of 5",): 100,
    ("ours, heavy role",): 100,
    ("ansible-playbook",): 100,
    ("unfurl", "chain"): 100,  # it exceeds its recursion limit
    ("terraform", "chain"): 100,  # 1,000 take it five minutes
    ("opera",): 50,
}
#: Ways that know no dependencies, or for which they make no difference.
_ONE_SHAPE = {
    "xargs -P",
    "ansible-playbook",
    "ours, module",
    "ours, command",
    "ours, role of 5",
    "ours, heavy role",
    "opera",
}
#: Numbers that stand in for a larger one which a way is not measured with.
_INSTEAD = {("opera", 100): 50}


def number_for(way: str, shape: str, count: int) -> int | None:
    """The number that a way is measured with where this one is asked for; None if it is not measured."""
    if shape != INDEPENDENT and way in _ONE_SHAPE:
        return None
    count = _INSTEAD.get((way, count), count)
    limit = min(LIMITS.get((way,), count), LIMITS.get((way, shape), count))
    return count if count <= limit else None


def program(name: str) -> str | None:
    """Where a peer is; None if it is not there."""
    own = ROOT / ".build" / "peers" / name / "bin" / name
    return os.environ.get(name.upper()) or (str(own) if own.exists() else shutil.which(name))


def available() -> dict[str, Callable[[Path, str, int], Cost]]:
    """The ways that can be measured here; a peer that is not there is named."""
    missing = [name for name in PEERS if program(name) is None]
    for name in missing:
        print(f"{name} is not here; it is left out. {name.upper()}=PROGRAM says where it is.")
    return {name: way for name, way in WAYS.items() if name not in missing}


def measure_all(counts: list[int]) -> Costs:
    """Measure every way, and print a line for each."""
    costs: Costs = {}
    ways = available()
    print(f"{'N':>6} {'shape':12} {'way':17} {'cpu s':>8} {'wall s':>8} {'cpu ms/op':>10} {'x ours':>7} {'MiB':>5}")
    for asked in counts:
        for shape in services.SHAPES:
            for name, way in ways.items():
                count = number_for(name, shape, asked)
                if count is None:
                    continue
                try:
                    with tempfile.TemporaryDirectory() as folder:
                        cost = costs[name, shape, count] = way(Path(folder), shape, count)
                except ToolFailed as error:
                    if name not in PEERS:
                        raise
                    print(f"{count:6} {shape:12} {name:17} {error}", flush=True)
                    continue
                base = costs.get(("ours, shell", shape, count))
                ratio = f"{cost.cpu / base.cpu:7.2f}" if base else f"{'':7}"
                print(
                    f"{count:6} {shape:12} {name:17} {cost.cpu:8.2f} {cost.wall:8.2f} {cost.cpu / count * 1000:10.2f}"
                    f" {ratio} {cost.memory:5.0f}",
                    flush=True,
                )
    return costs


def main(counts: list[int]) -> None:
    """Print the table, and how it stands to the targets."""
    costs = measure_all(counts)
    with tempfile.TemporaryDirectory() as folder:
        services.tosca(Path(folder), INDEPENDENT, 10, '"sleep 1"')
        costs["ten sleeps", "", 10] = deploy(Path(folder), jobs=10)
    alone, stock = bench_lanes.ratio(40)
    costs["stock lane", "", 0] = Cost(stock / alone, 0, 0)
    if max(counts) >= 1000:
        with tempfile.TemporaryDirectory() as folder:
            many = costs["ours, shell", INDEPENDENT, MANY] = ours(Path(folder), INDEPENDENT, MANY)
        print(
            f"{MANY:6} {INDEPENDENT:12} ours, shell       {many.cpu:8.2f} {many.wall:8.2f} "
            f"{many.cpu / MANY * 1000:10.2f} {'':7} {many.memory:5.0f}"
        )
    print(f"a module through AnsiballZ: TaskExecutor alone {alone:.0f} ms, stock lane {stock:.0f} ms")
    print()
    for line in verdicts(costs):
        print(line)


if __name__ == "__main__":
    main([int(number) for number in sys.argv[1:]] or [10, 100, 1000])
