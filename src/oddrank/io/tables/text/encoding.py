"""The encoding of a text file, found from its first megabyte."""

from __future__ import annotations

import codecs
import re

from oddrank.errors import InvalidDataError, InvalidParameterError
from oddrank.io.optional_libraries import require

SAMPLE_BYTES = 2**20
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WORD = re.compile(r"[^\W\d_]+")
_BEYOND_ASCII = re.compile("[^\\x00-\\x7f\\ufffd]")
_LEAST_LETTERS = 3
_WESTERN_SIGNS = frozenset("€£¥¢°µ§±²³¹¼½¾«»“”„‚‘’–—…™©®ªº·•×÷¿¡\u00a0‰†")


def text_of(sample: bytes, encoding: str, what: str, *, strict: bool) -> str:
    """Decode a sample, with line feeds at the ends of lines; it may end inside a character."""
    complete = len(sample) < SAMPLE_BYTES
    errors = "strict" if strict else "replace"
    try:
        text = codecs.getincrementaldecoder(encoding)(errors).decode(sample, final=complete)
    except UnicodeDecodeError as error:
        raise InvalidDataError(
            f"{what} is not written in {encoding}: byte {error.start} cannot be read. "
            "Give the right --encoding, or leave it out to let oddrank find it."
        ) from error
    if "\x00" in text:
        raise InvalidDataError(
            f"{what} holds NUL characters, so it is not a text table in {encoding}. "
            "Give the right --encoding."
        )
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def check_encoding(encoding: str) -> str:
    """Return the encoding's name if Python knows it."""
    try:
        info = codecs.lookup(encoding)
        "".encode(encoding)
    except (LookupError, TypeError, ValueError) as error:
        raise InvalidParameterError(
            f"--encoding must be the name of a text encoding. Got {encoding!r} instead."
        ) from error
    return info.name


def detect_encoding(sample: bytes, what: str) -> str:
    """Find the encoding from the first bytes."""
    for mark, encoding in _BOMS:
        if sample.startswith(mark):
            return encoding
    if b"\x00" in sample:
        raise InvalidDataError(
            f"{what} holds NUL bytes (the first at byte {sample.index(0)}), so it is not a text "
            "table. If it was exported as Unicode, give --encoding utf-16."
        )
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        if _is_nearly_utf8(sample):
            return "utf-8"
        telling = b"\n".join(line for line in sample.splitlines() if not line.isascii())[: 2**14]
        return "cp1252" if _is_western(telling) else _guess_encoding(telling, what)
    return "utf-8"


def _is_nearly_utf8(sample: bytes) -> bool:
    """Whether there are few bytes that are not UTF-8, and many letters that only UTF-8 gives."""
    text = sample.decode("utf-8", errors="replace")
    n_good = len(_BEYOND_ASCII.findall(text))
    return n_good >= _LEAST_LETTERS and _LEAST_LETTERS * text.count("\ufffd") <= n_good


def bad_byte_notes(sample: bytes) -> list[str]:
    """Say where a UTF-8 file has bytes that are not UTF-8."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError as error:
        line = sample.count(b"\n", 0, error.start) + 1
        return [f"Bytes that are not UTF-8 are read as '\ufffd', the first of them in line {line}."]
    return []


def _is_western(telling: bytes) -> bool:
    """Whether the letters beyond ASCII stand in words with ASCII letters, or are Western signs."""
    try:
        text = telling.decode("cp1252")
    except UnicodeDecodeError:
        return False
    beyond = sum(not character.isascii() for character in text)
    good = sum(character in _WESTERN_SIGNS for character in text)
    for word in _WORD.findall(text):
        strange = sum(not character.isascii() for character in word)
        if strange <= (len(word) + 1) // 2:
            good += strange - sum(character in _WESTERN_SIGNS for character in word)
    return good >= 0.9 * beyond


def _guess_encoding(telling: bytes, what: str) -> str:
    charset_normalizer = require("charset_normalizer", "Reading text that is not UTF-8")
    best = charset_normalizer.from_bytes(telling).best()
    if best is None:
        raise InvalidDataError(
            f"{what} is not UTF-8, and its encoding is unclear, so it may not be text at all. "
            "If it is text, give --encoding, for example latin-1."
        )
    return str(best.encoding)
