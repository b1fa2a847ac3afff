"""Tables that users have: one reader per format, one choice of columns, one result."""

from oddrank.io.tables.column_choice import LeftOut
from oddrank.io.tables.original_rows import original_rows
from oddrank.io.tables.read_table import is_parquet, read_table
from oddrank.io.tables.user_table import UserTable

__all__ = ["LeftOut", "UserTable", "is_parquet", "original_rows", "read_table"]
