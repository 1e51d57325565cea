# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of inventory plugins, as AWX imports them."""

from __future__ import annotations

from typing import Any

from ansible.template import trust_as_template


def listed_plainly(value: Any, templar: Any) -> Any:
    """A value whose texts without a template are trusted, for only those are listed as they are."""
    if isinstance(value, dict):
        return {key: listed_plainly(one, templar) for key, one in value.items()}
    if isinstance(value, list):
        return [listed_plainly(one, templar) for one in value]
    plain = isinstance(value, str) and not templar.is_possibly_template(value)
    return trust_as_template(value) if plain else value
