"""Which variables the text of a playbook may read, which it sets, and whether it reads facts of hosts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ansible_ensemble.core.regex import regex

_WORD = regex(r"[A-Za-z_]\w*")
_SHORT = regex(r"(ansible\.(builtin|legacy)\.)")
#: Special variables of Ansible that are no facts [Ansible, "Special Variables" and connection variables].
_NO_FACTS = regex(
    r"ansible_(managed|host|port|user|password|connection|check_mode|diff_mode|forks|limit|run_tags|skip_tags|version"
    r"|verbosity|config_file|search_path|inventory_sources|playbook_python|python_interpreter|network_os|shell_\w+"
    r"|ssh_\w+|become\w*|winrm_\w+|psrp_\w+|paramiko_\w+|loop\w*|index_var|failed_\w+|role_\w+|parent_\w+"
    r"|dependent_\w+|collection_name|pipelining|remote_tmp|async_dir|private_key_file|timeout|play_\w+)"
)
_FACT = regex(r"ansible_\w+")
#: Variables that are other ones, or of other hosts, when a play of several hosts is taken apart.
_OF_THE_PLAY = frozenset({"play_hosts", "ansible_play_hosts", "ansible_play_hosts_all", "ansible_play_batch"})
_SET_FACT = "set_fact"
_HOSTVARS = "hostvars"
_TEMPLATE = regex(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
#: Keys whose values are expressions without braces; and of modules, which may be given those in one text.
_BARE = frozenset(
    {"when", "until", "failed_when", "changed_when", "that", "var", "debug", "assert", "meta"}
    | {"ansible.builtin.debug", "ansible.builtin.assert", "ansible.builtin.meta"}
)
#: Facts that nothing but a module of their own gathers.
_GATHERED_BY = {"service_facts": ("services",), "package_facts": ("packages",)}
#: Keys that matter by being there.
_TOLD = frozenset({"run_once", "add_host", "group_by", "delegate_facts"})


def short_name(module: str) -> str:
    """The name of a module of Ansible's own without its collection."""
    return _SHORT.sub("", module)


def words_of(data: Any, *, bare: bool = False) -> frozenset[str]:
    """Identifiers in the templates of data, and in what is an expression by itself: all of its texts if it is `bare`.

    Those of the variables that it reads are among them.
    """
    return frozenset(_words_of(data, bare))


def _words_of(data: Any, bare: bool) -> Iterator[str]:
    if isinstance(data, Mapping):
        for key, value in data.items():
            loops = isinstance(value, str) and (key == "loop" or str(key).startswith("with_"))
            yield from _words_of(value, bare or key in _BARE or loops)
            yield from (str(key),) if key in _TOLD else ()
            if short_name(str(key)) in _TOLD:
                yield short_name(str(key))
    elif isinstance(data, list | tuple):
        for value in data:
            yield from _words_of(value, bare)
    elif isinstance(data, str):
        yield from _WORD.findall(data) if bare else words_in(data)


def texts_in(data: Any) -> str:
    """All texts in data."""
    return "\n".join(_texts(data))


def _texts(data: Any) -> Iterator[str]:
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield str(key)
            yield from _texts(value)
    elif isinstance(data, list | tuple):
        for value in data:
            yield from _texts(value)
    elif isinstance(data, str):
        yield str(data)


def scalars_in(data: Any) -> Iterator[str]:
    """The texts that are values in data, and those of arguments within them."""
    if isinstance(data, Mapping):
        for value in data.values():
            yield from scalars_in(value)
    elif isinstance(data, list | tuple):
        for value in data:
            yield from scalars_in(value)
    elif isinstance(data, str):
        yield str(data)
        yield from (word.partition("=")[2] for word in data.split() if "=" in word)


def words_in(text: str) -> frozenset[str]:
    """Identifiers in the templates of a text."""
    return frozenset(word for part in _TEMPLATE.findall(text) for word in _WORD.findall(part))


def facts_in(words: Iterable[str]) -> list[str]:
    """The names among words that are facts of a host."""
    return sorted(word for word in words if _FACT.fullmatch(word) and not _NO_FACTS.fullmatch(word))


