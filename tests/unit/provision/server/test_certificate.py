"""The certificate that a server makes for itself."""

from __future__ import annotations

import socket
from datetime import timedelta

import pytest
from cryptography import x509

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.tls import tls_context
from ansible_ensemble.provision.server import certificate
from ansible_ensemble.provision.server.certificate import own_certificate


def _read(path):
    return x509.load_pem_x509_certificate(path.read_bytes())


def test_names_what_clients_may_call_the_server(tmp_path):
    cert, _ = own_certificate(tmp_path / "tls", "192.0.2.7")
    names = _read(cert).extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert {"localhost", socket.gethostname()} <= set(names.get_values_for_type(x509.DNSName))
    assert {"127.0.0.1", "::1", "192.0.2.7"} <= set(map(str, names.get_values_for_type(x509.IPAddress)))


def test_is_kept_and_for_its_owner_alone(tmp_path):
    cert, key = own_certificate(tmp_path / "tls", "")
    before = cert.read_bytes()
    key.chmod(0o644)
    own_certificate(tmp_path / "tls", "")
    assert [oct(file.stat().st_mode & 0o777) for file in (cert, key, cert.parent)] == ["0o600", "0o600", "0o700"]
    assert own_certificate(tmp_path / "tls", "") == (cert, key)
    assert cert.read_bytes() == before
    tls_context(cert, key)


def test_is_made_again_before_it_expires(tmp_path, monkeypatch):
    cert, _ = own_certificate(tmp_path, "")
    before = cert.read_bytes()
    monkeypatch.setattr(certificate, "RENEWAL", timedelta(days=396))
    own_certificate(tmp_path, "")
    assert cert.read_bytes() == before
    monkeypatch.setattr(certificate, "RENEWAL", timedelta(days=398))
    own_certificate(tmp_path, "")
    assert cert.read_bytes() != before


@pytest.mark.parametrize("broken", ["server.crt", "server.key"])
@pytest.mark.parametrize("content", [None, b"", b"no certificate"])
def test_is_made_again_if_a_file_is_not_what_it_was(tmp_path, broken, content):
    own_certificate(tmp_path, "")
    (tmp_path / broken).unlink() if content is None else (tmp_path / broken).write_bytes(content)
    tls_context(*own_certificate(tmp_path, ""))


def test_that_of_another_key_is_made_again(tmp_path):
    _, key = own_certificate(tmp_path / "a", "")
    _, other = own_certificate(tmp_path / "b", "")
    key.write_bytes(other.read_bytes())
    with pytest.raises(InvalidInput, match="no certificate and its key"):
        tls_context(tmp_path / "a" / "server.crt", key)
    tls_context(*own_certificate(tmp_path / "a", ""))


def test_files_that_are_none_are_refused(tmp_path):
    with pytest.raises(InvalidInput, match="cannot be read"):
        tls_context(tmp_path / "cert", tmp_path / "key")
