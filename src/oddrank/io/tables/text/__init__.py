"""Text tables: the layout of a file, and the meaning of its texts, both found from evidence."""

from oddrank.io.tables.text.encoding import check_encoding
from oddrank.io.tables.text.interpret import interpret
from oddrank.io.tables.text.layout import is_below_the_table, table_area
from oddrank.io.tables.text.text_file import read_text

__all__ = ["check_encoding", "interpret", "is_below_the_table", "read_text", "table_area"]
