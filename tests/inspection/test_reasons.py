"""Reasons: true of the table, the planted culprit first, and nothing for ordinary rows."""

import re

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
from oddrank.inspection import OrdinaryRows, Reason, explain_rows
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


def explained(frame, row, detector=None):
    """Return the reasons of a row that is given as a mapping, by a detector fitted on the frame."""
    both = as_table(pd.concat([frame, pd.DataFrame([row])[frame.columns]], ignore_index=True))
    table, odd = both.rows(np.arange(len(frame))), both.rows(np.array([len(frame)]))
    member = LocalOutlierFactor(30, novelty=True) if detector is None else detector
    detector = make_pipeline(TableEncoder(), StandardScaler(), member)
    fitted = FittedDetector(name="it", detector=detector.fit(frame))
    (reasons,) = explain_rows(fitted, odd, table, root=ROOT)
    for reason in reasons:
        check_sentence(reason, frame, row)
    return reasons


def numbers_in(text):
    return [float(each.replace(",", "")) for each in re.findall(r"-?\d[\d,]*(?:\.\d+)?", text)]


def similar_rows(frame, row, partner):
    """Return the rows that a sentence calls similar, as the documentation defines them."""
    column, value = frame[partner], row[partner]
    if pd.isna(value):
        return frame[column.isna()]
    if not pd.api.types.is_numeric_dtype(column) or column.nunique() < 10:
        return frame[column == value]
    away = (column - value).abs()
    n_similar = max(30, len(frame) // 100)
    return frame[away <= away.sort_values().iloc[n_similar - 1]]


def check_sentence(reason, frame, row):
    """Count in the table what a sentence says."""
    value, told = row[reason.column], reason.sentence.rpartition(": ")[2]
    same = frame[reason.column].isna() if pd.isna(value) else frame[reason.column] == value
    if reason.kind in ("level", "gap"):
        assert told.startswith("none") == (same.sum() == 0)
        assert numbers_in(told)[-1] == len(frame)
        assert not same.any() or numbers_in(told)[0] == same.sum()
        assert same.mean() < 0.05
    elif reason.kind == "far":
        reach = pd.Timestamp(told.rpartition(" ")[2]) if "-" in told[1:] else numbers_in(told)[0]
        middle = frame[reason.column].median()
        inside = (frame[reason.column] <= reach) if value > middle else (
            frame[reason.column] >= reach
        )  # fmt: skip
        assert abs(value - middle) > abs(reach - middle)
        assert inside.mean() > 0.9
    else:
        similar = similar_rows(frame, row, reason.partner)
        n_same = same[similar.index].sum()
        if "similar rows have about" in told:
            usual = similar[reason.column].median()
            assert numbers_in(told)[0] == pytest.approx(usual, rel=1e-3)
        else:
            assert numbers_in(told)[-1] == len(similar)
            assert told.startswith("none") == (n_same == 0)
            assert n_same / len(similar) < 0.3 * same.mean()


# Far values


@pytest.mark.parametrize("label", DETECTORS)
@pytest.mark.parametrize("column", [0, 1, 4])
def test_a_far_value_comes_first(label, column):
    row = np.zeros(5)
    row[column] = -8.0
    first = reasons_of(fitted_on(ROWS, label), row, ROWS)[0]
    assert (first.column, first.value, first.kind) == (f"x{column}", -8.0, "far")
    lowest = figure(float(ROWS[:, column].min()))
    assert first.sentence == f"x{column} -8: ordinary rows reach {lowest}"


@pytest.mark.parametrize("label", DETECTORS)
def test_two_far_values_are_the_first_two_reasons(label):
    row = np.array([7.0, 0.0, 0.0, 0.0, -9.0])
    reasons = reasons_of(fitted_on(ROWS, label), row, ROWS)
    assert {reason.column for reason in reasons[:2]} == {"x0", "x4"}


def test_odd_rows_of_the_table_do_not_hide_one_another():
    rows = ROWS.copy()
    rows[:12, 2] = np.linspace(30.0, 60.0, 12)
    fitted = fitted_on(ROWS)
    for row in rows[:12]:
        first = reasons_of(fitted, row, rows)[0]
        assert (first.column, first.kind) == ("x2", "far")
        assert numbers_in(first.sentence.rpartition(": ")[2])[0] < 4.0


def test_far_values_that_fit_one_another_are_both_named():
    # without one of the two the row is odder still
    rows = np.random.default_rng(0).normal(size=(400, 3))
    fitted = FittedDetector(
        name="it",
        detector=lambda X: (
            -10.0 * np.abs(X[:, 0] - X[:, 1]) - np.abs(X[:, 0]) - 0.1 * np.abs(X[:, 2])
        ),
    )
    reasons = reasons_of(fitted, [9.0, 9.5, 2.4], rows)
    assert {reason.column for reason in reasons} == {"x0", "x1"}
    assert {reason.kind for reason in reasons} == {"far"}


def test_below_a_hard_limit():
    random = np.random.default_rng(0)
    rows = np.column_stack([random.normal(size=800), random.integers(0, 60, 800)])
    rows[:200, 1] = 0.0
    fitted = FittedDetector(name="it", detector=lambda X: -np.abs(X[:, 1] - 30.0))
    first = reasons_of(fitted, [0.0, -45.0], rows)[0]
    assert first.sentence == "x1 -45: ordinary rows reach 0"


@pytest.mark.parametrize("kind", ["lognormal", "pareto"])
def test_the_last_row_of_a_long_tail_is_not_far(kind):
    random = np.random.default_rng(1)
    draw = random.lognormal if kind == "lognormal" else lambda **size: random.pareto(2.0, **size)
    rows = draw(size=(2000, 3))
    fitted = FittedDetector(name="it", detector=lambda X: -X.max(axis=1))
    ordinary = OrdinaryRows(as_table(rows), ROOT)
    fresh = as_table(draw(size=(400, 3)))
    told = [bool(each) for each in explain_rows(fitted, fresh, ordinary, root=ROOT)]
    assert np.mean(told) < 0.04


# Levels, gaps, dates


def mixed_frame(n_rows=900, seed=0):
    random = np.random.default_rng(seed)
    country = random.choice(["DE", "FR", "IT"], n_rows, p=[0.5, 0.4, 0.1])
    city = np.where(
        country == "DE", random.choice(["Bonn", "Ulm"], n_rows),
        np.where(country == "FR", random.choice(["Lyon", "Nice"], n_rows), "Rome"),
    )  # fmt: skip
    items = random.integers(1, 40, n_rows)
    return pd.DataFrame({
        "country": country,
        "city": city,
        "items": items.astype(float),
        "amount": (30.0 * items * random.lognormal(0.0, 0.1, n_rows)).round(2),
        "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(random.integers(0, 9000, n_rows), "h"),
        "member": random.random(n_rows) < 0.3,
        "noise": random.normal(size=n_rows).round(3),
    })  # fmt: skip


MIXED = mixed_frame()
ORDINARY_ROW = MIXED.iloc[7].to_dict()


def test_the_row_that_the_mixed_tests_change_is_ordinary():
    assert explained(MIXED, ORDINARY_ROW) == ()


def test_a_level_that_no_row_has():
    first = explained(MIXED, ORDINARY_ROW | {"city": "Oslo"})[0]
    assert (first.column, first.value, first.kind) == ("city", "Oslo", "level")
    assert first.sentence == "city Oslo: none of 900 rows"


def test_the_rarest_level_comes_first():
    frame = MIXED.copy()
    frame.loc[:2, "city"] = "Oslo"
    frame.loc[:11, "country"] = "NO"
    row = ORDINARY_ROW | {"city": "Oslo", "country": "NO"}
    assert explained(frame, row)[0].sentence == "city Oslo: 3 of 900 rows"


def test_a_level_of_a_tenth_of_the_rows_is_not_rare():
    rows = MIXED[MIXED["country"] == "IT"].head(30)
    told = [explained(MIXED, row) for row in rows.to_dict("records")]
    assert not any(reason.kind == "level" for reasons in told for reason in reasons)


def test_a_rare_level_that_the_detector_does_not_mind_is_not_named():
    frame = MIXED.copy()
    frame.loc[:2, "city"] = "Oslo"
    table = as_table(frame)
    by_amount = FittedDetector(name="it", detector=lambda X: -np.abs(X["amount"].to_numpy() - 500))
    assert explain_rows(by_amount, table.rows(np.arange(3)), table, root=ROOT) == [()] * 3


def test_many_levels_of_one_row_each_are_no_reason():
    frame = MIXED.assign(name=[f"name {place}" for place in range(len(MIXED))])
    detector = IsolationForest(random_state=0)
    told = [explained(frame, row, detector) for row in frame.head(20).to_dict("records")]
    new = explained(frame, ORDINARY_ROW | {"name": "another"}, detector)
    assert "name" not in {reason.column for reasons in [*told, new] for reason in reasons}


@pytest.mark.parametrize(("share", "kind"), [(0.01, "gap"), (0.4, None)])
def test_gaps_that_many_rows_have_are_no_reason(share, kind):
    random = np.random.default_rng(0)
    rows = random.normal(size=(1000, 2))
    rows[random.random(1000) < share, 1] = np.nan
    n_gaps = int(np.isnan(rows[:, 1]).sum())
    fitted = FittedDetector(name="it", detector=lambda X: 0.0 - np.isnan(X[:, 1]))
    odd = as_table([[0.0, np.nan]], minimum_rows=1)
    (reasons,) = explain_rows(fitted, odd, as_table(rows), root=ROOT)
    assert [reason.kind for reason in reasons] == ([kind] if kind else [])
    told = [f"x1 missing: {n_gaps} of 1,000 rows"] if kind else []
    assert [reason.sentence for reason in reasons] == told
    assert all(reason.value is None for reason in reasons)


@pytest.mark.parametrize(
    ("when", "shown"), [("2031-05-01", "2031-05-01"), ("2031-05-01 12:30", "2031-05-01T12:30:00")]
)
def test_a_far_date_is_shown_as_iso_text(when, shown):
    first = explained(MIXED, ORDINARY_ROW | {"when": pd.Timestamp(when)})[0]
    assert (first.column, first.value, first.kind) == ("when", shown, "far")
    last = MIXED["when"].max()
    assert first.sentence == f"when {shown}: ordinary rows reach {last.isoformat()}"


def test_the_adult_example(data_folder):
    names = [f"x{j}" for j in range(15)]
    path = data_folder / "adult" / "adult.data"
    frame = pd.read_csv(path, names=names, skipinitialspace=True).drop(columns=["x2", "x14"])
    place = int(frame.index[(frame["x1"] == "Never-worked") & (frame["x8"] == "Black")][0])
    fit_on = frame.sample(4000, random_state=0)
    members = [LocalOutlierFactor(50, novelty=True), GaussianMixture(1, reg_covar=1e-3)]
    table = as_table(frame)
    ordinary = OrdinaryRows(table, ROOT)
    for member in members:
        detector = make_pipeline(TableEncoder(), StandardScaler(), member).fit(fit_on)
        fitted = FittedDetector(name="it", detector=detector)
        (reasons,) = explain_rows(fitted, table.rows(np.array([place])), ordinary, root=ROOT)
        assert reasons[0].sentence == "x1 Never-worked: 7 of 32,561 rows"
        assert "x8" not in {reason.column for reason in reasons}
        calmed = frame.loc[[place]].assign(x1="Private", x6="Sales")
        coded = as_table(pd.concat([frame, calmed])).rows(np.array([len(frame)]))
        (reasons,) = explain_rows(fitted, coded, ordinary, root=ROOT)
        assert "x8" not in {reason.column for reason in reasons}


# Combinations


@pytest.mark.parametrize("label", LOOKS_AT_PAIRS)
def test_numbers_that_do_not_go_together(label):
    frame = pd.DataFrame(ROWS, columns=NAMES)
    row = dict(zip(NAMES, [0.1, 1.2, 0.2, -1.25, 0.0], strict=True))
    (only,) = explained(frame, row, DETECTORS[label])
    assert only.kind == "combination"
    assert {only.column, only.partner} == {"height", "weight"}


def test_a_shifted_decimal_within_the_range_of_its_column():
    row = ORDINARY_ROW | {"items": 30.0, "amount": 90.5}
    first = explained(MIXED, row)[0]
    assert {first.column, first.partner} == {"amount", "items"}
    assert first.kind == "combination"


def test_two_common_levels_that_never_go_together():
    row = ORDINARY_ROW | {"country": "DE", "city": "Lyon"}
    first = explained(MIXED, row)[0]
    assert (first.kind, {first.column, first.partner}) == ("combination", {"country", "city"})
    assert "none of" in first.sentence


def test_swapped_columns():
    frame = MIXED.assign(items=MIXED["items"] + 10.0)
    row = ORDINARY_ROW | {"items": 1200.0, "amount": 40.0}
    first = explained(frame, row)[0]
    assert (first.column, first.kind) == ("items", "far")


def test_two_values_that_do_not_go_together_are_one_reason():
    reasons = reasons_of(fitted_on(ROWS), [0.1, 1.2, 0.2, -1.25, 0.0], ROWS)
    assert [reason.kind for reason in reasons] == ["combination"]


# Ordinary rows


@pytest.mark.parametrize("n_noise", [0, 20])
def test_ordinary_rows_have_no_reasons(n_noise):
    random = np.random.default_rng(5)
    train, fresh = mixed_frame(2000), mixed_frame(300, seed=9)
    for j in range(n_noise):
        train[f"noise {j}"], fresh[f"noise {j}"] = random.normal(size=2000), random.normal(size=300)
    table = as_table(pd.concat([train, fresh], ignore_index=True))
    detector = make_pipeline(TableEncoder(), StandardScaler(), GaussianMixture(1, reg_covar=1e-3))
    fitted = FittedDetector(name="it", detector=detector.fit(train))
    ordinary = OrdinaryRows(table.rows(np.arange(2000)), ROOT)
    told = explain_rows(fitted, table.rows(np.arange(2000, 2300)), ordinary, root=ROOT)
    assert np.mean([bool(each) for each in told]) <= 0.05


def test_independent_noise_does_not_go_badly_with_anything():
    random = np.random.default_rng(0)
    rows = random.normal(size=(1500, 8))
    fitted = fitted_on(rows, "lof")
    ordinary = OrdinaryRows(as_table(rows), ROOT)
    oddest = as_table(rows[np.argsort(fitted.score(as_table(rows)))[:40]])
    told = explain_rows(fitted, oddest, ordinary, root=ROOT)
    assert sum(reason.kind == "combination" for each in told for reason in each) <= 2


def test_a_value_made_ordinary_is_not_named():
    fitted = fitted_on(ROWS)
    random = np.random.default_rng(1)
    for row in ROWS[:20].copy():
        culprit, calmed = random.choice([0, 2, 4], 2, replace=False)
        row[culprit] = random.choice([-7.0, 7.0])
        row[calmed] = np.median(ROWS[:, calmed])
        reasons = reasons_of(fitted, row, ROWS)
        assert reasons[0].column == f"x{culprit}"
        assert f"x{calmed}" not in {reason.column for reason in reasons}


def test_a_column_that_the_detector_ignores_is_never_named():
    flat = FittedDetector(name="flat", detector=lambda X: np.zeros(len(X)))
    assert reasons_of(flat, [0.0, 0.0, 50.0, 0.0, 0.0], ROWS) == ()
    without = FittedDetector(name="it", detector=lambda X: -np.abs(X[:, 0]))
    reasons = reasons_of(without, [9.0, 0.0, 50.0, 0.0, 0.0], ROWS)
    assert [reason.column for reason in reasons] == ["x0"]


# Scores, scales, order


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
        assert [each.partner for each in plain] == [each.partner for each in moved]


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


def test_order_and_number_of_the_rows_do_not_matter():
    fitted = fitted_on(ROWS)
    rows = ROWS[:7] + np.eye(7, 5) * 6.0
    table = as_table(ROWS)
    together = explain_rows(fitted, as_table(rows), table, root=ROOT)
    backwards = explain_rows(fitted, as_table(rows[::-1].copy()), table, root=ROOT)
    assert together == backwards[::-1]
    assert together == [reasons_of(fitted, row, ROWS) for row in rows]
    prepared = OrdinaryRows(table, ROOT)
    assert together == explain_rows(fitted, as_table(rows), prepared, root=ROOT)


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


def test_few_rows_are_scored():
    n_scored = []
    fitted = fitted_on(ROWS)

    def counting(X):
        n_scored.append(len(X))
        return fitted.score(as_table(X, minimum_rows=1))

    counted = FittedDetector(name="it", detector=counting)
    reasons_of(counted, [0.0, 0.0, 9.0, 0.0, 0.0], ROWS, n_donors=10)
    assert sum(n_scored) <= 1 + 17 * 10
    n_scored.clear()
    assert reasons_of(counted, np.zeros(5), ROWS) == ()
    assert sum(n_scored) == 0


# Tables of any shape


def test_columns_of_gaps_alone():
    frame = pd.DataFrame({"x": np.arange(50.0), "empty": np.full(50, np.nan)})
    table = as_table(frame)
    fitted = FittedDetector(name="it", detector=lambda X: -np.nan_to_num(np.asarray(X)).sum(axis=1))
    odd = table.with_values(np.array([[np.nan, np.nan], [900.0, np.nan]]))
    nothing, far = explain_rows(fitted, odd, table, root=ROOT)
    assert nothing == ()
    assert [reason.column for reason in far] == ["x"]


def test_one_column():
    rows = np.r_[
        np.random.default_rng(0).normal(-5, 1, 200), np.random.default_rng(1).normal(5, 1, 200)
    ]
    fitted = FittedDetector(name="it", detector=KernelDensity().fit(rows[:, None]))
    far, between = (reasons_of(fitted, [[value]], rows[:, None]) for value in (60.0, 0.0))
    assert far[0].sentence.startswith("x0 60: ordinary rows reach ")
    assert between == ()


def test_few_numbers_are_compared_as_levels_and_can_be_far():
    random = np.random.default_rng(0)
    rows = np.column_stack([random.normal(size=400), random.integers(1, 4, 400)])
    fitted = FittedDetector(name="it", detector=lambda X: -np.abs(X[:, 1] - 2.0))
    assert reasons_of(fitted, [0.0, 40.0], rows)[0].sentence == "x1 40: ordinary rows reach 3"
    fitted = FittedDetector(name="it", detector=lambda X: -np.abs(X[:, 1] % 1.0))
    odd = reasons_of(fitted, [0.0, 2.5], rows)[0]
    assert (odd.kind, odd.sentence) == ("level", "x1 2.5: none of 400 rows")


def test_a_constant_column():
    rows = np.column_stack([ROWS[:, 0], np.full(len(ROWS), 2.0)])
    fitted = FittedDetector(name="it", detector=lambda X: -np.abs(X[:, 1] - 2.0))
    (only,) = reasons_of(fitted, [0.0, 2.5], rows)
    assert only.sentence == "x1 2.5: none of 600 rows"


@pytest.mark.parametrize("name", ["a|b\n<script>", "{0} %s", "x" * 500, "a: ordinary rows"])
def test_hostile_names(name):
    names = [name, "height", "b", "weight", "c"]
    frame = pd.DataFrame(ROWS, columns=names)
    first = explained(frame, dict(zip(names, [9.0, 0.0, 0.0, 0.0, 0.0], strict=True)))[0]
    assert first.column == name
    assert "\n" not in first.sentence
    assert len(first.sentence) < 120


@pytest.mark.parametrize(
    ("value", "shown"),
    [(4939.32, "4939"), (1234567.8, "1,234,568"), (20.75, "20.75"), (31.23456, "31.23")],
)
def test_numbers_are_short(value, shown):
    assert figure(value) == shown
    fitted = FittedDetector(name="it", detector=lambda X: -np.abs(X).sum(axis=1))
    first = reasons_of(fitted, [0.0, value], ROWS[:, :2])[0]
    assert first.sentence.startswith(f"x1 {shown}: ")
    assert first.value == value


def test_a_year_has_no_comma():
    rows = np.column_stack([ROWS[:, 0], 2015.0 + np.arange(len(ROWS)) % 12])
    fitted = FittedDetector(name="it", detector=lambda X: -np.abs(X[:, 1] - 2019.0))
    first = reasons_of(fitted, [0.0, 1890.0], rows)[0]
    assert first.sentence == "x1 1890: ordinary rows reach 2015"


def test_a_blank_name_is_shown_as_one():
    frame = pd.DataFrame({"": ROWS[:, 0], "b": ROWS[:, 1]})
    table = as_table(frame)
    fitted = FittedDetector(name="it", detector=lambda X: -np.abs(np.asarray(X)).sum(axis=1))
    odd = table.with_values(np.array([[50.0, 0.0]]))
    ((first, *_),) = explain_rows(fitted, odd, table, root=ROOT)
    assert first.sentence.startswith("'' 50: ")


def test_strengths_fall_and_their_number_is_limited():
    fitted = fitted_on(ROWS)
    reasons = reasons_of(fitted, [5.0, 6.0, 7.0, 6.0, 8.0], ROWS, n_reasons=2)
    assert len(reasons) == 2
    assert reasons[0].strength >= reasons[1].strength > 0.0
    assert all(isinstance(reason, Reason) for reason in reasons)


@pytest.mark.parametrize("n_rows", [1, 2, 3, 12, 40])
def test_few_ordinary_rows_are_enough_and_no_odd_rows_have_no_reasons(n_rows):
    table = as_table(ROWS)
    assert explain_rows(fitted_on(ROWS), table.without_rows(), table, root=ROOT) == []
    fitted = FittedDetector(name="it", detector=lambda X: -np.abs(X).sum(axis=1))
    few = as_table(ROWS[:n_rows, :2], minimum_rows=1)
    (reasons,) = explain_rows(fitted, few.with_values(np.array([[0.0, 99.0]])), few, root=ROOT)
    assert {reason.column for reason in reasons} <= {"x1"}
    assert len(reasons) == 1 or n_rows < 40


def test_wrong_options_are_refused():
    fitted, table = fitted_on(ROWS), as_table(ROWS)
    with pytest.raises(InvalidParameterError, match="'n_reasons' parameter of explain_rows"):
        explain_rows(fitted, table, table, n_reasons=0, root=ROOT)
    with pytest.raises(InvalidParameterError, match="'n_donors' parameter of explain_rows"):
        explain_rows(fitted, table, table, n_donors=1, root=ROOT)
    with pytest.raises(InvalidDataError, match="odd has 2 features but ordinary has 5"):
        explain_rows(fitted, as_table(ROWS[:, :2]), table, root=ROOT)
