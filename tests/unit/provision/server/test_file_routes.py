"""Files and images: what clients upload, and machines load."""

from __future__ import annotations

import hashlib

import pytest

BYTES = {"Content-Type": "application/octet-stream"}
CONTENT = bytes(range(256)) * 2000  # more than is read at once


def upload(live, path, content=CONTENT, **said):
    return live("POST", path, content, headers={**BYTES, **said.pop("headers", {})}, **said)


def loaded(live, path, **headers):
    """What somebody without a login loads."""
    return live.run(_loaded(live, path, headers))


async def _loaded(live, path, headers):
    async with live.session.get(f"{live.base}{path}", headers=headers) as answer:
        return answer.status, answer.headers, await answer.read()


@pytest.mark.parametrize(("kind", "path"), [("files", "/tools/jq"), ("isos", "debian.iso")])
def test_a_file_is_kept_listed_loaded_and_removed(live, kind, path):
    url = f"/{kind}/{path.lstrip('/')}"
    made = upload(live, url)
    assert (made.status, made.json) == (201, {"path": path, "size": len(CONTENT)})
    folder = "?path=/tools" if kind == "files" else ""
    assert path.rpartition("/")[2] in live.get(f"/{kind}{folder}").json
    assert live.get(url).body == CONTENT
    head = live("HEAD", url)
    assert head.headers["X-DRP-SHA256SUM"] == hashlib.sha256(CONTENT).hexdigest()
    assert int(head.headers["Content-Length"]) == len(CONTENT)
    assert loaded(live, url)[2] == CONTENT
    assert upload(live, url, b"other").status == 201
    assert live("HEAD", url).headers["X-DRP-SHA256SUM"] == hashlib.sha256(b"other").hexdigest()
    assert live("DELETE", url).status == 204
    assert live.get(url).status == 404
    assert live("DELETE", url).status == 404


def test_folders_are_listed_and_removed_when_they_are_empty(live):
    assert upload(live, "/files/one/two/three").status == 201
    assert "one/" in live.get("/files").json
    assert live.get("/files?path=one").json == ["two/"]
    refused = live("DELETE", "/files/one")
    assert (refused.status, refused.json["Messages"]) == (404, ["Unable to delete"])
    for path in ("/files/one/two/three", "/files/one/two", "/files/one"):
        assert live("DELETE", path).status == 204
    assert "one/" not in live.get("/files").json
    assert live.get("/files?path=/one").status == 404


@pytest.mark.parametrize(
    ("wanted", "status", "part", "span"),
    [
        ("bytes=0-9", 206, slice(0, 10), "0-9"),
        ("bytes=500000-", 206, slice(500000, None), "500000-511999"),
        ("bytes=-5", 206, slice(-5, None), "511995-511999"),
        ("bytes=10-10000000", 206, slice(10, None), "10-511999"),
        ("bytes=512000-", 416, None, None),
        ("bytes=9-1", 416, None, None),
        ("lines=1-2", 416, None, None),
    ],
)
def test_a_part_of_a_file(live, wanted, status, part, span):
    upload(live, "/files/parts")
    for answer in (live.get("/files/parts", headers={"Range": wanted}), None):
        got = (answer.status, answer.headers, answer.body) if answer else loaded(live, "/files/parts", Range=wanted)
        assert got[0] == status
        if part:
            assert got[2] == CONTENT[part]
            assert got[1]["Content-Range"] == f"bytes {span}/512000"


def test_a_part_is_of_the_version_that_is_meant(live):
    upload(live, "/files/version")
    tag = loaded(live, "/files/version")[1]["ETag"]
    said = {"Range": "bytes=0-4", "If-Range": tag}
    assert loaded(live, "/files/version", **said)[0] == 206
    upload(live, "/files/version", b"another version")
    assert loaded(live, "/files/version", **said)[0::2] == (200, b"another version")


NAMES = [
    "..%2f..%2fprovision.sqlite",
    "a/..%2f..%2f..%2ftls/server.key",
    "a%00b",
    "x" * 300,
    "leaves/provision.sqlite",
    "circle",
    "%ff",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["files", "isos"])
def test_no_name_leads_out_of_the_folder(live, kind, name):
    folder = live.folder / "files"
    folder.mkdir(exist_ok=True)
    if not (folder / "leaves").is_symlink():
        (folder / "leaves").symlink_to("..")
        (folder / "circle").symlink_to("circle")
    before = (live.folder / "provision.sqlite").read_bytes()[:16]
    url = f"/{kind}/{name}"
    for answer in (live.get(url), live("HEAD", url), live("DELETE", url)):
        assert answer.status in (400, 404)
    harmless = name == "%ff" or (kind, name) == ("isos", "circle")
    assert upload(live, url, b"x").status == (201 if harmless else 400)
    assert loaded(live, url)[0] in ((200,) if harmless else (400, 404))
    assert (live.folder / "provision.sqlite").read_bytes()[:16] == before


def test_a_file_is_no_folder_and_a_folder_is_no_file(live):
    upload(live, "/files/plain")
    refused = upload(live, "/files/plain/inner")
    assert (refused.status, refused.json["Messages"]) == (409, ["Cannot create directory /plain"])
    upload(live, "/files/folder/inner")
    assert upload(live, "/files/folder").status == 409
    assert live.get("/files/folder").json["Messages"] == ["Not a regular file"]
    assert live.get("/files?path=plain").status == 404


def test_what_is_too_long_or_broken_off_leaves_nothing(live):
    assert upload(live, "/files/long", b"x" * (2**20 + 1)).status == 413

    async def pieces():
        for _number in range(5):
            yield b"x" * 2**18

    assert live.run(_streamed(live, "/files/long", pieces())) == 413
    assert live.get("/files/long").status == 404
    assert list((live.folder / "uploads").iterdir()) == []
    assert live("POST", "/files/long", {"no": "bytes"}).status == 415
    assert upload(live, "/files/long?explode=true").status == 400


async def _streamed(live, path, pieces):
    headers = {**BYTES, "Authorization": f"Bearer {live.token}"}
    async with live.session.post(f"{live.base}/api/v3{path}", data=pieces, headers=headers) as answer:
        return answer.status


def test_who_may_not_may_not(live):
    upload(live, "/files/guarded")
    machine = live.machine("loads")
    token = live.get(f"/machines/{machine['Uuid']}/token").json["Token"]
    assert upload(live, "/files/guarded", b"mine", token=token).status == 403
    assert live("DELETE", "/files/guarded", token=token).status == 403
    assert live.get("/files/guarded", token=token).status == 403
    assert live.get("/files", token=token).status == 403
    one = live.get("/users/rocketskates/token?scope=files&action=get&specific=/guarded").json["Token"]
    assert live.get("/files/guarded", token=one).status == 200
    upload(live, "/files/other")
    assert live.get("/files/other", token=one).status == 403
    assert loaded(live, "/files/guarded")[2] == CONTENT


def test_the_address_of_files_leads_to_them(live):
    text = "{{.ProvisionerURL}}/files/tool {{.SecureProvisionerURL}}"
    task = {"Name": "load", "Templates": [{"Name": "do", "Contents": text}]}
    assert live("POST", "/tasks", task).status == 201
    machine = live.machine("files", Tasks=["load"])
    job = live("POST", "/jobs", {"Machine": machine["Uuid"]}).json
    (action,) = live.get(f"/jobs/{job['Uuid']}/actions").json
    api = f"https://{live.base.removeprefix('http://')}"
    assert action["Content"] == f"{api}/files/tool {api}"
