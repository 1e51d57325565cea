"""Writes the ensembles of samples.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

SAMPLES: dict[str, dict[str, Any]] = yaml.load(Path(__file__).with_name("samples.yaml").read_text(), yaml.CSafeLoader)


def write_sample(name: str, folder: Path, **replaced: str) -> None:
    """Write a sample's `ensemble.yaml`, and its files."""
    sample = SAMPLES[name]
    for file, text in sample.get("files", {}).items():
        (folder / file).write_text(text)
        (folder / file).chmod(0o755)
    service = {"tosca_definitions_version": "tosca_simple_unfurl_1_0_0", **sample["service"]}
    if "imports" in sample:
        service["imports"] = [{"repository": "unfurl", "file": sample["imports"]}]
    ensemble = {"apiVersion": "unfurl/v1alpha1", "kind": "Ensemble", "spec": {"service_template": service}}
    text = yaml.safe_dump(ensemble, sort_keys=False, width=1000)
    for word, value in replaced.items():
        text = text.replace(word, value)
    (folder / "ensemble.yaml").write_text(text)
