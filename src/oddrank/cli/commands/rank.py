"""`oddrank rank`: which rows of this table are odd, and which detectors describe it well."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from oddrank.cli.common_options import Common, common_options, example
from oddrank.cli.table_options import TableOptions, table_options
from oddrank.cli.terminal import (
    clear_stage,
    notes_from_warnings,
    print_json,
    say,
    stage,
)

if TYPE_CHECKING:
    from oddrank.cli.rank_outputs import Outputs, Results
    from oddrank.inspection import LabelCheck
    from oddrank.io import UserTable
    from oddrank.ranking import Ranking

__all__ = ["rank"]

NOTHING_RANKED = 2
FEWEST_DRAWS = 4  # two for each of the two folds


@click.command(
    epilog=example("oddrank rank transactions.csv --html report.html --scores odd_rows.csv")
)
@click.argument("tables", nargs=-1, required=True, metavar="TABLE...", type=click.Path())
@click.option(
    "--test",
    "test_table",
    type=click.Path(),
    metavar="TABLE",
    help="Evaluate on these rows; by default each half of TABLE is evaluated by fits on the other.",
)
@click.option(
    "--detectors",
    default="default",
    show_default=True,
    metavar="NAMES",
    help="Names and presets with commas between: fast, default, all, forest, lof, svm, "
    "gaussian, mixture, copula, density, robust, exact_svm, and PyOD's knn, hbos, loda, pca.",
)
@click.option(
    "--detectors-from", metavar="MODULE:NAME", help="Rank the detectors of your own module."
)
@click.option(
    "--label",
    metavar="COLUMN",
    help="A column that no detector sees: tells where the pick stands by ROC and PR.",
)
@click.option("--anomaly", metavar="VALUE", help="The label's value that marks an anomaly.")
@click.option(
    "--teach",
    is_flag=True,
    help="Labels of --label teach the committee instead of being held against it; rows without a "
    "label are gaps.",
)
@table_options
@click.option(
    "--judge",
    type=click.Choice(["auto", "references", "volume", "consensus"]),
    default="auto",
    show_default=True,
    help="What decides: reference measures (auto, references), volumes, or the other detectors.",
)
@click.option(
    "--polluted/--clean",
    default=None,
    help="Whether TABLE holds anomalies, if you know. If it is clean, the committee follows the "
    "order; --polluted is as if nothing were said.",
)
@click.option(
    "--draws",
    type=click.IntRange(min=FEWEST_DRAWS),
    metavar="N",
    help="Let volumes decide, in N draws of 5 features, where there are more than 8.",
)
@click.option("--details", is_flag=True, help="Show leads, volumes, kinds of anomaly and checks.")
@click.option("--html", type=click.Path(dir_okay=False), help="Write the report, one page.")
@click.option(
    "--scores",
    type=click.Path(dir_okay=False),
    help="Write every row as CSV: oddness, steadiness, reasons of the oddest, its own columns.",
)
@click.option(
    "--save", type=click.Path(dir_okay=False), help="Write the committee, fitted (.skops)."
)
@click.option(
    "--detector",
    "of",
    default="committee",
    metavar="NAME",
    help="List, --scores and --save by this detector instead of the committee.",
)
@click.option(
    "--answers",
    type=click.Path(dir_okay=False, exists=True),
    metavar="FILE",
    help="Answers about rows, from oddrank ask or a spreadsheet: the committee follows them.",
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
    teach: bool,
    reading: TableOptions,
    judge: str,
    polluted: bool | None,
    draws: int | None,
    answers: str | None,
    checkpoint: str | None,
    timeout: float | None,
    cluster: str | None,
    common: Common,
    **outputs: Any,
) -> int:
    """Show the oddest rows of TABLE and rank anomaly detectors on it, without labels.

    TABLE is CSV or another text table, Excel or ODS, Parquet, Feather, npy, npz or ARFF, compressed
    or not; several files or a folder of the same columns; or - for standard input. Numbers,
    categories, dates, and true or false are used; what carries nothing is skipped and named.

    Exit codes: 0 a verdict, ties included; 2 bad input, or nothing could be ranked.
    """
    from oddrank.cli.output_files import check_outputs
    from oddrank.cli.own_detectors import detectors_from as own_detectors
    from oddrank.cli.own_detectors import named_detectors
    from oddrank.cli.rank_outputs import Outputs, Results
    from oddrank.cli.user_rows import anomalies_of, answers_of, known_labels, read_rows

    _check_flags(label=label, anomaly=anomaly, teach=teach, answers=answers, test=test_table)
    wanted = Outputs(**outputs)
    check_outputs(wanted.files, inputs=[*tables, *([test_table] if test_table else [])])
    chosen = own_detectors(detectors_from) if detectors_from else named_detectors(detectors)
    if wanted.of != "committee" and wanted.of not in chosen:
        raise click.UsageError(
            f"--detector {wanted.of} is not ranked. Choose one of {', '.join(chosen)}."
        )
    with notes_from_warnings(common):
        train = read_rows(tables, common, reading, label=label)
        test = None
        if test_table:
            names = list(train.feature_names)
            test = read_rows(
                [test_table], common, reading, label=label, columns=names, like=train.reading
            )
        known = known_labels(train, anomaly, common) if teach else None
        odd = None if teach else anomalies_of(test or train, anomaly, common)
        told = None if answers is None else answers_of(train, answers, common)
        ranking = _ranked(
            chosen,
            train,
            test,
            judge=judge,
            polluted=polluted,
            draws=draws,
            checkpoint=checkpoint,
            timeout=timeout,
            cluster=cluster,
            common=common,
        )
        if ranking.order and known is not None:
            ranking = ranking.tell(known, asked=False)
        if ranking.order and told is not None:
            ranking = ranking.tell(told.answers, by="row")
        results = Results(
            ranking=ranking,
            train=train,
            scored=test or train,
            labels=_label_check(ranking, test or train, odd, common),
            odd=_odd_rows(ranking, test or train, wanted, common),
            of=wanted.of,
        )
        return _conclude(results, wanted, common)


def _check_flags(
    *, label: str | None, anomaly: str | None, teach: bool, answers: str | None, test: str | None
) -> None:
    if anomaly is not None and label is None:
        raise click.UsageError("--anomaly goes with --label COLUMN.")
    if teach and label is None:
        raise click.UsageError("--teach goes with --label COLUMN, whose labels teach.")
    if answers is not None and test is not None:
        raise click.UsageError("--answers are about the rows of TABLE. Leave --test out.")
    if teach and test is not None:
        raise click.UsageError("--teach is about the rows of TABLE. Leave --test out.")


def _odd_rows(ranking: Ranking, table: UserTable, wanted: Outputs, common: Common) -> Any:
    from oddrank.cli.user_rows import row_names

    if not ranking.order:
        return None
    stage("Finding the oddest rows", common)
    found = ranking.odd_rows(wanted.of, n_explained=wanted.n_explained)
    return replace(found, names=row_names(table))


def _ranked(
    detectors: Any,
    train: UserTable,
    test: UserTable | None,
    *,
    judge: str,
    polluted: bool | None,
    draws: int | None,
    checkpoint: str | None,
    timeout: float | None,
    cluster: str | None,
    common: Common,
) -> Ranking:
    from oddrank import FeatureSubsampling, Volume, Workers, rank_detectors
    from oddrank.cli.user_rows import encoder_of, rows_of
    from oddrank.errors import InvalidDataError
    from oddrank.rows import DIRECT_FEATURES

    if draws and judge not in ("auto", "volume"):
        raise click.UsageError("--draws goes with --judge volume: other judges draw no features.")
    chosen: Any = judge
    if draws and train.n_features <= DIRECT_FEATURES:
        say(f"--draws is not used with {DIRECT_FEATURES} features or fewer.", common)
    elif draws:
        chosen = Volume(subsampling=FeatureSubsampling(n_draws=draws))
    rows = rows_of(train)
    if (judge == "volume" or isinstance(chosen, Volume)) and not rows.is_plain:
        raise InvalidDataError(
            "Volumes exist for numbers without gaps only, and these columns are not all numbers. "
            "Leave --judge and --draws out, or use such columns alone, with --columns and "
            "--drop-gaps."
        )
    client = _client(cluster) if cluster else None
    try:
        return rank_detectors(
            detectors,
            rows,
            rows_of(test) if test else None,
            judge=chosen,
            polluted=polluted,
            preprocess=encoder_of(rows),
            random_state=common.seed,
            workers=Workers(
                n_jobs=common.jobs,
                client=client,
                checkpoint=checkpoint,
                progress=not common.quiet,
                timeout=timeout,
            ),
        )
    finally:
        if client is not None:
            client.close()


def _client(address: str) -> Any:
    from oddrank.errors import InvalidParameterError, missing_extra

    try:
        from distributed import Client
    except ImportError:
        raise missing_extra("--cluster needs Dask", "cluster") from None
    try:
        return Client(address, timeout="10s")
    except (OSError, ValueError, TimeoutError) as error:
        raise InvalidParameterError(
            f"No Dask scheduler answers at {address!r}: {error}. Check the address."
        ) from error


def _label_check(ranking: Ranking, table: UserTable, odd: Any, common: Common) -> LabelCheck | None:
    if odd is None or not ranking.order:
        return None
    from oddrank.cli.user_rows import rows_of
    from oddrank.errors import InvalidDataError
    from oddrank.inspection import check_against_labels

    stage("Checking labels", common)
    try:
        return check_against_labels(ranking, rows_of(table), odd)
    except InvalidDataError as error:
        if ranking.taught is None:
            raise
        say(f"! {error}", common)  # answers took the labels away: the verdict stands without them
        return None


def _conclude(results: Results, wanted: Outputs, common: Common) -> int:
    """Print the verdict, then write files: what cannot be written costs nothing that is known."""
    from oddrank.cli.output_files import OutputFiles, show_and_write
    from oddrank.cli.rank_outputs import print_results, results_dict, write_outputs

    clear_stage(common)
    files = OutputFiles(common)

    def show() -> None:
        if common.as_json:
            print_json(results_dict(results, wanted))
        else:
            print_results(results, wanted)

    show_and_write(show, lambda: write_outputs(results, wanted, files, common))
    clear_stage(common)
    return files.code(0 if results.ranking.order else NOTHING_RANKED)
