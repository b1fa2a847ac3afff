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
from oddrank.detectors import Refit, name_candidates
from oddrank.evaluation import (
    Evaluation,
    MeasuringGround,
    criteria_options,
    evaluate_jointly,
    lay_ground,
    warn_of_few_rows,
)
from oddrank.execution import Workers, remembered_root
from oddrank.judging import Heard, Judge, Judgement, as_judge
from oddrank.ranking.result import Ranking
from oddrank.reference import ReferenceMixture
from oddrank.rows import (
    DIRECT_FEATURES,
    BoundingBox,
    Table,
    as_table,
    standardise,
    train_and_test,
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
}


def rank_detectors(
    detectors: Mapping[str, Any] | Sequence[Any],
    X_train: Any,
    X_test: Any = None,
    *,
    judge: Judge | str = "auto",
    polluted: bool | None = None,
    scale: bool = True,
    test_size: float = 0.5,
    orientation: str | Mapping[str, str] | None = None,
    confidence_level: float = 0.95,
    n_jobs: int | None = None,
    client: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: bool = False,
    random_state: Any = None,
    **former: Any,
) -> Ranking:
    """Rank detectors without labels, and say how sure the ranking is.

    Every detector is cloned, fitted on the same training rows, and evaluated on the same test rows
    with the same resamples, so that differences have the right error.

    Parameters
    ----------
    detectors : mapping of names to detectors, or sequence of detectors or (name, detector) pairs
        Anything `oddrank.check_detector` finds fit. Without names they are called by their class.
    X_train : array or frame
    X_test : array or frame, optional
        Without it the rows of `X_train` are split at random.
    judge : str or judge
        Who decides the order. "volume": excess mass or mass volume, with Algorithm 1 above 8
        features. "references": all features at once, against several reference measures (see
        `oddrank.reference.ReferenceMixture`), whose orders are averaged. "consensus": agreement
        with the other detectors. "combined": the references, with a say of the consensus. "auto"
        is "combined", with the volumes of up to 8 features beside it: see `benchmarks/verdict` for
        why. A judge with options of its own is an object: `Volume(criterion="mass_volume")`,
        `References(measures=…)`, `Combined(…)`, `Consensus(…)`.
    polluted : bool, optional
        Whether the training rows hold anomalies, if you know: it decides how sure the verdict is
        said to be, since polluted rows mislead every judge.
    scale : bool
        Standardise every feature on the training rows first.
    test_size : float
        Share of the rows that is kept for the evaluation when there is no `X_test`.
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
    workers = Workers(n_jobs=n_jobs, client=client, checkpoint=checkpoint, progress=progress)
    candidates = name_candidates(detectors, orientation)
    root = root_of(remembered_root(checkpoint) if random_state is None else random_state, owner)
    rows = as_table(X_train, name="X" if X_test is None else "X_train")
    train, test = train_and_test(rows, X_test, test_size, root, owner)
    measures = judge.measures_for(train.n_features)
    ground = _lay_out(judge, measures, train, test, confidence_level=confidence_level, root=root)
    if scale:
        train, test, box = standardise(train, test, ground.box)
        ground = replace(ground, box=box)
    joint = evaluate_jointly(
        candidates,
        train,
        test,
        ground,
        root=root,
        workers=workers,
        measures=measures,
        worth_growing=judge.undecided,
    )
    judgement = judge.decide(
        Heard(
            criteria={name: each.criteria for name, each in joint.evaluations.items()},
            areas=joint.judged,
            measures=() if measures is None else measures.names,
            polluted=polluted,
            confidence_level=ground.confidence_level,
            n_rows=test.n_rows,
            root=root,
        )
    )
    return Ranking(
        judgement=judgement,
        evaluations=_best_first(joint.evaluations, judgement),
        failures=dict(sorted(joint.failures.items())),
        confidence_level=ground.confidence_level,
        setting=_setting(train, test, ground),
        seconds=joint.seconds,
        refit=Refit(
            candidates={each.name: each for each in candidates}, rows=rows, scale=scale, root=root
        ),
        parameters={
            "judge": judge,
            "polluted": polluted,
            "scale": scale,
            "test_size": test_size if X_test is None else None,
            "confidence_level": ground.confidence_level,
        },
    )


def _lay_out(
    judge: Judge,
    measures: ReferenceMixture | None,
    train: Table,
    test: Table,
    *,
    confidence_level: float,
    root: np.random.SeedSequence,
) -> MeasuringGround:
    """Decide where and with what areas are measured.

    Up to 8 features volumes are measured beside a judgement; above they would cost most of all.
    """
    owner, volume = "rank_detectors", judge.in_volume
    options = criteria_options(volume.mass_range, volume.excess_mass_floor, owner)
    if measures is None or train.n_features <= DIRECT_FEATURES:
        ground = lay_ground(
            train,
            test,
            subsampling=volume.subsampling,
            reference=volume.reference,
            box=volume.box,
            options=options,
            confidence_level=confidence_level,
            root=root,
            owner=owner,
        )
        warn_of_few_rows(test, options, stacklevel=4)
        return ground
    return lay_ground(
        train,
        test,
        subsampling=None,
        reference=measures,
        box=BoundingBox.around_constants(train, test),
        options=replace(options, n_halves=JUDGED_HALVES),
        confidence_level=confidence_level,
        root=root,
        owner=owner,
    )


def _best_first(
    evaluations: Mapping[str, Evaluation], judgement: Judgement
) -> dict[str, Evaluation]:
    unranked = sorted(set(evaluations) - set(judgement.order))
    return {name: evaluations[name] for name in (*judgement.order, *unranked)}


def _setting(train: Table, test: Table, ground: MeasuringGround) -> str:
    sampler, chosen = ground.sampler, ground.subsampling
    features = counted(test.n_features, "feature")
    if chosen:
        average = "" if chosen.aggregation == "mean" else "geometric averages, "
        features += f" in {chosen.n_draws} draws of {chosen.n_features} ({average}Algorithm 1)"
    return (
        f"{train.n_rows} training rows, {test.n_rows} test rows, {features};\n"
        f"{sampler.points_in_words} reference points{' per draw' if chosen else ''}, "
        f"{sampler.measure}{' measure' if sampler.of_volume else ''}"
    )
