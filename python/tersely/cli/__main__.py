"""`python -m tersely.cli`."""

import sys

from tersely.cli.main import main

sys.exit(main())
