"""Where the settings of a client come from, and which make no sense."""

from __future__ import annotations

import ssl
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.provision.client.settings import Settings, settings_from, verification

from .conftest import Certificate

ENVIRONMENT = {"RS_ENDPOINT": "https://one:1/ https://two:2", "RS_TOKEN": "token", "RS_KEY": "bob:pass:word"}


def test_the_environment_is_read() -> None:
    settings = settings_from(ENVIRONMENT)
    assert settings == Settings(
        endpoints=("https://one:1", "https://two:2"), token="token", user="bob", password="pass:word"
    )
    assert "pass" not in repr(settings)
    assert "token=" not in repr(settings)


def test_options_take_precedence() -> None:
    settings = settings_from(ENVIRONMENT, endpoint="https://three:3", token="other", key=None, insecure=True)
    assert (settings.endpoints, settings.token, settings.user) == (("https://three:3",), "other", "bob")
    assert verification(settings).context.verify_mode is ssl.CERT_NONE


@pytest.mark.parametrize(
    ("environment", "options", "fields"),
    [
        ({"RS_FINGERPRINT": "a" * 64}, {}, {"fingerprint": "a" * 64}),
        ({"RS_FINGERPRINT": "a" * 64}, {"fingerprint": "b" * 64}, {"fingerprint": "b" * 64}),
        ({"RS_FINGERPRINT": "a" * 64}, {"insecure": True}, {"insecure": True}),
        ({"RS_FINGERPRINT": "a" * 64}, {"insecure": False, "ca_file": None}, {"fingerprint": "a" * 64}),
        ({"RS_CA_FILE": "/nowhere"}, {"fingerprint": "b" * 64}, {"fingerprint": "b" * 64}),
        ({"RS_INSECURE": "true"}, {"fingerprint": "b" * 64}, {"fingerprint": "b" * 64}),
        ({"RS_INSECURE": "true"}, {}, {"insecure": True}),
        ({"RS_INSECURE": "false", "RS_CA_FILE": "", "RS_FINGERPRINT": ""}, {}, {}),
    ],
)
def test_an_option_of_the_certificate_stands_for_all_its_variables(
    environment: dict[str, str], options: dict[str, Any], fields: dict[str, Any]
) -> None:
    assert settings_from(environment, **options) == Settings(**fields)


@pytest.mark.parametrize(
    "environment",
    [
        {"RS_CA_FILE": "/nowhere/ca.pem"},
        {"RS_FINGERPRINT": "ab"},
        {"RS_INSECURE": "perhaps"},
        {"RS_INSECURE": "true", "RS_FINGERPRINT": "a" * 64},
    ],
)
def test_variables_of_the_certificate_that_make_no_sense_are_refused(environment: dict[str, str]) -> None:
    with pytest.raises(InvalidInput):
        settings_from(environment)


def test_without_any_the_local_server_is_meant() -> None:
    assert settings_from({}) == Settings()
    assert Settings().endpoints == ("https://127.0.0.1:8092",)


WRONG: list[dict[str, Any]] = [
    {"endpoint": "http://127.0.0.1:8092"},
    {"endpoint": "https://user:password@host"},
    {"endpoint": "https://host/path"},
    {"endpoint": "https://host:99999"},
    {"endpoint": "https://host:port"},
    {"endpoint": "https://[::1"},
    {"key": "bob"},
    {"fingerprint": "ab"},
    {"ca_file": "/nowhere/ca.pem"},
    {"ca_file": __file__},
    {"insecure": True, "fingerprint": "a" * 64},
]


@pytest.mark.parametrize("options", WRONG)
def test_what_makes_no_sense_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        settings_from({}, **options)


def test_certificates_are_verified(certificate: Certificate) -> None:
    trust = verification(Settings(ca_file=str(certificate.file)))
    assert (trust.context.verify_mode, trust.fingerprint) == (ssl.CERT_REQUIRED, "")
    pairs = zip(certificate.fingerprint[::2], certificate.fingerprint[1::2], strict=True)
    spelled = ":".join(f"{high}{low}" for high, low in pairs).upper()
    assert verification(Settings(fingerprint=spelled)).fingerprint == certificate.fingerprint
