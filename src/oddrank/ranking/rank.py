"""`rank_detectors`: the product's main verb."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from oddrank._plain_text import counted
from oddrank._random import root_of
from oddrank._validation import check_option, refuse_former
from oddrank.detectors import Refit, name_candidates, prepare_candidates
from oddrank.evaluation import (
    CountedRows,
    Evaluation,
    MeasuringGround,
    criteria_options,
    evaluate_jointly,
    lay_ground,
    shown_sampler,
    warn_of_constants,
    warn_of_few_rows,
)
from oddrank.execution import Workers
from oddrank.judging import Heard, Judge, Judgement, as_judge
from oddrank.ranking.cleaning import find_trusted
from oddrank.ranking.result import Ranking
from oddrank.rows import (
    DIRECT_FEATURES,
    BoundingBox,
    Folds,
    check_continuous,
    folds_of,
    rows_at_hand,
)

__all__ = ["rank_detectors"]

# Areas that decide nothing need no better errors than this.
JUDGED_HALVES = 20

_FORMER = {
    name: f"judge=Volume({name}=…)"
    for name in (
        "subsampling",
        "criterion",
        "reference",
        "box",
        "mass_range",
        "excess_mass_floor",
    )
} | {"test_size": "n_folds="}


def rank_detectors(
    detectors: Mapping[str, Any] | Sequence[Any],
    X_train: Any,
    X_test: Any = None,
    *,
    judge: Judge | str = "auto",
    polluted: bool | None = None,
    preprocess: Any = None,
    scale: bool = True,
    n_folds: int = 2,
    orientation: str | Mapping[str, str] | None = None,
    confidence_level: float = 0.95,
    n_jobs: int | None = None,
    client: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: bool = False,
    timeout: float | None = None,
    sample: int | None = None,
    random_state: Any = None,
    **former: Any,
) -> Ranking:
    """Rank detectors without labels, and say how sure the ranking is.

    Every detector is cloned and fitted on the same folds, and held against the same rows and points
    there, so that differences have the right error: that of other rows, other points, another
    training sample and another seed.

    Parameters
    ----------
    detectors : mapping of names to detectors, or sequence of detectors or (name, detector) pairs
        Anything `oddrank.check_detector` finds fit. Without names they are called by their class.
    X_train : array or frame
        Numbers, or a frame with columns of any type and gaps: then `preprocess` makes numbers of
        them, or detectors are pipelines that do. Reference points are rows of the same types. A
        table that is not in memory is a Parquet file or folder, a Dask array or frame, or chunks
        (a list of arrays or frames, or a function that iterates over them): see `sample`.
    X_test : array or frame, optional
        Without it the rows of `X_train` are split at random.
    judge : str or judge
        Who decides the order. "references", the default ("auto"): several reference measures in all
        features at once (see `oddrank.reference.ReferenceMixture`), by the mean area under the ROC
        curve of rows against their points; the volumes of up to 8 features are shown beside it.
        "volume": excess mass or mass volume, with Algorithm 1 above 8 features. "consensus":
        agreement with the other detectors. A judge with options of its own is an object:
        `Volume(criterion="mass_volume")`, `References(measures=…)`, `Consensus(…)`.
    polluted : bool, optional
        Whether the training rows hold anomalies, if you know. With True the fifth of the training
        rows that the detectors together find oddest is left out of training, and every detector is
        fitted twice. It also decides how sure the verdict is said to be.
    preprocess : transformer or "auto", optional
        Any scikit-learn transformer (a `ColumnTransformer`, skrub's `TableVectorizer`), fitted in
        every fold on training rows only, before scaling. "auto" is `oddrank.TableEncoder` where the
        rows are not all numbers.
    scale : bool
        Standardise every feature on the training rows first, after `preprocess`. A frame that is
        not all numbers is handed to detectors as it is where there is no `preprocess`.
    n_folds : int
        Fits of every detector, each tested on rows that it has not seen. Two folds are two
        independent training halves; the spread between fits is part of the error of every lead.
        With 1 the verdict speaks of these fitted models, and not of the detectors.
    orientation : None, "normality", "abnormality", or mapping of names to these
        What high scores mean, for detectors that follow no known convention.
    confidence_level : float
    n_jobs : int, optional
        Processes; None leaves it to `joblib.parallel_config`.
    client : dask.distributed.Client, optional
        Run on a Dask cluster instead. Rows are sent to the workers once.
    checkpoint : path, optional
        A folder for finished work: a run that was stopped continues there, with the same result.
    progress : bool
        Show a bar on stderr, if that is a terminal.
    timeout : float, optional
        Seconds that one fit, with its scores, may take. A detector that takes longer fails, and
        the others are ranked. Every fit then runs in a process of its own.
    sample : int, optional
        Fit on a random sample of this many rows, make folds and points from it, and score all
        rows chunk by chunk. By default 200,000 for a table that is not in memory, and all rows
        otherwise.
    random_state : None, int or numpy random state
        The same seed gives the same result, whatever the number of jobs, the backend or the order
        of the detectors.
    **former
        Options that have moved are refused with a sentence that says where they are now.

    Returns
    -------
    Ranking

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import IsolationForest
    >>> from sklearn.neighbors import KernelDensity
    >>> X = np.random.default_rng(0).normal(size=(4000, 2))
    >>> X[:2000] += 6.0
    >>> ranking = rank_detectors(
    ...     {"density": KernelDensity(bandwidth=0.2), "forest": IsolationForest()},
    ...     X,
    ...     random_state=0,
    ... )
    >>> ranking.best
    'density'
    >>> ranking.compare("density", "forest").separated
    True
    """
    owner = "rank_detectors"
    refuse_former(former, _FORMER, owner)
    judge = as_judge(judge, owner)
    check_option(scale, "scale", owner, (True, False))
    check_option(polluted, "polluted", owner, (None, True, False))
    workers = Workers(
        n_jobs=n_jobs, client=client, checkpoint=checkpoint, progress=progress, timeout=timeout
    )
    candidates = name_candidates(detectors, orientation)
    root = root_of(workers.remembered_root if random_state is None else random_state, owner)
    X_train, X_test, sampled = rows_at_hand(
        X_train, X_test, sample, root=root, client=workers.client, owner=owner
    )
    folds = folds_of(X_train, X_test, n_folds, root, owner).sampled_from(sampled)
    beyond = None if sampled is None else CountedRows.of(sampled, folds, root)
    candidates = prepare_candidates(candidates, preprocess, folds.train_rows, owner)
    ground = _lay_out(judge, folds, confidence_level=confidence_level, root=root)
    trusted = None
    if polluted and judge.asks is not None:
        trusted = find_trusted(candidates, folds, scale=scale, root=root, workers=workers)
        folds = folds.trained_on(trusted)
    joint = evaluate_jointly(
        candidates,
        folds,
        ground,
        scale=scale,
        root=root,
        workers=workers,
        measures=judge.asks,
        worth_growing=judge.undecided,
        beyond=beyond,
    )
    judgement = judge.decide(
        Heard(
            criteria={name: each.criteria for name, each in joint.evaluations.items()},
            areas=joint.judged,
            scores={name: joint.scores[name] for name in joint.evaluations},
            polluted=polluted,
            confidence_level=ground.confidence_level,
        )
    )
    return Ranking(
        judgement=judgement,
        evaluations=_best_first(joint.evaluations, judgement),
        failures=dict(sorted(joint.failures.items())),
        confidence_level=ground.confidence_level,
        setting=_setting(folds, ground),
        seconds=joint.seconds,
        refit=Refit(
            candidates={each.name: each for each in candidates},
            rows=folds.train_rows,
            scale=scale,
            root=root,
            trusted=trusted,
        ),
        parameters={
            "judge": judge,
            "polluted": polluted,
            "preprocess": preprocess,
            "n_folds": n_folds,
            "scale": scale,
            "confidence_level": ground.confidence_level,
            "sample": sample,
        },
        has_test_rows=folds.test_rows is not folds.train_rows,
        n_test_rows=min(map(folds.n_tested, range(len(folds)))),
        masses=ground.options.mass_range,
        held_out={name: folds.put_together(parts) for name, parts in joint.scores.items() if parts},
        tested_rows=folds.test_rows,
        row_folds=folds.of_test_rows,
        beyond=joint.beyond,
    )


def _lay_out(
    judge: Judge,
    folds: Folds,
    *,
    confidence_level: float,
    root: np.random.SeedSequence,
) -> MeasuringGround:
    """Decide where and with what areas are measured.

    Up to 8 features volumes are measured beside a judgement; above they would cost most of all, and
    of columns that are constant or not all numbers there are none.
    """
    owner, volume, n_rows = "rank_detectors", judge.in_volume, folds.n_tested()
    options = criteria_options(volume.masses_for(n_rows), volume.excess_mass_floor, owner)
    shared: dict[str, Any] = {
        "confidence_level": confidence_level,
        "root": root,
        "owner": owner,
    }
    plain = folds.train_rows.is_plain
    if judge.asks is None:
        check_continuous(folds.train_rows, owner)
    decides = judge.asks is None
    if not decides:
        options = replace(options, n_halves=JUDGED_HALVES)
    shown = plain and folds.train_rows.n_features <= DIRECT_FEATURES
    if shown and not decides and volume.box is None:
        shown = not warn_of_constants(folds, stacklevel=4)
    if decides or shown:
        ground = lay_ground(
            folds,
            subsampling=volume.subsampling,
            reference=volume.reference or (None if decides else shown_sampler()),
            box=volume.box,
            options=options,
            **shared,
        )
        if decides:
            warn_of_few_rows(n_rows, options, stacklevel=4)
        return ground
    return lay_ground(
        folds,
        subsampling=None,
        reference=judge.asks,
        box=BoundingBox.around_constants(*folds.extent),
        options=options,
        **shared,
    )


def _best_first(
    evaluations: Mapping[str, Evaluation], judgement: Judgement
) -> dict[str, Evaluation]:
    unranked = sorted(set(evaluations) - set(judgement.order))
    return {name: evaluations[name] for name in (*judgement.order, *unranked)}


def _setting(folds: Folds, ground: MeasuringGround) -> str:
    sampler, chosen = ground.sampler, ground.subsampling
    features = counted(folds.train_rows.n_features, "feature")
    if chosen:
        average = "" if chosen.aggregation == "mean" else ", geometric averages"
        features += f" in {chosen.n_draws} draws of {chosen.n_features} (Algorithm 1{average})"
    fits = f"{counted(len(folds), 'fit')} of about {len(folds.train[0]):,} rows each"
    return (
        f"{fits}, tested on {folds.n_tested():,} others; {features}; {sampler.points_in_words} "
        f"reference points{' per draw' if chosen else ' per fit'}, "
        f"{sampler.measure}{' measure' if sampler.of_volume else ''}"
    )
