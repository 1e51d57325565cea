"""Change the code in small ways, and see whether a unit test of the module fails: one that lives shows what none holds.

Arguments: seconds to search, seed. Each module is tested by `tests/unit/<room>/test_<module>.py`, and if that lets a
mutant live, by the whole room's tests.
"""

from __future__ import annotations

import ast
import copy
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path("ansible_ensemble")
#: What decides of what is made, kept and shown.
TARGETS = ("planning", "instances", "records", "projects/lock.py", "projects/lock_file.py", "core/sensitive.py")

_OPPOSITE = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add,
}  # fmt: skip


def sites(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The places where a tree can be changed, and how: numbers of nodes in the order of `ast.walk`."""
    for number, node in enumerate(ast.walk(tree)):
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _OPPOSITE:
            yield number, "compares otherwise"
        elif isinstance(node, ast.BoolOp):
            yield number, "joins otherwise"
        elif isinstance(node, ast.If | ast.IfExp | ast.While):
            yield number, "has its condition turned round"
        elif isinstance(node, ast.Constant) and type(node.value) in (bool, int):
            yield number, "is another constant"
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield number, "is left out"
        elif isinstance(node, ast.Return) and node.value is not None:
            yield number, "returns nothing"


def mutated(tree: ast.Module, number: int) -> tuple[ast.Module, int]:
    """A copy of the tree that is changed in one place, and its line."""
    changed = copy.deepcopy(tree)
    node = list(ast.walk(changed))[number]
    match node:
        case ast.Compare():
            node.ops = [_OPPOSITE[type(node.ops[0])]()]
        case ast.BoolOp():
            node.op = _OPPOSITE[type(node.op)]()
        case ast.If() | ast.IfExp() | ast.While():
            node.test = ast.UnaryOp(ast.Not(), node.test)
        case ast.Constant(value=bool(value)):
            node.value = not value
        case ast.Constant(value=int(value)):
            node.value = value + 1
        case ast.Expr():
            node.value = ast.Constant(None)
        case ast.Return():
            node.value = ast.Constant(None)
    return ast.fix_missing_locations(changed), node.lineno


def is_killed(package: Path, module: Path) -> bool:
    """Whether a test of the module's fails, or never ends."""
    room = ROOT / "tests" / "unit" / module.parent
    own = room / f"test_{module.stem}.py"
    for tests in (own, room):
        if tests.exists():
            command = [sys.executable, "-m", "pytest", "-x", "-q", "-n0", "-p", "no:cacheprovider", str(tests)]
            command += ["-o", f"pythonpath={package}", "--timeout", "120"]
            if subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode not in (0, 5):
                return True
    return False


def modules(package: Path) -> Iterator[Path]:
    """The modules to change, relative to the package."""
    for target in TARGETS:
        place = package / PACKAGE / target
        for file in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            yield file.relative_to(package / PACKAGE)


def search(seconds: float, seed: int) -> int:
    """Try mutants in a random order until the time is up; returns how many lived."""
    until = time.monotonic() + seconds
    tried = lived = 0
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / "python"
        shutil.copytree(ROOT / "python", package, ignore=shutil.ignore_patterns("__pycache__"))
        places = []
        for module in modules(package):
            source = (package / PACKAGE / module).read_text()
            places += [(module, source, number, how) for number, how in sites(ast.parse(source))]
        random.Random(seed).shuffle(places)
        for module, source, number, how in places:
            if time.monotonic() > until:
                break
            file = package / PACKAGE / module
            tree, line = mutated(ast.parse(source), number)
            file.write_text(ast.unparse(tree))
            killed = is_killed(package, module)
            file.write_text(source)
            tried += 1
            if not killed:
                lived += 1
                print(f"lived: {module}:{line} {how}: {source.splitlines()[line - 1].strip()}", flush=True)
    print(f"{tried} of {len(places)} mutants were tried, {lived} lived (seed {seed})")
    return lived


if __name__ == "__main__":
    search(float(sys.argv[1]), int(sys.argv[2]))
