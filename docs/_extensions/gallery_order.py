"""The order of the examples in the gallery: what people ask first comes first."""

FIRST = (
    "plot_rank_detectors.py",
    "plot_pyod.py",
    "plot_raw_frames.py",
    "plot_committee.py",
    "plot_odd_rows.py",
    "plot_ten_answers.py",
    "plot_fdr_list.py",
    "plot_search.py",
    "plot_read_table.py",
    "plot_own_scores.py",
    "plot_level_sets.py",
    "plot_curves.py",
    "plot_exactness.py",
    "plot_errors.py",
    "plot_sampling.py",
    "plot_clustered_anomalies.py",
    "plot_polluted_rows.py",
)


class GalleryOrder:
    """Sort key of sphinx-gallery: the list above, then by name."""

    def __init__(self, src_dir):
        self.src_dir = src_dir

    def __call__(self, filename):
        place = FIRST.index(filename) if filename in FIRST else len(FIRST)
        return f"{place:02}{filename}"

    def __repr__(self):
        return "<GalleryOrder>"
