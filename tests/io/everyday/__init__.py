"""Small files as people have them, each with what must be read from it."""

from tests.io.everyday.columns_of_all_kinds import COLUMN_FILES
from tests.io.everyday.dates_and_times import DATE_FILES
from tests.io.everyday.everyday_file import EverydayFile
from tests.io.everyday.layouts import LAYOUT_FILES
from tests.io.everyday.refused_files import REFUSED_FILES
from tests.io.everyday.sheets_and_frames import SHEET_AND_FRAME_FILES
from tests.io.everyday.written_numbers import NUMBER_FILES

EVERYDAY_FILES: tuple[EverydayFile, ...] = (
    *NUMBER_FILES,
    *DATE_FILES,
    *COLUMN_FILES,
    *LAYOUT_FILES,
    *SHEET_AND_FRAME_FILES,
    *REFUSED_FILES,
)

__all__ = ["EVERYDAY_FILES", "EverydayFile"]
