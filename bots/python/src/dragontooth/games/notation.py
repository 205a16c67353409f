"""The error shared by all notations."""

from dragontooth.errors import DragontoothError


class InvalidNotation(DragontoothError, ValueError):
    """A text that is not a position or an action of its game."""

    def __init__(self, what: str, text: str, fault: str) -> None:
        super().__init__(f"{text!r} is not a valid {what}: {fault}")
