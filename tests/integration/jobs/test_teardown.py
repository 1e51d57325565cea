"""Undeploy leaves a host as it was before the first deploy."""

from __future__ import annotations

import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

COLLECTIONS = Path(__file__).parents[3] / ".build/community"
#: What is on the host before: its mode, and what it holds (None for a folder).
BEFORE = {
    "etc": (0o755, None),
    "etc/hosts": (0o640, "127.0.0.1 localhost\n"),
    "etc/sshd.conf": (0o600, "Port 22\nPermitRootLogin yes\n"),
    "etc/kept.conf": (0o600, "theirs\n"),
    "etc/same.conf": (0o644, "same\n"),
    "etc/old.conf": (0o640, "old\n"),
    "etc/app.ini": (0o640, "[there]\na = 1\n"),
    "etc/less.conf": (0o600, "one\ntwo\n"),
    "share": (0o750, None),
    "share/readme": (0o444, "theirs\n"),
    "bin": (0o755, None),
}
#: What replaces something of which no backup was asked for is not among them: it is not restored.
RESOURCES = """
resources:
  copied: {module: copy, args: {src: files/app.conf, dest: host/etc/}}
  restored: {module: copy, args: {content: new, dest: host/etc/old.conf, backup: true, mode: '0600'}}
  same: {module: copy, args: {content: "same\\n", dest: host/etc/same.conf}}
  tree: {module: copy, args: {src: files/tree, dest: host/opt/tree/}}
  rendered: {module: template, args: {src: files/motd.j2, dest: host/etc/motd}}
  fetched: {module: get_url, args: {url: 'file://FILES/app.conf', dest: host/bin/}}
  unpacked: {module: unarchive, args: {src: files/share.tar.gz, dest: host/share}}
  cloned: {module: git, args: {repo: 'file://FILES/repo', dest: host/src/app}}
  line: {module: lineinfile, args: {path: host/etc/hosts, line: 10.0.0.1 web1}}
  theirs: {module: lineinfile, args: {path: host/etc/kept.conf, line: theirs}}
  setting:
    module: lineinfile
    args: {path: host/etc/sshd.conf, regexp: '^PermitRoot', line: 'PermitRootLogin no', backup: true}
  block: {module: blockinfile, args: {path: host/etc/hosts, block: 10.0.0.2 web2}, requirements: [{dependency: line}]}
  made: {module: lineinfile, args: {path: host/etc/cron, line: '* * * * * true', create: true}}
  less: {module: lineinfile, args: {path: host/etc/less.conf, line: two, state: absent, backup: true}}
  folder: {module: file, args: {path: host/var/lib/app, state: directory, mode: '0700'}}
  their_folder: {module: file, args: {path: host/bin, state: directory}}
  link: {module: file, args: {src: /nowhere, dest: host/bin/app, state: link, force: true}}
"""


def tree(folder: Path) -> dict[str, Any]:
    """Each path with its mode, owner and content."""
    found = {}
    for path in sorted(folder.rglob("*")):
        told = path.lstat()
        content = str(path.readlink()) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[str(path.relative_to(folder))] = (oct(told.st_mode), told.st_uid, told.st_gid, content)
    return found


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, (mode, text) in BEFORE.items():
        path = tmp_path / "host" / name
        path.parent.mkdir(exist_ok=True)
        path.mkdir() if text is None else path.write_text(text)
        path.chmod(mode)
    files = tmp_path / "files"
    (files / "tree" / "sub").mkdir(parents=True)
    (files / "tree" / "sub" / "a").write_text("a")
    (files / "app.conf").write_text("a=1\n")
    (files / "motd.j2").write_text("hello {{ 1 + 1 }}\n")
    with tarfile.open(files / "share.tar.gz", "w:gz") as archive:
        archive.add(files / "tree", "new")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.example", "-C", str(files / "repo")]
    (files / "repo").mkdir()
    (files / "repo" / "main").write_text("x\n")
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run([*git, *command], check=True)
    (tmp_path / "service.yaml").write_text(RESOURCES.replace("FILES", str(files)))
    return tmp_path


def made_of(project: Path) -> dict[str, Any]:
    instances = yaml.safe_load((project / "ensemble.yaml").read_text())["status"]["instances"]
    return {name: one.get("made") or {} for name, one in instances.items()}


