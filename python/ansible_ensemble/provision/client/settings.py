"""Which server is talked to, by whom, and how it is known to be the right one."""

from __future__ import annotations

import re
import ssl
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.provision.client.certificate import Trust, host_and_port, unverified

_DEFAULT_ENDPOINT = "https://127.0.0.1:8092"
_ENDPOINT = re.compile(r"https://[^/?#@\s]+/?")
_FINGERPRINT = re.compile(r"[0-9a-f]{64}")
#: The fields that say how a certificate is verified, with their variables.
VERIFICATION = {"ca_file": "RS_CA_FILE", "fingerprint": "RS_FINGERPRINT", "insecure": "RS_INSECURE"}
_YES_OR_NO = {"": False, "false": False, "true": True}
#: Seconds before each further try of a request that met an error of the network.
_WAITS = (1.0, 1.0, 2.0, 3.0, 5.0, 8.0)


class Settings(Struct, frozen=True):
    """How to reach a server.

    Attributes:
        endpoints: addresses `https://HOST:PORT` of servers on one database; the next is tried when one is not there.
        token: a token that is used as it is.
        user, password: what a token is got with, where none is given.
        ca_file: certificates, in PEM, of which one has to have signed the server's; the system's by default.
        fingerprint: the SHA-256 of the server's certificate, in hexadecimal, instead of a signature.
        insecure: take any certificate.
        waits: seconds before each further try of a request that met an error of the network.
    """

    endpoints: tuple[str, ...] = (_DEFAULT_ENDPOINT,)
    token: str = ""
    user: str = ""
    password: str = ""
    ca_file: str = ""
    fingerprint: str = ""
    insecure: bool = False
    waits: tuple[float, ...] = _WAITS

    def __repr__(self) -> str:
        """Without secrets."""
        return f"Settings(endpoints={self.endpoints})"


def settings_from(environment: Mapping[str, str], **options: Any) -> Settings:
    """Settings from options and variables: `RS_ENDPOINT` (a list with spaces), `RS_TOKEN`, `RS_KEY` (`USER:PASSWORD`).

    An option that says how the certificate is verified stands for all variables that do (`VERIFICATION`).

    Args:
        environment: environment variables.
        options: fields of `Settings` that take precedence; `endpoint` and `key` are written as in the variables. What
            is None was not given.
    """
    given = {name: value for name, value in options.items() if value is not None}
    endpoints = given.pop("endpoint", environment.get("RS_ENDPOINT", "")).split() or [_DEFAULT_ENDPOINT]
    user, colon, password = given.pop("key", environment.get("RS_KEY", "")).partition(":")
    if user and not colon:
        raise InvalidInput("A key is USER:PASSWORD", hint="set RS_KEY")
    token = given.pop("token", environment.get("RS_TOKEN", ""))
    for endpoint in endpoints:
        if not _is_address(endpoint):
            raise InvalidInput(f"{endpoint} is not the address of a server", hint="it is https://HOST:PORT")
    if not any(given.get(name) for name in VERIFICATION):
        given |= verification_from(environment)
    trimmed = tuple(endpoint.rstrip("/") for endpoint in endpoints)
    settings = Settings(endpoints=trimmed, token=token, user=user, password=password, **given)
    verification(settings)
    return settings


def verification_from(environment: Mapping[str, str]) -> dict[str, Any]:
    """What variables say of how a certificate is verified, as fields of `Settings`."""
    said = {name: environment.get(variable, "") for name, variable in VERIFICATION.items()}
    insecure = _YES_OR_NO.get(said["insecure"])
    if insecure is None:
        raise InvalidInput(f"RS_INSECURE is {said['insecure']!r}", hint="set it to true or false")
    fields = {**said, "insecure": insecure}
    return {name: value for name, value in fields.items() if value}


def _is_address(endpoint: str) -> bool:
    try:
        return bool(_ENDPOINT.fullmatch(endpoint) and all(host_and_port(endpoint)))
    except ValueError:  # a port that is none, or half an IPv6 address
        return False


def verification(settings: Settings) -> Trust:
    """How the server's certificate is verified."""
    if sum(map(bool, (settings.ca_file, settings.fingerprint, settings.insecure))) > 1:
        raise InvalidInput("Of a file of certificates, a fingerprint and no verification, only one can be wanted")
    if settings.insecure:
        return Trust(unverified())
    if settings.fingerprint:
        return Trust(unverified(), _digits(settings.fingerprint))
    try:
        return Trust(ssl.create_default_context(cafile=settings.ca_file or None))
    except (OSError, ssl.SSLError) as error:
        raise InvalidInput(f"{settings.ca_file} cannot be used to verify certificates: {error}") from None


def _digits(text: str) -> str:
    digits = text.replace(":", "").lower()
    if not _FINGERPRINT.fullmatch(digits):
        raise InvalidInput(f"{text} is not the SHA-256 of a certificate", hint="it has 64 hexadecimal digits")
    return digits
