"""A server that serves the raw files at UCI's paths."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from benchmarks.datasets import files
from tests.zip_files import zipped


@dataclass
class Server:
    """Serves bytes by path; counts requests; can break off transfers or change what it sends."""

    url: str
    contents: dict[str, bytes]
    requests: list[str] = field(default_factory=list)
    truncate: int = 0  # how many of the next answers break off half-way
    corrupt: int = 0  # how many of the next answers have a wrong first byte

    def answer(self, path: str) -> tuple[bytes, int] | None:
        """Return what to send, and the length to announce."""
        self.requests.append(path)
        content = self.contents.get(path)
        if content is None:
            return None
        if self.truncate:
            self.truncate -= 1
            return content[: len(content) // 2], len(content)
        if self.corrupt:
            self.corrupt -= 1
            return b"\x00" + content[1:], len(content)
        return content, len(content)


class _Handler(BaseHTTPRequestHandler):
    server_state: ClassVar[Server]

    def do_GET(self) -> None:
        answer = self.server_state.answer(self.path.lstrip("/"))
        if answer is None:
            self.send_error(404)
            return
        body, announced = answer
        self.send_response(200)
        self.send_header("Content-Length", str(announced))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture(scope="session")
def uci_contents(data_folder: Path) -> dict[str, bytes]:
    return _uci_paths(data_folder)


@pytest.fixture
def uci_server(uci_contents: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """UCI's paths on this machine, packed as UCI packs them."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    url = f"http://127.0.0.1:{server.server_port}/"
    _Handler.server_state = Server(url=url, contents=dict(uci_contents))
    for host in ("UCI", "FIGSHARE", "GITHUB"):
        monkeypatch.setitem(files.HOSTS, host, url)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield _Handler.server_state
    server.shutdown()
    server.server_close()
    thread.join()


def _uci_paths(shared: Path) -> dict[str, bytes]:
    def read(path: str) -> bytes:
        return (shared / path).read_bytes()

    return {
        "adult/adult.data": read("adult/adult.data"),
        "adult/adult.test": read("adult/adult.test"),
        "pendigits/pendigits.tra": read("pendigits/pendigits.tra"),
        "pendigits/pendigits.tes": read("pendigits/pendigits.tes"),
        "ionosphere/ionosphere.data": read("ionosphere/ionosphere.data"),
        "covtype/covtype.data.gz": read("forestcover/covtype.data.gz"),
        "00285/wilt.zip": zipped(
            {name: read(f"wilt/{name}") for name in ("training.csv", "testing.csv")}
        ),
        "statlog/shuttle/shuttle.trn.Z": unix_compressed(read("shuttle/shuttle.trn")),
        "statlog/shuttle/shuttle.tst": read("shuttle/shuttle.tst"),
        "nebiljabari/Pima-Indian-Diabetes-Study/644641bcb55ac6bf7750c4ab54a26b5e8e922925/"
        "pima-indians-diabetes.data": read("pima/pima-indians-diabetes.data"),
    }


def unix_compressed(content: bytes) -> bytes:
    """Write a `.Z` stream of 9-bit literals: valid, and 9/8 as long as the content.

    A CLEAR code closes every 240 codes, before the table could grow to 10 bits; 240 is a multiple
    of 8, so that CLEAR never leaves padding behind.
    """
    codes: list[int] = []
    for start in range(0, len(content), 239):
        codes += [*content[start : start + 239], 256]
    bits = (np.array(codes)[:, None] >> np.arange(9)) & 1
    packed = np.packbits(bits.astype(np.uint8).ravel(), bitorder="little")
    return b"\x1f\x9d\x90" + packed.tobytes()
