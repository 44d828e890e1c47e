"""`python -m keypeg` is the `keypeg` command."""

from keypeg.cli import main

main()
