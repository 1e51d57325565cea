# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The variables of the role ``tosca.ensemble.job``: which there are, and what the command calls them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

from ansible.errors import AnsibleValueOmittedError
from ansible_collections.tosca.ensemble.plugins.plugin_utils.arguments import RENAMED
from ansible_collections.tosca.ensemble.plugins.plugin_utils.package import COLLECTION

PREFIX = "ensemble_"

#: What the role registers, and what the inventory plugin gives each host.
_MADE = frozenset(
    {"ensemble_lock", "ensemble_plan", "ensemble_execution", "ensemble_job", "ensemble_stats", "ensemble_instance"}
)

#: Variables of this prefix set inputs of the topology, as those of the command do.
INPUT_PREFIX = "input_"

_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")


def known_variables(loader: Any) -> frozenset[str]:
    """The variables that the role documents."""
    specs = loader.load_from_file(str(COLLECTION / "roles" / "job" / "meta" / "argument_specs.yml"))
    return frozenset(specs["argument_specs"]["main"]["options"])


def input_variables(extra: Mapping[str, Any], template: Callable[[Any], Any]) -> dict[str, Any]:
    """The inputs that extra variables set, but for those that they omit; ``template`` is Ansible's."""
    given = {}
    for name in extra:
        if name.startswith(INPUT_PREFIX):
            with suppress(AnsibleValueOmittedError):
                given[name.removeprefix(INPUT_PREFIX)] = template(extra[name])
    return given


def unknown_variables(given: Mapping[str, Any], known: frozenset[str]) -> list[tuple[str, str | None]]:
    """Variables, and keys of ``ensemble_options``, that look like the role's and are not, each with the nearest one."""
    options = given.get("ensemble_options")
    names = {name: "" for name in given if name.startswith(PREFIX)}
    names.update({f"{PREFIX}{key}": "ensemble_options: " for key in options} if isinstance(options, Mapping) else {})
    found = []
    for name, part in names.items():
        if name in known or name in _MADE:
            continue
        near = _nearest(name, known)
        shown = name.removeprefix(PREFIX) if part else name
        found.append((part + shown, near.removeprefix(PREFIX) if near and part else near))
    return found


def as_variables(text: str, known: Iterable[str]) -> str:
    """A text about options of the command, for users who give variables."""
    names = frozenset(known)

    def replaced(match: re.Match[str]) -> str:
        name = PREFIX + RENAMED.get(match[1], match[1].replace("-", "_"))
        return name if name in names else match[0]

    return _OPTION.sub(replaced, text)


def _nearest(name: str, known: Iterable[str]) -> str | None:
    bare = [one.removeprefix(PREFIX) for one in known]
    found = difflib.get_close_matches(name.removeprefix(PREFIX), bare, n=1, cutoff=0.75)
    return PREFIX + found[0] if found else None
