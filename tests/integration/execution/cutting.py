"""The way to a host, as ssh's ProxyCommand: PORT, FOLDER, BYTES, and SECONDS that each part of the traffic takes.

After so many bytes, both ways together, it breaks; BYTES is 0 for never. It does so once: FOLDER remembers it.
"""

from __future__ import annotations

import os
import selectors
import socket
import sys
import time
from pathlib import Path


def main() -> None:
    """Carry bytes to the host and back."""
    port, folder, most, seconds = int(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
    breaks = most > 0 and not (folder / "cut").exists()
    host = socket.create_connection(("127.0.0.1", port))
    ways = {0: host.fileno(), host.fileno(): 1}
    carried = 0
    with selectors.DefaultSelector() as selector:
        for end in ways:
            selector.register(end, selectors.EVENT_READ)
        while True:
            for key, _events in selector.select():
                data = os.read(key.fd, 1 << 14)
                if not data:
                    return
                carried += len(data)
                if breaks and carried > most:
                    (folder / "cut").touch()
                    return
                time.sleep(seconds)
                view = memoryview(data)
                while view:
                    view = view[os.write(ways[key.fd], view) :]


if __name__ == "__main__":
    main()
