"""Options that few need every day: `--help` leaves them to `--help-all`, as all others of a command stay in sight."""

from __future__ import annotations

#: What shows all options.
HELP_ALL = "--help-all"

RARE = frozenset(
    {
        "--var",
        "--template",
        "--repair",
        "--change-detection",
        "--skip-new",
        "--upgrade",
        "--check-first",
        "--destroyunmanaged",
        "--jobs-per-host",
        "--no-fast-modules",
        "--stock-module",
        "--grace",
        "--push",
        "--message",
        "--dirty",
        "--locked",
        "--user",
        "--connection",
        "--private-key",
        "--timeout",
        "--ssh-common-args",
        "--become-method",
        "--become-user",
        "--ask-pass",
        "--skip-upstream-check",
        "--vault-id",
        "--log-file",
        "--no-color",
        "--query",
        "--junit",
    }
)

#: What an import acts on by itself; its other options are of the job that adopts what is there.
OF_IMPORT = frozenset(
    {
        "--help",
        "--adopt",
        "--approve",
        "--extra-vars",
        "--inventory",
        "--environment",
        "--vault-id",
        "--ask-vault-pass",
        "--vault-password-file",
        "--verbose",
        "--output",
    }
)
