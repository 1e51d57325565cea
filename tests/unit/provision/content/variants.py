"""The pack of the tests with one thing changed: a table of changes, and what the check says of each."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import yaml

PACK = Path(__file__).parents[3] / "integration" / "provision" / "pack"
#: Changes by their numbers; `says` is what the check says, `server` what becomes of the pack without a check.
VARIANTS: list[dict[str, Any]] = yaml.load((Path(__file__).parent / "broken.yaml").read_text(), yaml.CSafeLoader)


def made(variant: dict[str, Any], folder: Path) -> Path:
    """The pack with this change, in a folder; beside it is a file that is none of its own."""
    (folder / "outside.txt").write_text("outside")
    pack = folder / "pack"
    shutil.copytree(PACK, pack, symlinks=True)
    if "remove" in variant:
        (pack / variant["remove"]).unlink()
    if "rename" in variant:
        (pack / variant["rename"]).rename(pack / variant["to"])
    if "link" in variant:
        (pack / variant["link"]).symlink_to(variant["to"])
    if "file" in variant:
        file = pack / variant["file"]
        file.parent.mkdir(exist_ok=True, parents=True)
        file.write_bytes(_content(variant, file))
    return pack


def _content(variant: dict[str, Any], file: Path) -> bytes:
    if "old" in variant:
        text = file.read_text()
        assert variant["old"] in text, variant
        return text.replace(variant["old"], variant["new"], 1).encode()
    if "bytes" in variant:
        return bytes.fromhex(variant["bytes"])
    if "size" in variant:
        return b"x" * variant["size"]
    if "deep" in variant:
        return b"Name: deep\nSchema: " + b"[" * variant["deep"]
    return str(variant["text"]).encode()
