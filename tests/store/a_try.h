// A try of a change of torch that was accepted. For tests only.
#pragma once

#include "store/findings/fixes.h"

namespace parityd::tests {

inline store::FixTry a_try(store::Id finding, store::Millis at = 1'000) {
  store::FixTry row;
  row.finding = finding;
  row.at = at;
  row.result = store::FixResult::accepted;
  row.provider = "standin";
  row.model = "a model";
  row.prompt_tokens = 12'345;
  row.completion_tokens = 678;
  row.nano_dollars = 40'000'000;
  row.seconds = 95.5;
  row.torch = "2.13.0";
  row.device = "cpu";
  row.reply = "Because of the cast.\n";
  row.diff =
      "--- a/torch/_inductor/lowering.py\n+++ b/torch/_inductor/lowering.py\n@@ -7,2 +7,2 @@ def amax(x):\n"
      "     x = promote(x)\n-    return x\n+    return to_dtype(x, x.dtype)\n";
  row.test = "import torch\n\nassert torch.compile(torch.amax)(torch.ones(3, dtype=torch.int8)).dtype == torch.int8\n";
  row.changed_lines = 2;
  row.functions = {"torch/_inductor/lowering.py:amax"};
  row.files = {{.path = "torch/_inductor/lowering.py", .before = "11", .after = "22"}};
  row.checks = {{.name = "variants", .ran = 27, .told = "none of 27 variants shows it", .seconds = 40},
                {.name = "samples", .ran = 128, .told = "none is newly wrong", .seconds = 30.5},
                {.name = "programs", .ran = 40, .told = "all stay consistent", .seconds = 25}};
  row.also_gone = {7};
  row.newest = "On torch 2.14.1, the newest, it vanishes with it, too.";
  return row;
}

/// A second one of the same finding, which broke something.
inline store::FixTry a_failed_try(store::Id finding, store::Millis at = 500) {
  store::FixTry row = a_try(finding, at);
  row.result = store::FixResult::breaks;
  row.why = "2 of 128 samples are newly wrong";
  row.checks.resize(2);
  row.checks[1].result = store::FixResult::breaks;
  row.checks[1].failed = 2;
  row.checks[1].told = "2 of 128 samples are newly wrong";
  row.checks[1].failing = {"amax/int8/3", "amax/int8/4"};
  row.checks[1].program = "import torch\n";
  row.also_gone = {};
  row.newest = "";
  return row;
}

}  // namespace parityd::tests
