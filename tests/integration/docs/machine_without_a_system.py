"""A machine that is switched on and has nothing on its disk: firmware, iPXE, and a live system that runs a script.

Run it in the machine's namespace of the network, with the folder of its live system, which it fills, and the public key
that its SSH server lets in.
"""

from __future__ import annotations

import secrets
import socket
import struct
import subprocess
import sys
from pathlib import Path

DEVICE = "eth0"
DISCOVER, OFFER, REQUEST, ACKNOWLEDGED = 1, 2, 3, 5
_COOKIE = b"\x63\x82\x53\x63"
_HEADER = struct.Struct("!BBBBIHH4s4s4s4s16s64s128s")


class Dhcp:
    """A client of DHCP, as firmware and iPXE have one."""

    def __init__(self, *more: tuple[int, bytes]) -> None:
        self._hardware = bytes.fromhex(Path(f"/sys/class/net/{DEVICE}/address").read_text().strip().replace(":", ""))
        self._number = secrets.randbits(32)
        self._options = [(60, b"PXEClient:Arch:00000:UNDI:002001"), (93, b"\0\0"), *more]
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, DEVICE.encode())
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        self._socket.settimeout(30)
        self._socket.bind(("", 68))

    def booted(self) -> tuple[str, str, str]:
        """The address that it is given, who serves files, and the file that it is told to boot."""
        with self._socket:
            address, server, _file = self._answer(DISCOVER, OFFER)
            asked = (50, socket.inet_aton(address)), (54, socket.inet_aton(server))
            return self._answer(REQUEST, ACKNOWLEDGED, *asked)

    def _answer(self, sent: int, wanted: int, *more: tuple[int, bytes]) -> tuple[str, str, str]:
        nowhere = bytes(4)
        header = _HEADER.pack(
            1, 1, 6, 0, self._number, 0, 0x8000, nowhere, nowhere, nowhere, nowhere, self._hardware, b"", b""
        )  # fmt: skip
        options = [(53, bytes([sent])), *more, *self._options]
        body = b"".join(bytes([number, len(value)]) + value for number, value in options)
        self._socket.sendto(header + _COOKIE + body + b"\xff", ("255.255.255.255", 67))
        while True:
            got = self._socket.recv(2048)
            fields, found = _HEADER.unpack_from(got), _options(got[_HEADER.size + len(_COOKIE) :])
            if fields[4] == self._number and found[53][0] == wanted:
                file = found.get(67, fields[13]).rstrip(b"\0").decode()
                return socket.inet_ntoa(fields[8]), socket.inet_ntoa(found[54]), file


def _options(body: bytes) -> dict[int, bytes]:
    found = {}
    while body and body[0] != 255:
        if body[0]:
            found[body[0]] = body[2 : 2 + body[1]]
            body = body[2 + body[1] :]
        else:
            body = body[1:]
    return found


def loaded(url: str) -> str:
    """What is loaded over the network."""
    done = subprocess.run(["curl", "-sSf", "--noproxy", "*", url], capture_output=True, text=True, check=True)
    return done.stdout


def main(folder: Path, key: Path) -> None:
    """Switch it on."""
    address, server, file = Dhcp().booted()
    subprocess.run(["ip", "address", "add", f"{address}/24", "dev", DEVICE], check=True)
    assert loaded(f"tftp://{server}/{file}") == "iPXE\n"
    _address, _server, script = Dhcp((175, b"\x01\x01\x01")).booted()
    lines = [line.split() for line in loaded(script).splitlines()]
    assert lines[0] == ["#!ipxe"]
    for name, url, *words in lines[1:3]:
        assert loaded(url) == f"{name}\n"
        hooks = [word.partition("=")[2] for word in words if word.startswith("hooks=")]
        for hook in hooks:
            subprocess.run(["sh"], input=loaded(hook), text=True, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / "host"], check=True)
    settings = f"HostKey {folder / 'host'}\nAuthorizedKeysFile {key}\nStrictModes no\nUsePAM no\nPidFile none\n"
    (folder / "sshd.conf").write_text(f"{settings}PermitRootLogin yes\nListenAddress {address}\n")
    subprocess.run(["/usr/sbin/sshd", "-f", folder / "sshd.conf"], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
