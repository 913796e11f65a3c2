"""What honest use fills in behind watched names is no change; what hides something is."""

import functools
import sys
import unittest

import torch  # noqa: F401 - before the module, which is linked with it
from built_module import module_under_test
from driver import FOLDERS

sys.path += [*FOLDERS, str(module_under_test())]
import parityd_worker
from guarded import RESTLESS_CONTENTS


class Benchmarker:
    """As torch/_inductor/runtime/benchmarking.py has one: no attribute until something is measured."""

    @functools.cached_property
    def cache_size(self):
        return 42

    def measure(self):
        return self.cache_size


class Setting:
    """As torch/utils/_config_module.py has one: a deprecated setting notes that its first reader was warned."""

    def __init__(self):
        self.default = True
        self._deprecation_warned = False

    def read(self):
        self._deprecation_warned = True


class Kernel:
    """As triton/runtime/jit.py has one: it learns its hash and the globals it read while it is compiled."""

    def __init__(self):
        self.hash = None
        self.used_global_vals = {}

    def compile(self):
        self.hash = "of its source"
        self.used_global_vals = {("BLOCK", 1): 1024}


def watched(value, growth=parityd_worker.Growth.caches):
    watch = parityd_worker.ContentsWatch(RESTLESS_CONTENTS, True)
    watch.add_values("module", {"value": value}, 3, growth)
    return watch


class ContentsWatch(unittest.TestCase):
    def test_first_uses_change_nothing(self):
        bare, used = Benchmarker(), Benchmarker()
        used.known = 1
        for value in (bare, used):
            watch = watched(value)
            value.measure()
            value.entries = {}
            self.assertEqual(watch.changed(9), [])

    def test_compiling_a_kernel_changes_nothing(self):
        kernel = Kernel()
        watch = watched(kernel)
        kernel.compile()
        self.assertEqual(watch.changed(9), [])

    def test_reading_a_deprecated_setting_changes_nothing(self):
        setting = Setting()
        watch = watched(setting)
        setting.read()
        self.assertEqual(watch.changed(9), [])
        setting.default = False
        self.assertNotEqual(watch.changed(9), [])

    def test_an_attribute_that_hides_a_method_is_a_change(self):
        bare, used = Benchmarker(), Benchmarker()
        used.known = 1
        for value in (bare, used):
            watch = watched(value)
            value.measure = lambda: 0
            self.assertEqual(len(watch.changed(9)), 1)

    def test_a_first_attribute_is_a_change_where_none_may_appear(self):
        value = Benchmarker()
        watch = watched(value, parityd_worker.Growth.none)
        value.entries = {}
        self.assertEqual(len(watch.changed(9)), 1)

    def test_a_cached_property_that_is_recomputed_is_a_change(self):
        value = Benchmarker()
        value.measure()
        watch = watched(value)
        vars(value)["cache_size"] = 0
        self.assertEqual(len(watch.changed(9)), 1)


if __name__ == "__main__":
    unittest.main()
