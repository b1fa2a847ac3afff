"""Downloads for real, from a server on this machine that serves the shared files."""

from __future__ import annotations

import dataclasses
import hashlib
import socket
from pathlib import Path

import numpy as np
import pytest

from benchmarks.datasets import SOURCES, files, load
from oddrank.errors import InvalidDataError
from tests.benchmarks.datasets.conftest import Server
from tests.zip_files import zipped


@pytest.mark.parametrize("name", ["adult", "pima", "wilt", "shuttle", "forestcover", "pendigits"])
def test_full_download_gives_the_same_rows_as_the_folder(
    name: str, uci_server: Server, data_folder: Path, tmp_path: Path
) -> None:
    downloaded = load(name, cache_home=tmp_path / "downloaded")
    from_folder = load(name, data_home=data_folder, cache_home=tmp_path / "other")
    np.testing.assert_array_equal(downloaded.X, from_folder.X)
    np.testing.assert_array_equal(downloaded.y, from_folder.y)
    requests = list(uci_server.requests)
    assert requests
    load(name, cache_home=tmp_path / "downloaded", download=False)
    assert uci_server.requests == requests  # the second time nothing is asked for


def test_wilt_is_one_archive_and_is_downloaded_once(uci_server: Server) -> None:
    load("wilt")
    assert uci_server.requests == ["00285/wilt.zip"]


def test_progress_is_shown_on_standard_error(
    uci_server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    load("adult", progress=True)
    assert "100%" in capsys.readouterr().err


def test_truncated_transfer_is_tried_again(uci_server: Server) -> None:
    uci_server.truncate = 1
    assert load("ionosphere").n_rows == 351
    assert uci_server.requests == ["ionosphere/ionosphere.data"] * 2


def test_transfer_that_breaks_off_twice_is_said(uci_server: Server, tmp_path: Path) -> None:
    uci_server.truncate = 2
    assert_sentence(refusal("ionosphere", tmp_path), tmp_path, "ionosphere", "broke off")
    assert not list((tmp_path / "raw").rglob("*.data"))  # no half file is left behind


def test_wrong_hash_is_tried_again(uci_server: Server) -> None:
    uci_server.corrupt = 1
    assert load("ionosphere").n_rows == 351


def test_wrong_hash_twice_is_said_with_both_hashes(uci_server: Server, tmp_path: Path) -> None:
    uci_server.corrupt = 2
    content = b"\x00" + uci_server.contents["ionosphere/ionosphere.data"][1:]
    message = refusal("ionosphere", tmp_path)
    assert_sentence(message, tmp_path, "ionosphere", hashlib.sha256(content).hexdigest())
    assert not list((tmp_path / "raw").rglob("*.data"))


def test_wrong_content_in_an_archive_without_published_hash_is_refused(
    uci_server: Server, tmp_path: Path
) -> None:
    uci_server.contents["00285/wilt.zip"] = zipped(
        {"training.csv": b"class,a\nw,1\n", "testing.csv": b"class,a\nn,1\n"}
    )
    assert_sentence(refusal("wilt", tmp_path), tmp_path, "wilt", "its SHA-256 is")
    assert not (tmp_path / "raw" / "wilt" / "wilt.zip").exists()


@pytest.mark.parametrize("content", [b"PK not really", b"", zipped({"other.txt": b"1"})])
def test_archive_that_cannot_be_unpacked_is_refused(
    content: bytes, uci_server: Server, tmp_path: Path
) -> None:
    uci_server.contents["00285/wilt.zip"] = content
    assert_sentence(refusal("wilt", tmp_path), tmp_path, "wilt", "is damaged")


def test_damaged_unix_compress_file_is_refused(uci_server: Server, tmp_path: Path) -> None:
    uci_server.contents["statlog/shuttle/shuttle.trn.Z"] = b"\x1f\x9d\x90\xff\xff\xff\xff"
    assert_sentence(refusal("shuttle", tmp_path), tmp_path, "shuttle", "is damaged")


def test_second_address_is_used_when_the_first_has_nothing(uci_server: Server) -> None:
    uci_server.contents["5976039"] = uci_server.contents.pop("covtype/covtype.data.gz")
    assert load("forestcover").n_rows == 286048
    assert uci_server.requests[-1] == "5976039"


def test_missing_on_the_server_is_said(uci_server: Server, tmp_path: Path) -> None:
    del uci_server.contents["ionosphere/ionosphere.data"]
    assert_sentence(refusal("ionosphere", tmp_path), tmp_path, "ionosphere", "answered 404")


def test_server_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    monkeypatch.setitem(files.HOSTS, "UCI", f"http://127.0.0.1:{port}/")
    assert_sentence(refusal("ionosphere", tmp_path), tmp_path, "ionosphere", "no connection")


def test_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_name_service(*_: object, **__: object) -> object:
        raise socket.gaierror(-3, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", no_name_service)
    for name in ("ionosphere", "shuttle", "http"):
        assert_sentence(refusal(name, tmp_path), tmp_path, name, "no connection")


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_download_false_says_what_to_put_where(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidDataError) as refused:
        load(name, cache_home=tmp_path, download=False)
    assert_sentence(str(refused.value), tmp_path, name, "download=False")


@pytest.mark.parametrize(("name", "packed"), [("wilt", "wilt.zip"), ("shuttle", "shuttle.trn.Z")])
def test_a_packed_file_put_there_by_hand_is_used(
    name: str, packed: str, uci_server: Server, data_folder: Path, tmp_path: Path
) -> None:
    (tmp_path / name).mkdir()
    by_path = {Path(path).name: content for path, content in uci_server.contents.items()}
    (tmp_path / name / packed).write_bytes(by_path[packed])
    if name == "shuttle":
        (tmp_path / name / "shuttle.tst").write_bytes(by_path["shuttle.tst"])
    dataset = load(name, data_home=tmp_path, download=False)
    np.testing.assert_array_equal(dataset.X, load(name, data_home=data_folder).X)
    assert not uci_server.requests


def refusal(name: str, cache: Path) -> str:
    with pytest.raises(InvalidDataError) as refused:
        load(name, cache_home=cache)
    return str(refused.value)


def assert_sentence(message: str, cache: Path, name: str, reason: str) -> None:
    """The sentence names the file, the hash, the folder and the reason."""
    raw = SOURCES[name].original.files[0]
    assert raw.name in message
    assert (raw.sha256 or raw.packed_sha256) in message
    assert str(cache / "raw" / raw.folder) in message
    assert reason in message
    assert "ODDRANK_DATA" in message


def test_original_kdd_file_is_downloaded_parsed_and_counted(
    uci_server: Server, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The official tenth stands in for the full file: it goes all the way, and its counts, which
    # cannot be the paper's, are refused at the end.
    tenth = (data_folder / "http" / "kddcup.data_10_percent.gz").read_bytes()
    uci_server.contents["5976045"] = tenth
    source = SOURCES["http"]
    raw = dataclasses.replace(
        source.original.files[0], packed_sha256=hashlib.sha256(tenth).hexdigest()
    )
    original = dataclasses.replace(source.original, files=(raw,))
    monkeypatch.setitem(SOURCES, "http", dataclasses.replace(source, original=original))
    with pytest.raises(InvalidDataError) as refused:
        load("http")
    assert "(rows, features, anomalies) = (58725, 3, 2209)" in str(refused.value)
    assert "(567498, 3, 2211)" in str(refused.value)
    assert uci_server.requests[-1] == "5976045"
