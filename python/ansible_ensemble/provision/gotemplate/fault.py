"""Errors of templates."""

from __future__ import annotations

from ansible_ensemble.core.errors import InvalidInput


class TemplateError(InvalidInput):
    """A template that cannot be parsed or rendered; the message names template, line and what is wrong."""
