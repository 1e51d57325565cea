"""The job of AWX, or of Ansible Automation Platform's controller, that a process runs in (docs/awx.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import asdict

if TYPE_CHECKING:
    from urllib.request import HTTPSHandler

#: Environment variables of an address and a credential of the API, as `awx.awx` and AWX's credentials of it name them.
_PREFIXES = ("CONTROLLER", "TOWER")
_ENDED = ("successful", "failed", "error", "canceled")
_TIMEOUT = 10  #: seconds without an answer
_LARGEST = 1_000_000  #: bytes of an answer


class ControllerJob(Struct, frozen=True):
    """A job of AWX.

    Attributes:
        id: its number.
        template: the name of its job template; empty where unknown.
        user: who launched it; empty if unknown.
        url: of its page.
    """

    id: int
    template: str
    user: str
    url: str

    def to_json(self) -> dict[str, Any]:
        """The job as plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ControllerJob:
        """Read it back.

        Raises:
            KeyError, ValueError, TypeError: it has no number.
        """
        return cls(int(data["id"]), *(str(data.get(key, "")) for key in ("template", "user", "url")))

    def __str__(self) -> str:
        template = f", template {self.template}" if self.template else ""
        user = f", launched by {self.user}" if self.user else ""
        return f"job {self.id} of AWX{template}{user}"


def running_job(environ: Mapping[str, str], variables: Mapping[str, Any]) -> ControllerJob | None:
    """The job that this process runs in; None outside of AWX.

    Args:
        environ: of the process.
        variables: of the play, which AWX gives names as extra variables.
    """
    number, host = environ.get("JOB_ID", ""), environ.get("AWX_HOST", "")
    if not number.isdecimal() or not host:
        return None
    template, user = (str(variables.get(name) or "") for name in ("awx_job_template_name", "awx_user_name"))
    return ControllerJob(int(number), template, user, f"{host.rstrip('/')}/#/jobs/playbook/{number}")


def launched_template(environ: Mapping[str, str], variables: Mapping[str, Any]) -> str:
    """The template that launches this job, its workflow's if it has one; empty outside of AWX."""
    job = running_job(environ, variables)
    return "" if job is None else str(variables.get("awx_workflow_job_name") or job.template)


def has_ended(job: ControllerJob, environ: Mapping[str, str]) -> bool:
    """Whether AWX says that a job has ended; False if its API is not configured or does not answer."""
    host, headers = _api(environ)
    here = environ.get("AWX_HOST") or host
    if not host or not headers or not job.url.startswith(f"{here.rstrip('/')}/"):
        return False
    from urllib.parse import urlencode
    from urllib.request import Request, build_opener  # here, as below: few jobs are of AWX

    request = Request(f"{host.rstrip('/')}/api/v2/unified_jobs/?{urlencode({'id': job.id})}", headers=headers)
    with suppress(OSError, ValueError, KeyError, IndexError, TypeError):
        with build_opener(*_tls(host, environ)).open(request, timeout=_TIMEOUT) as answer:
            found = json.loads(answer.read(_LARGEST))["results"][0]
        return found["id"] == job.id and found["status"] in _ENDED
    return False


def _api(environ: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """The API's address and the headers that log in; empty if not configured."""
    for prefix in _PREFIXES:
        host = environ.get(f"{prefix}_HOST", "")
        if not host:
            continue
        if token := environ.get(f"{prefix}_OAUTH_TOKEN", ""):
            return host, {"Authorization": f"Bearer {token}"}
        if user := environ.get(f"{prefix}_USERNAME", ""):
            from base64 import b64encode

            pair = f"{user}:{environ.get(f'{prefix}_PASSWORD', '')}".encode()
            return host, {"Authorization": f"Basic {b64encode(pair).decode()}"}
    return "", {}


def _tls(host: str, environ: Mapping[str, str]) -> list[HTTPSHandler]:
    if not host.startswith("https:"):
        return []
    import ssl
    from urllib.request import HTTPSHandler

    verify = next(filter(None, (environ.get(f"{prefix}_VERIFY_SSL", "") for prefix in _PREFIXES)), "true")
    context = ssl.create_default_context()
    if verify.lower() in ("false", "no", "0"):
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return [HTTPSHandler(context=context)]