def test_undeploy_leaves_a_host_as_it_was(project: Path, command: Callable[..., Any]) -> None:
    host, before = project / "host", tree(project / "host")
    planned = command("plan", "service.yaml", cwd=project)
    assert "undeploy leaves" not in planned.output
    done = command("deploy", "service.yaml", "--approve", cwd=project)
    assert done.code == 0, done.output
    assert (host / "etc/app.conf").read_text() == "a=1\n"
    assert (host / "src/app/main").exists() and (host / "share/new/sub/a").exists()
    assert tree(host).items() > {"etc/kept.conf": before["etc/kept.conf"]}.items()
    checked = command("check", "--detailed-exitcode", cwd=project)
    assert checked.code == 0, checked.output
    assert "1 not checked, none drifted" in checked.output

    (project / "files/app.conf").write_text("a=2\n")
    (project / "files/tree/b").write_text("later")
    again = command("deploy", "--approve", cwd=project)
    assert again.code == 0, again.output
    assert (host / "opt/tree/tree/b").exists(), tree(host)
    assert made_of(project)["theirs"]["kept"] == made_of(project)["same"]["kept"] == "it was there before"

    gone = command("undeploy", "--approve", cwd=project)
    assert gone.code == 0, gone.output
    assert tree(host) == before
    assert "host/etc/same.conf stays: it was there before" in gone.output
    assert set(map(bool, made_of(project).values())) <= {False}

    # forced, they are made and owned anew
    assert command("deploy", "--force", "--approve", cwd=project).code == 0
    assert command("undeploy", "--approve", cwd=project).code == 0
    assert tree(host) == before


def test_what_a_path_leads_to_later_stays(project: Path, command: Callable[..., Any]) -> None:
    host = project / "host"
    (project / "service.yaml").write_text(
        "resources:\n"
        f"  file: {{module: copy, args: {{content: made, dest: {host}/etc/made}}}}\n"
        f"  line: {{module: lineinfile, args: {{path: {host}/etc/hosts, line: mine}}}}\n"
    )
    assert command("deploy", "service.yaml", "--approve", cwd=project).code == 0
    (host / "etc").rename(host / "moved")
    (host / "other").mkdir()
    (host / "other/made").write_text("theirs")
    (host / "other/hosts").write_text("mine\n")
    (host / "etc").symlink_to("other")
    before = tree(host)
    gone = command("undeploy", "--approve", cwd=project)
    assert gone.code == 0, gone.output
    assert tree(host) == before
    for name in ("made", "hosts"):
        assert f"{host}/etc/{name} stays: its path leads elsewhere than before it was made" in gone.output


def test_what_others_put_into_a_folder_stays_and_is_said(project: Path, command: Callable[..., Any]) -> None:
    (project / "service.yaml").write_text(
        "resources:\n"
        "  folder: {module: file, args: {path: host/var/app, state: directory}}\n"
        "  line: {module: lineinfile, args: {path: host/etc/sshd.conf, regexp: ^Port, line: Port 2222}}\n"
        "  job: {module: command, args: {cmd: 'true'}}\n"
        "  steps: {tasks: steps.yaml}\n"
    )
    (project / "steps.yaml").write_text("- ansible.builtin.command: 'true'\n")
    planned = command("plan", "service.yaml", cwd=project)
    assert "undeploy leaves: a line that it replaces is not restored" in planned.output
    assert "undeploy leaves: what command does stays" in planned.output
    assert "undeploy leaves: what its tasks do stays" in planned.output
    assert command("deploy", "service.yaml", "--approve", cwd=project).code == 0
    (project / "host/var/app/theirs").write_text("x")
    gone = command("undeploy", "--approve", cwd=project)
    assert gone.code == 0, gone.output
    assert (project / "host/var/app/theirs").read_text() == "x"
    assert "host/var/app stays: it holds something else than what was made" in gone.output
    assert "what was replaced in host/etc/sshd.conf is not restored: there is no backup" in gone.output
    assert "Undeploy complete! 1 destroyed, 3 forgotten." in gone.output
    assert "Port" not in (project / "host/etc/sshd.conf").read_text()


