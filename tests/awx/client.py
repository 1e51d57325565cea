"""What scenarios need of AWX's API."""

from __future__ import annotations

import json
import time
from base64 import b64encode
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

Object = dict[str, Any]

URL = "http://127.0.0.1:8052"
_ENDED = {"successful", "failed", "error", "canceled"}


class Awx:
    """An AWX and a user of it.

    Args:
        folder: that `make awx` made.
        basic: the user's name and password, with a colon between them; the admin if there are none.
    """

    def __init__(self, folder: Path, basic: str = "") -> None:
        self.folder, self.token = folder, (folder / "token").read_text().strip()
        self._login = f"Basic {b64encode(basic.encode()).decode()}" if basic else f"Bearer {self.token}"

    def ask(self, path: str, given: Object | None = None, *, method: str = "") -> Any:
        """What the API answers to GET, or to POST of what is given."""
        url = URL + (path if path.startswith("/") else f"/api/v2/{path}")
        headers = {"Authorization": self._login, "Content-Type": "application/json"}
        body = None if given is None else json.dumps(given).encode()
        try:
            with urlopen(Request(url, body, headers, method=method or None), timeout=60) as answer:
                text = answer.read().decode()
        except HTTPError as error:
            raise AssertionError(f"{url}: {error} {error.read().decode()[:2000]}") from error
        return json.loads(text) if answer.headers.get_content_type() == "application/json" else text

    def all(self, path: str, **query: Any) -> list[Object]:
        """All objects of a list."""
        found: Object = self.ask(f"{path}?{urlencode({'page_size': 200, **query})}")
        objects: list[Object] = found["results"]
        while found["next"]:
            found = self.ask(found["next"])
            objects += found["results"]
        return objects

    def named(self, endpoint: str, name: str) -> Object:
        """The one object of a name."""
        [found] = self.all(f"{endpoint}/", name=name)
        return found

    def change(self, found: Object, **fields: Any) -> None:
        """Change an object by hand."""
        self.ask(found["url"], fields, method="PATCH")

    def launch(self, template: str, *, endpoint: str = "job_templates", **answers: Any) -> Object:
        """Launch a template with answers to its survey."""
        found = self.named(endpoint, template)
        job: Object = self.ask(f"{found['url']}launch/", {"extra_vars": answers})
        assert not job.get("ignored_fields"), job
        return job

    def run(self, template: str, **answers: Any) -> Object:
        """Launch a template, and wait for its job."""
        return self.ended(self.launch(template, **answers))

    def wait(self, what: str, look: Any, *, seconds: float = 600) -> Any:
        """What a look finds, once it finds something."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if found := look():
                return found
            time.sleep(0.3)
        raise AssertionError(f"waited in vain for {what}")

    def ended(self, job: Object, *, events: bool = True) -> Object:
        """A job, once it has ended, and its events are there, unless whoever brings them was killed."""

        def look() -> Object | None:
            seen: Object = self.ask(job["url"])
            there = not events or seen.get("event_processing_finished", True)
            return seen if seen["status"] in _ENDED and there else None

        found: Object = self.wait(f"the end of {job['name']}", look)
        return found

    def approval(self, workflow: Object) -> Object:
        """The approval that a workflow waits for."""

        def look() -> Object | None:
            nodes = self.all(f"{workflow['url']}workflow_nodes/", identifier="approval")
            found = [node["summary_fields"].get("job") for node in nodes if node["job"]]
            seen = self.ask(f"workflow_approvals/{found[0]['id']}/") if found else {}
            ended = self.ask(workflow["url"])
            assert ended["status"] not in ("failed", "error"), ended
            return seen if seen.get("status") == "pending" else None

        found: Object = self.wait("the approval", look)
        return found

    def output(self, job: Object) -> str:
        """What a job printed."""
        text: str = self.ask(f"{job['url']}stdout/?format=txt")
        return text

    def events(self, job: Object) -> list[Object]:
        """The events of a job, in their order."""
        return sorted(self.all(f"{job['url']}job_events/"), key=lambda event: event["counter"])

    def container(self, job: Object) -> str:
        """The name of a running job's container."""
        name = f"ansible_runner_{job['id']}"
        self.wait(f"the container of {job['name']}", (self.folder / "run" / "containers" / f"{name}.pid").exists)
        return name
