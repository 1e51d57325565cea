"""Service templates in Python, by the package `tosca` (the extra `dsl`): converted to TOSCA when they are read."""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.regex import regex
from ansible_ensemble.documents.paths import is_file
from ansible_ensemble.documents.yaml import Document, parse_yaml, read_yaml
from ansible_ensemble.expressions.context import TRUST
from ansible_ensemble.language.normative import SECTIONS, normative_types
from ansible_ensemble.projects.trust import is_trusted

SUFFIX = ".py"
_MAIN = Path(__file__).with_name("python_template_main.py")
#: What becomes of an operation whose method cannot be called while the file is converted, or returns no artifact call.
_METHOD = regex(rb'"className": "(?:[^":]*:([^":]*):(?:render|run)|builtins\.[^"]*)"')
#: Seconds a conversion may take.
_TIMEOUT = 120


def read_python_template(path: Path, *, trusted: bool) -> Document:
    """The TOSCA service template that a Python file describes.

    Args:
        path: the file; to read it is to run it.
        trusted: whether it may run.
    """
    import subprocess

    place = Place(str(path))
    if _says_nothing(path):
        return parse_yaml("{}", path)
    if not trusted:
        raise InvalidInput(
            "a service template in Python runs when it is read, and its project is not trusted", place, TRUST
        )
    try:
        done = subprocess.run(
            [sys.executable, "-I", str(_MAIN), str(path), json.dumps(_types_of_unfurl())],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InvalidInput("the Python service template cannot be converted in time", place) from error
    problem = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
    if done.returncode == 3:
        hint = "pip install 'ansible-ensemble[dsl]'"
        raise InvalidInput(f"service templates in Python need a package ({problem})", place, hint)
    if done.returncode != 0:
        line, _separator, message = problem.removeprefix("failed: ").partition(": ")
        where = Place(str(path), int(line)) if line.isdigit() else place
        raise InvalidInput(f"the Python service template fails: {message or problem}", where)
    method = _METHOD.search(done.stdout)
    if method is not None:
        name = (method[1] or b"").decode() or "of a type"
        hint = "return ARTIFACT.execute(INPUT=VALUE, ...), which is called when the file is read, in safe mode"
        raise InvalidInput(f"the operation {name} cannot be converted: it does not say what runs", place, hint)
    return parse_yaml(done.stdout.decode(), path, f"{path} (as TOSCA)")


def read_source(path: Path, *, trusted: bool = True) -> Document:
    """A file in YAML, or one in Python, which runs if it is trusted, and what names it as well."""
    if path.suffix != SUFFIX or not is_file(path):
        return read_yaml(path)
    return read_python_template(path, trusted=trusted and is_trusted(path))


def _says_nothing(path: Path) -> bool:
    """Whether a file has only comments and texts, as the one that Unfurl makes with a project."""
    try:
        body = ast.parse(path.read_bytes()).body
    except (OSError, SyntaxError, ValueError):
        return False
    return all(isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) for one in body)


def _types_of_unfurl() -> dict[str, dict[str, str]]:
    """Unfurl's own types by name, each with the types of its properties, those that it inherits among them."""
    sections = [one.get(name, {}) for one in normative_types() for name in SECTIONS.values()]
    known = {name: read() for section in sections for name, read in section.items()}
    return {name: _properties(name, known) for name in known if name.startswith(("unfurl.", "artifact."))}


def _properties(name: str, known: Mapping[str, Any]) -> dict[str, str]:
    body = known.get(name, {})
    own = {one: str(given.get("type")) for one, given in (body.get("properties") or {}).items()}
    return {**(_properties(body["derived_from"], known) if "derived_from" in body else {}), **own}
