"""Service templates in Python, those that name what the package `unfurl` has among them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.python_template import read_python_template
from ansible_ensemble.ensembles.read import read_ensemble

converted = pytest.mark.skipif(importlib.util.find_spec("tosca") is None, reason="the package tosca is not installed")

GREETER = """\
import unfurl
import tosca
from unfurl.configurators.shell import ShellConfigurator
from unfurl.configurators import TemplateConfigurator

class Greeter(tosca.nodes.Root):
    word: str = "hello"

    def configure(self, **kw):
        return ShellConfigurator(command="echo {{ SELF.word }}", echo=False)

    def delete(self, **kw):
        return TemplateConfigurator(done=dict(status="absent"))

greeter = Greeter(word="hi")
anything = unfurl.nodes.Generic()
"""


def read(folder: Path, text: str) -> Any:
    (folder / "service.py").write_text(text)
    return read_python_template(folder / "service.py", trusted=True).data


@converted
def test_configurators_of_unfurl_become_implementations(tmp_path: Path) -> None:
    made = read(tmp_path, GREETER)
    assert made["node_types"]["Greeter"]["interfaces"]["Standard"]["operations"] == {
        "configure": {
            "implementation": {"className": "unfurl.configurators.shell.ShellConfigurator"},
            "inputs": {"command": "echo {{ SELF.word }}", "echo": False},
        },
        "delete": {
            "implementation": {"className": "unfurl.configurators.TemplateConfigurator"},
            "inputs": {"done": {"status": "absent"}},
        },
    }
    types = {name: node["type"] for name, node in made["topology_template"]["node_templates"].items()}
    assert types == {"greeter": "Greeter", "anything": "unfurl.nodes.Generic"}


@converted
@pytest.mark.parametrize("line", ["unfurl.yamlloader", "unfurl.configurators.shell.NoSuchConfigurator()"])
def test_what_the_package_has_beside_is_an_error_of_its_line(tmp_path: Path, line: str) -> None:
    with pytest.raises(InvalidInput, match="has no attribute") as caught:
        read(tmp_path, f"import unfurl\nimport unfurl.configurators.shell\nx = {line}\n")
    assert caught.value.place is not None
    assert caught.value.place.line == 3


NAMES = """\
import unfurl
import tosca
from unfurl.configurator import TaskView
from unfurl.configurators import DoneDict, TemplateConfigurator, TemplateInputs
from unfurl.tosca_plugins import expr
from unfurl.tosca_plugins.artifacts import *
from unfurl.tosca_plugins.expr import concat, get_env
from unfurl.tosca_plugins.functions import to_label

class Link(unfurl.relationships.ConnectsToAWSAccount):
    pass

class Site(tosca.nodes.Root):
    a: str = concat("x", "y", sep="-")
    b: str = get_env("B", "none")
    c: str = to_label("a b", replace="_")
    d: str = expr.get_dir(None, "src")
    e: str = expr.template(contents="{{ 1 }}")
    f: str = expr.lookup("env", "HOME")
    g: str = expr.if_expr(True, "t", "e")
    h: str = tosca.Property(default="", options=expr.tfvar)
    i: bool = expr.as_bool(expr.get_input("i"))
    j: str = expr.or_expr(get_env("J"), "none")
    k: str = expr.uri()

    def configure(self, **kw: TaskView) -> TemplateConfigurator:
        return TemplateConfigurator(TemplateInputs(run="test me", done=DoneDict(status="ok")))

