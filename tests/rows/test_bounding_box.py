"""The box around rows."""

import numpy as np
import pandas as pd
import pytest

from oddrank import BoundingBox
from oddrank.errors import InvalidDataError


def test_box_of_several_arrays_with_margin():
    box = BoundingBox.from_arrays([[0.0, 0.0], [2.0, 1.0]], [[4.0, 0.5], [1.0, 0.5]], margin=0.25)
    np.testing.assert_allclose(box.lower, [-1.0, -0.25])
    np.testing.assert_allclose(box.upper, [5.0, 1.25])
    assert box.log_volume == pytest.approx(np.log(6.0 * 1.5))
    np.testing.assert_array_equal(box.contains([[0.0, 0.0], [9.0, 0.0]]), [True, False])


def test_box_keeps_feature_names():
    frame = pd.DataFrame({"age": [1.0, 2.0], "weight": [3.0, 5.0]})
    box = BoundingBox.from_arrays(frame)
    assert box.feature_names == ("age", "weight")
    assert box.features(np.array([1])).feature_names == ("weight",)


def test_box_of_different_columns_is_refused():
    with pytest.raises(InvalidDataError, match="array 1 has 1 features but array 2 has 2"):
        BoundingBox.from_arrays([[0.0], [1.0]], [[0.0, 1.0], [2.0, 3.0]])


@pytest.mark.parametrize(
    ("column", "sentence"),
    [
        (["a", "b", "c"], "X has columns that are not numbers: 'c'. Volumes "),
        ([1.0, np.nan, 2.0], "X has values that are not finite, in 'c' (1 NaN). Volumes "),
    ],
)
def test_columns_without_a_volume_are_named(column, sentence):
    frame = pd.DataFrame({"n": [1.0, 2.0, 4.0], "c": column})
    with pytest.raises(InvalidDataError) as caught:
        BoundingBox.from_arrays(frame)
    assert str(caught.value).startswith(sentence)
    with pytest.raises(InvalidDataError, match=r"^array 2 has "):
        BoundingBox.from_arrays(frame.assign(c=[1.0, 2.0, 3.0]), frame)
