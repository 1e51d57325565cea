"""Names of processor architectures."""

from __future__ import annotations

_MIPS = ("mips", "mips64", "mips64le", "mipsle")
_POWER = ("ppc64", "ppc64le")
CANONICAL = frozenset(("386", "amd64", "arm", "arm64", "loong64", *_MIPS, *_POWER, "riscv64", "s390x", "sparc64"))
_ALIASES = {
    "x86_64": "amd64",
    "x86-64": "amd64",
    "x64": "amd64",
    "i386": "386",
    "i486": "386",
    "i586": "386",
    "i686": "386",
    "x86": "386",
    "ia32": "386",
    "aarch64": "arm64",
    "armv8": "arm64",
    "armv7l": "arm",
    "armhf": "arm",
    "armel": "arm",
    "power8": "ppc64",
    "power9": "ppc64",
    "powerpc64": "ppc64",
    "powerpc64le": "ppc64le",
}


def canonical(name: str) -> str:
    """The name of an architecture that is called so; empty if none is."""
    lower = name.lower()
    return lower if lower in CANONICAL else _ALIASES.get(lower, "")


def problem_of_architecture(name: str) -> str:
    """Why a machine cannot have this architecture; empty if it can."""
    if name in CANONICAL:
        return ""
    known = canonical(name)
    return f"Please use {known} for Arch instead of {name}" if known else f"Unknown Arch {name}"
