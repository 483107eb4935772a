"""`python -m linkwork.cli`."""

from linkwork.cli import main

main()
