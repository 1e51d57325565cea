# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Event source ``tosca.ensemble.ensemble`` of rulebooks."""

from __future__ import annotations

DOCUMENTATION = r"""
short_description: Jobs of ensembles that end, and the drift that they find
description:
  - Gives an event for each job of an ensemble that ends, and one more if it found drift.
  - Looks at the records of the jobs, whoever runs them; it runs nothing itself, and takes no lock.
  - C(event.event) is V(job_ended) or V(drift_found), C(event.ensemble) the ensemble's file, C(event.job) the job as
    M(tosca.ensemble.info) tells it in the history; of drift, C(event.instances) has the instances with what changed.
options:
  ensemble:
    description: The C(ensemble.yaml), the folder that holds it, or a service template; or a list of these.
    type: raw
    required: true
  events:
    description: The events to give.
    type: list
    elements: str
    choices: [job_ended, drift_found]
    default: [job_ended, drift_found]
  interval:
    description: Seconds between two looks.
    type: float
    default: 5.0
  earlier:
    description: Whether jobs count as well that ended before the rulebook began.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Bring back what drifted
  hosts: localhost
  sources:
    - name: Watch the web
      tosca.ensemble.ensemble:
        ensemble: /srv/web/ensemble.yaml
        events: [drift_found]
  rules:
    - name: Repair it
      condition: event.event == "drift_found"
      action:
        run_playbook:
          name: tosca.ensemble.deploy
          extra_vars:
            ensemble: "{{ event.ensemble }}"
"""

import asyncio
import importlib
import importlib.util
import logging
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

_EVENTS = ("job_ended", "drift_found")
_KNOWN = ("ensemble", "events", "interval", "earlier")


async def main(queue: asyncio.Queue[Any], args: dict[str, Any]) -> None:
    """Put events into the queue until the rulebook ends.

    Raises:
        ValueError: an argument is wrong, or there is no such ensemble; the message says what and where.
    """
    ensembles, events, interval, earlier = _checked(args)
    endings, problem = _package()
    try:
        watches = [await asyncio.to_thread(endings.JobWatch, one, earlier=earlier) for one in ensembles]
    except problem as error:
        raise ValueError(str(error)) from None
    told: dict[Any, str] = {}
    while True:
        for watch in watches:
            try:
                found = await asyncio.to_thread(watch.events)
            except problem as error:  # what cannot be read now may be readable later
                if told.get(watch) != str(error):
                    logging.getLogger(__name__).error("tosca.ensemble.ensemble: %s", error)
                told[watch] = str(error)
                continue
            told.pop(watch, None)
            for event in found:
                if event["event"] in events:
                    await queue.put(event)
        await asyncio.sleep(interval)


def _checked(args: dict[str, Any]) -> tuple[list[str], list[str], float, bool]:
    """The arguments, with their defaults."""
    given = {name: value for name, value in args.items() if not name.startswith("eda_")}
    if unknown := sorted(set(given) - set(_KNOWN)):
        raise ValueError(f"tosca.ensemble.ensemble has no argument {unknown[0]}: there are {', '.join(_KNOWN)}")
    named = given.get("ensemble")
    ensembles = [named] if isinstance(named, str) else named
    if not isinstance(ensembles, list) or not ensembles or not all(isinstance(one, str) and one for one in ensembles):
        raise ValueError("tosca.ensemble.ensemble needs the argument ensemble: a path, or a list of paths")
    events = given.get("events", list(_EVENTS))
    if not isinstance(events, list) or not set(events) <= set(_EVENTS):
        raise ValueError(f"events of tosca.ensemble.ensemble must be a list of {' and '.join(_EVENTS)}")
    interval, earlier = given.get("interval", 5.0), given.get("earlier", False)
    if isinstance(interval, bool) or not isinstance(interval, (int, float)) or not interval > 0:
        raise ValueError("interval of tosca.ensemble.ensemble must be a number of seconds above 0")
    if not isinstance(earlier, bool):
        raise ValueError("earlier of tosca.ensemble.ensemble must be true or false")
    return ensembles, events, float(interval), earlier


def _package() -> tuple[ModuleType, type[Exception]]:
    """The module of the package that looks for jobs, and its errors; it is installed, or lies in the collection."""
    if importlib.util.find_spec("ansible_ensemble") is None:
        sys.path.append(str(Path(__file__).resolve().parents[4] / "python"))
    errors = importlib.import_module("ansible_ensemble.core.errors")
    return importlib.import_module("ansible_ensemble.jobs.endings"), errors.EnsembleError