def test_a_removal_by_hand_that_tells_of_no_change_destroys(project: Path, command: Callable[..., Any]) -> None:
    (project / "service.yaml").write_text(
        "resources:\n"
        "  steps: {tasks: steps.yaml, absent: {tasks: remove.yaml}}\n"
        "  call: {module: command, args: {cmd: 'true'}, absent: {module: stat, args: {path: /}}}\n"
        "  gone: {module: copy, args: {content: x, dest: host/etc/gone}}\n"
    )
    (project / "steps.yaml").write_text("- ansible.builtin.command: 'true'\n")
    (project / "remove.yaml").write_text("- ansible.builtin.command: touch host/removed\n  changed_when: false\n")
    assert command("deploy", "service.yaml", "--approve", cwd=project).code == 0
    (project / "host/etc/gone").unlink()
    gone = command("undeploy", "--approve", cwd=project)
    assert (gone.code, (project / "host/removed").exists()) == (0, True), gone.output
    assert "Undeploy complete! 2 destroyed, 1 forgotten." in gone.output


FIRST = '  first: {module: copy, args: {dest: host/etc/old.conf, content: "first\\n", backup: true}}\n'
SECOND = "  second: {module: lineinfile, args: {path: host/etc/old.conf, line: second, backup: true}%s}\n"
AFTER = ", requirements: [{dependency: first}]"


@pytest.mark.parametrize("changed", [False, True])
@pytest.mark.parametrize("removed", ["", "first", "second"])
def test_a_file_that_two_back_up_is_what_it_was(
    project: Path, command: Callable[..., Any], removed: str, changed: bool
) -> None:
    """Whichever of them goes first, and also where the first one changed what the second one keeps a backup of."""
    before, service = tree(project / "host"), project / "service.yaml"
    service.write_text("resources:\n" + FIRST + SECOND % AFTER)
    assert command("deploy", "service.yaml", "--approve", cwd=project).code == 0
    first = FIRST.replace("first\\n", "other\\n") if changed else FIRST
    service.write_text("resources:\n" + first + SECOND % AFTER)
    assert command("deploy", "--approve", cwd=project).code == 0
    if removed:
        service.write_text("resources:\n" + (first if removed == "second" else SECOND % ""))
        done = command("deploy", "--prune", "--approve", cwd=project)
        assert done.code == 0, done.output
        text = (project / "host/etc/old.conf").read_text()
        assert text == ("other\n" if changed else "first\n") + ("second\n" if removed == "first" else "")
    gone = command("undeploy", "--approve", cwd=project)
    assert gone.code == 0, gone.output
    assert tree(project / "host") == before


INI = """
resources:
  there: {module: community.general.ini_file, args: {path: host/etc/app.ini, section: there, option: b, value: "2"}}
  own:
    module: community.general.ini_file
    args: {path: host/etc/app.ini, section: own, option: c, value: "3"}
    requirements: [{dependency: there}]
  more:
    module: community.general.ini_file
    args: {path: host/etc/app.ini, section: own, option: d, value: "4"}
    requirements: [{dependency: own}]
  made: {module: community.general.ini_file, args: {path: host/etc/made.ini, section: own, option: a, value: b}}
  others: {module: community.general.ini_file, args: {path: host/etc/others.ini, section: own, option: a, value: b}}
"""


@pytest.mark.skipif(not COLLECTIONS.is_dir(), reason="make community installs the collections")
def test_a_section_that_was_made_goes_if_nothing_is_in_it(project: Path, command: Callable[..., Any]) -> None:
    host, before = project / "host", tree(project / "host")
    (project / "service.yaml").write_text(INI)
    around = {"ANSIBLE_COLLECTIONS_PATH": str(COLLECTIONS)}
    done = command("deploy", "service.yaml", "--approve", cwd=project, extra=around)
    assert done.code == 0, done.output
    others = host / "etc/others.ini"
    others.write_text(others.read_text() + "theirs = 1\n")
    done = command("undeploy", "--approve", cwd=project, extra=around)
    assert done.code == 0, done.output
    assert others.read_text().lstrip() == "[own]\ntheirs = 1\n"
    others.unlink()
    assert tree(host) == before