def beside_hostvars(text: str) -> frozenset[str]:
    """Words of templates that read variables of other hosts, by `hostvars`."""
    if _HOSTVARS not in text:
        return frozenset()
    parts = [*_TEMPLATE.findall(text), *(line for line in text.splitlines() if "{" not in line)]
    named = [frozenset(_WORD.findall(part)) for part in parts if _HOSTVARS in part]
    if any(_HOSTVARS in part for part in parts if part.startswith("{%")):  # by another name from there on
        named.append(words_in(text))
    return frozenset[str]().union(*named)


def subject_of(task: Any) -> tuple[str, str]:
    """What a task or handler is about: its module, and the name that it is given."""
    return short_name(task.action), str(task.args.get("name") or task.args.get("unit") or "")


def of_the_play(words: frozenset[str]) -> list[str]:
    """The names among words that mean all the hosts of the running play."""
    return sorted(words & _OF_THE_PLAY)


def set_in(data: Any) -> frozenset[str]:
    """Variables that tasks set while they run: by `register`, `set_fact`, or as facts that modules gather."""
    return frozenset(_set_in(data))


def _set_in(data: Any) -> Iterator[str]:
    if isinstance(data, list | tuple):
        for item in data:
            yield from _set_in(item)
        return
    if not isinstance(data, Mapping):
        return
    for key, value in data.items():
        name = short_name(str(key))
        if key == "register":
            yield str(value)
        elif name == _SET_FACT:
            yield from map(str, value) if isinstance(value, Mapping) else re.findall(r"(\w+)=", str(value))
        elif name in ("setup", "gather_facts") or name.endswith("_facts"):
            yield "ansible_facts"
            yield from _GATHERED_BY.get(name, ())
        elif key in ("block", "rescue", "always"):
            yield from _set_in(value)


def files_by(data: Any, *actions: str) -> Iterator[str]:
    """The names of the files that tasks take by some actions, as `include_vars`; empty of a folder."""
    if isinstance(data, list | tuple):
        for item in data:
            yield from files_by(item, *actions)
    elif isinstance(data, Mapping):
        for key, value in data.items():
            if short_name(str(key)) in actions:
                yield str(value.get("file") or "") if isinstance(value, Mapping) else str(value)
            elif key in ("block", "rescue", "always"):
                yield from files_by(value, *actions)


def calls_role(data: Any) -> bool:
    """Whether tasks run a role."""
    if isinstance(data, list | tuple):
        return any(map(calls_role, data))
    if not isinstance(data, Mapping):
        return False
    called = any(short_name(str(key)) in ("import_role", "include_role") for key in data)
    return called or any(calls_role(data.get(key)) for key in ("block", "rescue", "always"))


def notified_in(data: Any) -> frozenset[str]:
    """Names of the handlers that tasks notify."""
    return frozenset(_notified_in(data))


def _notified_in(data: Any) -> Iterator[str]:
    if isinstance(data, list | tuple):
        for item in data:
            yield from _notified_in(item)
    elif isinstance(data, Mapping):
        given = data.get("notify") or []
        yield from ([str(given)] if isinstance(given, str) else map(str, given))
        for key in ("block", "rescue", "always"):
            yield from _notified_in(data.get(key))


def handlers_in(data: Any) -> frozenset[str]:
    """The names and topics by which handlers are notified."""
    found: list[str] = []
    for item in data if isinstance(data, list | tuple) else ():
        if isinstance(item, Mapping):
            topics = item.get("listen") or []
            found += [str(item.get("name", "")), *([topics] if isinstance(topics, str) else map(str, topics))]
            found += handlers_in(item.get("block"))
    return frozenset(filter(None, found))


def tags_of(data: Any) -> frozenset[str]:
    """The tags of a task, block, role or play."""
    given = data.get("tags") if isinstance(data, Mapping) else None
    listed = given.split(",") if isinstance(given, str) else given or []
    return frozenset(str(one).strip() for one in listed)