site = Site()
tools = unfurl.nodes.LocalRepository("tools")
tools.kompose = artifact_AsdfTool("kompose", file="kompose")
"""
VALUES = {
    "a": {"eval": {"concat": ["x", "y"], "sep": "-"}},
    "b": {"eval": {"get_env": ["B", "none"]}},
    "c": {"eval": {"to_label": "a b", "replace": "_"}},
    "d": {"eval": {"get_dir": "src"}},
    "e": {"eval": {"template": "{{ 1 }}"}},
    "f": {"eval": {"lookup": {"env": "HOME"}}},
    "g": {"eval": {"if": True, "then": {"q": "t"}, "else": {"q": "e"}}},
    "h": "",
    "i": {"eval": {"not": {"not": {"eval": {"get_input": "i"}}}}},
    "j": {"eval": {"or": [{"eval": {"get_env": "J"}}, {"q": "none"}]}},
    "k": {"eval": ".uri"},
}


@converted
def test_names_of_the_package_have_a_counterpart(tmp_path: Path) -> None:
    made = read(tmp_path, NAMES)
    properties = made["node_types"]["Site"]["properties"]
    assert {name: one["default"] for name, one in properties.items()} == VALUES
    assert properties["h"]["metadata"] == {"tfvar": True}
    operation = made["node_types"]["Site"]["interfaces"]["Standard"]["operations"]["configure"]
    assert operation["inputs"] == {"run": "test me", "done": {"status": "ok"}}
    assert made["relationship_types"]["Link"]["derived_from"] == "unfurl.relationships.ConnectsTo.AWSAccount"
    tools = made["topology_template"]["node_templates"]["tools"]
    assert tools["artifacts"]["kompose"] == {"type": "artifact.AsdfTool", "file": "kompose"}


#: Module -> what Unfurl 1.2 exports to service templates.
EXPORTED = {
    "abc": "ABC abstractmethod",
    "unfurl.tosca_plugins.expr": (
        "tfoutput tfvar has_env get_env get_input if_expr or_expr and_expr tempfile lookup to_env "
        "get_ensemble_metadata abspath get_dir template get_nodes_of_type negate as_bool uri concat token "
    ),
    "unfurl.tosca_plugins.functions": (
        "urljoin to_label to_dns_label to_kubernetes_label to_googlecloud_label generate_string"
    ),
    "unfurl.tosca_plugins.artifacts": (
        "artifact_AsdfTool artifact_PythonPackage artifact_AnsibleCollection unfurl_nodes_Installer_Terraform"
    ),
    "unfurl.tosca_plugins.k8s": (
        "unfurl_capabilities_Endpoint_K8sCluster unfurl_relationships_ConnectsTo_K8sCluster "
        "unfurl_nodes_K8sCluster unfurl_nodes_K8sRawResource unfurl_nodes_K8sNamespace "
        "unfurl_nodes_K8sResource unfurl_nodes_K8sSecretResource "
    ),
    "unfurl.tosca_plugins.googlecloud": (
        "unfurl_nodes_GoogleCloudObject unfurl_nodes_GoogleCloudProject unfurl_nodes_GoogleCloudServiceKey "
        "unfurl_nodes_GoogleCloudResource unfurl_nodes_GoogleCloudOrganization unfurl_nodes_GoogleCloudFolder "
    ),
    "unfurl.configurators": "CmdConfigurator DoneDict TemplateInputs TemplateConfigurator DelegateConfigurator",
    "unfurl.configurators.shell": "ShellInputs ShellConfigurator",
    "unfurl.configurators.ansible": "AnsibleInputs AnsibleConfigurator",
    "unfurl.configurators.terraform": "TerraformInputs TerraformConfigurator",
    "unfurl.configurators.templates.docker": (
        "unfurl_datatypes_DockerContainer unfurl_nodes_Container_Application_Docker"
    ),
    "unfurl.configurators.templates.dns": (
        "unfurl_datatypes_DNSRecord unfurl_capabilities_DNSZone unfurl_relationships_DNSRecords unfurl_nodes_DNSZone "
    ),
    "unfurl.configurators.templates.helm": (
        "unfurl_interfaces_Helm unfurl_nodes_HelmRepository unfurl_nodes_HelmRelease"
    ),
}


@converted
def test_properties_that_are_inputs_and_outputs_of_an_artifact_say_so(tmp_path: Path) -> None:
    made = read(
        tmp_path,
        "import tosca\n"
        "class A(tosca.artifacts.Root):\n"
        "    a: str = tosca.Property(options=tosca.InputOption)\n"
        "    b: str = tosca.Attribute(options=tosca.OutputOption)\n",
    )
    kind = made["artifact_types"]["A"]
    assert kind["properties"]["a"]["metadata"] == {"input_match": True}
    assert kind["attributes"]["b"]["metadata"] == {"output_match": True}


@converted
def test_each_name_that_unfurl_exports_is_there(tmp_path: Path) -> None:
    lines = [f"from {module} import {', '.join(names.split())}" for module, names in EXPORTED.items()]
    made = read(tmp_path, "import tosca\n" + "\n".join(lines) + "\nn = unfurl_nodes_GoogleCloudObject()\n")
    assert made["topology_template"]["node_templates"]["n"]["type"] == "unfurl.nodes.GoogleCloudObject"


@converted
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("from unfurl.configurators.k8s import *", "no counterpart of unfurl.configurators.k8s"),
        ("from unfurl.configurators.templates.docker import x", "no counterpart of unfurl.configurators.templates"),
        ("from unfurl.configurators.templates.compose import x", "no counterpart of unfurl.configurators.templates"),
        ("from unfurl.tosca_plugins.expr import nope", "no counterpart of unfurl.tosca_plugins.expr"),
        ("from unfurl.tosca_plugins.expr import get_dir; get_dir(1, 'src')", "give None first"),
    ],
)
def test_what_has_none_is_named(tmp_path: Path, line: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words) as caught:
        read(tmp_path, f"import tosca\n{line}\nx = tosca.nodes.Root()\n")
    assert caught.value.place is not None
    assert caught.value.place.line == 2


def test_a_file_of_comments_needs_no_package_and_no_trust(tmp_path: Path) -> None:
    (tmp_path / "service.py").write_text("# import tosca\n'''a text'''\n")
    assert read_python_template(tmp_path / "service.py", trusted=False).data == {}


METHODS = """\
import unfurl
import tosca
from tosca import Attribute, Eval, Repository, ToscaInputs, ToscaOutputs, operation, placeholder
from unfurl.configurators.shell import ShellConfigurator
from unfurl.configurators.templates.dns import unfurl_nodes_DNSZone, unfurl_relationships_DNSRecords

