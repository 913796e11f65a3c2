"""What a tool raises if this torch lacks it, or lacks what it needs besides torch."""


class NotInTorch(Exception):
    def __init__(self, instead: str, why: str) -> None:
        super().__init__(why)
        self.instead = instead
        self.why = why
