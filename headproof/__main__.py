"""`python -m headproof`."""

from headproof.cli import main

main()
