#!/usr/bin/env python3
"""Look at the machines: what each of them booted, and what its site says."""

from __future__ import annotations

import sys
import urllib.request
from pathlib import Path


def main(folder: Path, ports: list[str]) -> None:
    """Show the machines in a folder, and the pages at these ports."""
    for boots in sorted(folder.glob("*/boots")):
        print(f"{boots.parent.name}:")
        for line in boots.read_text(encoding="utf-8").splitlines():
            print(f"  {line}")
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    for port in ports:
        with direct.open(f"http://127.0.0.1:{port}/", timeout=10) as page:
            print(f"http://127.0.0.1:{port}/ says: {page.read().decode().strip()}")


if __name__ == "__main__":
    main(Path(__file__).parent / "site" / "machines", sys.argv[1:] or ["8791", "8792", "8793"])
