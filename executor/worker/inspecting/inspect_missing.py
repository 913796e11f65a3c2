"""What a tool raises where this torch, or what it needs besides torch, has not got it."""


class NotInTorch(Exception):
    def __init__(self, instead: str, why: str) -> None:
        super().__init__(why)
        self.instead = instead
        self.why = why
