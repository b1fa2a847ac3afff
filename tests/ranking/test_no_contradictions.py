"""Random rankings: every sentence of every output is checked against the numbers."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from sklearn.covariance import EmpiricalCovariance
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import LocalOutlierFactor
from sklearn.svm import OneClassSVM

from oddrank import References, check_against_labels, rank_detectors
from oddrank._plain_text import listed, number_word
from oddrank.datasets import load_embedded
from oddrank.ranking import details_text, screen
from oddrank.report import html_page, markdown, summarise
from tests.quick_density import QuickDensity
from tests.small_ranking import SMALL_VOLUMES, Fails

N_QUICK, N_ALL = 20, 200


class Flat(EmpiricalCovariance):
    """A detector that gives most rows one score."""

    def score_samples(self, X):
        return np.maximum(np.round(-np.abs(np.asarray(X)).max(axis=1)), -3.0)


POOL = {
    "forest": IsolationForest(n_estimators=25),
    "other forest": IsolationForest(n_estimators=25),
    "mixture": GaussianMixture(n_components=2, reg_covar=0.01),
    "density": QuickDensity(bandwidth=0.4),
    "lof": LocalOutlierFactor(novelty=True),
    "svm": OneClassSVM(nu=0.1),
    "a detector with quite a long name": QuickDensity(bandwidth=2.0),
    "flat": Flat(),
    "broken": Fails(),
}


def random_rows(random):
    """Rows of some shape, real or made, and labels of some of them."""
    kind = random.choice(["blobs", "ring", "heavy", "cancer", "wine"])
    n_rows, n_features = int(random.integers(60, 500)), int(random.integers(2, 12))
    if kind in {"cancer", "wine"}:
        data = load_embedded("breast_cancer" if kind == "cancer" else "wine")
        columns = random.permutation(data.X.shape[1])[:n_features]
        rows = random.permutation(len(data.X))[: max(n_rows, 100)]
        return data.X[np.ix_(rows, columns)], data.y[rows].astype(bool)
    X = random.normal(size=(n_rows, n_features))
    if kind == "blobs":
        X[: n_rows // 2] += 4.0
    elif kind == "ring":
        X[:, :2] /= np.linalg.norm(X[:, :2], axis=1, keepdims=True) / 3.0
    else:
        X = X / np.sqrt(random.chisquare(2, size=(n_rows, 1)))
    odd = random.random(n_rows) < 0.1
    X[odd] *= random.uniform(1.0, 4.0)
    return X, odd


def random_case(seed):
    """A ranking of some detectors on some rows, and what labels say of it."""
    random = np.random.default_rng(seed)
    X, odd = random_rows(random)
    names = random.permutation(list(POOL))[: random.integers(1, 8)]
    judge = References(volume=SMALL_VOLUMES) if random.random() < 0.7 else SMALL_VOLUMES
    ranking = rank_detectors(
        {name: POOL[name] for name in names},
        X,
        judge=judge if X.shape[1] <= 8 else "auto",
        polluted=random.choice([None, True, False]),
        orientation={"flat": "normality"} if "flat" in names else None,
        random_state=int(seed),
    )
    labels = None
    if ranking.order and odd.any() and not odd.all():
        labels = check_against_labels(ranking, X, odd)
    return ranking, labels


def said_of_the_winner(ranking, text):
    """What to use, how clear it is and how far it holds, against every pair."""
    order = ranking.order
    if not order:
        assert text.startswith("Nothing could be ranked.")
        return
    best, others = order[0], order[1:]
    pairs = {name: ranking.compare(best, name) for name in others}
    tied = [name for name in others if not pairs[name].separated]
    beaten = [name for name in others if pairs[name].separated]
    assert ("cannot be told apart" in text or "nothing tells it" in text) == bool(tied)
    if beaten:
        whom = beaten[0] if len(beaten) == 1 else f"the other {number_word(len(beaten))}"
        assert f"beats {whom}" in text
    else:
        assert " beats " not in text
    if tied and f"from {listed(tied)}." not in text and len(others) > len(tied) > 1:
        assert f"from {number_word(len(tied))} others" in text
    if not others:
        assert "nothing to compare it with" in text
    elif "Use the committee" in text:
        assert len(tied) == len(others)
        assert f"committee of {listed(ranking.committee_names)}." in text
    else:
        assert text.startswith(f"Use {best}")
    assert ("This is a guess" in text) == (ranking.n_test_rows < 50)
    sure = "almost surely agree" in text
    tenths = re.search(r"fresh sample would agree in (\d+) of 10", text)
    assert bool(sure or tenths) == ranking.conclusion.is_clear
    if sure or tenths:
        holds = min(pair.holds for pair in pairs.values())
        assert holds > 0.99 if sure else int(tenths[1]) == int(10 * holds)
    found = re.search(r"such a lead.*? in (\d+) of 10 cases", text)
    coin = "coin toss" in text
    assert bool(found or coin) == ranking.conclusion.is_clear
    if found or coin:
        least = min(pair.sureness.probability for pair in pairs.values())
        assert least < 0.55 if coin else round(10 * least) == int(found[1])


def said_of_letters(ranking):
    """Two detectors share a letter if and only if they cannot be told apart."""
    letters = ranking.letters
    for pair in ranking.comparisons:
        if {pair.better, pair.worse} <= set(letters):
            shared = set(letters[pair.better]) & set(letters[pair.worse])
            assert bool(shared) != pair.separated
    note = "Same letter: cannot be told apart."
    assert (note in ranking.table.notes) == any(not pair.separated for pair in ranking.comparisons)
    for row in ranking.table.rows:
        if row["rank"] and row["rank"] > 1:
            pair = ranking.compare(ranking.best, row["detector"])
            shown = ranking.table.columns[4].text(row["sure"])
            assert (shown == "tie") != pair.separated
            assert row["beats"] == sum(
                each.separated and each.better == row["detector"] for each in ranking.comparisons
            )


def said_of_kinds(ranking, text):
    clear = {(kind.expected, kind.favourite) for kind in ranking.judgement.kinds if kind.is_clear}
    for expected, favourite in clear:
        assert re.search(rf"If you expect [^.]*{re.escape(expected)}[^.]*, {favourite} ranks", text)
        assert favourite != ranking.best
    assert text.count("If you expect") == len({favourite for _, favourite in clear})


def said_of_labels(ranking, labels):
    areas = (labels.roc_areas, labels.precision_recall_areas)
    if len(ranking.evaluations) < 2:
        return
    for place, area in zip(labels.places, areas, strict=True):
        better = [n for n in area if round(area[n], 3) > round(area[ranking.best], 3)]
        assert place.rank == 1 + len(better)
        assert place.lead.value == pytest.approx(area[ranking.best] - area[place.rival])
        if place.rank > 1:
            assert place.rival in better
    worse = [place for place in labels.places if place.is_clear and place.lead.value < 0.0]
    assert labels.sentence.startswith("Labels prefer") == bool(worse)
    if labels.sentence.startswith("Labels agree"):
        assert all(place.rank == 1 or not place.is_clear for place in labels.places)
        assert any(place.rank == 1 and place.is_clear for place in labels.places)


def said_of_checks(ranking, summary):
    wrong = [each for each in ranking.checks if not each.diagnostic.ok]
    page = html_page(summary)
    fine = not wrong and not ranking.failures
    assert ("Every check is fine." in page) == fine
    text = " ".join(ranking.conclusion.remarks())
    assert text.count("Caution:") == len(ranking.conclusion.cautions)
    letters = ranking.letters
    first = set(letters[ranking.best]) if ranking.order else set()
    for each in wrong:
        in_front = any(first & set(letters.get(name, "")) for name in each.detectors)
        bears_on_the_verdict = each.decides and (in_front or each.of_all)
        assert (f"{each.diagnostic.message} " in text) == bears_on_the_verdict
    for each in ranking.checks:
        uncertain = re.match(r"Volumes are uncertain by (\d+) %", each.diagnostic.message)
        if uncertain:
            # the figure is that of the table, for the detector that is named
            of = ranking.evaluations[each.detectors[0]]
            errors = [e.relative_error for e in (of.excess_mass, of.mass_volume) if e.resolved]
            assert int(uncertain[1]) == round(100 * max(errors))
            figures = {
                ranking.evaluations[name].diagnostics["relative error"].message
                for name in each.detectors
            }
            told = f"The figures are those of {each.detectors[0]}."
            assert (told in each.says("python")) == (len(figures) > 1)
    said = [(each.diagnostic.name, each.detectors) for each in wrong]
    assert len(said) == len(set(said))


def said_of_leads(ranking):
    """ "Behind" is the difference of two scores, or the logarithm of their ratio."""
    words = " ".join(details_text(ranking).split())
    in_volume = bool(ranking.judgement.criterion.unit)
    assert ("logarithm of the ratio of two scores" in words) == (in_volume and bool(ranking.order))
    assert ("difference of two scores" in words) == (not in_volume and bool(ranking.order))
    scores = {name: each.value for name, each in ranking.judgement.scores.items()}
    for row in ranking.table.rows:
        if row["behind"] is not None:
            best, other = scores[ranking.best], scores[row["detector"]]
            sign = ranking.judgement.criterion.sign
            behind = sign * np.log(best / other) if in_volume else best - other
            assert row["behind"].value == pytest.approx(behind, abs=1e-9)


def check_case(seed):
    ranking, labels = random_case(seed)
    remarks = [] if labels is None else [labels.sentence]
    shown = screen(ranking, remarks=remarks)
    text = " ".join(shown.split())
    headline = ranking.conclusion.headline
    said_of_the_winner(ranking, headline)
    said_of_letters(ranking)
    said_of_leads(ranking)
    said_of_kinds(ranking, text)
    if labels is not None:
        said_of_labels(ranking, labels)
    summary = summarise(ranking, labels=labels, n_oddest=0)
    said_of_checks(ranking, summary)
    assert headline in text
    for rendered in (
        summary.verdict,
        json.loads(json.dumps(ranking.to_dict()))["verdict"],
        ranking.verdict,
    ):
        assert rendered.startswith(headline)
    assert headline.replace("'", "&#39;") in html_page(summary)
    assert headline in markdown(summary).replace("\\", "")
    if ranking.has_held_out:
        n_flagged = ranking.odd_rows(n_explained=0).n_flagged
        found = re.search(r"([\d,]+) of [\d,]+ rows stands? out|No row", text)
        assert int((found[1] or "0").replace(",", "")) == n_flagged
    assert all(len(line) <= 79 for line in shown.splitlines()), shown


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(N_QUICK))
def test_no_two_sentences_contradict_each_other(seed):
    check_case(seed)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(N_QUICK, N_ALL))
def test_no_two_sentences_contradict_each_other_in_more_rankings(seed):
    check_case(seed)
