"""The process in which an operation of a machine talks to the server."""

from __future__ import annotations

import os

from ansible_ensemble.configurators.api import Channel
from ansible_ensemble.configurators.machine_talk import Ended, Talk
from ansible_ensemble.core.orders import CHANNEL


def main() -> None:
    """Connect to the job, carry out the operation it names, and report to it how that ended."""
    talk = Talk(Channel(os.environ.pop(CHANNEL)))
    try:
        from ansible_ensemble.configurators.machine_operations import carry_out
    except ModuleNotFoundError as error:
        install = "pip install 'ansible-ensemble[provision]'"
        talk.end(Ended(success=False, error=f"what concerns machines needs {error.name} (install it: {install})"))
    else:
        talk.end(carry_out(talk))
