"""The certificate that the server makes where none is given."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from ansible_ensemble.core.tls import names_of

#: Some clients refuse certificates that live longer.
_LIFE = timedelta(days=397)
#: When less than this is left, another one is made.
RENEWAL = timedelta(days=30)


def own_certificate(folder: Path, host: str) -> tuple[Path, Path]:
    """The files of a certificate of our own and its key; they are made if they are not there, or expire soon.

    Args:
        folder: where they are.
        host: the address that the server listens at.
    """
    cert, key = folder / "server.crt", folder / "server.key"
    if not _is_good(cert, key, datetime.now(UTC)):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        made, private = _made(names_of(host), datetime.now(UTC))
        _write(key, private)
        _write(cert, made)
    if key.stat().st_mode & 0o077:
        key.chmod(0o600)
    return cert, key


def _is_good(cert: Path, key: Path, now: datetime) -> bool:
    try:
        found = x509.load_pem_x509_certificate(cert.read_bytes())
        private = serialization.load_pem_private_key(key.read_bytes(), None)
    except (OSError, ValueError, TypeError):
        return False
    return found.not_valid_after_utc - now > RENEWAL and found.public_key() == private.public_key()


def _made(names: Iterable[str], now: datetime) -> tuple[bytes, bytes]:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "ansible-ensemble provision")])
    made = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + _LIFE)
        .add_extension(x509.SubjectAlternativeName([_general(name) for name in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return made.public_bytes(serialization.Encoding.PEM), private


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name.encode("idna").decode())


def _write(file: Path, data: bytes) -> None:
    """Write a file whole, for its owner alone."""
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(data)
    draft.replace(file)
