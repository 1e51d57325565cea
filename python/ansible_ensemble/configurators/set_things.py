"""What modules set of things that others may set, too, and that are no files: a user's groups, a service's state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from ansible_ensemble.core.sensitive import is_sensitive
from ansible_ensemble.documents.scalars import spoken_boolean

#: In place of an argument: the whole thing, as one that sets it makes all of it.
WHOLE = "*"
_APPEND = "append"


class Thing(Struct, frozen=True):
    """What a module sets.

    Attributes:
        word: what it is.
        names: the arguments that name it, the first that is given counts; none if a host has only one.
        settings: the arguments that say how it is to be; none if each who sets it makes all of it.
        owners: the arguments that say whose it is.
        state: the state that is meant if none is given.
    """

    word: str
    names: tuple[str, ...] = ("name",)
    settings: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()
    state: str = ""


#: States in which a service runs: which of them is last makes no difference.
_STARTED = ("started", "restarted", "reloaded")
_SERVICE = Thing("service", ("name", "unit", "service"), ("state", "enabled", "masked"))
#: Modules by their names without the collection.
_THINGS: Mapping[str, Thing] = {
    "user": Thing(
        "user", ("name", "user"), ("state", "uid", "group", "groups", "shell", "home", "comment"), state="present"
    ),
    "group": Thing("group", settings=("state", "gid"), state="present"),
    **dict.fromkeys(("service", "systemd", "systemd_service", "sysvinit"), _SERVICE),
    "cron": Thing("cron job", owners=("user", "cron_file")),
    "hostname": Thing("host's name", (), ("name",)),
    "timezone": Thing("time zone", (), ("name",)),
}


class Setting(Struct, frozen=True):
    """What a module sets of a thing.

    Attributes:
        path: in words, the same for each who sets it.
        argument: by which it is set.
        value: to what; the same text for what makes no difference.
        adds: to what others set.
    """

    path: str
    argument: str
    value: str
    adds: bool = False


def sets_thing(module: str) -> bool:
    """Whether a module, by its name without the collection, sets something that is no file."""
    return module in _THINGS


def setting_arguments(module: str) -> tuple[str, ...]:
    """The arguments of a module that say what it sets."""
    thing = _THINGS[module]
    return (*thing.names, *thing.settings, *thing.owners, _APPEND)


def settings_of(module: str, args: Mapping[str, Any]) -> Iterator[Setting]:
    """What a module sets with arguments, those left out that are not known."""
    thing = _THINGS[module]
    name = next((args[one] for one in thing.names if args.get(one)), None)
    if thing.names and not isinstance(name, str | int):
        return
    title = f"{thing.word} {name}".removesuffix(".service") if name else thing.word
    if not thing.settings:
        owners = [str(args[one]) for one in thing.owners if args.get(one)]
        yield Setting(" of ".join([f"the {title}", *owners]), WHOLE, "")
    for setting in thing.settings:
        value = _value(thing, setting, args)
        if value:
            path = f"the {setting} of {title}" if thing.names else f"the {title}"
            yield Setting(path, setting, value, value == _APPEND)


def _value(thing: Thing, setting: str, args: Mapping[str, Any]) -> str:
    """To what a setting is set; empty if it is not, or nobody knows."""
    value = args.get(setting)
    if setting not in args and setting == "state":
        return thing.state
    if value is None or is_sensitive(value):
        return ""
    if value in _STARTED:
        return _STARTED[0]
    if setting == "groups":
        names = value if isinstance(value, list) else str(value).split(",")
        return _APPEND if _is_appended(args) else ",".join(sorted(str(one).strip() for one in names))
    spoken = spoken_boolean(value) if isinstance(value, str) else None
    return str(value if spoken is None else spoken)


def _is_appended(args: Mapping[str, Any]) -> bool:
    value = args.get(_APPEND)
    return value is True or spoken_boolean(value) is True


def checked_as(setting: str, later: str) -> dict[str, Any]:
    """Arguments with which a setting is checked that another one sets later: other values, or None to leave one out."""
    if setting != "groups":
        return {setting: None}
    return {_APPEND: True} if later == _APPEND else {setting: None, _APPEND: None}
