# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What results of the modules tell: the one way in which filters and tests read them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from ansible.errors import AnsibleFilterError

#: What has such results, for messages.
_SOURCES = "ensemble_job of the role tosca.ensemble.job, or a result of tosca.ensemble.record or tosca.ensemble.info"


def part_of(result: Any, name: str) -> Any:
    """A part of a result.

    Raises:
        AnsibleFilterError: the result has none of this name.
    """
    if not isinstance(result, Mapping) or name not in result:
        raise AnsibleFilterError(f"there is no {name} in this value: give {_SOURCES}")
    return result[name]


def one_of(values: Mapping[str, Any], name: str, what: str) -> Any:
    """The value of this name.

    Raises:
        AnsibleFilterError: there is none; the message has the nearest name.
    """
    if name in values:
        return values[name]
    near = difflib.get_close_matches(name, list(values), n=1)
    raise AnsibleFilterError(f"there is no {what} {name}" + (f" (did you mean {near[0]}?)" if near else ""))


def drifted(result: Any) -> list[str]:
    """Names of the instances that drifted, by a job's result or by what the last check found.

    Raises:
        AnsibleFilterError: the result does not tell.
    """
    told = part_of(result, "drift")
    entries: Iterable[Mapping[str, Any]] = (told or {}).get("instances", []) if not isinstance(told, list) else told
    return [entry["instance"] for entry in entries if entry["changes"]]


def is_ok(value: Any) -> bool:
    """Whether a job did what it is for, or an ensemble, an instance or an operation has the status ok.

    Raises:
        AnsibleFilterError: the value is nothing of this.
    """
    if isinstance(value, str):
        return value == "ok"
    if isinstance(value, Mapping) and isinstance(value.get("job"), Mapping) and "success" in value["job"]:
        return bool(value["job"]["success"]) and not value.get("failed")
    return bool(part_of(value, "status") == "ok")
