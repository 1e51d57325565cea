"""Modules one by one as resources: their arguments, what is there after, how that is spoiled, what is gone after."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

#: A module, its arguments (`@` is a folder of its own), the file that is there after, how it is spoiled, whether
#: undeploying takes it away. The text that a file is spoiled with is in it at first where a module works on files.
Row = tuple[str, dict[str, Any], str, str | None, bool]
FILE = {"module": "file", "args": {"path": "@/made", "state": "absent"}}
RUNIT = {"name": "parts", "service_dir": "@/parts", "service_src": "@"}
#: What takes away what a module makes that has no state for it.
ABSENT: dict[str, dict[str, Any]] = {
    **dict.fromkeys(("copy", "template", "assemble", "get_url", "command", "shell", "script", "git"), FILE),
    **dict.fromkeys(("filesize", "decompress"), FILE),
    "systemd_service": {"module": "systemd_service", "args": {"name": "made", "state": "stopped"}},
    "runit": {"module": "community.general.runit", "args": {**RUNIT, "state": "stopped", "enabled": False}},
    "svc": {"module": "community.general.svc", "args": {**RUNIT, "state": "stopped", "enabled": False}},
    "awall": {"module": "community.general.awall", "args": {"name": ["made"], "state": "disabled"}},
}
KEPT = {"access_time": "preserve", "modification_time": "preserve"}
BUILTIN: list[Row] = [
    ("ansible.builtin.file", {"path": "@/made", "state": "directory", "mode": "0750"}, "made", None, True),
    ("ansible.builtin.file", {"path": "@/made", "state": "link", "src": "@/text"}, "made", None, True),
    ("ansible.builtin.file", {"path": "@/made", "state": "hard", "src": "@/text"}, "made", None, True),
    ("ansible.builtin.blockinfile", {"path": "@/text", "block": "a: 1"}, "a: 1", "spoiled\n", True),
    ("ansible.builtin.lineinfile", {"path": "@/text", "line": "b=2"}, "b=2", "spoiled\n", True),
    (
        "ansible.builtin.yum_repository",
        {"name": "made", "description": "d", "baseurl": "file:///none", "reposdir": "@"},
        "made.repo",
        None,
        True,
    ),
    ("ansible.builtin.known_hosts", {"path": "@/text", "name": "h", "key": "h ssh-ed25519 KEY"}, "KEY", "\n", True),
    ("ansible.builtin.copy", {"dest": "@/made", "content": "c"}, "made", None, True),
    ("ansible.builtin.template", {"dest": "@/made", "src": "page.j2"}, "made", None, True),
    ("ansible.builtin.file", {"path": "@/made", "state": "touch", **KEPT}, "made", None, True),
    ("ansible.builtin.command", {"cmd": "touch @/made", "creates": "@/made"}, "made", None, True),
    ("ansible.builtin.shell", {"cmd": "echo x > @/made", "creates": "@/made"}, "made", None, True),
    ("ansible.builtin.assemble", {"dest": "@/made", "src": "@/parts"}, "made", None, True),
    ("ansible.builtin.get_url", {"dest": "@/made", "url": "file://@/text"}, "made", None, True),
    ("ansible.builtin.script", {"cmd": "@/make @/made", "creates": "@/made"}, "made", None, True),
    ("ansible.builtin.git", {"repo": "@/parts", "dest": "@/made"}, "made", None, True),
    (
        "ansible.builtin.cron",
        {"name": "made", "cron_file": "@/text", "user": "root", "minute": "5", "job": "/bin/none"},
        "/bin/none",
        "\n",
        True,
    ),
    ("ansible.builtin.iptables", {"chain": "INPUT", "source": "192.0.2.7", "jump": "DROP"}, "../iptables", None, True),
    ("ansible.builtin.systemd_service", {"name": "made", "state": "started"}, "../systemctl", None, True),
    (
        "ansible.builtin.replace",
        {"path": "@/text", "regexp": "^spoiled", "replace": "mended"},
        "mended",
        "spoiled\n",
        False,
    ),
]
"""Of `replace` there is no opposite: undeploying leaves what it did."""
KEY = "AAAAC3NzaC1lZDI1NTE5AAAAIGk0Y0l1c2VkSW5UZXN0c0FuZE5vd2hlcmVFbHNlISEh"
COMMUNITY: list[Row] = [
    ("community.general.ini_file", {"path": "@/text", "section": "s", "option": "o", "value": "v9"}, "v9", "\n", True),
    (
        "ansible.posix.authorized_key",
        {"user": "root", "path": "@/text", "manage_dir": False, "key": f"ssh-ed25519 {KEY} somebody"},
        KEY,
        "\n",
        True,
    ),
    (
        "ansible.posix.sysctl",
        {"name": "made.by.test", "value": "1", "sysctl_file": "@/text", "reload": False},
        "made.by.test",
        "\n",
        True,
    ),
    (
        "community.general.sudoers",
        {"name": "made", "user": "nobody", "commands": "/bin/none", "sudoers_path": "@", "validation": "absent"},
        "made",
        None,
        True,
    ),
    ("community.general.filesize", {"path": "@/made", "size": 10}, "made", None, True),
    (
        "ansible.posix.mount",
        {"path": "@/mounted", "src": "/dev/none", "fstype": "ext4", "fstab": "@/text", "state": "present"},
        "/dev/none",
        "\n",
        True,
    ),
    ("ansible.posix.patch", {"src": "@/fix.patch", "dest": "@/text", "remote_src": True}, "patched", "\n", True),
    (
        "community.general.pamd",
        {
            **{"path": "@", "name": "text", "type": "auth", "control": "required", "module_path": "pam_unix.so"},
            **{"module_arguments": "nullok", "state": "args_present"},
        },
        "nullok",
        "auth required pam_unix.so\n",
        True,
    ),
    (
        "community.general.interfaces_file",
        {"dest": "@/text", "iface": "eth0", "option": "mtu", "value": "9000"},
        "9000",
        "iface eth0 inet static\n    address 192.0.2.7\n",
        True,
    ),
    (
        "community.general.crypttab",
        {"path": "@/text", "name": "made", "backing_device": "/dev/none"},
        "made",
        "\n",
        True,
    ),
    (
        "community.general.git_config",
        {"scope": "file", "file": "@/text", "name": "user.made", "value": "v9"},
        "v9",
        "\n",
        True,
    ),
    ("community.general.kernel_blacklist", {"blacklist_file": "@/text", "name": "made"}, "blacklist made", "\n", True),
    ("community.general.decompress", {"src": "@/text.gz", "dest": "@/made"}, "made", None, True),
    ("community.general.sysrc", {"path": "@/text", "name": "made", "value": "v9"}, "v9", "\n", True),
    ("community.general.runit", {**RUNIT, "state": "started", "enabled": True}, "../sv", None, True),
    ("community.general.svc", {**RUNIT, "state": "started", "enabled": True}, "../svc", None, True),
    (
        "community.general.flatpak_remote",
        {"name": "made", "flatpakrepo_url": "https://none.example/made"},
        "../flatpak",
        None,
        True,
    ),
    ("community.general.xbps", {"name": "made"}, "../xbps", None, True),
    ("community.general.gem", {"name": "made"}, "../gem", None, True),
    ("community.general.cargo", {"name": "made"}, "../cargo", None, True),
    ("community.general.npm", {"name": "made", "path": "@"}, "../npm", None, True),
    ("community.general.pear", {"name": "made"}, "../pear", None, True),
    ("community.general.apache2_module", {"name": "made"}, "../apache2", None, True),
    (
        "community.general.xfconf",
        {"channel": "c", "property": "/made", "value": "v", "value_type": "string"},
        "../xfconf-query",
        None,
        True,
    ),
    (
        "community.general.sensu_check",
        {"path": "@/text", "name": "made", "command": "/bin/none", "subscribers": ["all"], "interval": 60},
        "/bin/none",
        "{}",
        True,
    ),
    ("community.general.sensu_subscription", {"path": "@/text", "name": "made"}, "made", "{}", True),
    ("community.general.deploy_helper", {"path": "@/made", "release": "1"}, "made", None, True),
    ("community.general.icinga2_feature", {"name": "made"}, "../icinga2", None, True),
    ("community.general.awall", {"name": ["made"]}, "../awall", None, True),
    ("community.general.homebrew_tap", {"name": ["made/it"], "path": "@/../../programs"}, "../brew", None, True),
    ("community.general.snap_alias", {"name": "made", "alias": ["it"]}, "../snap", None, True),
    (
        "community.general.krb_ticket",
        {"principal": "made", "keytab": True, "keytab_path": "@/text"},
        "../krb",
        None,
        True,
    ),
    ("community.general.capabilities", {"path": "@/text", "capability": "cap_made=ep"}, "../cap", None, True),
    ("community.general.dpkg_divert", {"path": "@/made"}, "../dpkg-divert", None, True),
    (
        "community.general.aix_inittab",
        {"name": "made", "runlevel": "2", "action": "once", "command": "/bin/none"},
        "../itab",
        None,
        True,
    ),
]
#: In place of programs that are not here, or must not be run: each has one thing, which is there as its file is.
PROGRAM = """\
#!/bin/sh
name=${0##*/}
case $name in xbps-*) thing=xbps ;; a2*|apache2ctl) thing=apache2 ;; svstat) thing=svc ;;
kinit|klist|kdestroy) thing=krb ;; ??tcap) thing=cap ;; *itab) thing=itab ;; *) thing=$name ;; esac
thing=${0%/*}/../there/$thing
told() { test ! -e "$thing" || echo "$1"; }
case "$name $*" in
"gem --version") echo 3.3.5 ;;
"iptables --version") echo "iptables v1.8.9 (legacy)" ;;
"xfconf-query --version") echo "xfconf-query 4.18.0" ;;
"dpkg-divert --version") echo "dpkg-divert version 1.22.0" ;;
"snap version") echo "snap 2.70" ;;
"xbps-install -Sun"*|"pear remote-info"*|"dpkg-divert --test "*) ;;
"awall list") told "made enabled" ;;
"brew tap") told made/it ;;
"dpkg-divert --listpackage "*) told LOCAL ;;
"dpkg-divert --truename "*) echo "$2.distrib" ;;
"getcap "*) test -e "$thing" && echo "$2 cap_made=ep" || echo "$2" ;;
"icinga2 feature list") test -e "$thing" && echo "Enabled features: made" || echo "Disabled features: made" ;;
"klist -l") told made ;;
"lsitab made") test -e "$thing" && echo "made:2:once:/bin/none" ;;
"snap aliases made") told "Command Alias Notes
made it manual" ;;
"apache2ctl -M") told " made_module (shared)" ;;
"cargo install --list"*) told "made v1.0.0:" ;;
"gem query"*) told "made (1.0.0)" ;;
"npm list"*) told '{"dependencies": {"made": {"version": "1.0.0"}}}' ;;
"xbps-query"*) told made-1.0 ;;
"sv status"*) test -e "$thing" && echo "run: made: (pid 7) 5s" || echo "down: made: 5s" ;;
"svstat "*) test -e "$thing" && echo "made: up (pid 7) 5 seconds" || echo "made: down 5 seconds" ;;
"flatpak remote-list"*) told "made	system" ;;
"systemctl show"*) echo LoadState=loaded; test -e "$thing" && echo ActiveState=active || echo ActiveState=inactive ;;
"pear info"*|*" -C "*) test -e "$thing" ;;
"sysrc "*" -v "*) sed -n "s|^made=|$2: |p" "$2" | grep . || echo "sysrc: unknown variable 'made'" >&2 ;;
"sysrc "*" -x "*) sed -i /^made=/d "$2" ;;
"sysrc "*) echo "$3" >> "$2" ;;
"xbps-install -S") cat > /dev/null ;;  # an answer that nobody reads is an error
"pear install "*) cat > /dev/null; : > "$thing" ;;
*" --create "*|*" install "*|"xbps-install -y"*|"a2enmod "*|*" -A "*) : > "$thing" ;;
"svc -u "*|*" remote-add "*|*" start "*) : > "$thing" ;;
*" enable "*|"brew tap "*|"snap alias "*|"kinit "*|"setcap cap"*|*" --add "*|"mkitab "*) : > "$thing" ;;
*" disable "*|"brew untap "*|"snap unalias "*|"kdestroy "*|"setcap "*|*" --remove "*|"rmitab "*) rm -f "$thing" ;;
*" --reset"*|*" uninstall "*|"xbps-remove "*|"a2dismod "*|*" -D "*) rm -f "$thing" ;;
"svc -d"*|*" remote-delete "*|*" stop "*|*" force-stop "*) rm -f "$thing" ;;
"xfconf-query "*) test -e "$thing" && echo v || echo 'Property "/made" does not exist on channel "c".' >&2 ;;
*) echo "nobody asks: $name $*" >&2; exit 64 ;;
esac
"""
PROGRAMS = (
    *("a2dismod", "a2enmod", "apache2ctl", "cargo", "crontab", "gem", "iptables", "npm", "pear", "sv", "sysrc"),
    *("flatpak", "svc", "svstat", "systemctl", "xbps-install", "xbps-query", "xbps-remove", "xfconf-query"),
    *("awall", "brew", "dpkg-divert", "getcap", "icinga2", "kdestroy", "kinit", "klist", "setcap", "snap"),
    *("chitab", "lsitab", "mkitab", "rmitab"),
)
PATCH = "--- text\n+++ text\n@@ -1 +1 @@\n-\n+patched\n"


def make_programs(folder: Path) -> None:
    """The programs, all of them one."""
    folder.mkdir()
    for name in PROGRAMS:
        (folder / name).write_text(PROGRAM)
        (folder / name).chmod(0o755)


def resources(rows: list[Row], folder: Path) -> dict[str, Any]:
    """A node template for each row, and what it works on in a folder of its own."""
    made: dict[str, Any] = {}
    for number, (module, args, _, text, _) in enumerate(rows):
        own, name = folder / str(number), module.rpartition(".")[2]
        (own / "parts").mkdir(parents=True)
        (own / "parts/a").write_text("part")
        (own / "text").write_text(text or "\n")
        (own / "text.gz").write_bytes(gzip.compress(b"text"))
        (own / "fix.patch").write_text(PATCH)
        (own / "make").write_text('#!/bin/sh\n: > "$1"\n')
        if name == "git":
            _commit(own / "parts")
        node: dict[str, Any] = {"module": module, "args": args, "host": "web1"}
        if name in ABSENT:
            node["absent"] = ABSENT[name]
        made[f"r{number}"] = json.loads(json.dumps(node).replace("@", str(own)))
    return made


def _commit(folder: Path) -> None:
    me = ("-c", "user.name=me", "-c", "user.email=me@example.com")
    for words in (["init", "-q"], ["add", "."], [*me, "commit", "-q", "-m", "all"]):
        subprocess.run(["git", *words], cwd=folder, check=True)


def is_there(row: Row, own: Path) -> bool:
    """Whether what a row makes is there: a file, or a text in the file `text`."""
    thing = _path(row, own)
    text = (own / "text").read_text() if (own / "text").exists() else ""
    return thing.exists() or thing.is_symlink() or row[2] in text


def spoil(row: Row, own: Path) -> None:
    """Undo by hand what a row makes."""
    thing = _path(row, own)
    if row[3] is not None:
        (own / "text").write_text(row[3])
    elif thing.is_dir() and not thing.is_symlink():
        shutil.rmtree(thing)
    else:
        thing.unlink()


def _path(row: Row, own: Path) -> Path:
    """Where a row makes a file; that of a program is beside the folders of the rows."""
    return own.parent / row[2].removeprefix("../") if row[2].startswith("../") else own / row[2]
