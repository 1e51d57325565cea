"""Settings that keep git from running hooks, filters and helpers of an untrusted repository."""

from __future__ import annotations

import re

from ansible_ensemble.core.regex import regex

#: The ways that a repository may be reached by; git knows others that run any command (`ext::`).
PROTOCOLS = ("file", "git", "http", "https", "ssh")
_SCHEME = regex(r"([a-z][a-z0-9+.-]*)://([^/]*)", re.IGNORECASE)
_COMMIT = regex(r"[0-9a-f]{4,64}")

#: Settings by which a repository has git run a program.
_RUNS = regex(
    r"""filter\..*\.(clean|smudge|process) | diff\..*\.(command|textconv) | diff\.external | merge\..*\.driver
    | credential\.(.*\.)?helper | gpg\.(.*\.)?program | gpg\..*command | (remote|url)\..* | submodule\..*\.update
    | core\.(sshcommand|gitproxy|askpass|pager|editor|alternaterefscommand) | pager\..* | sequence\.editor
    | uploadpack\.packobjectshook | interactive\.difffilter | trailer\..*\.(cmd|command) | .*\.(cmd|path)""",
    re.VERBOSE | re.IGNORECASE,
)
_INCLUDES = regex(r"include(if\..*)?\.", re.IGNORECASE)
#: Settings of a repository that are neutralised.
_NEVER = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "log.showSignature": "false",
    "commit.gpgSign": "false",
    "protocol.allow": "never",
    "safe.bareRepository": "explicit",
    "submodule.recurse": "false",
    "status.submoduleSummary": "false",
}
#: Variables for a git that contacts no remote: what is missing would be fetched by a program that the repository names.
ALONE = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "GIT_OPTIONAL_LOCKS": "0"}

#: Prints the settings that `neutral_settings` takes.
LIST = ("config", "--list", "--show-scope", "-z")


def neutral_settings(listed: str) -> dict[str, str]:
    """The settings that make harmless what a repository names, by all of git's settings as `LIST` prints them."""
    words = listed.split("\0")
    own = [entry.partition("\n")[0] for scope, entry in zip(words[::2], words[1::2]) if scope in ("local", "worktree")]
    own = [
        key for key in own if not _INCLUDES.match(key)
    ]  # what these name is among the settings, and none is read anew
    found = {key: "" for key in own if _RUNS.fullmatch(key) and not key.endswith((".url", ".fetch"))}
    required = {key: "false" for key in own if key.startswith("filter.") and key.endswith(".required")}
    return {**found, **required, **_NEVER}


def above_submodules(arguments: tuple[str, ...]) -> tuple[str, ...]:
    """The arguments of a git that looks into no submodule: each has settings of its own, and git heeds them."""
    verb = 1 if arguments[0].startswith("--") else 0
    if arguments[verb] not in ("status", "diff"):
        return arguments
    return (*arguments[: verb + 1], "--ignore-submodules=all", *arguments[verb + 1 :])


def clone_fault(url: str) -> str | None:
    """Why a text is no URL to clone from; None if it is one, or a path."""
    helper = "::" in url.partition("/")[0]
    scheme = _SCHEME.match(url)
    host = scheme[2] if scheme else url.partition(":")[0]
    if url.startswith("-") or host.rpartition("@")[2].startswith("-"):
        return "it would be an option of a program"
    if helper or (scheme and scheme[1].lower().removeprefix("git+").removesuffix("+git") not in PROTOCOLS):
        return f"it may be reached by {', '.join(PROTOCOLS)}"
    return None


def is_commit(text: str) -> bool:
    """Whether a text is a commit's id, and so no option, name or expression of git."""
    return _COMMIT.fullmatch(text) is not None
