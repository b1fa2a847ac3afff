"""`rank_detectors`: the product's main verb."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from oddrank._random import root_of
from oddrank._validation import check_option
from oddrank.detectors import Refit, name_candidates, names_detectors, prepare_candidates
from oddrank.evaluation import score_detectors
from oddrank.execution import Workers
from oddrank.ranking.judges import Judge, as_judge
from oddrank.ranking.result import Ranking
from oddrank.rows import folds_of, index_of, rows_at_hand, sampled_groups

__all__ = ["rank_detectors"]


def rank_detectors(
    detectors: str | Mapping[str, Any] | Sequence[Any],
    X: Any,
    X_test: Any = None,
    *,
    judge: Judge | str = "auto",
    polluted: bool | None = None,
    preprocess: Any = None,
    scale: bool = True,
    cv: Any = 2,
    groups: Any = None,
    orientation: str | Mapping[str, str] | None = None,
    sample: int | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    workers: Workers | None = None,
) -> Ranking:
    """Rank detectors without labels, and say how sure the ranking is.

    Every detector is cloned and fitted on the same folds, and held against the same rows and points
    there, so that differences have the right error: that of other rows, other points, another
    training sample and another seed.

    Parameters
    ----------
    detectors : str, sequence or mapping
        A named pool ("default", "fast", "all"), or a sequence of names ("forest"), detectors or
        (name, detector) pairs, or a mapping of names to detectors. Anything that
        `oddrank.check_detector` finds fit; without a name it is called by its class.
    X : array or frame
        Numbers, or a frame with columns of any type and gaps: then `preprocess` makes numbers of
        them, or detectors are pipelines that do. Reference points are rows of the same types. A
        table that is not in memory is a Dask array or frame, a pyarrow dataset, or the path of a
        Parquet file or folder: see `sample`.
    X_test : array or frame, optional
        Without it the rows of `X` are split at random.
    judge : str or judge
        Who decides the order. "references", the default ("auto"): several reference measures in all
        features at once (see `oddrank.reference.ReferenceMixture`), by the mean area under the ROC
        curve of rows against their points.
        "volume": excess mass or mass volume, with Algorithm 1 above 8 features. "consensus":
        agreement with the other detectors. A judge with options of its own is an object:
        `Volume(criterion="mass_volume")`, `References(measures=…)`, `Consensus(…)`.
    polluted : bool, optional
        Whether the training rows hold anomalies, if you know. With False the committee follows the
        order, and the verdict says how often labels agreed with such leads. True is as if nothing
        were said: no way to clean rows was found that helps on tables of all kinds.
    preprocess : transformer or "auto", optional
        Any scikit-learn transformer (a `ColumnTransformer`, skrub's `TableVectorizer`), fitted in
        every fold on training rows only, before scaling. "auto" is `oddrank.TableEncoder` where the
        rows are not all numbers; it is the default where detectors are given by name.
    scale : bool
        Standardise every feature on the training rows first, after `preprocess`. A frame that is
        not all numbers is handed to detectors as it is where there is no `preprocess`.
    cv : int or splitter
        Fits of every detector, each tested on rows that it has not seen. Two folds are two
        independent training halves; the spread between fits is part of the error of every lead.
        With 1 the verdict speaks of these fitted models, and not of the detectors. A splitter of
        scikit-learn must test every row once.
    groups : array, optional
        Rows of one group (a customer, a machine) are never divided between training and test rows.
    orientation : None, "normality", "abnormality", or mapping of names to these
        What high scores mean, for detectors that follow no known convention.
    sample : int, optional
        Rank on a random sample of this many rows. By default 200,000 of a table that is not in
        memory, and all rows otherwise. More rows than that change no verdict.
    n_jobs : int, optional
        Processes; None leaves it to `joblib.parallel_config`.
    random_state : None, int or numpy random state
        The same seed gives the same result, whatever the number of jobs, the backend or the order
        of the detectors.
    workers : Workers, optional
        A Dask cluster, a checkpoint, a progress bar, a time limit: see `oddrank.Workers`.

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
    judge = as_judge(judge, owner)
    check_option(scale, "scale", owner, (True, False))
    check_option(polluted, "polluted", owner, (None, True, False))
    workers = Workers.of(workers, n_jobs)
    candidates = name_candidates(detectors, orientation)
    if preprocess is None and names_detectors(detectors):
        preprocess = "auto"
    root = root_of(workers.remembered_root if random_state is None else random_state, owner)
    rows, sampled = rows_at_hand(X, sample, root, owner)
    groups = sampled_groups(groups, sampled, owner)
    test_rows = None
    if X_test is not None:
        test_rows, sampled = rows_at_hand(X_test, sample, root, owner, "X_test")
    folds = folds_of(rows, test_rows, cv, root, owner, groups=groups)
    candidates = prepare_candidates(candidates, preprocess, folds.train_rows, owner)
    plan = judge.plan(folds, root, owner)
    scored = score_detectors(candidates, folds, plan, scale=scale, root=root, workers=workers)
    return Ranking(
        judgement=judge.decide(scored, polluted),
        scored=scored,
        refit=Refit(
            candidates={each.name: each for each in candidates},
            rows=folds.train_rows,
            scale=scale,
            root=root,
            groups=groups,
        ),
        judge=judge,
        n_jobs=workers.n_jobs,
        sample=sampled,
        index=index_of(X if X_test is None else X_test),
    )
