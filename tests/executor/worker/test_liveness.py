"""Whether a statement's result goes anywhere: the text alone decides."""

import sys
import unittest

from driver import FOLDERS

sys.path += FOLDERS
import liveness

TEMPLATE = """
class Model(torch.nn.Module):
    def forward(self, x, i):
        STATEMENT
        b = a if False else x
        return x * 2
"""


def is_dead(statement, source=TEMPLATE):
    return liveness.is_dead(source.replace("STATEMENT", statement), [4])


class Liveness(unittest.TestCase):
    def test_unread_values_are_dead(self):
        for statement in ("x[i]", "c = x[i]", "a = x[i]", "c = torch.multinomial(x, 3)", "x.index_add(0, i, x)"):
            with self.subTest(statement):
                self.assertTrue(is_dead(statement))

    def test_effects_are_live(self):
        for statement in (
            "x = x[i]",
            "x[i] = 0",
            "x.index_add_(0, i, x)",
            "x += x[i]",
            "self.kept = x[i]",
            "self.note(x[i])",
            "c = x[i].item()",
            "torch.add(x, x[i], out=x)",
            "torch._assert(x[i].any(), '')",
            "print(x[i])",
            "return x[i]",
            "assert x[i].any()",
        ):
            with self.subTest(statement):
                self.assertFalse(is_dead(statement))

    def test_reads_are_followed_to_the_end(self):
        chain = "a = x[i]; c = a + 1"
        self.assertTrue(is_dead(chain))
        self.assertFalse(is_dead(chain, TEMPLATE.replace("x * 2", "c * 2")))

    def test_any_caller_that_drops_the_result_makes_it_dead(self):
        source = "def pick(x, i):\n    return x[i]\n\ndef forward(x, i):\n    a = pick(x, i)\n    return x\n"
        self.assertFalse(liveness.is_dead(source, [2]))
        self.assertFalse(liveness.is_dead(source, [5, 2]))  # a call of the program's own may have effects
        self.assertTrue(liveness.is_dead(source.replace("= pick(x, i)", "= torch.take(x, i)"), [5]))

    def test_values_that_cannot_be_followed_are_live(self):
        inner = TEMPLATE.replace("return x * 2", "f = lambda: a\n        return f()")
        self.assertFalse(is_dead("a = x[i]", inner))
        self.assertFalse(liveness.is_dead("def (", [1]))
        self.assertFalse(is_dead("a = x[i]", "STATEMENT"))


if __name__ == "__main__":
    unittest.main()