hub = Repository(name="hub", url="https://hub.example/", credential=tosca.datatypes.Credential(user="me", token="t"))

class Wanted(ToscaInputs):
    region: str = "north"

class Made(ToscaOutputs):
    id: str = Attribute()

class Script(unfurl.artifacts.ShellExecutable):
    file: str = "run.sh"
    outputsTemplate = Eval("{{ stdout | from_json }}")

    def execute(self, word: str, times: int = 1):
        pass

class Module(unfurl.artifacts.TerraformModule):
    file: str = "module"

    def execute(self, wanted: Wanted) -> Made:
        return Made()

class Task(tosca.nodes.Root):
    times: int
    script: "Script"

    def create(self):
        return Script(input="y").execute("hello", self.times)

    def configure(self, **kw):
        return self.script.execute("bye")

class Cluster(tosca.nodes.Root, Wanted, Made):
    module: "Module" = Module()

    def configure(self):
        return self.module.execute(self)

@operation(name="check")
def look(**kw):
    return ShellConfigurator(command="look")

zone = unfurl_nodes_DNSZone(name="example.com.", provider={"class": "x"})
task = Task(times=2, script=Script())
task.dns = unfurl_relationships_DNSRecords(records={"www": {"type": "A"}})[zone]
server = tosca.nodes.WebServer(host=[tosca.find_node("elsewhere")])
task.check = look
task._Standard_default_inputs = dict(quiet=True)
"""


@converted
def test_methods_say_what_runs_as_functions_and_artifacts_do(tmp_path: Path) -> None:
    made = read(tmp_path, METHODS)
    types, nodes = made["node_types"], made["topology_template"]["node_templates"]
    assert types["Task"]["interfaces"]["Standard"]["operations"] == {
        "create": {
            "implementation": {
                "primary": {"type": "Script", "properties": {"input": "y"}, "file": "run.sh"},
            },
            "inputs": {"word": "hello", "times": {"eval": ".::times"}},
            "metadata": {"arguments": ["word", "times"]},
        },
        "configure": {
            "implementation": {"primary": "script"},
            "inputs": {"word": "bye"},
            "metadata": {"arguments": ["word"]},
        },
    }
    execute = made["artifact_types"]["Script"]["interfaces"]["Executable"]["operations"]["execute"]
    assert execute["inputs"] == {"word": {"type": "string"}, "times": {"type": "integer", "default": 1}}
    configure = types["Cluster"]["interfaces"]["Standard"]["operations"]["configure"]
    assert configure["inputs"] == {"region": {"eval": ".::region"}}
    assert types["Cluster"]["properties"] == {"region": {"type": "string", "default": "north"}}
    assert types["Cluster"]["attributes"] == {"id": {"type": "string"}}
    assert made["repositories"]["hub"]["url"] == "https://hub.example/"
    check = nodes["task"]["interfaces"]["Install"]["operations"]["check"]
    assert check["inputs"] == {"command": "look"}
    assert nodes["task"]["interfaces"]["Standard"]["inputs"] == {"quiet": True}
    assert nodes["zone"]["properties"] == {"name": "example.com.", "provider": {"class": "x"}}
    records = {"type": "unfurl.relationships.DNSRecords", "properties": {"records": {"www": {"type": "A"}}}}
    assert {"dns": {"relationship": records, "node": "zone"}} in nodes["task"]["requirements"]
    assert nodes["server"]["requirements"] == [{"host": "elsewhere"}]


TAKEN = """\
import tosca

