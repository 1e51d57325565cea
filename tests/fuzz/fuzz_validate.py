"""Change files at random and validate them: whatever comes, the verdict is ours and never a traceback.

    python tests/fuzz/fuzz_validate.py --seconds 120 FILE_OR_FOLDER...

A file that breaks it is kept in tests/fuzz/seeds, which `tests/unit/topology/test_fuzz_seeds.py` tries from then on.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import re
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.jobs.validate import validate_path

SEEDS = Path(__file__).parent / "seeds"
ENDINGS = (".yaml", ".yml", ".zip", ".csar", ".py")
#: Text that has broken readers of YAML or TOSCA elsewhere.
PIECES = [
    *(
        "~",
        "null",
        "[]",
        "{}",
        "[[]]",
        "{a: }",
        "- ",
        ": ",
        "? ",
        "|",
        ">",
        "&a ",
        "*a",
        "<<: *a",
        "!!python/none",
        "!x ",
    ),
    *("\t", "\0", "\ufeff", "\u2028", "\ud7ff", "'", '"', "{{", "}}", "{%", "::", "#", "---\n", "...\n", "%YAML 3.0\n"),
    *("1e999", ".nan", "-.inf", "0x", "9" * 400, "2001-13-45", "UNBOUNDED", "SELF", "{get_input: x}", "{eval: x}"),
    *(
        "{get_property: []}",
        "{concat: {}}",
        "{token: [a, '', -1]}",
        "copy: n",
        "derived_from: x",
        "type: []",
        "node: 1",
    ),
    *("substitution_mappings: []", "+include: x", "+?include: {}", "+/a/b: ", "+*a: ", "imports: {}", "directives: 1"),
]


def changed(text: str, chance: random.Random) -> str:
    """The text with one thing changed."""
    rules: list[Callable[[str, random.Random], str]] = [cut, doubled, inserted, swapped, moved, replaced_word, indented]
    return chance.choice(rules)(text, chance)


def cut(text: str, chance: random.Random) -> str:
    start = chance.randrange(len(text) + 1)
    return text[:start] + text[start + chance.randrange(1, 40) :]


def doubled(text: str, chance: random.Random) -> str:
    lines = text.splitlines(keepends=True) or [""]
    at = chance.randrange(len(lines))
    return "".join([*lines[: at + 1], *lines[at : at + chance.randrange(1, 4)], *lines[at + 1 :]])


def inserted(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + chance.choice(PIECES) + text[at:]


def swapped(text: str, chance: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    if len(lines) < 2:
        return text
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return "".join(lines)


def moved(text: str, chance: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    if not lines:
        return text
    line = lines.pop(chance.randrange(len(lines)))
    lines.insert(chance.randrange(len(lines) + 1), line)
    return "".join(lines)


def replaced_word(text: str, chance: random.Random) -> str:
    words = list(re.finditer(r"[\w.:/-]+", text))
    if not words:
        return text
    word = chance.choice(words)
    other = chance.choice([*PIECES, chance.choice(words).group()])
    return text[: word.start()] + other + text[word.end() :]


def indented(text: str, chance: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    if not lines:
        return text
    at = chance.randrange(len(lines))
    lines[at] = lines[at].lstrip(" ") if chance.random() < 0.3 else "  " * chance.randrange(1, 4) + lines[at]
    return "".join(lines)


def check(path: Path, *, part: bool = False) -> str | None:
    """Validate a file; what came out that is not ours, None if nothing did."""
    try:
        found = validate_path(str(path), JobOptions(), part=part)
        if not all(error["message"] for error in found["errors"]):
            return "an error has no message"
    except EnsembleError:
        return None
    except Exception:
        return traceback.format_exc()
    return None


def mutate(files: list[Path], seconds: float, seed: int) -> int:
    """Change and validate files for some time; how many broke it."""
    chance = random.Random(seed)
    end, tried, broken = time.monotonic() + seconds, 0, 0
    with tempfile.TemporaryDirectory() as name:
        while time.monotonic() < end:
            file = chance.choice(files)
            data = file.read_bytes()
            target = Path(name) / ("mutant" + file.suffix)
            if file.suffix in (".zip", ".csar"):
                at = chance.randrange(len(data) or 1)
                data = data[:at] + bytes(chance.randrange(256) for _ in range(3)) + data[at + 3 :]
            else:
                text = data.decode("utf-8", "surrogateescape")
                for _ in range(chance.randrange(1, 6)):
                    text = changed(text, chance)
                data = text.encode("utf-8", "surrogateescape")
            target.write_bytes(data)
            problem = check(target, part=chance.random() < 0.2)
            tried += 1
            if problem is not None:
                broken += 1
                SEEDS.mkdir(exist_ok=True)
                kept = SEEDS / (hashlib.sha256(data).hexdigest()[:12] + file.suffix)
                kept.write_bytes(data)
                print(f"{kept} (made of {file})\n{problem}", file=sys.stderr)
    print(f"{tried} files, {broken} broke it (seed {seed})")
    return broken


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    arguments = parser.parse_args()
    found = (path for given in arguments.paths for path in ([given] if given.is_file() else sorted(given.rglob("*"))))
    files = [path for path in found if path.is_file() and path.suffix in ENDINGS and path.stat().st_size < 200_000]
    broken = sum(check(file) is not None or check(file, part=True) is not None for file in files)
    return min(1, broken + mutate(files, arguments.seconds, arguments.seed))


if __name__ == "__main__":
    sys.exit(main())
