"""Which vector instruction sets Inductor may use. Inductor tests this again in every process, by compiling a file per
candidate and loading it in a separate process; here the answers of one process on this host replace the tests of all
others. What is done with an answer stays Inductor's own code, so the generated code is the same."""

import concurrent.futures
import contextlib
import hashlib
import os
from typing import Any

from shared_cache import SharedCache

KIND = "isa"

# torch/_inductor/config.py, cpp.vec_isa_ok: what the processor reports is assumed to be usable, without a test.
UNTRIED = {"TORCHINDUCTOR_VEC_ISA_OK": "1"}


def settings_of(cache: SharedCache) -> dict[str, str]:
    """Settings with which a plain interpreter on this host reaches the same answers without testing; empty if some
    answers are no."""
    stored = cache.read(KIND)
    return UNTRIED if _is_sound(stored) and stored and all(stored.values()) else {}


class VectorIsa:
    """Wraps VecISA.check_build, the one place where candidates are tested."""

    def __init__(self, cache: SharedCache) -> None:
        self._cache = cache
        stored = cache.read(KIND)
        self._answers: dict[str, bool] = stored if _is_sound(stored) else {}
        self._complete = bool(self._answers)

    def install(self) -> None:
        from torch._inductor import cpu_vec_isa

        owner = getattr(cpu_vec_isa, "VecISA", None)
        original = getattr(owner, "check_build", None)
        if original is None or hasattr(original, "parityd_answers"):
            return  # a torch that tests in another way continues to do so

        def check_build(isa: Any, code: str) -> bool:
            question = _question(isa, code)
            if question not in self._answers:
                # A refusal may come from a machine that was out of memory at that moment, and all others would inherit
                # it.
                self._answers[question] = bool(original(isa, code)) or bool(original(isa, code))
                self._complete = False
            return self._answers[question]

        check_build.parityd_answers = self._answers  # type: ignore[attr-defined]
        owner.check_build = check_build

    def settle(self) -> None:
        """Makes Inductor run all its tests now, and stores the answers if that is allowed."""
        from torch._inductor import cpu_vec_isa

        if not self._answers:
            _ask_side_by_side()
        cpu_vec_isa.pick_vec_isa()
        if self._answers and not self._complete:
            self._cache.write(KIND, self._answers)
            self._complete = True


def _ask_side_by_side() -> None:
    """Tests all candidates at once; valid_vec_isa_list() tests one after another, a second and a half each."""
    from torch._inductor import cpu_vec_isa

    with contextlib.suppress(AttributeError):  # a torch that tests in another way
        known = cpu_vec_isa.x86_isa_checker()
        candidates = [isa for isa in cpu_vec_isa.supported_vec_isa_list if set(str(isa).split()) <= set(known)]
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            for _ in pool.map(bool, candidates):
                pass


def _is_sound(stored: Any) -> bool:
    return isinstance(stored, dict) and all(isinstance(answer, bool) for answer in stored.values())


def _question(isa: Any, code: str) -> str:
    flags = f"{isa.build_arch_flags()} {getattr(isa, '_arch_flags', '')} {isa.build_macro()}"
    return f"{type(isa).__name__} {flags} {hashlib.sha256(code.encode()).hexdigest()[:16]}"
