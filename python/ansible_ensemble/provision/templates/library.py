"""All functions that a template may call: Go's own and sprig's.

Of sprig there is not what reads the environment or the network, the clock and its formats, and what makes keys and
certificates.
"""

from __future__ import annotations

from functools import cache

from ansible_ensemble.provision.gotemplate import predeclared
from ansible_ensemble.provision.gotemplate.functions import Function, functions_of
from ansible_ensemble.provision.sprig import (
    conversion,
    encoding,
    expressions,
    lists,
    locations,
    maps,
    mathematics,
    texts,
    versions,
)

_SAME_WITH_MUST = (
    "append chunk compact deepCopy first has initial last merge mergeOverwrite prepend push regexFind regexFindAll"
    " regexReplaceAll regexReplaceAllLiteral regexSplit rest reverse slice toJson toPrettyJson toRawJson uniq without"
)


@cache
def functions() -> dict[str, Function]:
    """Functions by name; sprig's come after Go's and take their place."""
    tables = (predeclared, conversion, encoding, expressions, lists, locations, maps, mathematics, texts, versions)
    found = functions_of({name: call for module in tables for name, call in module.TABLE.items()})
    found.update({"must" + name[0].upper() + name[1:]: found[name] for name in _SAME_WITH_MUST.split()})
    return {**found, **functions_of(dict.fromkeys(predeclared.JUNCTIONS, _junction))}


def _junction(*_values: object) -> None:
    """Stands for `and` and `or`, which the evaluator carries out."""
