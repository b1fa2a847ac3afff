"""The facts of the paper's table "Original Datasets characteristics", with citations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from oddrank._validation import check_option
from oddrank.datasets.optional_libraries import require

_UCI = "UCI Machine Learning Repository"
_GENERAL = "CC BY 4.0 (the repository's general licence)"


@dataclass(frozen=True, kw_only=True)
class DatasetFacts:
    """One line of the paper's table, and the exact count behind its rounded percentage.

    Attributes
    ----------
    name : str
    n_rows, n_features, n_anomalies : int
    anomaly_percent : float
        As printed in the paper, before any cap on anomalies.
    anomaly_class : str
        Which classes of the original data count as anomalies.
    source, citation, licence : str
    n_rows_clean, n_anomalies_clean : int
        The same counts with every row of the original files once (`preset="clean"`). They differ
        from the paper's for shuttle only.
    family : str
        Datasets of one family come from one source. If something is chosen on some datasets and
        tried on others, a family stays on one side.

    Notes
    -----
    Guide: :doc:`/datasets`.

    Examples
    --------
    >>> from oddrank import datasets
    >>> facts = datasets.list_datasets().datasets[0]
    >>> facts.name, facts.n_rows, facts.n_anomalies
    ('adult', 48842, 11687)
    """

    name: str
    n_rows: int
    n_features: int
    n_anomalies: int
    anomaly_percent: float
    anomaly_class: str
    source: str
    citation: str
    licence: str
    n_rows_clean: int
    n_anomalies_clean: int
    family: str

    def counts(self, preset: str) -> tuple[int, int, int]:
        """Return (rows, features, anomalies) that a preset must have."""
        if preset == "clean":
            return self.n_rows_clean, self.n_features, self.n_anomalies_clean
        return self.n_rows, self.n_features, self.n_anomalies


@dataclass(frozen=True, kw_only=True)
class Catalogue:
    """Datasets that `load` knows, in the order of the paper's table or of the collection.

    Notes
    -----
    Guide: :doc:`/datasets`.

    Examples
    --------
    >>> from oddrank import datasets
    >>> datasets.list_datasets().names[:3]
    ('adult', 'http', 'pima')
    """

    datasets: tuple[DatasetFacts, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names to give to `load`."""
        return tuple(facts.name for facts in self.datasets)

    def __getitem__(self, name: str) -> DatasetFacts:
        check_option(name, "name", "load", self.names)
        return self.datasets[self.names.index(name)]

    def __iter__(self) -> Iterator[DatasetFacts]:
        return iter(self.datasets)

    def __len__(self) -> int:
        return len(self.datasets)

    def frame(self) -> Any:
        """Return a pandas frame with one row per dataset."""
        pandas = require("pandas", "Catalogue.frame()")
        return pandas.DataFrame(self.to_dict()["datasets"])

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values."""
        return {"datasets": [asdict(facts) for facts in self.datasets]}

    def __str__(self) -> str:
        head = f"{'dataset':<12} {'rows':>8} {'features':>8} {'anomalies':>9}  anomaly class"
        lines = [
            f"{facts.name:<12} {facts.n_rows:>8,} {facts.n_features:>8} "
            f"{facts.anomaly_percent:>7} %  {facts.anomaly_class}"
            for facts in self.datasets
        ]
        return "\n".join([head, *lines])


def list_datasets(collection: str = "paper") -> Catalogue:
    """Return the facts of datasets that `load` knows; nothing is downloaded.

    Parameters
    ----------
    collection : "paper", "adbench" or "all"
        The twelve datasets of the paper, fifteen more with labels from the ADBench collection, or
        all of them.

    Notes
    -----
    Guide: :doc:`/datasets`.

    Examples
    --------
    >>> from oddrank.datasets import list_datasets
    >>> catalogue = list_datasets()
    >>> catalogue.names[:3]
    ('adult', 'http', 'pima')
    >>> catalogue["shuttle"].n_rows, catalogue["shuttle"].n_rows_clean
    (85849, 49097)
    """
    check_option(collection, "collection", "list_datasets", tuple(_CATALOGUES))
    return _CATALOGUES[collection]


def _uci(title: str, authors: str, year: int, doi: str) -> tuple[str, str]:
    return f'{_UCI}, "{title}"', f"{authors} ({year}). {title}. {_UCI}. doi:10.24432/{doi}"


def _facts(  # noqa: PLR0917
    name: str,
    counts: tuple[int, int, int],
    anomaly_percent: float,
    anomaly_class: str,
    source_and_citation: tuple[str, str],
    licence: str = _GENERAL,
    clean: tuple[int, int] | None = None,
    family: str = "",
) -> DatasetFacts:
    n_rows, n_features, n_anomalies = counts
    n_rows_clean, n_anomalies_clean = clean or (n_rows, n_anomalies)
    source, citation = source_and_citation
    return DatasetFacts(
        name=name,
        n_rows=n_rows,
        n_features=n_features,
        n_anomalies=n_anomalies,
        anomaly_percent=anomaly_percent,
        anomaly_class=anomaly_class,
        source=source,
        citation=citation,
        licence=licence,
        n_rows_clean=n_rows_clean,
        n_anomalies_clean=n_anomalies_clean,
        family=family or name,
    )


def _adbench(
    name: str, counts: tuple[int, int, int], anomaly_class: str, family: str = ""
) -> DatasetFacts:
    percent = float(f"{100.0 * counts[2] / counts[0]:.3g}")
    return _facts(
        name,
        counts,
        percent,
        anomaly_class,
        (
            "ADBench collection, folder Classical (most files from UCI by way of ODDS or DAMI)",
            "Han, S., Hu, X., Huang, H., Jiang, M., Zhao, Y. (2022). ADBench: Anomaly Detection "
            "Benchmark. NeurIPS.",
        ),
        "BSD 2-Clause (the collection)",
        family=family,
    )


_KDD = _uci("KDD Cup 1999 Data", "Stolfo, S., Fan, W., Lee, W., Prodromidis, A., Chan, P.", 1999,
            "C51C7N")  # fmt: skip

_PAPER = Catalogue(
    datasets=(
        _facts("adult", (48842, 6, 11687), 23.9, "class >50K",
               _uci("Adult", "Becker, B., Kohavi, R.", 1996, "C5XW20")),
        _facts("http", (567498, 3, 2211), 0.39, "attack", _KDD, family="kddcup"),
        _facts("pima", (768, 8, 268), 34.9, "pos (class 1)",
               ('NIDDK, "Pima Indians Diabetes" (formerly at the UCI repository)',
                "Smith, J. W., Everhart, J. E., Dickson, W. C., Knowler, W. C., Johannes, R. S. "
                "(1988). Using the ADAP learning algorithm to forecast the onset of diabetes "
                "mellitus. Proc. Annu. Symp. Comput. Appl. Med. Care, 261-265."),
               "not stated by the UCI repository, which has withdrawn the file"),
        _facts("smtp", (95156, 3, 30), 0.03, "attack", _KDD, family="kddcup"),
        _facts("wilt", (4839, 5, 261), 5.39, "class w (diseased trees)",
               _uci("Wilt", "Johnson, B.", 2013, "C5KS4M")),
        _facts("annthyroid", (7200, 6, 534), 7.42, "classes other than 3",
               _uci("Thyroid Disease", "Quinlan, R.", 1986, "C5D010"), family="thyroid"),
        _facts("arrhythmia", (452, 164, 207), 45.8,
               "classes other than 1 (features 10-14 removed)",
               _uci("Arrhythmia", "Guvenir, H., Acar, B., Muderrisoglu, H., Quinlan, R.", 1997,
                    "C5BS32")),
        _facts("forestcover", (286048, 10, 2747), 0.96, "class 4 (against class 2)",
               _uci("Covertype", "Blackard, J.", 1998, "C50K5N")),
        _facts("ionosphere", (351, 32, 126), 35.9, "bad",
               _uci("Ionosphere", "Sigillito, V., Wing, S., Hutton, L., Baker, K.", 1989,
                    "C5W01B")),
        _facts("pendigits", (10992, 16, 1144), 10.4, "class 4",
               _uci("Pen-Based Recognition of Handwritten Digits", "Alpaydin, E., Alimoglu, F.",
                    1996, "C5MG6K")),
        _facts("shuttle", (85849, 9, 6155), 7.17, "classes other than 1 (class 4 removed)",
               _uci("Statlog (Shuttle)", "NASA", 1993, "C5WS31"), clean=(49097, 3511)),
        _facts("spambase", (4601, 57, 1813), 39.4, "spam",
               _uci("Spambase", "Hopkins, M., Reeber, E., Forman, G., Suermondt, J.", 1999,
                    "C53G6X")),
    )
)  # fmt: skip
_ADBENCH = Catalogue(
    datasets=(
        _adbench("breastw", (683, 9, 239), "malignant", "breast"),
        _adbench("fault", (1941, 27, 673), "steel plates with the rarer faults"),
        _adbench("landsat", (6435, 36, 1333), "the rarer soils", "satellite"),
        _adbench("letter", (1600, 32, 100), "letters outside the normal ones"),
        _adbench("magic_gamma", (19020, 10, 6688), "hadron showers"),
        _adbench("mammography", (11183, 6, 260), "calcifications"),
        _adbench("optdigits", (5216, 64, 150), "digit 0"),
        _adbench("page_blocks", (5393, 10, 510), "blocks that are not text"),
        _adbench("satellite", (6435, 36, 2036), "the three rarest soils", "satellite"),
        _adbench("satimage_2", (5803, 36, 71), "class 2, sampled down", "satellite"),
        _adbench("stamps", (340, 9, 31), "forged stamps"),
        _adbench("thyroid", (3772, 6, 93), "hyperfunction", "thyroid"),
        _adbench("waveform", (3443, 21, 100), "class 0, sampled down"),
        _adbench("wdbc", (367, 30, 10), "malignant, sampled down", "breast"),
        _adbench("wpbc", (198, 33, 47), "recurrent", "breast"),
    )
)  # fmt: skip
_CATALOGUES = {
    "paper": _PAPER,
    "adbench": _ADBENCH,
    "all": Catalogue(datasets=_PAPER.datasets + _ADBENCH.datasets),
}
