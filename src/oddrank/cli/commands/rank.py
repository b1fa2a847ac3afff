"""`oddrank rank`: which detector to trust on this table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from oddrank.cli.common_options import Common, common_options, example
from oddrank.cli.table_options import TableOptions, table_options
from oddrank.cli.terminal import notes_from_warnings, say

if TYPE_CHECKING:
    from oddrank.datasets import UserTable
    from oddrank.inspection import LabelCheck
    from oddrank.ranking import Ranking

__all__ = ["rank"]

NOTHING_CONCLUDED = 1


@dataclass(frozen=True, kw_only=True)
class _Outputs:
    """Files to write, each if it was asked for."""

    html: str | None
    markdown: str | None
    scores: str | None
    save: str | None
    save_committee: str | None
    importance: bool

    @property
    def files(self) -> dict[str, str | None]:
        """Paths by the flags that name them."""
        names = ("html", "markdown", "scores", "save", "save_committee")
        return {f"--{name.replace('_', '-')}": getattr(self, name) for name in names}


@click.command(
    epilog=example("oddrank rank transactions.csv --html report.html --scores odd_rows.csv")
)
@click.argument("tables", nargs=-1, required=True, metavar="TABLE...", type=click.Path())
@click.option(
    "--test",
    "test_table",
    type=click.Path(),
    metavar="TABLE",
    help="Evaluate on these rows; by default half of TABLE is kept for that.",
)
@click.option(
    "--detectors",
    default="default",
    show_default=True,
    metavar="NAMES",
    help="Names and presets with commas between: fast, default, all, forest, lof, svm, "
    "gaussian, mixture, density, robust, exact_svm, and PyOD's knn, hbos, loda, pca.",
)
@click.option(
    "--detectors-from", metavar="MODULE:NAME", help="Rank the detectors of your own module."
)
@click.option(
    "--label",
    metavar="COLUMN",
    help="A column no detector sees: adds ROC and PR areas, and whether they agree.",
)
@click.option("--anomaly", metavar="VALUE", help="The label's value that marks an anomaly.")
@table_options
@click.option(
    "--judge",
    type=click.Choice(["auto", "references", "volume", "consensus"]),
    default="auto",
    show_default=True,
    help="Who decides: reference measures (auto), volumes, or the other detectors.",
)
@click.option(
    "--polluted/--clean",
    default=None,
    help="Whether TABLE holds anomalies, if you know; polluted rows are cleaned before training.",
)
@click.option(
    "--draws",
    type=click.IntRange(min=2),
    metavar="N",
    help="Draws of features, where there are more than 8.",
)
@click.option("--html", type=click.Path(dir_okay=False), help="Write the report, one page.")
@click.option("--markdown", type=click.Path(dir_okay=False), help="Write the report as Markdown.")
@click.option(
    "--scores",
    type=click.Path(dir_okay=False),
    help="Write every row with its score, the oddest first, as CSV.",
)
@click.option("--save", type=click.Path(dir_okay=False), help="Write the fitted winner (.skops).")
@click.option(
    "--save-committee",
    type=click.Path(dir_okay=False),
    help="Write the committee of the best, the safer choice (.skops).",
)
@click.option(
    "--importance/--no-importance",
    default=True,
    show_default=True,
    help="Feature importances of the winner, in the report.",
)
@click.option(
    "--checkpoint",
    type=click.Path(file_okay=False),
    help="A folder for finished work: a run that was stopped continues there.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.0, min_open=True),
    metavar="SECONDS",
    help="Time limit of one fit: a detector that takes longer fails, the others are ranked.",
)
@click.option("--cluster", metavar="ADDRESS", help="Run on a Dask cluster, tcp://host:port.")
@common_options
def rank(
    tables: tuple[str, ...],
    *,
    test_table: str | None,
    detectors: str,
    detectors_from: str | None,
    label: str | None,
    anomaly: str | None,
    reading: TableOptions,
    judge: str,
    polluted: bool | None,
    draws: int | None,
    checkpoint: str | None,
    timeout: float | None,
    cluster: str | None,
    common: Common,
    **outputs: Any,
) -> int:
    """Rank anomaly detectors on TABLE, without labels.

    TABLE is CSV or another text table, Excel or ODS, Parquet, Feather, npy, npz or ARFF, compressed
    or not; several files or a folder of the same columns; or - for standard input. Numbers,
    categories, dates, and yes or no are used; identifiers and free text are left out and listed.
    """
    from oddrank.cli.detector_sets import detectors_from as own_detectors
    from oddrank.cli.detector_sets import named_detectors
    from oddrank.cli.output_files import check_outputs
    from oddrank.cli.user_rows import read_rows

    wanted = _Outputs(**outputs)
    check_outputs(wanted.files, inputs=[*tables, *([test_table] if test_table else [])])
    chosen = own_detectors(detectors_from) if detectors_from else named_detectors(detectors)
    with notes_from_warnings(common):
        train = read_rows(tables, common, reading, label=label)
        test = None
        if test_table:
            names = list(train.feature_names)
            test = read_rows([test_table], common, reading, label=label, columns=names)
        ranking = _ranked(
            chosen,
            train,
            test,
            reading=reading,
            judge=judge,
            polluted=polluted,
            draws=draws,
            checkpoint=checkpoint,
            timeout=timeout,
            cluster=cluster,
            common=common,
        )
        labels = _label_check(ranking, test or train, anomaly, common)
        return _conclude(ranking, train, test or train, labels=labels, wanted=wanted, common=common)


def _ranked(
    detectors: Any,
    train: UserTable,
    test: UserTable | None,
    *,
    reading: TableOptions,
    judge: str,
    polluted: bool | None,
    draws: int | None,
    checkpoint: str | None,
    timeout: float | None,
    cluster: str | None,
    common: Common,
) -> Ranking:
    from oddrank.cli.user_rows import encoder_of, rows_of
    from oddrank.errors import InvalidDataError
    from oddrank.judging import JUDGES, Volume
    from oddrank.ranking import rank_detectors
    from oddrank.rows import DIRECT_FEATURES, FeatureSubsampling

    if draws and judge not in ("auto", "volume"):
        raise click.UsageError("--draws goes with --judge volume: other judges draw no features.")
    kind = JUDGES[judge]
    chosen = Volume(mass_range="auto") if kind is Volume else kind()
    if draws and train.n_features > DIRECT_FEATURES:
        subsampling = FeatureSubsampling(n_draws=draws)
        chosen = Volume(subsampling=subsampling, mass_range="auto")
    rows = rows_of(train)
    if isinstance(chosen, Volume) and not rows.is_plain:
        raise InvalidDataError(
            "Volumes exist for numbers without gaps only, and these columns are not all numbers. "
            "Leave --judge and --draws out, or use numbers alone: --encode none --gaps drop."
        )
    client = _client(cluster) if cluster else None
    try:
        return rank_detectors(
            detectors,
            rows,
            rows_of(test) if test else None,
            judge=chosen,
            polluted=polluted,
            preprocess=encoder_of(rows, reading),
            n_jobs=common.jobs,
            client=client,
            checkpoint=checkpoint,
            progress=not common.quiet,
            timeout=timeout,
            random_state=common.seed,
        )
    finally:
        if client is not None:
            client.close()


def _client(address: str) -> Any:
    from oddrank.errors import InvalidParameterError, MissingExtraError

    try:
        from distributed import Client
    except ImportError:
        raise MissingExtraError(
            "--cluster needs Dask. Install it with: pip install 'oddrank[cluster]'"
        ) from None
    try:
        return Client(address, timeout="10s")
    except (OSError, ValueError, TimeoutError) as error:
        raise InvalidParameterError(
            f"No Dask scheduler answers at {address!r}: {error}. Check the address."
        ) from error


def _label_check(
    ranking: Ranking, table: UserTable, anomaly: str | None, common: Common
) -> LabelCheck | None:
    if table.labels is None or not ranking.order:
        return None
    from oddrank.cli.user_rows import rows_of
    from oddrank.inspection import anomaly_labels, check_against_labels

    odd = anomaly_labels(table.labels, anomaly)
    say(f"{int(odd.sum()):,} of {len(odd):,} rows are labelled as anomalies.", common)
    return check_against_labels(ranking, rows_of(table), odd)


def _conclude(
    ranking: Ranking,
    train: UserTable,
    scored: UserTable,
    *,
    labels: LabelCheck | None,
    wanted: _Outputs,
    common: Common,
) -> int:
    from oddrank.cli.rank_outputs import write_outputs

    code = write_outputs(ranking, train, scored, labels=labels, common=common, **vars(wanted))
    return code or (0 if _concluded(ranking) else NOTHING_CONCLUDED)


def _concluded(ranking: Ranking) -> bool:
    """Tell whether anything was ranked and, of several, any two were separated."""
    order = ranking.order
    return bool(order) and (len(order) == 1 or len(ranking.groups()[0]) < len(order))
