"""What is signed counts once, on one connection, for one node, by a key that is known."""

from __future__ import annotations

import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.mesh.control import MeshError
from ansible_ensemble.mesh.signing import Connection, KnownKeys, PublicKey, Signer, kept_signer


def test_a_signature_is_known_by_its_key(keys: Path, tmp_path: Path) -> None:
    file = tmp_path / "known"
    both = [(keys / f"{name}.pub").read_text() for name in ("yours", "mine")]
    file.write_text(f"# of the two\n\n{both[0]} you@example.com\n{both[1]}\n")
    known = KnownKeys(file)
    signed = {name: Signer(keys / name).sign(b"text") for name in ("mine", "yours")}
    assert len({known.signer(b"text", one) for one in signed.values()}) == 2
    assert known.signer(b"text", signed["mine"]) == KnownKeys(keys / "mine.pub").signer(b"text", signed["mine"])
    assert KnownKeys(keys / "mine.pub").signer(b"text", signed["yours"]) is None


@pytest.mark.parametrize("signature", ["", "a", "é", "AAAA", "A" * 88])
def test_what_is_no_signature(keys: Path, signature: str) -> None:
    assert KnownKeys(keys / "mine.pub").signer(b"text", signature) is None


def test_a_signature_counts_for_one_message(keys: Path) -> None:
    def signed(node: str, challenge: str, *texts: str) -> str:
        connection = Connection(node, challenge, bytes(32), bytes(32))
        return [connection.tell(signer, text)["signature"] for text in texts][-1]

    signer = Signer(keys / "mine")

    ways = [
        ("b", "1", "x"),
        ("c", "1", "x"),
        ("b", "2", "x"),
        ("b", "1", "y"),
        ("b", "1", "x", "x"),
        ("b", '1", "', "x"),
    ]
    assert len({signed(*way) for way in ways}) == len(ways)


def test_what_is_told_is_read_once_and_in_turn_by_who_has_the_key(keys: Path) -> None:
    signer = Signer(keys / "mine")
    here, there, other = (Connection("b", "1", bytes([key]) * 32, bytes(32)) for key in (1, 1, 2))
    told = [here.tell(signer, text) for text in ("one", "two", "three")]
    assert "one" not in str(told[0])
    text, covered = there.heard(told[0]["told"])
    assert (text, signer.public.has_signed(covered, told[0]["signature"])) == ("one", True)
    for connection, sealed in ((other, told[0]["told"]), (there, told[2]["told"]), (there, "é"), (there, "")):
        with pytest.raises(MeshError, match="not sealed for this connection, or comes out of turn"):
            connection.heard(sealed)


def test_a_key_is_made_once_for_its_user_alone(tmp_path: Path) -> None:
    made = kept_signer(tmp_path / "new" / "folder")
    file = tmp_path / "new" / "folder" / "node_key"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert kept_signer(tmp_path / "new" / "folder").public == made.public


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="there is no ssh-keygen")
def test_a_fingerprint_is_that_of_ssh_keygen(keys: Path, tmp_path: Path) -> None:
    key = kept_signer(tmp_path).public
    (tmp_path / "key.pub").write_text(key.line)
    words = ["ssh-keygen", "-l", "-f", tmp_path / "key.pub"]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()[1] == key.fingerprint
    assert PublicKey.of(f"{key.line} me@example.com") == key


def test_what_is_no_private_key(keys: Path, tmp_path: Path) -> None:
    file, other = tmp_path / "key", ec.generate_private_key(ec.SECP256R1())
    encrypted = BestAvailableEncryption(b"secret")
    for content in (
        b"",
        b"rubbish",
        (keys / "mine.pub").read_bytes(),
        other.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()),
        other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encrypted),
    ):
        file.write_bytes(content)
        with pytest.raises(InvalidInput, match=f"{file}: this is no .*ssh-keygen"):
            Signer(file)
    with pytest.raises(InvalidInput, match="cannot be read"):
        Signer(tmp_path / "nosuch")


def test_what_is_no_public_key(keys: Path, tmp_path: Path) -> None:
    file, other = tmp_path / "known", ec.generate_private_key(ec.SECP256R1()).public_key()
    mine = (keys / "mine.pub").read_bytes()
    for content in (
        b"rubbish",
        (keys / "mine").read_bytes().splitlines()[1],
        other.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH),
    ):
        file.write_bytes(mine + b"\n" + content + b"\n")
        with pytest.raises(InvalidInput, match=f"{file}:2: this is no public key of the kind ssh-ed25519"):
            KnownKeys(file)
    file.write_text("# none yet\n")
    with pytest.raises(InvalidInput, match="there is no key in it"):
        KnownKeys(file)
