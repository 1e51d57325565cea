"""Texts that Jinja may evaluate: Ansible takes no other for a template."""

from __future__ import annotations

from typing import Any


def trusted(value: Any) -> Any:
    """Mark an expression (or the expressions in a list or map) as one that Jinja may evaluate."""
    from ansible.template import trust_as_template

    if isinstance(value, str):
        return trust_as_template(value)
    if isinstance(value, list):
        return [trusted(item) for item in value]
    if isinstance(value, dict):
        return {key: trusted(item) for key, item in value.items()}
    return value
