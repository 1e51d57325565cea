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
        answer = live(method, path, body)
        assert answer.status == step["status"], (step["send"], answer.body)
        for name, value in step.get("has", {}).items():
            assert answer.json[name] == value, (step["send"], answer.body)
        if "says" in step:
            told = " ".join(answer.json["Messages"])
            assert [text for text in step["says"] if text not in told] == [], answer.body
        if "keep" in step:
            kept[step["keep"]] = answer.json["Uuid"]