class Base(tosca.nodes.Root):
    class Inputs(tosca.ToscaInputs):
        word: str
        end: str = ""

    _Standard_default_inputs = Inputs(word="hi")

    def create(self, word: str = "hello", **kw):
        ...

base = Base()
"""


@converted
def test_defaults_of_parameters_and_objects_of_inputs_are_inputs(tmp_path: Path) -> None:
    assert read(tmp_path, TAKEN)["node_types"]["Base"]["interfaces"]["Standard"] == {
        "inputs": {"word": "hi", "end": ""},
        "operations": {"create": {"inputs": {"word": "hello"}}},
    }


@converted
def test_a_module_beside_is_imported_and_written_nowhere(tmp_path: Path) -> None:
    (tmp_path / "shared.py").write_text("import tosca\n\nclass Site(tosca.nodes.Root):\n    size: int = 3\n")
    text = "from . import shared as base\nfrom .shared import Site\n\na = base.Site()\nb = Site(size=4)\n"
    assert read(tmp_path, text)["imports"] == [{"file": "shared.py"}]
    service = "tosca_definitions_version: tosca_simple_unfurl_1_0_0\nimports: [service.py]\n"
    (tmp_path / "service.yaml").write_text(service)
    for name in ("service.py", "service.yaml"):
        nodes = read_ensemble(locate(tmp_path / name), JobOptions(inventory=None)).topology.node_templates
        assert {name: nodes[name].type.name for name in nodes} == {"a": "Site", "b": "Site"}
    assert {path.name for path in tmp_path.iterdir()} == {"shared.py", "service.py", "service.yaml"}


@converted
@pytest.mark.usefixtures("nothing_trusted")
def test_a_module_that_nobody_trusts_is_not_imported(tmp_path: Path) -> None:
    (tmp_path / "types.py").write_text("import tosca\n")
    service = "tosca_definitions_version: tosca_simple_unfurl_1_0_0\nimports: [types.py]\n"
    (tmp_path / "service.yaml").write_text(service)
    with pytest.raises(InvalidInput, match=r"types\.py: .* is not trusted"):
        read_ensemble(locate(tmp_path / "service.yaml"), JobOptions(inventory=None))


@converted
def test_a_method_that_cannot_be_called_says_why_and_where(tmp_path: Path) -> None:
    text = "import tosca\n\nclass A(tosca.nodes.Root):\n    def create(self):\n        return missing()\n\na = A()\n"
    with pytest.raises(InvalidInput, match="name 'missing' is not defined") as caught:
        read(tmp_path, text)
    assert caught.value.place is not None
    assert caught.value.place.line == 5
