#!/usr/bin/env python3
"""The operations of the database: create, migrate, open, close, check.

The environment holds the operation's inputs: `database`, its file, and for migrate `schema`, an SQL file.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path


def create(path: Path) -> None:
    """Make an empty database."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("VACUUM")


def migrate(path: Path) -> None:
    """Apply the schema, all of it or nothing."""
    schema = Path(os.environ["schema"]).read_text(encoding="utf-8")
    with closing(connect(path)) as database:
        database.executescript(f"BEGIN;\n{schema}\nCOMMIT;")


def open_(path: Path) -> None:
    """Switch to a write-ahead log: readers and the writer do not wait for each other."""
    with closing(connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")


def close(path: Path) -> None:
    """Fold the write-ahead log into the file."""
    with closing(connect(path)) as database:
        database.execute("PRAGMA journal_mode = DELETE")


def check(path: Path) -> None:
    """Look whether the table of entries can be read, and say so as the operation's status."""
    if not path.exists():
        print(json.dumps({"status": "absent"}))
        return
    with closing(connect(path)) as database:
        database.execute("SELECT count(name) FROM entry").fetchone()
    print(json.dumps({"status": "ok"}))


def connect(path: Path) -> sqlite3.Connection:
    """Connect to the database, which must exist."""
    return sqlite3.connect(f"file:{path}?mode=rw", uri=True, timeout=10)


OPERATIONS = {"create": create, "migrate": migrate, "open": open_, "close": close, "check": check}

if __name__ == "__main__":
    try:
        OPERATIONS[sys.argv[1]](Path(os.environ["database"]))
    except (sqlite3.Error, OSError) as error:
        sys.exit(f"{os.environ['database']}: {error}")
