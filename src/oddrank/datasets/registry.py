"""The raw files of every dataset: where they are published, and their hashes.

A file is known by the SHA-256 of its *content*. The repository serves some files packed (gzip,
zip, or Unix `compress`), and a packed copy made by somebody else has other bytes around the same
content. So the content is checked. If the hash of the packed file has been published, a file that
has it need not be unpacked for the check.
"""

from __future__ import annotations

from dataclasses import dataclass

UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases/"
FIGSHARE = "https://ndownloader.figshare.com/files/"
GITHUB = "https://raw.githubusercontent.com/"


@dataclass(frozen=True, kw_only=True)
class RawFile:
    """One file of a dataset.

    Attributes
    ----------
    folder, name : str
        Its place is `<data folder>/<folder>/<name>`.
    sha256 : str or None
        Of the content, unpacked. None where only the packed file's hash has been published.
    addresses : tuple of str
        Where it can be downloaded, best first; empty if nowhere. `{UCI}`, `{FIGSHARE}` and
        `{GITHUB}` stand for the three hosts.
    packed_name : str or None
        The name under which a packed copy is kept beside the plain one, for example `wilt.zip`.
    packed_sha256 : str or None
        The published hash of that packed copy.
    """

    folder: str
    name: str
    sha256: str | None
    addresses: tuple[str, ...] = ()
    packed_name: str | None = None
    packed_sha256: str | None = None

    @property
    def urls(self) -> tuple[str, ...]:
        """The full addresses."""
        hosts = {"UCI": UCI, "FIGSHARE": FIGSHARE, "GITHUB": GITHUB}
        return tuple(address.format(**hosts) for address in self.addresses)

    @property
    def names(self) -> tuple[str, ...]:
        """The names it may have in a folder: plain first, then packed."""
        plain = (self.name,) if self.sha256 else ()
        return (*plain, self.packed_name) if self.packed_name else plain

    @property
    def download_name(self) -> str:
        """The name under which a download is kept."""
        return self.packed_name or self.name


def _plain(folder: str, name: str, sha256: str, uci_folder: str) -> RawFile:
    return RawFile(
        folder=folder, name=name, sha256=sha256, addresses=(f"{{UCI}}{uci_folder}/{name}",)
    )


def _wilt(name: str, sha256: str) -> RawFile:
    return RawFile(
        folder="wilt",
        name=name,
        sha256=sha256,
        addresses=("{UCI}00285/wilt.zip",),
        packed_name="wilt.zip",
    )


def _adbench(name: str, sha256: str) -> RawFile:
    address = f"{{GITHUB}}Minqi824/ADBench/main/adbench/datasets/Classical/{name}"
    return RawFile(folder="verdict", name=name, sha256=sha256, addresses=(address,))


