# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the plugins for machines reach the server."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from ansible import constants
from ansible_collections.tosca.ensemble.plugins.plugin_utils.arguments import Arguments

#: how to reach the server; doc_fragments/provision.py documents them
CONNECTION: Arguments = {
    "endpoint": {"type": "str"},
    "key": {"type": "str", "no_log": True},
    "token": {"type": "str", "no_log": True},
    "ca_file": {"type": "path"},
    "fingerprint": {"type": "str"},
    "insecure": {"type": "bool", "default": False},
}


def server_of(facade: ModuleType, given: Mapping[str, Any], check: bool = False) -> Any:
    """The server that options name; processes of this run of Ansible log in to it once."""
    connection = {name: given[name] for name in CONNECTION if given.get(name) is not None}
    return facade.Server(connection, constants.DEFAULT_LOCAL_TMP, check)
