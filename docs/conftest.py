"""Examples of the pages are tests; what a build writes beside them is not."""

collect_ignore = ["conf.py", "_build", "_extensions", "api", "gallery", "project"]
