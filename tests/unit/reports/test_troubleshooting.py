"""The messages that the page on troubleshooting explains are messages of the product."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path("docs") / "troubleshooting.md"
_ROW = re.compile(r"^\| `([^`]+)` \|", re.MULTILINE)


def test_each_message_is_one(repository: Path) -> None:
    text = (repository / PAGE).read_text(encoding="utf-8")
    source = "\n".join(file.read_text() for file in sorted((repository / "python").rglob("*.py")))
    source = source.replace("{{", "{").replace("}}", "}").replace('\\"', '"')
    messages = _ROW.findall(text)
    assert len(messages) > 30
    missing = [message for message in messages if not all(part.strip(" '") in source for part in message.split("…"))]
    assert missing == []
