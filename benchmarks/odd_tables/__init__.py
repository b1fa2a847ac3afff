"""Committees, picks and constants on hundreds of real tables whose odd rows are known."""
