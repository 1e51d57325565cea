# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The way from a plugin into the Python package ``ansible_ensemble``.

The package is installed by pip, or it lies in the collection itself under ``python/``. Either way a plugin enters it
here and gets each error of the package as one `EnsembleFailure`.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType

from ansible.errors import AnsibleError
from ansible.utils.display import Display

COLLECTION = Path(__file__).resolve().parents[2]


class EnsembleFailure(AnsibleError):
    """An error for the user, with the exit code that the command would end with."""

    def __init__(self, message: str, exit_code: int = 1) -> None:
        super().__init__(message)
        self.text = message
        self.exit_code = exit_code


#: What plugins are about: the facade that does their work, and the file with the libraries that it needs.
JOBS = ("ansible_ensemble.jobs.ansible", "requirements.txt")
UPKEEP = ("ansible_ensemble.jobs.upkeep", "requirements.txt")
MACHINES = ("ansible_ensemble.machines.ansible", "requirements-provision.txt")


@contextmanager
def package(facade: tuple[str, str] = JOBS) -> Iterator[ModuleType]:
    """Give a facade of the package.

    Yields:
        The module whose functions execute the plugins' work.

    Raises:
        EnsembleFailure: for any error of the package that is meant for the user, and for a missing library.
    """
    name, requirements = facade
    try:
        errors = _imported("ansible_ensemble.core.errors")
        log = _imported("ansible_ensemble.core.log")
    except ModuleNotFoundError as error:
        raise EnsembleFailure(_missing(error, requirements)) from error
    try:
        log.follow(os.environ)
        if Display().verbosity > 2:
            log.show(Display().vvv)
        yield _imported(name)
    except errors.EnsembleError as error:
        raise EnsembleFailure(str(error), error.exit_code) from error
    except ModuleNotFoundError as error:
        raise EnsembleFailure(_missing(error, requirements)) from error


def load_early(facade: tuple[str, str] = JOBS) -> ModuleType | None:
    """Import a facade in the process that the workers of a job's tasks are forked from, once for all of them.

    Import errors are reported by the task that needs the module. The process reads the workers' output in a thread. If
    printing failed there, the thread would end silently and the process would wait for ever; so printing does not fail.
    """
    with suppress(ImportError):
        output = _imported("ansible_ensemble.core.output")
        for stream in (sys.stdout, sys.stderr):
            output.outlive_reader(stream)
        return _imported(facade[0])
    return None


def _imported(name: str) -> ModuleType:
    if importlib.util.find_spec("ansible_ensemble") is None:
        sys.path.append(str(COLLECTION / "python"))
    return importlib.import_module(name)


def _missing(error: ModuleNotFoundError, requirements: str) -> str:
    install = f"{sys.executable} -m pip install -r {COLLECTION / requirements}"
    return f"tosca.ensemble lacks a Python library: {error}. Install what it needs with: {install}"