ADULT = (
    _plain("adult", "adult.data",
           "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d", "adult"),
    _plain("adult", "adult.test",
           "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05", "adult"),
)  # fmt: skip
KDDCUP99 = (
    # The content's own hash is not published; that of the packed file is, by scikit-learn.
    RawFile(folder="kddcup99", name="kddcup.data", sha256=None,
            addresses=("{UCI}kddcup99-mld/kddcup.data.gz", "{FIGSHARE}5976045"),
            packed_name="kddcup.data.gz",
            packed_sha256="3b6c942aa0356c0ca35b7b595a26c89d343652c9db428893e7494f837b274292"),
)  # fmt: skip
HTTP_ARRAYS = (
    RawFile(folder="http", name="16_http.npz",
            sha256="9d98710091551587f4740cfc851a6b064fff6319a337c2dc77ee6da4bcc2e02c"),
)  # fmt: skip
SMTP_ARRAYS = (
    RawFile(folder="smtp", name="34_smtp.npz",
            sha256="d2569fc9bc12115419e3f5b37d19921e10e6c26e5ad1e61064cfb0fbc402dfdd"),
)  # fmt: skip
PIMA = (
    # The UCI repository has withdrawn the file; this copy has the hash of the one it served.
    RawFile(folder="pima", name="pima-indians-diabetes.data",
            sha256="06f5b7c2cd7bca686fda4f92eab5f61e7ff6426a9acefa2e3dda04fc54293cf5",
            addresses=("{GITHUB}nebiljabari/Pima-Indian-Diabetes-Study/"
                       "644641bcb55ac6bf7750c4ab54a26b5e8e922925/pima-indians-diabetes.data",)),
)  # fmt: skip
WILT = (
    _wilt("training.csv", "2e439f523f913c8e6bf1ad8d975d3b0f8a7249f43d6f427a7ecf0e30841f6caa"),
    _wilt("testing.csv", "00b50577283aac9f1e54e31074fd5a8866fc954ccb5d3523d2974d0d95ed6994"),
)
ANNTHYROID = (
    _plain("annthyroid", "ann-train.data",
           "3da53a156bda36cb0c97e9f4b6b111c9226c54c4aa00230de5604b787c47e3a6", "thyroid-disease"),
    _plain("annthyroid", "ann-test.data",
           "c649ea19416e78c7996cfaaa2a9e281cb597d4b075aaa68c494fc3e4ee3aa30b", "thyroid-disease"),
)  # fmt: skip
ARRHYTHMIA = (
    _plain("arrhythmia", "arrhythmia.data",
           "a7f0f4ca289a4c58b5ed85a9adb793189acd38425828ce3dfbb70adb45f30169", "arrhythmia"),
)  # fmt: skip
FORESTCOVER = (
    RawFile(folder="forestcover", name="covtype.data",
            sha256="0a9371cef7c964b5475d6053cc3e0894a5aa6f65ad1ed3ecb01c45aa96217945",
            addresses=("{UCI}covtype/covtype.data.gz", "{FIGSHARE}5976039"),
            packed_name="covtype.data.gz",
            packed_sha256="614360d0257557dd1792834a85a1cdebfadc3c4f30b011d56afee7ffb5b15771"),
)  # fmt: skip
IONOSPHERE = (
    _plain("ionosphere", "ionosphere.data",
           "46d52186b84e20be52918adb93e8fb9926b34795ff7504c24350ae0616a04bbd", "ionosphere"),
)  # fmt: skip
PENDIGITS = (
    _plain("pendigits", "pendigits.tra",
           "e2b9eb9f0d0467e2b64a4816a3420edf2b8043447576f4b84337aba44a9f97d3", "pendigits"),
    _plain("pendigits", "pendigits.tes",
           "8bd03229c5c5291fefe43e45465dd948d2645bf23328b9d993e0b777666b2015", "pendigits"),
)  # fmt: skip
SHUTTLE = (
    RawFile(folder="shuttle", name="shuttle.trn",
            sha256="87b24ee9fb5137e1d417659cf905d84d0e15342bbaa60770f1ae83da1a38200a",
            addresses=("{UCI}statlog/shuttle/shuttle.trn.Z",), packed_name="shuttle.trn.Z"),
    _plain("shuttle", "shuttle.tst",
           "f776934a628d9b94c482cb058a76ddaa63823e0f74aec065813c9dff3b89d661", "statlog/shuttle"),
)  # fmt: skip
SPAMBASE = (
    _plain("spambase", "spambase.data",
           "b1ef93de71f97714d3d7d4f58fc9f718da7bbc8ac8a150eff2778616a8097b12", "spambase"),
)  # fmt: skip
# Fifteen more labelled datasets, for choosing and calibrating judges: the ADBench collection.
ADBENCH = {
    "breastw": _adbench("4_breastw.npz",
        "4f37ce07dbc25ddad8178fdc6d664ab46d2d0000ee28c2787c3c7ff3c03ef9f6"),
    "fault": _adbench("12_fault.npz",
        "ec27301f9a4cf7c5d8b22c360cf37ddb043b7fb062465723dfd8b34e2771e5dd"),
    "landsat": _adbench("19_landsat.npz",
        "ba17e2158c07469597b89db49d3982c874c6b713ff6670721ddc88969da77987"),
    "letter": _adbench("20_letter.npz",
        "f986d3da80cf1fa2aea83a5ebe73b7d4800e0d4c01fdd1ae074b58d20f10d039"),
    "magic_gamma": _adbench("22_magic.gamma.npz",
        "0be375984d7af9ea7a63b12206c240840d8b7daa3607021c5fb8756407dd86f1"),
    "mammography": _adbench("23_mammography.npz",
        "a0308ac9712d78321073b1c2dc98dc37665c0f35c1cc33019416fe8f8d7de7ea"),
    "optdigits": _adbench("26_optdigits.npz",
        "60de17a375a278ba220a7849727d998aa02b5e2f9fd17732a004bba28de4656e"),
    "page_blocks": _adbench("27_PageBlocks.npz",
        "10a9b4d5bb5d3b9083caab4c4062f665610eada703c3d927bf7c34b1f2d0d223"),
    "satellite": _adbench("30_satellite.npz",
        "1f048f5686f1b8c16a227fdfa3c81a62cd9a92715714a6b24c69b1c5ad96b46e"),
    "satimage_2": _adbench("31_satimage-2.npz",
        "1b056e357f801b8b20c3f380a30224a3c4088d7ed764ec5a24828dc9b1918d6f"),
    "stamps": _adbench("37_Stamps.npz",
        "99fe739447284f613fa54bf2dccdb51c5120175ce6260adec6dad77576c42509"),
    "thyroid": _adbench("38_thyroid.npz",
        "8de161b3f235b7647bb0b39a836d983ff61d67bf234edac461da2d71e889cb87"),
    "waveform": _adbench("41_Waveform.npz",
        "6c9d867337ad1a2f8372c1d27f4c032f0401237e2041b7c45f00de8d319ff30f"),
    "wdbc": _adbench("43_WDBC.npz",
        "78d4606a1ab516f5b60b00c196497f3bbd6bd5e4548fd04cf5f2475209b34b85"),
    "wpbc": _adbench("46_WPBC.npz",
        "68a6d67242643855713bcdad07d89ecc472bd00000dccc17ba87916eb2693d19"),
}  # fmt: skip
