"""Objects as a client written in Go has them: each field of its structs, its zero, and what it can decode into it."""

from __future__ import annotations

import re
from typing import Any

TEXT, WHOLE, TRUTH, ANY, UUID, ADDRESS, TIME = "text", "whole", "truth", "any", "uuid", "address", "time"
TEXTS, TEXT_MAP, MAP = [TEXT], {"*": TEXT}, {"*": ANY}

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)")
_ADDRESS = re.compile(r"[0-9a-fA-F.:]+")

_COMMON = {
    "Validated": TRUTH,
    "Available": TRUTH,
    "Errors": TEXTS,
    "ReadOnly": TRUTH,
    "Meta": TEXT_MAP,
    "Endpoint": TEXT,
    "Bundle": TEXT,
}
_DESCRIBED = {**_COMMON, "Name": TEXT, "Description": TEXT, "Documentation": TEXT}
_TEMPLATE_INFO = {"Name": TEXT, "Path": TEXT, "Link": TEXT, "ID": TEXT, "Contents": TEXT, "Meta": TEXT_MAP}
_PARAM_NAMES = {"RequiredParams": TEXTS, "OptionalParams": TEXTS}
_SYSTEM = {
    **dict.fromkeys(("Name", "Family", "Codename", "Version", "IsoFile", "IsoSha256", "IsoUrl"), TEXT),
    "SupportedArchitectures": MAP,
}
_CLAIM = {"scope": TEXT, "action": TEXT, "specific": TEXT}

#: The fields of the structs, by prefix.
MODELS: dict[str, dict[str, Any]] = {
    "machines": {
        **_COMMON,
        **dict.fromkeys(("Name", "Description", "Stage", "BootEnv", "Secret", "OS", "Workflow", "Arch"), TEXT),
        **dict.fromkeys(("Context", "Pool", "PoolStatus"), TEXT),
        **dict.fromkeys(("Uuid", "CurrentJob"), UUID),
        **dict.fromkeys(("Profiles", "Tasks", "HardwareAddrs"), TEXTS),
        **dict.fromkeys(("Runnable", "Locked", "PoolAllocated", "WorkflowComplete", "Partial"), TRUTH),
        **dict.fromkeys(("CurrentTask", "RetryTaskAttempt"), WHOLE),
        "Address": ADDRESS,
        "Params": MAP,
        "TaskErrorStacks": [{"CurrentTask": WHOLE, "TaskList": TEXTS}],
        "Fingerprint": {
            **dict.fromkeys(("SSNHash", "CSNHash", "CloudInstanceID", "SystemUUID"), TEXT),
            "MemoryIds": TEXTS,
        },
    },
    "jobs": {
        **_COMMON,
        **dict.fromkeys(("Uuid", "Previous", "Machine"), UUID),
        **dict.fromkeys(("Task", "Stage", "Context", "State", "ExitState", "Workflow", "BootEnv"), TEXT),
        **dict.fromkeys(("StartTime", "EndTime"), TIME),
        **dict.fromkeys(("Archived", "Current"), TRUTH),
        **dict.fromkeys(("CurrentIndex", "NextIndex"), WHOLE),
        "ExtraClaims": [_CLAIM],
        "Token": TEXT,
    },
    "tasks": {
        **_DESCRIBED,
        **_PARAM_NAMES,
        "Templates": [_TEMPLATE_INFO],
        "Prerequisites": TEXTS,
        "ExtraRoles": TEXTS,
        "ExtraClaims": [_CLAIM],
    },
    "templates": {**_COMMON, "ID": TEXT, "Description": TEXT, "Contents": TEXT},
    "stages": {
        **_DESCRIBED,
        **_PARAM_NAMES,
        "Templates": [_TEMPLATE_INFO],
        "Params": MAP,
        "BootEnv": TEXT,
        "Tasks": TEXTS,
        "Profiles": TEXTS,
        "Reboot": TRUTH,
        "RunnerWait": TRUTH,
        "Partial": TRUTH,
    },
    "workflows": {**_DESCRIBED, "Stages": TEXTS},
    "bootenvs": {
        **_DESCRIBED,
        **_PARAM_NAMES,
        "OS": _SYSTEM,
        "Templates": [_TEMPLATE_INFO],
        "Kernel": TEXT,
        "Initrds": TEXTS,
        "BootParams": TEXT,
        "OnlyUnknown": TRUTH,
        "Loaders": TEXT_MAP,
    },
    "params": {**_DESCRIBED, "Secure": TRUTH, "Schema": ANY},
    "profiles": {**_DESCRIBED, "Params": MAP, "Profiles": TEXTS, "Partial": TRUTH},
    "users": {**_COMMON, "Name": TEXT, "Description": TEXT, "PasswordHash": TEXT, "Secret": TEXT, "Roles": TEXTS},
    "roles": {**_DESCRIBED, "Claims": [_CLAIM]},
    "contexts": {**_DESCRIBED, "Engine": TEXT, "Image": TEXT},
}
#: Fields that a struct leaves out of its JSON while they are zero.
_OMITTED = {"jobs": {"ExtraClaims", "Token"}, "tasks": {"ExtraClaims", "ExtraRoles"}}

