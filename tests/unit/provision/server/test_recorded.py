"""What clients of dr-provision ask for and match on: `recorded.yml` has the transcripts."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

RECORDED = yaml.load((Path(__file__).parent / "recorded.yml").read_text(encoding="utf-8"), yaml.CSafeLoader)


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda one: one["name"])
def test_a_transcript(live, recorded):
    kept = {}
    for step in recorded["steps"]:
        method, path, body = step["send"]
        path = "/".join(kept.get(part, part) for part in path.split("/"))
        said = {"Range": step["range"]} if "range" in step else {}
        if "bytes" in step:
            body, said = step["bytes"].encode(), {"Content-Type": "application/octet-stream"}
        answer = live(method, path, body, headers=said)
        told = answer.body.decode()
        assert answer.status == step["status"], (step["send"], told)
        assert "is" not in step or answer.json == step["is"], (step["send"], told)
        assert step.get("text", told) == told, step["send"]
        assert [text for text in step.get("holds", []) if text not in told] == [], told
        assert [text for text in step.get("lacks", []) if text in told] == [], told
        assert {name: answer.headers.get(name) for name in step.get("headers", {})} == step.get("headers", {})
        for name, value in step.get("has", {}).items():
            assert answer.json[name] == value, (step["send"], answer.body)
        if "says" in step:
            messages = " ".join(answer.json["Messages"])
            assert [text for text in step["says"] if text not in messages] == [], answer.body
        if "keep" in step:
            kept[step["keep"]] = answer.json["Uuid"]
