"""What core has a shell do on a host around modules, told from its text: then no shell has to be started for it."""

from __future__ import annotations

import shlex
from typing import Any

from ansible_ensemble.core.regex import regex

#: What some versions of core append to a command.
_END = " && sleep 0"
#: A path in which a shell finds nothing to expand.
_PATH = r"/[\w./-]*"
_HOME = regex(r"echo (~[a-z_][\w-]*)")
_MAKE = regex(rf'\( umask 77 && mkdir -p "` echo ({_PATH}) `"&& mkdir "` echo {_PATH}/([\w.-]+) `" && .* \)')


def chore(shell: Any, command: str) -> dict[str, list[str]]:
    """What a command of core's shell plugin does, as `remote_folders.Folders` takes it; nothing of any other.

    A text is only what it seems to be if the plugin makes the same one of what was read in it.
    """
    try:
        words = shlex.split(command)
    except ValueError:
        return {}
    if len(words) != 3 or words[1] != "-c":
        return {}
    text = words[2].removesuffix(_END)
    if found := _HOME.fullmatch(text):
        return {"chore": ["home", found[1]]}
    if found := _MAKE.fullmatch(text):
        parent, name = found.groups()
        return {"chore": ["make", parent, name]} if shell.mkdtemp(basefile=name, tmpdir=parent) == text else {}
    parts = shlex.split(text)
    if parts[:2] == ["chmod", "u+rwx"] and shell.chmod(parts[2:], "u+rwx") == text:
        return {"chore": ["open", *parts[2:]]}
    if parts[:3] == ["rm", "-f", "-r"] and shell.remove(parts[3], recurse=True) == text:
        return {"chore": ["remove", parts[3]]}
    return {}
