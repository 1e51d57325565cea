"""What deploying N operations costs, beside other tools: cpu and wall time of the whole command, as ratios of ours.

Run it with `make bench`, or `python tests/bench/bench_deploy.py [N ...]`. Peers that are not there are named and left
out; UNFURL and OPERA name their programs, else they are looked for in .build/peers and on the PATH.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench import services

ROOT = Path(__file__).resolve().parents[2]
JOBS = 4
OPERA_LIMIT = 50


@dataclass(frozen=True)
class Cost:
    """What a command cost: seconds of cpu and on the wall, and the memory of its largest process in MiB."""

    cpu: float
    wall: float
    memory: float


class ToolFailed(Exception):
    """A tool did not do the work."""


def measure(argv: list[str], cwd: Path, **environment: str) -> Cost:
    """Run a command to its end; its cpu is that of all processes it has waited for."""
    given = {name: value for name, value in os.environ.items() if not name.startswith(("ANSIBLE_", "PYTHON"))}
    given |= {"PATH": f"{Path(sys.executable).parent}:{given['PATH']}", "HOME": str(cwd)} | environment
    log = cwd / "output"
    begin = time.perf_counter()
    with log.open("wb") as output:
        process = subprocess.Popen(argv, cwd=cwd, env=given, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - begin
    if status != 0:
        text = log.read_text(errors="replace")[-2000:]
        raise ToolFailed(f"{argv[0]} failed:\n{text}")
    return Cost(used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024)


def ours(folder: Path, shape: str, count: int) -> Cost:
    """Us, with a shell command per node."""
    services.tosca(folder, shape, count, '"true"')
    return deploy(folder)


def deploy(folder: Path, jobs: int = JOBS) -> Cost:
    """Our command."""
    program = str(Path(sys.executable).with_name("ansible-ensemble"))
    return measure([program, "deploy", "--approve", "--jobs", str(jobs), "service.yaml"], folder)


def our_modules(folder: Path, shape: str, count: int) -> Cost:
    """Us, with a local Ansible module per node."""
    services.tosca(folder, shape, count, "ansible.builtin.command", ", inputs: {_raw_params: 'true'}")
    return deploy(folder)


def our_roles(folder: Path, shape: str, count: int) -> Cost:
    """Us, with a role of five local tasks per node."""
    services.tosca(folder, shape, count, services.role(folder))
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
    measure(["terraform", "init", "-input=false"], folder)
    return measure(["terraform", "apply", "-auto-approve", f"-parallelism={JOBS}", "-no-color"], folder)


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


def program(name: str) -> str | None:
    """Where a peer is; None if it is not there."""
    own = ROOT / ".build" / "peers" / name / "bin" / name
    return os.environ.get(name.upper()) or (str(own) if own.exists() else shutil.which(name))


WAYS: dict[str, Callable[[Path, str, int], Cost]] = {
    "ours, shell": ours,
    "ours, module": our_modules,
    "ours, role of 5": our_roles,
    "xargs -P": xargs,
    "ansible-playbook": ansible,
    "terraform": terraform,
    "unfurl": unfurl,
    "opera": opera,
}
#: Ways that know no dependencies: measured once.
_ONE_SHAPE = {"xargs -P", "ansible-playbook", "ours, module", "ours, role of 5"}


def wanted(way: str, shape: str, count: int) -> bool:
    """Whether a way is measured for a shape and number."""
    if way == "opera" and count > OPERA_LIMIT:
        return False
    if way == "ours, role of 5" and count > 100:
        return False
    if way == "unfurl" and shape == "chain" and count > 100:
        return False  # it exceeds its recursion limit
    return shape == "independent" or way not in _ONE_SHAPE


def main(counts: list[int]) -> None:
    """Print the table."""
    ways = dict(WAYS)
    for name in ("terraform", "unfurl", "opera"):
        if program(name) is None:
            print(f"{name} is not here; it is left out")
            del ways[name]
    print(f"{'N':>6} {'shape':12} {'way':17} {'cpu s':>8} {'wall s':>8} {'cpu ms/op':>10} {'x ours':>7} {'MiB':>5}")
    for count in counts:
        for shape in services.SHAPES:
            base: Cost | None = None
            for name, way in ways.items():
                if not wanted(name, shape, count):
                    continue
                try:
                    with tempfile.TemporaryDirectory() as folder:
                        cost = way(Path(folder), shape, count)
                except ToolFailed as error:
                    print(f"{count:6} {shape:12} {name:17} {error}")
                    continue
                base = base or cost
                each = cost.cpu / count * 1000
                print(
                    f"{count:6} {shape:12} {name:17} {cost.cpu:8.2f} {cost.wall:8.2f} {each:10.2f}"
                    f" {cost.cpu / base.cpu:7.2f} {cost.memory:5.0f}",
                    flush=True,
                )
    with tempfile.TemporaryDirectory() as folder:
        services.tosca(Path(folder), "independent", 10, '"sleep 1"')
        cost = deploy(Path(folder), jobs=10)
    print(f"10 times `sleep 1`, 10 at a time: {cost.wall:.2f} s on the wall, the start of the job included")


if __name__ == "__main__":
    main([int(number) for number in sys.argv[1:]] or [10, 100, 1000])
