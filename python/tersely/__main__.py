"""`python -m tersely` is the command `tersely`."""

import sys

from tersely.cli import main

if __name__ == "__main__":
    sys.exit(main())
