"""Chromium, driven by its own protocol."""

from __future__ import annotations

import asyncio
import atexit
import base64
import functools
import json
import shutil
import subprocess
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from subprocess import DEVNULL
from types import TracebackType
from typing import Any

from aiohttp import ClientSession, ClientWebSocketResponse

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PATIENCE = 120
#: A program for pages that finds what not everybody can use (make axe).
AXE = Path(__file__).parents[3] / ".build" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
#: What browsers advise, and that is no fault.
_ADVICE = ("recommendation",)


class Chromium:
    """A page of a browser without a window.

    Attributes:
        complaints: errors that its console showed.
    """

    def __init__(self) -> None:
        self.complaints: list[str] = []
        self._number = 0
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}

    async def __aenter__(self) -> Chromium:
        async with AsyncExitStack() as opened:
            await self._begin(opened)
            self._opened = opened.pop_all()
        return self

    async def _begin(self, opened: AsyncExitStack) -> None:
        port, browser = _browser()
        session = await opened.enter_async_context(ClientSession(f"http://127.0.0.1:{port}"))
        # what pages keep and share is of a context, which ends with this socket
        socket = await opened.enter_async_context(session.ws_connect(browser))
        context = await _call(socket, "Target.createBrowserContext", disposeOnDetach=True)
        page = await _call(socket, "Target.createTarget", url="about:blank", **context)
        self._socket = await opened.enter_async_context(
            session.ws_connect(f"/devtools/page/{page['targetId']}", max_msg_size=0)
        )
        reading = asyncio.create_task(self._read())
        opened.callback(reading.cancel)
        for domain in ("Page", "Runtime", "Log"):
            await self.call(f"{domain}.enable")

    async def _read(self) -> None:
        async for message in self._socket:
            told = json.loads(message.data)
            if "id" in told:
                self._answers.pop(told["id"]).set_result(told)
            elif told["method"] == "Runtime.exceptionThrown":
                self.complaints.append(json.dumps(told["params"]["exceptionDetails"]))
            elif told["method"] == "Log.entryAdded" and told["params"]["entry"]["source"] not in _ADVICE:
                self.complaints.append(told["params"]["entry"]["text"])
            elif told["method"] == "Runtime.consoleAPICalled" and told["params"]["type"] in ("error", "warning"):
                self.complaints.append(json.dumps(told["params"]["args"]))

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """What a method of the protocol answers."""
        self._number += 1
        answer = self._answers[self._number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": self._number, "method": method, "params": parameters})
        told = await asyncio.wait_for(answer, PATIENCE)
        assert "error" not in told, told
        result: dict[str, Any] = told["result"]
        return result

    async def run(self, script: str) -> Any:
        """The value of a script in the page."""
        told = await self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    async def open(self, address: str) -> None:
        """Go to an address."""
        await self.call("Page.navigate", url=address)

    async def until(self, condition: str) -> None:
        """Wait until a condition of the page holds."""
        for _turn in range(PATIENCE * 20):
            try:
                if await self.run(f"Boolean({condition})"):
                    return
            except AssertionError:  # the page is being left
                pass
            await asyncio.sleep(0.05)
        raise AssertionError(f"{condition}\n{await self.text()}")

    async def click(self, selector: str) -> None:
        """Click what a selector finds first."""
        await self.until(f"document.querySelector({json.dumps(selector)})")
        await self.run(
            f"document.querySelector({json.dumps(selector)}).dispatchEvent(new MouseEvent('click', {{bubbles: true}}))"
        )

    async def press(self, key: str, code: int = 0) -> None:
        """Press a key."""
        text = {"Enter": "\r"}.get(key, "")
        for kind in ("keyDown", "keyUp"):
            await self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                text=text if kind == "keyDown" else "",
                windowsVirtualKeyCode=code,
            )

    async def hindrances(self) -> list[str]:
        """What of the page not everybody can use."""
        await self.run(f"{AXE.read_text()}; null")
        told = await self.run("axe.run().then((found) => JSON.stringify(found.violations))")
        return [
            f"{one['impact']}: {one['help']}: {[node['html'] for node in one['nodes'][:3]]}"
            for one in json.loads(told)
            if one["impact"] in ("serious", "critical")
        ]

    async def text(self) -> str:
        """What the page shows, as text."""
        return str(await self.run("document.body.innerText"))

    async def resize(self, width: int, height: int = 800) -> None:
        """Give the page a size, in pixels."""
        await self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )

    async def prefer(self, scheme: str) -> None:
        """Have the page be `light` or `dark`."""
        await self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    async def picture(self) -> bytes:
        """What is seen of the page, once it is drawn, as a WebP."""
        await self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        told = await self.call("Page.captureScreenshot", format="webp", quality=80)
        return base64.b64decode(told["data"])

    async def pdf(self) -> bytes:
        """The page as it is printed."""
        told = await self.call("Page.printToPDF", printBackground=True)
        return base64.b64decode(told["data"])

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._opened.aclose()


@functools.cache
def _browser() -> tuple[int, str]:
    """Where a browser listens, which is started once and ends with this process: its port, and a path."""
    assert PROGRAM is not None
    folder = Path(tempfile.mkdtemp(prefix="chromium-"))
    options = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run")
    own = ("--remote-debugging-port=0", f"--user-data-dir={folder}", "about:blank")
    process = subprocess.Popen([PROGRAM, *options, *own], stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL)
    atexit.register(_end, process, folder)
    told = folder / "DevToolsActivePort"
    for _turn in range(PATIENCE * 20):
        if told.exists() and len(lines := told.read_text().split("\n")) > 1:
            return int(lines[0]), lines[1]
        time.sleep(0.05)
    raise AssertionError("Chromium did not start")


def _end(process: subprocess.Popen[bytes], folder: Path) -> None:
    process.terminate()
    process.wait()
    shutil.rmtree(folder, ignore_errors=True)


async def _call(socket: ClientWebSocketResponse, method: str, **parameters: Any) -> dict[str, Any]:
    """What a method of the browser answers, whose socket tells nothing else."""
    await socket.send_json({"id": 1, "method": method, "params": parameters})
    told = await socket.receive_json(timeout=PATIENCE)
    assert "error" not in told, told
    result: dict[str, Any] = told["result"]
    return result
