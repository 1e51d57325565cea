#!/usr/bin/env python3
"""Visit the guestbook: sign it, and show what it says then."""

from __future__ import annotations

import re
import sys
import urllib.parse
import urllib.request


def main(url: str) -> None:
    """Sign the guestbook at this URL and print its entries."""
    form = urllib.parse.urlencode({"name": "visit.py", "message": "It works."}).encode()
    with urllib.request.urlopen(url, form, timeout=10) as response:
        page = response.read().decode()
    print(f"{url} says:")
    for entry in re.findall(r"<li>(.*?)</li>", page):
        print(" ", re.sub(r"<.*?>", "", entry))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8780/")
