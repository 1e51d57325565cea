"""The exit codes of the command."""

from __future__ import annotations

#: Exit code -> what it means, as the help and the documentation have it.
EXIT_CODES = {
    "0": "done",
    "1": "failed, or aborted",
    "2": "wrong usage; with --detailed-exitcode: something to do (plan), drift (check)",
    "3": "invalid input",
    "4": "locked by another job, or the lock was lost",
    "128+N": "ended by the signal N: 129 hang-up, 130 Ctrl-C, 143 termination",
}
