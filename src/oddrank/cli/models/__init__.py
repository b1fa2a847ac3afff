"""Fitted models in files: written, read safely, and the rows that they hold."""
