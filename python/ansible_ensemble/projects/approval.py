"""Who approved a job."""

from __future__ import annotations

from collections.abc import Mapping

from ansible_ensemble.core.texts import storable
from ansible_ensemble.projects.lock import Lock

#: Environment variable that names who approved, where that is not the user who runs the command.
APPROVED_BY = "ANSIBLE_ENSEMBLE_APPROVED_BY"


def approver(held: Lock, environ: Mapping[str, str]) -> str:
    """Who approved the job that holds a lock: the user named by the environment, else that of AWX, else the holder."""
    return str(storable(environ.get(APPROVED_BY) or str(held.job or held.who)))
