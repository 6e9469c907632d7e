"""The one kind of error that means "your input", as against "our fault"."""


class InputError(ValueError):
    """Bad input. Its message is one line that names the value and, where there is one, the remedy.

    The command line prints the message alone and exits with status 2.
    """

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(" ".join(f"{problem}{'; ' + remedy if remedy else ''}".split()))
