"""Objects of a release that somebody changed by hand."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any

import yaml

from ansible_ensemble.configurators.helm_objects import HelmObject, as_objects, differences
from ansible_ensemble.configurators.helm_program import Helm
from ansible_ensemble.core.orders import Order, Outcome

#: Of a dry run of kubectl's that applies what the release consists of, as Helm would.
_APPLY = ("apply", "--server-side", "--dry-run=server", "--force-conflicts", "--field-manager=helm")


def changed_by_hand(
    helm: Helm, wanted: Iterable[HelmObject], live: Iterable[HelmObject]
) -> Generator[Order, Outcome, tuple[list[dict[str, Any]], str | None]]:
    """How objects differ from what applying them again would make of them, and why that is not known if it is not.

    The API server tells it: it fills in defaults and writes quantities in its own way. An object that is gone is none.
    """
    there = {one.key: one for one in live}
    compared = [one for one in wanted if one.key in there]
    if not compared:
        return [], None
    manifest = yaml.safe_dump_all([dict(one.content) for one in compared])
    outcome, told = yield from helm.kubectl(*_APPLY, "--output", "json", "--filename", "-", stdin=manifest)
    if not outcome.ok:
        return [], f"nobody looked for objects that were changed by hand: {outcome.error}"
    made = as_objects([told], compared[0].namespace)
    return differences((there[one.key] for one in made if one.key in there), made), None
