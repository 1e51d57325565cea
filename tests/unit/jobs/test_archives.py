"""Libraries of types in many files, in archives of every layout of CSAR 1.0 and 1.1: valid and broken ones."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.jobs.validate import validate_path

Files = dict[str, str]
VERSION = "tosca_definitions_version: tosca_simple_yaml_1_3\n"
META = "TOSCA-Meta-File-Version: 1.1\nCSAR-Version: 1.1\nCreated-By: a tool\n"
KINDS = ("Disk", "Server", "Network", "Database", "Site")


def node_type(name: str, target: str) -> str:
    """A type that requires the next one, and is implemented by a file of its own."""
    return (
        f"node_types: {{{name}: {{properties: {{size: {{type: Size, default: 1}}}}, "
        f"requirements: [{{next: {{capability: tosca.capabilities.Node, node: {target}, occurrences: [0, 1]}}}}], "
        f"interfaces: {{Standard: {{create: scripts/{name}.sh}}}}}}}}\n"
    )


def one_file_each(imports: Callable[[int], list[str]]) -> Files:
    """A file for each type, with what the file of this number imports; the data type of all has one, too."""
    files = {f"types/{name}.yaml": f"{VERSION}imports: {imports(n)}\n" for n, name in enumerate(KINDS)}
    for name, target in zip(KINDS, (*KINDS[1:], KINDS[0]), strict=True):
        files[f"types/{name}.yaml"] += node_type(name, target)
        files[f"types/scripts/{name}.sh"] = "true\n"
    return {**files, "types/Size.yaml": f"{VERSION}data_types: {{Size: {{derived_from: integer}}}}\n"}


def following(number: int) -> str:
    return f"{KINDS[(number + 1) % len(KINDS)]}.yaml"


#: Libraries of types: by name, the files, and what a service template in the folder above imports.
LIBRARIES: Mapping[str, tuple[Files, list[str]]] = {
    "circle": (one_file_each(lambda n: [following(n), "Size.yaml"]), ["types/Disk.yaml"]),
    "everything of each other": (
        one_file_each(lambda n: [*(f"{one}.yaml" for one in KINDS if one != KINDS[n]), "Size.yaml"]),
        ["types/Site.yaml", "types/Disk.yaml"],
    ),
    "itself": (one_file_each(lambda n: [f"{KINDS[n]}.yaml", following(n), "Size.yaml"]), ["types/Server.yaml"]),
    "index": (
        one_file_each(lambda _: ["index.yaml"])
        | {"types/index.yaml": f"{VERSION}imports: {[f'{one}.yaml' for one in (*KINDS, 'Size')]}\n"},
        ["types/index.yaml"],
    ),
    "from the root": (
        one_file_each(lambda n: [f"/types/{following(n)}", "/types/Size.yaml"]),
        ["/types/Disk.yaml"],
    ),
}


def service(imports: list[str], body: str = "") -> str:
    nodes = ", ".join(f"n{number}: {{type: {name}}}" for number, name in enumerate(KINDS))
    metadata = "metadata: {template_name: a, template_version: 1.0.0}\n"
    return f"{VERSION}{metadata}imports: {imports}\ntopology_template: {{node_templates: {{{nodes}{body}}}}}\n"


def within(folder: str, files: Files) -> Files:
    return {f"{folder}/{name}": text for name, text in files.items()}


def deeper(files: Files, entry: str = "service.yaml", meta: str = META) -> Files:
    """Everything in a folder; the library stays at the root for those that start there."""
    moved = {f"Definitions/{name}" if name == entry else name: text for name, text in files.items()}
    moved[f"Definitions/{entry}"] = moved[f"Definitions/{entry}"].replace("'types/", "'../types/")
    return {**moved, "TOSCA-Metadata/TOSCA.meta": f"{meta}Entry-Definitions: Definitions/{entry}\n"}


def with_meta(files: Files, text: str) -> Files:
    return {**files, "TOSCA-Metadata/TOSCA.meta": text}


#: Layouts of archives [TOSCA 1.3, 6]: each makes an archive of a service template with its library.
LAYOUTS: Mapping[str, Callable[[Files], Files]] = {
    "no metadata": lambda files: files,
    "entry at the root": lambda files: with_meta(files, f"{META}Entry-Definitions: service.yaml\n"),
    "entry not named": lambda files: with_meta(files, META),
    "entry in a folder": deeper,
    "other definitions": lambda files: with_meta(
        files, f'{META}Entry-Definitions: service.yaml\nOther-Definitions: types/Disk.yaml "types/Size.yaml"\n'
    ),
    "version 1.0": lambda files: with_meta(
        files,
        f"{META.replace('1.1', '1.0')}Entry-Definitions: service.yaml\n\nName: types/Disk.yaml\nContent-Type: a/b\n",
    ),
    "line ends of Windows": lambda files: with_meta(
        files, f"\ufeff{META}Entry-Definitions: service.yaml\n".replace("\n", "\r\n")
    ),
    "sparse metadata": lambda files: with_meta(files, "Entry-Definitions: service.yaml\n"),
    "a folder, not packed": lambda files: deeper(files),
}


def made(tmp_path: Path, files: Files, packed: bool) -> Path:
    if packed:
        with zipfile.ZipFile(tmp_path / "a.csar", "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text)
        return tmp_path / "a.csar"
    for name, text in files.items():
        (tmp_path / "a" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "a" / name).write_text(text)
    return tmp_path / "a"


def validated(tmp_path: Path, files: Files, layout: str) -> dict[str, Any]:
    return validate_path(str(made(tmp_path, files, packed="not packed" not in layout)), JobOptions())


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("library", LIBRARIES)
def test_valid(tmp_path: Path, library: str, layout: str) -> None:
    types, imports = LIBRARIES[library]
    found = validated(tmp_path, LAYOUTS[layout]({**types, "service.yaml": service(imports)}), layout)
    assert found["errors"] == []
    assert found["counts"]["node_templates"] == len(KINDS)
    assert len(found["warnings"]) == (3 if layout == "sparse metadata" else 0)


def without(files: Files, name: str) -> Files:
    return {key: text for key, text in files.items() if key != name}


def changed(files: Files, name: str, old: str, new: str) -> Files:
    return {**files, name: files[name].replace(old, new)}


#: What is wrong, how an archive gets so, and what is said of it.
FAULTS: Mapping[str, tuple[Callable[[Files], Files], str]] = {
    "an import is missing": (lambda files: without(files, "types/Network.yaml"), "the imported file Network.yaml does"),
    "a script is missing": (lambda files: without(files, "types/scripts/Site.sh"), "the file scripts/Site.sh of the"),
    "an import leads out": (
        lambda files: changed(files, "types/Site.yaml", "'Disk.yaml'", "'../../../Disk.yaml'"),
        "the imported file ../../../Disk.yaml lies outside of the",
    ),
    "a type is unknown": (lambda files: changed(files, "types/Site.yaml", "type: Size", "type: Sizes"), "type 'Sizes'"),
    "a type is its own parent": (
        lambda files: changed(files, "types/Site.yaml", "{Site: {", "{Site: {derived_from: Site, "),
        "derives from itself",
    ),
    "a type is there twice": (
        lambda files: changed(files, "types/Size.yaml", "data_types", "node_types: {Disk: {}}\ndata_types"),
        "the node type 'Disk' is defined twice",
    ),
    "a version is unknown": (lambda files: changed(files, "types/Site.yaml", "1_3", "9_9"), "tosca_simple_yaml_9_9"),
    "a file is no YAML": (lambda files: {**files, "types/Size.yaml": "a: [\n"}, ""),
}


@pytest.mark.parametrize("layout", ["entry at the root", "entry in a folder", "a folder, not packed"])
@pytest.mark.parametrize("fault", FAULTS)
def test_broken(tmp_path: Path, fault: str, layout: str) -> None:
    types, imports = LIBRARIES["circle"]
    breaks, message = FAULTS[fault]
    files = LAYOUTS[layout](breaks({**types, "service.yaml": service(imports)}))
    errors = validated(tmp_path, files, layout)["errors"]
    assert message in errors[0]["message"]
    assert [error for error in errors if not error["line"]] == []
    assert [error for error in errors if not error["file"].startswith(str(tmp_path / "a"))] == []
