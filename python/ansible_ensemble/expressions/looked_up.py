"""What Ansible reads by itself while it carries out an operation, as reads of the operation.

| reference | value |
|---|---|
| `inventory::host::name` | a variable (see `expressions.inventory`) |
| `fact::host::name` | a fact, by its name in `ansible_facts` |
| `group::pattern` | the hosts of a group or pattern |
| `env::NAME`, `file:path`, `directory:path` | as expressions read them |
| `outside::name` | what nobody can read again without side effects: a lookup that runs a program or asks a server |
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.orders import LookedUp
from ansible_ensemble.expressions.context import Context
from ansible_ensemble.expressions.external import read_external
from ansible_ensemble.expressions.files import note, reference
from ansible_ensemble.expressions.inventory import find_inventory, note_variables

FACT, GROUP, OUTSIDE = "fact", "group", "outside"
_FACTS = "ansible_facts"


def note_looked_up(found: LookedUp, host: str, aside: Callable[[], Collection[Path]], context: Context) -> None:
    """Take down what was read on a host, but for files in the folders that are set aside.

    `aside` is called only where files were read. A file that is no longer there was made and removed by the operation
    itself.
    """
    note_variables(found.variables, host, context)
    for other, names in found.hosts.items():
        note_variables([name for name in names if name != _FACTS], other, context)
        if _FACTS in names:
            context.tracker.read(f"{OUTSIDE}::facts of {other}", None)
    for of, facts in found.facts.items():
        for name, value in facts.items():
            context.tracker.read(f"{FACT}::{of}::{name}", value)
    for pattern in found.groups:
        with suppress(EnsembleError):  # it is no pattern here
            read_group(pattern, context)
    for name in found.environ:
        read_external("env", name, context)
    for name in found.outside:
        context.tracker.read(f"{OUTSIDE}::the lookup {name}", None)
    if found.files or found.loaded:
        _note_files(found, aside(), context)


def _note_files(found: LookedUp, aside: Collection[Path], context: Context) -> None:
    environment = context.environment
    root, above = environment.root.resolve(), environment.folder.resolve()
    paths = dict.fromkeys(Path(text).resolve() for text in (*found.files, *found.loaded))
    loaded = {Path(text).resolve() for text in found.loaded}.difference(Path(text).resolve() for text in found.files)
    folders = {path for path in paths if path.is_dir() and not above.is_relative_to(path)}
    for path in paths:
        known = any(path.is_relative_to(folder) for folder in (*aside, *(folders - {path})))
        elsewhere = path in loaded and not path.is_relative_to(root)  # it comes with Ansible, a role or a collection
        if known or elsewhere or not (path in folders or path.is_file()):
            continue
        kind = "directory" if path in folders else "file"
        if f"{kind}:{reference(path, environment)}" not in context.tracker.reads:
            with suppress(EnsembleError):  # it is not for this user to read
                note(path, context)


def read_fact(path: str, context: Context) -> None:
    """Read a fact of a reference (`host::name`) that was gathered before.

    Raises:
        KeyError: it is not known.
    """
    host, _separator, name = path.partition("::")
    inventory = find_inventory(context)
    if inventory is None:
        raise KeyError(path)
    context.tracker.read(f"{FACT}::{path}", inventory.fact(host, name))


def read_group(pattern: str, context: Context) -> None:
    """Read which hosts a group or pattern means."""
    inventory = find_inventory(context)
    if inventory is not None:
        context.tracker.read(f"{GROUP}::{pattern}", list(inventory.matching(pattern)))
