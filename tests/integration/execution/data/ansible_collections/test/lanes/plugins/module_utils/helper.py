from __future__ import annotations


def greeting(name: str) -> str:
    return f"hello {name}"
