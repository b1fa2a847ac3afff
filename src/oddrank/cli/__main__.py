"""`python -m oddrank.cli` is the same as `oddrank`."""

import sys

from oddrank.cli import main

sys.exit(main())
