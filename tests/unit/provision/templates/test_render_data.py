from __future__ import annotations

import pytest

from ansible_ensemble.core.budget import Limits
from ansible_ensemble.provision.gotemplate.fault import TemplateError
from ansible_ensemble.provision.templates.render_data import RenderData
from tests.unit.provision.templates.sources import Known

TEMPLATES = {"lib": "lib {{.Machine.ShortName}}", "of": "of {{.}}"}


def render(text: str) -> str:
    known = Known(TEMPLATES, m=[{"a": 1}, {"a": 2, "b": 3}], text=["hi {{.Machine.Name}}"], deep=[{"x": ["{{1}}"]}])
    return RenderData(known, TEMPLATES, Limits()).render("t", text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{{.Param "m"}} {{.ComposeParam "m"}}', "map[a:1] map[a:1 b:3]"),
        ('{{.ParamExists "m"}} {{.ParamExists "q"}}', "true false"),
        ('{{.ParamAsJSON "m"}} {{.ParamAsYAML "m"}}', '{"a":1} a: 1\n'),
        ('{{.ParamAsYAML "console"}}', "tty0\n"),
        ('{{.ParamExpand "text"}} {{.ParamExpand "deep"}}', "hi m1.example.com map[x:[1]]"),
        ('{{.ParamComposeExpand "deep" | toJson}} {{.ParamCompose "m" | toJson}}', '{"x":["1"]} {"a":1,"b":3}'),
        ('{{$_ := set (.Param "m") "z" 1}}{{.Param "m"}}', "map[a:1]"),
        ('{{.StringExpand "{{.Machine.ShortName}}"}} {{.ObjectExpand (list "{{1}}" 2)}}', "m1 [1 2]"),
        ('{{.CallTemplate "lib" .}} {{.CallTemplate "of" 5}}{{template "lib" .}}', "lib m1 of 5lib m1"),
        ("{{.Machine.Path}} {{.Machine.Url}}", "machines/3e7031fc-3062-45f1-835c-92541bc9cbd3 "
         "http://10.0.0.1:8091/machines/3e7031fc-3062-45f1-835c-92541bc9cbd3"),
        ("{{.Machine.HexAddress}} {{.Machine.MacAddr}}", "C0A87C0A aa:bb:cc:dd:ee:ff"),
        ('{{.Machine.MacAddr "pxelinux"}} {{.Machine.MacAddr "rpi4"}}', "01-aa-bb-cc-dd-ee-ff aa-bb-cc-dd-ee-ff"),
        ('{{.Machine.MacAddr "ipxe"}} {{.Machine.MacAddr "grub"}}', "aa:bb:cc:dd:ee:ff aa:bb:cc:dd:ee:ff"),
        ('{{.Machine.HasProfile "web"}} {{.Machine.Profiles}} {{eq .Machine.Uuid .Machine.UUID}}', "true [web] true"),
        ('{{.Env.Name}} {{.Env.PathFor "tftp" .Env.Kernel}}', "ubuntu-22.04-install ubuntu-22.04/install/vmlinuz"),
        ('{{.Env.PathForArch "https" "/k" "arm64"}}', "https://10.0.0.1:8090/ubuntu-22.04/arm64/install/k"),
        ("{{.Env.InstallUrl}}", "http://r/base/"),
        ('{{.Env.KernelFor "arm64"}} {{.Env.InitrdsFor "x"}} {{.BootParamsFor "x"}}', "vmlinuz [one two] console=tty0"),
        ('{{.Env.JoinInitrds "disk"}}', "ubuntu-22.04/install/one ubuntu-22.04/install/two"),
        ('{{.Env.JoinInitrdsFor "tftp" "x86_64"}}', "ubuntu-22.04/install/one ubuntu-22.04/install/two"),
        ('{{.Env.JoinInitrdsFor "tftp" "aarch64"}}', "ubuntu-22.04/arm64/install/one ubuntu-22.04/arm64/install/two"),
        ('{{.Env.OS.FamilyName}} {{.Env.OS.VersionEq "22"}} {{.Env.OS.VersionEq "22.1"}}', "ubuntu true false"),
        ("{{.BootParams}} {{.Stage.Name}} {{.Task}}", "console=tty0 prepare <no value>"),
        ("{{.ProvisionerAddress}} {{.ProvisionerURL}} {{.ApiURL}}", "10.0.0.1 http://10.0.0.1:8091 https://10.0.0.1:8092"),
        ("{{.SecureProvisionerURL}} {{.ApiHost}}", "https://10.0.0.1:8090 10.0.0.1:8092"),
        ("{{.GenerateToken}},{{.GenerateInfiniteToken}}", "token  2000,token  None"),
        ('{{.GenerateProfileToken "web" "2h"}}', "token web 7200"),
        ('{{.GenerateProfileToken "web" 600}},{{.GenerateProfileToken "web" 0}}', "token web 600,token web None"),
        ('{{.ParseUrl "host" .ApiURL}} {{.ParseUrl "scheme" .ApiURL}}', "10.0.0.1:8092 https"),
        ('{{.ParseUrl "hostname" .ApiURL}} {{.ParseUrl "port" .ApiURL}}', "10.0.0.1 8092"),
        ("{{.Info.id}}", "server"),
        ('{{.NetmaskToCIDR "255.255.252.0"}} {{.NetmaskToCIDR "0.0.0.0"}}', "22 0"),
        ("{{range .MachineRepos}}{{.Tag}} {{.JoinedComponents}} {{.UrlFor `x`}}{{end}}", "base main extra http://r/base/"),
        ("{{range .MachineRepos}}{{.Target}} {{.R.Machine.ShortName}}{{end}}", "ubuntu-22.04 m1"),
        ("{{range .MachineRepos}}{{.Lines}}{{end}}", "deb http://r/base/ main extra"),
        (
            "{{range .InstallRepos}}{{.Install}}{{end}}",
            "d-i mirror/protocol string http\nd-i mirror/http/hostname string r\n"
            "d-i mirror/http/directory string /base/",
        ),
        ('{{range .Repos "other"}}{{.URL}}{{end}}{{range .InstallRepos}}{{.Tag}}{{end}}', "http://r/otherbase"),
    ],
)  # fmt: skip
def test_members(text: str, expected: str) -> None:
    assert render(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('a\n{{.Param "q"}}', "template: t:2:2: .*error calling Param: No such machine parameter q"),
        ("{{.Machine.Secret}}", "can't evaluate field Secret"),
        ("{{.source}}", "can't evaluate field source"),
        ("{{.__class__}}", "can't evaluate field __class__"),
        ("{{.Param.__globals__}}", "wrong number of args"),
        ('{{.CallTemplate "no" .}}', 'template "no" not defined'),
        ('{{.Env.PathFor "ftp" "x"}}', "Unknown protocol ftp"),
        ('{{.GenerateProfileToken "web" "soon"}}', "invalid duration soon"),
        ('{{.GenerateProfileToken "a,b" "1h"}}', "Invalid profile 'a,b'"),
        ('{{.ParseUrl "q" "http://a"}}', "No idea how to get URL part q"),
        ('{{.NetmaskToCIDR "255.0.255.0"}}', "255.0.255.0 is not a netmask"),
    ],
)
def test_what_there_is_not(text: str, message: str) -> None:
    with pytest.raises(TemplateError, match=message):
        render(text)


def test_a_param_that_expands_to_itself_ends() -> None:
    known = Known(loop=['{{.ParamExpand "loop"}}'])
    with pytest.raises(TemplateError, match="maximum template depth"):
        RenderData(known, {}, Limits()).render("t", '{{.ParamExpand "loop"}}')
