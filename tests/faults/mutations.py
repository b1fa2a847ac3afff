"""Bytes as disks, transfers and hostile people leave them."""

import io
import zipfile

import numpy as np


def mutated(content: bytes, random: np.random.Generator) -> bytes:
    """Change, cut off, add or overwrite a few bytes; the result is never the same."""
    spoiled = bytearray(content)
    place = int(random.integers(max(len(spoiled), 1)))
    kind = random.integers(5)
    if kind == 0 and spoiled:
        spoiled[place] ^= int(random.integers(1, 256))
    elif kind == 1:
        del spoiled[place:]
    elif kind == 2:
        spoiled[place:place] = random.bytes(int(random.integers(1, 9)))
    elif kind == 3:
        spoiled[place : place + 16] = random.bytes(16)
    else:
        other = int(random.integers(max(len(spoiled), 1)))
        spoiled[place : place + 64], spoiled[other : other + 64] = (
            spoiled[other : other + 64],
            spoiled[place : place + 64],
        )
    return bytes(spoiled) if bytes(spoiled) != content else content + b"\0"


def mutated_archive(content: bytes, random: np.random.Generator) -> bytes:
    """Change what is inside a zip file, with checksums that fit."""
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as archive,
        zipfile.ZipFile(buffer, "w") as changed,
    ):
        names = archive.namelist()
        chosen = names[int(random.integers(len(names)))]
        for name in names:
            inside = archive.read(name)
            changed.writestr(name, mutated(inside, random) if name == chosen else inside)
    return buffer.getvalue()
