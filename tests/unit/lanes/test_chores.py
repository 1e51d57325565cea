"""What core has a shell do around modules is told from its text, and nothing else is taken for it."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from ansible_ensemble.lanes.chores import chore


@pytest.fixture(scope="module")
def shell() -> Any:
    from ansible.plugins.loader import shell_loader

    return shell_loader.get("sh")


ENDS = pytest.mark.parametrize("end", [" && sleep 0", ""])


def composed(text: str, end: str = "") -> str:
    """A command as an action composes it."""
    return f"/bin/sh -c {shlex.quote(text + end)}"


@ENDS
def test_what_core_does_around_modules(shell: Any, end: str) -> None:
    made = shell.mkdtemp(basefile="ansible-tmp-1.2-3", tmpdir="/root/.ansible/tmp")
    assert chore(shell, composed(made, end)) == {"chore": ["make", "/root/.ansible/tmp", "ansible-tmp-1.2-3"]}
    assert chore(shell, composed(shell.chmod(["/a b/", "/a b/c"], "u+rwx"), end)) == {
        "chore": ["open", "/a b/", "/a b/c"]
    }
    assert chore(shell, composed(shell.remove("/a 'b", recurse=True), end)) == {"chore": ["remove", "/a 'b"]}
    assert chore(shell, composed(shell.expand_user("~", "root"), end)) == {"chore": ["home", "~root"]}


@pytest.mark.parametrize(
    "text",
    [
        "rm -f -r /a; reboot > /dev/null 2>&1",
        "rm -f -r /a /b > /dev/null 2>&1",
        "rm -f -r $A > /dev/null 2>&1",
        "chmod u+rwx /a && reboot",
        "chmod u+rwx *",
        "chmod 0700 /a",
        "echo ~root; reboot",
        'echo "`reboot`"',
        '( umask 77 && mkdir -p "` echo /a `"&& mkdir "` echo /a/b `" && reboot )',
        '( umask 77 && mkdir -p "` echo $A `"&& mkdir "` echo $A/b `" && echo b="` echo $A/b `" )',
    ],
)
@ENDS
def test_nothing_else_is_taken_for_it(shell: Any, text: str, end: str) -> None:
    assert chore(shell, composed(text, end)) == {}


@pytest.mark.parametrize("command", ["", "'", "/bin/sh -c x && sleep 0"])
def test_what_no_action_composes(shell: Any, command: str) -> None:
    assert chore(shell, command) == {}
