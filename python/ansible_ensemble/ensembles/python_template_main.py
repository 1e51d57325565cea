"""Turns a service template in Python into TOSCA, as JSON; runs in a process of its own.

The package `tosca` brings its own tosca-parser under the same name as the real one, so it must not be imported beside
it. Its safe mode restricts what the file may do (RestrictedPython).
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

from ansible_ensemble.ensembles.python_operations import add_what_is_taken, call_operations_here, converter_of
from ansible_ensemble.ensembles.unfurl_stand_ins import add_names, unfurl_modules

#: What the folder of the file is called as a package: `from .types import Site`.
_PACKAGE = "service_template"


def main() -> int:
    """Convert the file that the first argument names; the second are Unfurl's types, in JSON. Prints the result."""
    path = Path(sys.argv[1])
    out, sys.stdout = sys.stdout, sys.stderr
    found = importlib.util.find_spec("tosca")
    for folder in (found.submodule_search_locations or ()) if found is not None else ():
        sys.path.insert(0, str(Path(folder) / "vendor"))
    try:
        from tosca.loader import get_allowed_modules, restricted_exec
        from tosca.python2yaml import PythonToYaml
    except ImportError as error:
        sys.stderr.write(f"missing: {error.name}\n")
        return 3
    try:
        source = path.read_text(encoding="utf-8")
        namespace = {"__file__": str(path), "__package__": _PACKAGE}
        tosca = sys.modules["tosca"]
        add_names(tosca)
        modules: dict[str, Any] = get_allowed_modules()
        modules.update(unfurl_modules(tosca, json.loads(sys.argv[2])))
        module = f"{_PACKAGE}.{path.stem}"
        restricted_exec(source, namespace, str(path.parent), module, modules, safe_mode=True)
        failures = call_operations_here(tosca, namespace)
        # The file is compiled in safe mode, its methods too. The converter is not in safe mode, for else it would not
        # call them, and operations would be lost.
        converter = converter_of(PythonToYaml)(namespace, safe_mode=False, modules=modules)
        made = converter.module2yaml()
        if failures:
            raise failures[0]
        add_what_is_taken(tosca, namespace, made, converter)
        out.write(json.dumps(made, default=str))
    except BaseException as error:
        # RestrictedPython compiles without the file's name
        names = (str(path), "<string>")
        lines = [frame.tb_lineno for frame in _frames(error) if frame.tb_frame.f_code.co_filename in names]
        line = lines[-1] if lines else getattr(error, "lineno", None)
        sys.stderr.write(f"\nfailed: {line or ''}: {_words(error)}\n")
        return 4
    return 0


def _words(error: BaseException) -> str:
    """What an error says, on one line."""
    if isinstance(error, ImportError) and (error.name or "").startswith("unfurl."):
        return f"there is no counterpart of {error.name}, or of what is imported from it: write out what you need of it"
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def _frames(error: BaseException) -> list[TracebackType]:
    found, frame = [], error.__traceback__
    while frame is not None:
        found.append(frame)
        frame = frame.tb_next
    return found


if __name__ == "__main__":
    sys.exit(main())
