"""Reasons: the planted culprit comes first, whatever the detector, the types and the scales."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import IsolationForest
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity, LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from oddrank import TableEncoder
from oddrank._text import figure
from oddrank.detectors import FittedDetector
from oddrank.errors import InvalidDataError, InvalidParameterError
from oddrank.inspection import Reason, explain_rows
from oddrank.rows import as_table

ROOT = np.random.SeedSequence(3)
DETECTORS = {
    "forest": IsolationForest(random_state=0),
    "lof": LocalOutlierFactor(novelty=True),
    "mixture": GaussianMixture(2, random_state=0),
    "kernels": KernelDensity(),
}
LOOKS_AT_PAIRS = ("lof", "mixture", "kernels")


def correlated_rows(n_rows=600):
    random = np.random.default_rng(0)
    height = random.normal(size=n_rows)
    weight = height + 0.15 * random.normal(size=n_rows)
    others = random.normal(size=(n_rows, 3))
    return np.column_stack([others[:, 0], height, others[:, 1], weight, others[:, 2]])


ROWS = correlated_rows()
NAMES = ["a", "height", "b", "weight", "c"]


def fitted_on(rows, label="mixture", *, orientation=None):
    detector = make_pipeline(StandardScaler(), DETECTORS[label]).fit(rows)
    return FittedDetector(name=label, detector=detector, orientation=orientation)


def reasons_of(fitted, row, rows, **options):
    odd = as_table(np.atleast_2d(row), minimum_rows=1)
    (reasons,) = explain_rows(fitted, odd, as_table(rows), root=ROOT, **options)
    return reasons


def framed(row, names=NAMES):
    return as_table(pd.DataFrame(np.atleast_2d(row), columns=names), minimum_rows=1)


@pytest.mark.parametrize("label", DETECTORS)
@pytest.mark.parametrize("column", [0, 1, 4])
def test_a_far_value_comes_first(label, column):
    row = np.zeros(5)
    row[column] = -8.0
    first = reasons_of(fitted_on(ROWS, label), row, ROWS)[0]
    assert (first.column, first.value, first.kind) == (f"x{column}", -8.0, "far")
    assert first.sentence.startswith(f"x{column} -8 is ")
    assert first.sentence.endswith("spreads below the median")


@pytest.mark.parametrize("label", DETECTORS)
def test_two_far_values_are_the_first_two_reasons(label):
    row = np.array([7.0, 0.0, 0.0, 0.0, -9.0])
    reasons = reasons_of(fitted_on(ROWS, label), row, ROWS)
    assert {reason.column for reason in reasons[:2]} == {"x0", "x4"}


@pytest.mark.parametrize("label", LOOKS_AT_PAIRS)
def test_an_odd_combination_names_both_columns(label):
    table = as_table(pd.DataFrame(ROWS, columns=NAMES))
    fitted = FittedDetector(
        name=label, detector=make_pipeline(StandardScaler(), DETECTORS[label]).fit(table.wrap(ROWS))
    )
    odd = framed([0.1, 1.2, 0.2, -1.25, 0.0])
    ((first, *_),) = explain_rows(fitted, odd, table, root=ROOT)
    pair = {"height": "weight -1.25", "weight": "height 1.2"}
    assert first.kind == "combination"
    assert first.sentence.endswith(f"does not go with {pair[first.column]}")


MIXED = pd.DataFrame(
    {
        "amount": np.r_[np.linspace(10.0, 20.0, 300), np.linspace(40.0, 50.0, 300)],
        "country": ["DE"] * 300 + ["FR"] * 300,
        "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(600) % 97, "h"),
        "age": np.where(np.arange(600) % 200 == 7, np.nan, 30.0 + np.arange(600) % 23),
        "member": (np.arange(600) % 3 == 0).astype(bool),
    }
)


def explained_mixed(**changes):
    # a row of Germany, joined to the frame so that both are coded alike
    row = MIXED.iloc[[140]].assign(**changes)
    table = as_table(pd.concat([MIXED, row], ignore_index=True))
    ordinary, odd = table.rows(np.arange(600)), table.rows(np.array([600]))
    encoder = TableEncoder()
    detector = make_pipeline(encoder, StandardScaler(), LocalOutlierFactor(30, novelty=True))
    fitted = FittedDetector(name="it", detector=detector.fit(MIXED))
    (reasons,) = explain_rows(fitted, odd, ordinary, root=ROOT)
    return reasons


def test_a_category_that_is_rare_for_such_a_row():
    # half of all rows have it, but none with such an amount
    told = {reason.sentence: reason.kind for reason in explained_mixed(country="FR")}
    pair = {"country FR does not go with amount 14.68", "amount 14.68 does not go with country FR"}
    (sentence,) = pair & set(told)
    assert told[sentence] == "combination"
    assert not any("unusual" in sentence for sentence in told)


@pytest.mark.parametrize("n_columns", [0, 1, 3])
def test_a_level_of_a_third_of_all_rows_is_not_unusual(n_columns):
    random = np.random.default_rng(0)
    levels = {f"kind{j}": random.choice(["a", "b", "c"], 900) for j in range(1 + n_columns)}
    frame = pd.DataFrame({"size": random.normal(size=900), **levels})
    table = as_table(frame)
    detector = make_pipeline(TableEncoder(), StandardScaler(), LocalOutlierFactor(novelty=True))
    fitted = FittedDetector(name="it", detector=detector.fit(frame))
    oddest = np.argsort(fitted.score(table))[:40]
    for reasons in explain_rows(fitted, table.rows(oddest), table, root=ROOT):
        assert not any(reason.kind == "category" for reason in reasons)
        assert not any("unusual" in reason.sentence for reason in reasons)


@pytest.mark.parametrize(("share", "kind"), [(0.02, "gap"), (0.4, None)])
def test_gaps_that_many_rows_have_are_not_unusual(share, kind):
    random = np.random.default_rng(0)
    rows = random.normal(size=(1000, 2))
    rows[random.random(1000) < share, 1] = np.nan
    fitted = FittedDetector(name="it", detector=lambda X: 0.0 - np.isnan(X[:, 1]))
    odd = as_table([[0.0, np.nan]], minimum_rows=1)
    (reasons,) = explain_rows(fitted, odd, as_table(rows), root=ROOT)
    assert [reason.kind for reason in reasons if reason.column == "x1"] == ([kind] if kind else [])


def test_a_category_that_no_row_has():
    first = explained_mixed(country="IT", amount=31.0)
    assert "country IT is unusual here" in [reason.sentence for reason in first]


def test_a_gap():
    first = explained_mixed(age=np.nan)[0]
    assert (first.column, first.value, first.kind) == ("age", None, "gap")
    assert first.sentence == "age is missing, which is unusual here"


@pytest.mark.parametrize(
    ("when", "shown"), [("2031-05-01", "2031-05-01"), ("2031-05-01 12:30", "2031-05-01T12:30:00")]
)
def test_a_far_date_is_shown_as_iso_text(when, shown):
    first = explained_mixed(when=pd.Timestamp(when))[0]
    assert (first.column, first.value, first.kind) == ("when", shown, "far")
    assert first.sentence.endswith("spreads after the median")


def test_gaps_in_every_column_and_columns_of_gaps_alone():
    frame = pd.DataFrame({"x": np.arange(50.0), "empty": np.full(50, np.nan)})
    table = as_table(frame)
    fitted = FittedDetector(name="it", detector=lambda X: -np.nan_to_num(np.asarray(X)).sum(axis=1))
    odd = table.with_values(np.array([[np.nan, np.nan], [900.0, np.nan]]))
    nothing, far = explain_rows(fitted, odd, table, root=ROOT)
    assert nothing == ()
    assert [reason.column for reason in far] == ["x"]


@pytest.mark.parametrize("label", DETECTORS)
def test_a_value_made_more_ordinary_is_never_the_first_reason(label):
    fitted = fitted_on(ROWS, label)
    random = np.random.default_rng(1)
    for row in ROWS[:20].copy():
        culprit, calmed = random.choice([0, 2, 4], 2, replace=False)
        row[culprit] = random.choice([-7.0, 7.0])
        row[calmed] = np.median(ROWS[:, calmed])
        reasons = reasons_of(fitted, row, ROWS)
        assert reasons[0].column == f"x{culprit}"


class Oddness:
    """Scores that are high for odd rows."""

    def __init__(self, fitted):
        self.fitted = fitted

    def decision_function(self, X):
        return -self.fitted.score(as_table(X, minimum_rows=1))


@pytest.mark.parametrize("label", DETECTORS)
def test_the_sign_of_scores_is_respected(label):
    fitted = fitted_on(ROWS, label)
    turned = FittedDetector(name="t", detector=Oddness(fitted), orientation="abnormality")
    row = np.array([0.0, 0.2, 6.0, 0.2, 0.0])
    assert reasons_of(turned, row, ROWS) == reasons_of(fitted, row, ROWS)
    wrong = FittedDetector(name="w", detector=Oddness(fitted), orientation="normality")
    assert "x2" not in {reason.column for reason in reasons_of(wrong, row, ROWS)}


@pytest.mark.parametrize("label", LOOKS_AT_PAIRS)
def test_scales_and_origins_of_columns_do_not_matter(label):
    scale, shift = np.array([1e-3, 4.0, 1e6, 0.5, 32.0]), np.array([0.0, 8.0, -1e5, 64.0, 1.0])
    for row in ([0.1, 1.2, 0.2, -1.25, 0.0], [9.0, 0.0, 0.0, 0.1, 5.0]):
        plain = reasons_of(fitted_on(ROWS, label), row, ROWS)
        moved_rows = ROWS * scale + shift
        moved = reasons_of(fitted_on(moved_rows, label), row * scale + shift, moved_rows)
        assert [each.column for each in plain] == [each.column for each in moved]
        assert [each.kind for each in plain] == [each.kind for each in moved]
        assert [each.strength for each in moved] == pytest.approx(
            [each.strength for each in plain], rel=0.02
        )


@pytest.mark.parametrize(
    "transform", [np.exp, np.arctan, lambda s: 1e9 * s - 5.0, lambda s: np.sign(s) * s**2]
)
def test_any_increasing_function_of_the_score_gives_the_same_reasons(transform):
    fitted = fitted_on(ROWS, "kernels")

    def transformed(X):
        return transform(fitted.score(as_table(X, minimum_rows=1)))

    other = FittedDetector(name="t", detector=transformed)
    for row in ([0.1, 1.2, 0.2, -1.25, 0.0], [5.0, 0.0, 0.0, 0.1, 4.0]):
        assert reasons_of(other, row, ROWS) == reasons_of(fitted, row, ROWS)


def test_scores_of_minus_infinity_are_compared_too():
    fitted = FittedDetector(
        name="box", detector=lambda X: np.where((np.abs(X) < 4.0).all(axis=1), 0.0, -np.inf)
    )
    first, *rest = reasons_of(fitted, [0.0, 0.0, 50.0, 0.0, 0.0], ROWS)
    assert first.column == "x2"
    assert rest == []


def test_ties_leave_only_far_values():
    flat = FittedDetector(name="flat", detector=lambda X: np.zeros(len(X)))
    reasons = reasons_of(flat, [0.0, 0.0, 50.0, 0.0, 0.0], ROWS)
    assert [reason.column for reason in reasons] == ["x2"]
    assert reasons_of(flat, np.zeros(5), ROWS) == ()


def test_order_and_number_of_the_rows_do_not_matter():
    fitted = fitted_on(ROWS)
    rows = ROWS[:7] + np.eye(7, 5) * 6.0
    table = as_table(ROWS)
    together = explain_rows(fitted, as_table(rows), table, root=ROOT)
    backwards = explain_rows(fitted, as_table(rows[::-1].copy()), table, root=ROOT)
    assert together == backwards[::-1]
    assert together == [reasons_of(fitted, row, ROWS) for row in rows]


def test_batches_do_not_matter(monkeypatch):
    fitted = fitted_on(ROWS)
    whole = reasons_of(fitted, ROWS[0] + 3.0, ROWS)
    monkeypatch.setattr("oddrank.inspection.reasons._BATCH", 1)
    assert reasons_of(fitted, ROWS[0] + 3.0, ROWS) == whole


def test_a_training_row_is_not_compared_with_itself():
    odd = np.array([0.0, 1.3, 0.0, -1.3, 0.0])
    rows = np.vstack([ROWS, odd])
    fitted = fitted_on(rows, "lof")
    assert reasons_of(fitted, odd, rows)[0].column in {"x1", "x3"}


@pytest.mark.parametrize("name", ["a|b\n<script>", "{0} %s", "x" * 500, "a does not go with b"])
def test_hostile_names(name):
    names = [name, "height", "b", "weight", "c"]
    frame = pd.DataFrame(ROWS, columns=names)
    fitted = FittedDetector(name="it", detector=GaussianMixture(1, random_state=0).fit(frame))
    ((first, *_),) = explain_rows(
        fitted, framed([9.0, 0.0, 0.0, 0.0, 0.0], names), as_table(frame), root=ROOT
    )
    assert first.column == name
    assert "\n" not in first.sentence
    assert len(first.sentence) < 120


def test_one_column():
    rows = np.r_[
        np.random.default_rng(0).normal(-5, 1, 200), np.random.default_rng(1).normal(5, 1, 200)
    ]
    fitted = FittedDetector(name="it", detector=KernelDensity().fit(rows[:, None]))
    far, between = (reasons_of(fitted, [[value]], rows[:, None]) for value in (60.0, 0.0))
    assert (far[0].kind, far[0].sentence.split(" ")[1]) == ("far", "60")
    assert [reason.sentence for reason in between] == ["x0 0 is unusual here"]


def test_few_numbers_are_compared_as_levels():
    random = np.random.default_rng(0)
    rows = np.column_stack([random.normal(size=400), random.integers(1, 4, 400)])
    fitted = FittedDetector(name="it", detector=lambda X: -np.abs(X[:, 1] - 2.0))
    assert reasons_of(fitted, [0.0, 40.0], rows)[0].kind == "far"
    odd = reasons_of(fitted, [0.0, 3.5], rows)[0]
    assert (odd.kind, odd.sentence) == ("category", "x1 3.5 is unusual here")


def test_a_constant_column_has_no_spreads():
    rows = np.column_stack([ROWS[:, 0], np.full(len(ROWS), 2.0)])
    fitted = FittedDetector(name="it", detector=lambda X: -np.abs(X[:, 1] - 2.0))
    (only,) = reasons_of(fitted, [0.0, 2.5], rows)
    assert only.sentence == "x1 2.5 is unusual here"


@pytest.mark.parametrize(
    ("value", "shown"),
    [(4939.32, "4939"), (1234567.8, "1,234,568"), (20.75, "20.75"), (31.23456, "31.23")],
)
def test_numbers_are_short(value, shown):
    assert figure(value) == shown
    fitted = FittedDetector(name="it", detector=lambda X: -np.abs(X).sum(axis=1))
    first = reasons_of(fitted, [0.0, value], ROWS[:, :2])[0]
    assert first.sentence.startswith(f"x1 {shown} is ")
    assert first.value == value


def test_a_year_has_no_comma():
    rows = np.column_stack([ROWS[:, 0], 2015.0 + np.arange(len(ROWS)) % 9])
    fitted = FittedDetector(name="it", detector=lambda X: -np.abs(X[:, 1] - 2019.0))
    assert reasons_of(fitted, [0.0, 1890.0], rows)[0].sentence.startswith("x1 1890 is ")


def test_a_blank_name_is_shown_as_one():
    frame = pd.DataFrame({"": ROWS[:, 0], "b": ROWS[:, 1]})
    table = as_table(frame)
    fitted = FittedDetector(name="it", detector=lambda X: -np.abs(np.asarray(X)).sum(axis=1))
    odd = table.with_values(np.array([[50.0, 0.0]]))
    ((first, *_),) = explain_rows(fitted, odd, table, root=ROOT)
    assert first.sentence.startswith("'' 50 is ")


def test_two_values_that_do_not_go_together_are_one_reason():
    reasons = reasons_of(fitted_on(ROWS), [0.1, 1.2, 0.2, -1.25, 0.0], ROWS)
    sentences = [reason.sentence for reason in reasons]
    assert sum("does not go with" in each for each in sentences) == 1, sentences


def test_far_values_that_fit_one_another_come_first():
    # without one of the two the row is odder still, and a third value hardly matters
    rows = np.random.default_rng(0).normal(size=(400, 3))
    fitted = FittedDetector(
        name="it",
        detector=lambda X: (
            -10.0 * np.abs(X[:, 0] - X[:, 1]) - np.abs(X[:, 0]) - 0.1 * np.abs(X[:, 2])
        ),
    )
    reasons = reasons_of(fitted, [9.0, 9.5, 2.4], rows)
    assert {reason.column for reason in reasons[:2]} == {"x0", "x1"}
    assert all("spreads above the median" in reason.sentence for reason in reasons[:2])


def test_strengths_fall_and_their_number_is_limited():
    fitted = fitted_on(ROWS)
    reasons = reasons_of(fitted, [5.0, 6.0, 7.0, 6.0, 8.0], ROWS, n_reasons=2)
    assert len(reasons) == 2
    assert reasons[0].strength >= reasons[1].strength > 0.0
    assert all(isinstance(reason, Reason) for reason in reasons)


def test_few_ordinary_rows_are_enough_and_no_odd_rows_have_no_reasons():
    table = as_table(ROWS)
    assert explain_rows(fitted_on(ROWS), table.without_rows(), table, root=ROOT) == []
    fitted = FittedDetector(name="it", detector=lambda X: -np.abs(X).sum(axis=1))
    assert reasons_of(fitted, [0.0, 99.0], ROWS[:3, :2])[0].column == "x1"


def test_wrong_options_are_refused():
    fitted, table = fitted_on(ROWS), as_table(ROWS)
    with pytest.raises(InvalidParameterError, match="'n_reasons' parameter of explain_rows"):
        explain_rows(fitted, table, table, n_reasons=0, root=ROOT)
    with pytest.raises(InvalidParameterError, match="'n_donors' parameter of explain_rows"):
        explain_rows(fitted, table, table, n_donors=1, root=ROOT)
    with pytest.raises(InvalidDataError, match="odd has 2 features but ordinary has 5"):
        explain_rows(fitted, as_table(ROWS[:, :2]), table, root=ROOT)
