"""`keypeg serve` as a module, so that the benches measure this checkout."""

import sys

from keypeg.cli import main

if __name__ == "__main__":
    sys.argv.insert(1, "serve")
    main()
