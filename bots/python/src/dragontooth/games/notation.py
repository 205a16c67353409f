"""What the notations of the games have in common."""

from dragontooth.errors import DragontoothError


class InvalidNotation(DragontoothError, ValueError):
    """A text that is no position or no action of its game."""

    def __init__(self, what: str, text: str, fault: str) -> None:
        super().__init__(f"{text!r} is no {what}: {fault}")
