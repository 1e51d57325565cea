"""Rewrites a whole document by ruamel.yaml: slow, for what cannot be edited in place."""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping
from typing import Any

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.documents.emitter import emit_yaml
from ansible_ensemble.documents.yaml import Document


def round_trip(document: Document, data: Any) -> str:
    """Return the document's text with each changed top-level section replaced.

    Comments and quotes outside of those sections stay; anchors and aliases do too, as far as they are still used.
    """
    text = document.text.removeprefix("\ufeff")
    mark = document.text[: len(document.text) - len(text)]
    newline = "\r\n" if "\r\n" in text else "\n"
    if not (isinstance(data, dict) and isinstance(document.data, dict)):
        return mark + emit_yaml(data).replace("\n", newline)
    return mark + _edited(text.replace("\r\n", "\n"), document, data).replace("\n", newline)


def _edited(text: str, document: Document, data: Mapping[Any, Any]) -> str:
    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 1_000_000
    yaml.indent(mapping=2, sequence=4, offset=2)
    output = io.StringIO()
    try:
        with warnings.catch_warnings():
            # An anchor given twice is not an error of ours.
            warnings.simplefilter("ignore")
            tree = yaml.load(text)
            _change(tree, document.data, data, yaml.load)
            yaml.dump(tree, output)
    except EnsembleError:
        raise
    except Exception as error:
        # On odd texts ruamel.yaml ends in errors of many kinds; to the user they mean the same.
        problem = str(getattr(error, "problem", None) or error).partition("\n")[0]
        raise EnsembleError(
            f"the file cannot be edited safely: {problem}", document.place, "write its sections in block style"
        ) from error
    return output.getvalue()


def _change(tree: Any, old: Mapping[Any, Any], new: Mapping[Any, Any], load: Any) -> None:
    """Make the top-level entries of ruamel's tree those of `new`."""
    for key in [key for key in old if key not in new]:
        del tree[key]
    for key, value in new.items():
        if key not in old or old[key] is not value:
            tree[key] = load(emit_yaml({"value": value}))["value"]
