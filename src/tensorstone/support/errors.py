"""The one exception a person sees: what happened, and what to do next."""

Message = tuple[str, str]  # what happened, and what to do next: `StoneError(*message)`


class StoneError(Exception):
    """A mistake the user can put right. The command line prints it and exits with code 2."""

    exit_code = 2

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.about: object | None = None  # the part of a model that is wrong, where one is
        self.message = message
        self.hint = hint
        if hint:
            self.add_note(hint)  # where Python itself shows it

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: where in our code it was found helps nobody."""
        return [f"StoneError: {self.message}", *([f"  {self.hint}"] if self.hint else [])]


class WorkloadWarning(UserWarning):
    """What stands in a workload and is nearly always a mistake. It is computed all the same."""


class MachineBusy(StoneError):
    """Another stone is timing: nothing is wrong with the command, which can be given again later.
    The command line exits with code 3."""

    exit_code = 3


def cut(text: str, most: int = 80) -> str:
    """A word as a message repeats it, its end left out where it is long."""
    return text if len(text) <= most else text[: most - 1] + "…"
