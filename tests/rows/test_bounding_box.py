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
