"""The exit codes of the command."""

from __future__ import annotations

#: Exit code -> what it means, as the help and the documentation have it.
EXIT_CODES = {
    "0": "done",
    "1": "failed, or aborted; validate --migrate: something has no counterpart",
    "2": "wrong usage; with --detailed-exitcode: something to do (plan), drift or something not ok (check)",
    "3": "invalid input",
    "4": "locked by another job, or the lock was lost",
    "5": "the server of machines has no such object",
    "6": "the server of machines refused it, or does not know who asks",
    "7": "the server of machines cannot be reached, or is not the one that is trusted",
    "8": "what was waited for did not come in time",
    "128+N": "ended by the signal N: 129 hang-up, 130 Ctrl-C, 143 termination",
}
