"""Fifteen labelled datasets of the ADBench collection: `X` (numbers) and `y` (1 = anomaly)."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from benchmarks.datasets.source import Parsed, RawFile, Route, Source, column_names, parsed


def parse(file: BinaryIO) -> Parsed:
    """Read rows and labels; the files have no names for their columns."""
    with np.load(file, allow_pickle=False) as arrays:
        X = arrays["X"]
        return parsed(X, arrays["y"] == 1, column_names(range(X.shape[1])))


def _source(  # noqa: PLR0917
    name: str,
    file: str,
    counts: tuple[int, int, int],
    anomaly_class: str,
    sha256: str,
    family: str = "",
) -> Source:
    address = f"{{GITHUB}}Minqi824/ADBench/main/adbench/datasets/Classical/{file}"
    raw = RawFile(folder="verdict", name=file, sha256=sha256, addresses=(address,))
    return Source(
        name=name,
        counts=counts,
        anomaly_percent=float(f"{100.0 * counts[2] / counts[0]:.3g}"),
        anomaly_class=anomaly_class,
        title="ADBench collection, folder Classical (most files from UCI by way of ODDS or DAMI)",
        citation="Han, S., Hu, X., Huang, H., Jiang, M., Zhao, Y. (2022). ADBench: Anomaly "
        "Detection Benchmark. NeurIPS.",
        licence="BSD 2-Clause (the collection)",
        original=Route(files=(raw,), parse=parse),
        family=family,
    )


SOURCES = (
    _source("breastw", "4_breastw.npz", (683, 9, 239), "malignant",
            "4f37ce07dbc25ddad8178fdc6d664ab46d2d0000ee28c2787c3c7ff3c03ef9f6", "breast"),
    _source("fault", "12_fault.npz", (1941, 27, 673), "steel plates with the rarer faults",
            "ec27301f9a4cf7c5d8b22c360cf37ddb043b7fb062465723dfd8b34e2771e5dd"),
    _source("landsat", "19_landsat.npz", (6435, 36, 1333), "the rarer soils",
            "ba17e2158c07469597b89db49d3982c874c6b713ff6670721ddc88969da77987", "satellite"),
    _source("letter", "20_letter.npz", (1600, 32, 100), "letters outside the normal ones",
            "f986d3da80cf1fa2aea83a5ebe73b7d4800e0d4c01fdd1ae074b58d20f10d039"),
    _source("magic_gamma", "22_magic.gamma.npz", (19020, 10, 6688), "hadron showers",
            "0be375984d7af9ea7a63b12206c240840d8b7daa3607021c5fb8756407dd86f1"),
    _source("mammography", "23_mammography.npz", (11183, 6, 260), "calcifications",
            "a0308ac9712d78321073b1c2dc98dc37665c0f35c1cc33019416fe8f8d7de7ea"),
    _source("optdigits", "26_optdigits.npz", (5216, 64, 150), "digit 0",
            "60de17a375a278ba220a7849727d998aa02b5e2f9fd17732a004bba28de4656e"),
    _source("page_blocks", "27_PageBlocks.npz", (5393, 10, 510), "blocks that are not text",
            "10a9b4d5bb5d3b9083caab4c4062f665610eada703c3d927bf7c34b1f2d0d223"),
    _source("satellite", "30_satellite.npz", (6435, 36, 2036), "the three rarest soils",
            "1f048f5686f1b8c16a227fdfa3c81a62cd9a92715714a6b24c69b1c5ad96b46e", "satellite"),
    _source("satimage_2", "31_satimage-2.npz", (5803, 36, 71), "class 2, sampled down",
            "1b056e357f801b8b20c3f380a30224a3c4088d7ed764ec5a24828dc9b1918d6f", "satellite"),
    _source("stamps", "37_Stamps.npz", (340, 9, 31), "forged stamps",
            "99fe739447284f613fa54bf2dccdb51c5120175ce6260adec6dad77576c42509"),
    _source("thyroid", "38_thyroid.npz", (3772, 6, 93), "hyperfunction",
            "8de161b3f235b7647bb0b39a836d983ff61d67bf234edac461da2d71e889cb87", "thyroid"),
    _source("waveform", "41_Waveform.npz", (3443, 21, 100), "class 0, sampled down",
            "6c9d867337ad1a2f8372c1d27f4c032f0401237e2041b7c45f00de8d319ff30f"),
    _source("wdbc", "43_WDBC.npz", (367, 30, 10), "malignant, sampled down",
            "78d4606a1ab516f5b60b00c196497f3bbd6bd5e4548fd04cf5f2475209b34b85", "breast"),
    _source("wpbc", "46_WPBC.npz", (198, 33, 47), "recurrent",
            "68a6d67242643855713bcdad07d89ecc472bd00000dccc17ba87916eb2693d19", "breast"),
)  # fmt: skip
