"""`rank_detectors`: the product's main verb."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from oddrank._random import root_of
from oddrank._validation import check_fraction, check_option
from oddrank.bounding_box import BoundingBox
from oddrank.candidates import name_candidates
from oddrank.checkpoint import remembered_root
from oddrank.comparison import CRITERIA, compare_pairs
from oddrank.evaluation import Evaluation
from oddrank.evaluation_inputs import (
    criteria_options,
    train_and_test,
    warn_of_few_rows,
)
from oddrank.feature_subsampling import DIRECT_FEATURES, FeatureSubsampling
from oddrank.joint_evaluation import (
    JointEvaluation,
    Workers,
    evaluate_jointly,
)
from oddrank.judge_choice import JUDGEMENT, JUDGES, chosen_judge, default_measures
from oddrank.judgement import Judgement, judge_detectors
from oddrank.measuring_ground import lay_ground
from oddrank.more_points import rule_of_growth
from oddrank.ranking_result import Ranking
from oddrank.reference import (
    AutoReference,
    FollowingSampler,
    ReferenceMixture,
    ReferenceSampler,
)
from oddrank.reference.points import LEBESGUE
from oddrank.refit import Refit
from oddrank.scaling import standardise
from oddrank.table import Table, as_table

__all__ = ["rank_detectors"]

# Areas that decide nothing need no better errors than this.
JUDGED_HALVES = 20


def rank_detectors(
    detectors: Mapping[str, Any] | Sequence[Any],
    X_train: Any,
    X_test: Any = None,
    *,
    judge: str = "auto",
    polluted: bool | None = None,
    subsampling: FeatureSubsampling | str | None = "auto",
    scale: bool = True,
    test_size: float = 0.5,
    orientation: str | Mapping[str, str] | None = None,
    criterion: str = "auto",
    reference: ReferenceSampler | str | None = None,
    box: BoundingBox | None = None,
    mass_range: tuple[float, float] = (0.9, 0.999),
    excess_mass_floor: float = 0.9,
    confidence_level: float = 0.95,
    n_jobs: int | None = None,
    client: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: bool = False,
    random_state: Any = None,
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
    judge : "auto", "volume", "references", "combined" or "consensus"
        Who decides the order. "volume": excess mass or mass volume, with Algorithm 1 above 8
        features. "references": all features at once, against several reference measures (see
        `oddrank.reference.ReferenceMixture`), whose orders are averaged. "consensus": agreement
        with the other detectors. "combined": the references, with a say of the consensus. "auto"
        is "volume" where a parameter of volumes is given (subsampling, reference, box, criterion),
        and "combined" otherwise, with the volumes of up to 8 features beside it: see
        `benchmarks/verdict` for why.
    polluted : bool, optional
        Whether the training rows hold anomalies, if you know: it decides how sure the verdict is
        said to be, since polluted rows mislead every judge.
    subsampling : "auto", None or FeatureSubsampling
        Algorithm 1 of Goix (2016) in many dimensions; "auto" uses it above 8 features.
    scale : bool
        Standardise every feature on the training rows first.
    test_size : float
        Share of the rows that is kept for the evaluation when there is no `X_test`.
    orientation : None, "normality", "abnormality", or mapping of names to these
        What high scores mean, for detectors that follow no known convention.
    criterion : "auto", "excess_mass" or "mass_volume"
        What decides the order. "auto" is the excess mass unless it is unresolved for a detector.
    reference : sampler or "auto", optional
        A `ReferenceMixture` holds the measures that judge. Otherwise it is where volumes come from;
        by default "auto": `oddrank.reference.AutoReference`, growing only where more points may
        separate two detectors, with fewer points in each draw of features, and
        `MultilevelSplitting()` in more than 8 features at once (`subsampling=None`).
    box : BoundingBox, optional
        In the units of `X_train`. By default the range of training and test rows or, in draws of
        features, of the test rows.
    mass_range, excess_mass_floor, confidence_level
        As in `evaluate_scores`.
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
    options = criteria_options(mass_range, excess_mass_floor, owner)
    check_fraction(confidence_level, "confidence_level", owner)
    check_option(criterion, "criterion", owner, ("auto", *CRITERIA))
    check_option(scale, "scale", owner, (True, False))
    check_option(judge, "judge", owner, JUDGES)
    check_option(polluted, "polluted", owner, (None, True, False))
    candidates = name_candidates(detectors, orientation)
    remembered = remembered_root(checkpoint)
    root = root_of(remembered if random_state is None else random_state, owner)
    rows = as_table(X_train, name="X" if X_test is None else "X_train")
    train, test = train_and_test(rows, X_test, test_size, root, owner)
    measures = reference if isinstance(reference, ReferenceMixture) else None
    if measures is not None and judge != "volume":
        reference = None  # the measures that judge, not those of excess mass and mass volume
    volumes_asked = not (
        subsampling == "auto" and reference is None and box is None and criterion == "auto"
    )
    judge = chosen_judge(judge, volumes_asked=volumes_asked, owner=owner)
    judges = None if judge == "volume" else measures or default_measures(train.n_features)
    # Up to 8 features volumes are measured beside the judgement; above they would cost most of all.
    in_volume = judges is None or train.n_features <= DIRECT_FEATURES
    ground = lay_ground(
        train,
        test,
        subsampling=subsampling,
        reference=reference if in_volume else judges,
        box=box if in_volume else BoundingBox.around_constants(train, test),
        root=root,
        owner=owner,
    )
    if in_volume:
        warn_of_few_rows(test, options)
    refit = Refit(
        detectors={candidate.name: candidate.detector for candidate in candidates},
        orientations={candidate.name: candidate.orientation for candidate in candidates},
        rows=rows,
        scale=scale,
        root=root,
    )
    box = ground.box
    if scale:
        train, test, box = standardise(train, test, box)
    if not in_volume:
        options = replace(options, n_halves=JUDGED_HALVES)
    joint = evaluate_jointly(
        candidates,
        train,
        test,
        draws=ground.draws,
        aggregation=ground.aggregation,
        sampler=ground.sampler,
        box=box,
        options=options,
        confidence_level=confidence_level,
        root=root,
        workers=Workers(n_jobs=n_jobs, client=client, checkpoint=checkpoint, progress=progress),
        judges=judges,
        worth_growing=rule_of_growth(criterion, confidence_level, volumes_decide=judges is None),
    )
    judgement = None
    if judges is not None and joint.results:
        judgement = judge_detectors(
            joint.results,
            judges.names,
            judge=judge,
            polluted=polluted,
            confidence_level=confidence_level,
            n_rows=test.n_rows,
            root=root,
        )
    return _conclude(
        joint,
        criterion,
        judgement,
        setting=_setting(train, test, ground.subsampling, ground.sampler),
        refit=refit,
        parameters={
            "judge": judge,
            "polluted": polluted,
            "subsampling": ground.subsampling,
            "scale": scale,
            "test_size": test_size if X_test is None else None,
            "criterion": criterion,
            "reference": ground.sampler if judges is None else judges,
            "mass_range": options.mass_range,
            "excess_mass_floor": options.excess_mass_floor,
            "confidence_level": confidence_level,
        },
    )


def _conclude(
    joint: JointEvaluation,
    criterion: str,
    judgement: Judgement | None,
    *,
    setting: str,
    refit: Refit,
    parameters: Mapping[str, Any],
) -> Ranking:
    confidence_level = float(parameters["confidence_level"])
    if judgement is not None:
        criterion = JUDGEMENT
    elif criterion == "auto":
        resolved = all(each.excess_mass.resolved for each in joint.evaluations.values())
        criterion = "excess_mass" if resolved else "mass_volume"
    comparisons = [
        comparison
        for each in CRITERIA
        for comparison in compare_pairs(joint.evaluations, each, confidence_level)
    ]
    return Ranking(
        criterion=criterion,
        evaluations=_sorted(joint.evaluations, criterion, judgement),
        failures=dict(sorted(joint.failures.items())),
        comparisons=tuple(comparisons),
        confidence_level=confidence_level,
        setting=setting,
        seconds=joint.seconds,
        refit=refit,
        parameters=parameters,
        judgement=judgement,
    )


def _sorted(
    evaluations: Mapping[str, Evaluation], criterion: str, judgement: Judgement | None
) -> dict[str, Evaluation]:
    if judgement is not None:
        return {name: evaluations[name] for name in judgement.order}
    sign = -1.0 if criterion == "excess_mass" else 1.0

    def place(name: str) -> tuple[float, str]:
        value = sign * getattr(evaluations[name], criterion).value
        return (np.inf if np.isnan(value) else value), name

    return {name: evaluations[name] for name in sorted(evaluations, key=place)}


def _setting(
    train: Table, test: Table, chosen: FeatureSubsampling | None, sampler: ReferenceSampler
) -> str:
    points = sampler.n_replicates * sampler.points_per_replicate
    points += sampler.pilot_points if isinstance(sampler, AutoReference) else 0
    at_most = "at most " if isinstance(sampler, AutoReference | FollowingSampler) else ""
    features = f"{test.n_features} feature{'s' if test.n_features != 1 else ''}"
    if chosen:
        average = "" if chosen.aggregation == "mean" else "geometric averages, "
        features += f" in {chosen.n_draws} draws of {chosen.n_features} ({average}Algorithm 1)"
    return (
        f"{train.n_rows} training rows, {test.n_rows} test rows, {features};\n"
        f"{at_most}{points:,} reference points{' per draw' if chosen else ''}, "
        f"{sampler.measure}{' measure' if sampler.measure == LEBESGUE else ''}"
    )