EVENT = {
    **dict.fromkeys(("Type", "Action", "Key", "Principal"), TEXT),
    "Time": TIME,
    "Object": ANY,
    "Original": ANY,
}
ERROR = {"Model": TEXT, "Key": TEXT, "Type": TEXT, "Messages": TEXTS, "Code": WHOLE}
ACTION = {"Name": TEXT, "Path": TEXT, "Content": TEXT, "Meta": TEXT_MAP}
TOKEN = {"Token": TEXT, "Info": MAP}

_ZEROS: dict[str, Any] = {
    **dict.fromkeys((TEXT, UUID, ADDRESS), ""),
    WHOLE: 0,
    TRUTH: False,
    ANY: None,
    TIME: "0001-01-01T00:00:00Z",
}


class Undecodable(AssertionError):
    """JSON that a client in Go refuses."""


def zero(shape: Any) -> Any:
    """What a field has that nobody set: slices and maps are null."""
    if isinstance(shape, str):
        return _ZEROS[shape]
    if isinstance(shape, list) or "*" in shape:
        return None
    return {name: zero(inner) for name, inner in shape.items()}


def body(prefix: str, given: dict[str, Any]) -> dict[str, Any]:
    """The JSON of a struct of which some fields were set: all fields, but those that are left out while zero."""
    full = {**zero(MODELS[prefix]), **given}
    return {name: value for name, value in full.items() if value or name not in _OMITTED.get(prefix, ())}


def decoded(shape: Any, value: Any, where: str = "") -> Any:
    """What the client has of JSON: fields it knows, in any spelling of case.

    Raises:
        Undecodable: something has the wrong type.
    """
    if isinstance(shape, str):
        return _scalar(shape, value, where)
    if value is None:
        return zero(shape)
    if isinstance(shape, list):
        _want(isinstance(value, list), value, where)
        return [decoded(shape[0], item, f"{where}[]") for item in value]
    _want(isinstance(value, dict), value, where)
    if "*" in shape:
        return {name: decoded(shape["*"], item, f"{where}.{name}") for name, item in value.items()}
    folded = {name.casefold(): item for name, item in value.items()}
    return {
        name: decoded(inner, folded[name.casefold()], f"{where}.{name}") if name.casefold() in folded else zero(inner)
        for name, inner in shape.items()
    }


def _scalar(shape: str, value: Any, where: str) -> Any:
    if shape == ANY:
        return value
    if value is None:
        return zero(shape)
    patterns = {UUID: _UUID, TIME: _TIME, ADDRESS: _ADDRESS}
    if shape in patterns:
        _want(isinstance(value, str), value, where)
        _want(bool(patterns[shape].fullmatch(value)) or (value == "" and shape != TIME), value, where)
    else:
        kind = {TEXT: str, WHOLE: int, TRUTH: bool}[shape]
        _want(type(value) is kind, value, where)
    return value


def _want(holds: bool, value: Any, where: str) -> None:
    if not holds:
        raise Undecodable(f"{where or 'the answer'} cannot be decoded: {value!r}")
