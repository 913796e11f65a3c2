// What no change may touch.
#include "agent/fixing/forbidden.h"

#include "tests/catch.h"

using namespace parityd;

namespace {

bool refused(const std::optional<std::string>& why, const std::string& words) {
  CAPTURE(why.value_or("permitted"));
  CHECK(why);
  return why && why->find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("files of the compiler are permitted") {
  for (const char* file :
       {"torch/_inductor/lowering.py", "torch/_inductor/codegen/cpp.py", "torch/_dynamo/utils.py",
        "torch/_refs/__init__.py", "torch/_dynamo/variables/builtin.py", "torch/_functorch/_aot_autograd/schemas.py",
        "torch/_meta_registrations.py", "torch/fx/experimental/symbolic_shapes.py", "torch/utils/_sympy/functions.py",
        "torch/_decomp/decompositions.py", "torch/_functorch/partitioners.py",
        "torch/_inductor/runtime/triton_heuristics.py"}) {
    CAPTURE(file);
    CHECK(agent::forbidden_file(file).value_or("").empty());
  }
}

TEST_CASE("files that judge, set defaults or run in eager are refused by name", "[attacks]") {
  for (const char* file :
       {"torch/testing/_comparison.py", "torch/testing/__init__.py", "torch/_dynamo/debug_utils.py"}) {
    CHECK(refused(agent::forbidden_file(file), "judge"));
  }
  for (const char* file : {"torch/_inductor/config.py", "torch/_dynamo/config.py", "torch/_functorch/config.py",
                           "torch/fx/config.py", "torch/fx/experimental/_config.py", "torch/_inductor/config_comms.py",
                           "torch/_inductor/runtime/caching/config.py"}) {
    CHECK(refused(agent::forbidden_file(file), "settings"));
  }
  for (const char* file :
       {"torch/nn/functional.py", "torch/functional.py", "torch/_tensor.py", "torch/autograd/graph.py",
        "torch/optim/adam.py", "torch/__init__.py", "torch/_functorch/vmap.py", "torch/serialization.py",
        "torch/_ops.py", "torch/utils/_pytree.py", "torch/_inductorx/a.py", "os.py"}) {
    CHECK(refused(agent::forbidden_file(file), "not a part of the compiler"));
  }
  CHECK(refused(agent::forbidden_file("torch/_decomp/decompositions_for_jvp.py"), "eager"));
  CHECK(refused(agent::forbidden_file("torch/_dynamo/testing.py"), "tests"));
  CHECK(refused(agent::forbidden_file("torch/_inductor/test_operators.py"), "tests"));
}

TEST_CASE("functions that judge or that eager runs are refused in files of the compiler", "[attacks]") {
  const auto why = [](const char* file, const char* name, const char* decorators = "") {
    return agent::forbidden_function(file, {.name = name, .decorators = decorators});
  };
  CHECK(refused(why("torch/_dynamo/utils.py", "same"), "judge"));
  CHECK(refused(why("torch/_dynamo/utils.py", "rmse"), "judge"));
  CHECK(refused(why("torch/_refs/__init__.py", "_broadcast_shapes"), "eager"));
  CHECK(refused(why("torch/_higher_order_ops/scan.py", "scan_op_dense",
                    "@scan_op.py_impl(DispatchKey.CompositeExplicitAutograd)\n"),
                "eager"));
  CHECK_FALSE(why("torch/_dynamo/utils.py", "clone_input"));
  CHECK_FALSE(why("torch/_inductor/ir.py", "same"));
  CHECK_FALSE(why("torch/_dynamo/utils.py", "<module>"));
  CHECK_FALSE(why("torch/_higher_order_ops/scan.py", "f", "@scan_op.py_impl(DispatchKey.CPUX)\n"));
}

TEST_CASE("names of the machine, of settings and of other code are refused in added lines", "[attacks]") {
  for (const char* line : {"os.environ['X'] = '1'",
                           "import os",
                           "import sys, os",
                           "from os import environ",
                           "import subprocess",
                           "ctypes.CDLL(None)",
                           "    socket.socket()",
                           "with open('/tmp/x') as f:",
                           "io.open(x)",
                           "x = getenv('HOME')",
                           "sys.modules['torch'] = 1",
                           "sys._getframe(1)",
                           "importlib.import_module(x)",
                           "exec(code)",
                           "return eval(code)",
                           "setattr(torch, 'add', f)",
                           "__import__('os')",
                           "torch.testing.assert_close = f",
                           "torch._dynamo.utils.same = f",
                           "from torch._dynamo.utils import same",
                           "config.fallback_random = True",
                           "torch._inductor.config.cpp.threads = 1",
                           "with config.patch(x=1):",
                           "torch.add = f",
                           "x = 1; torch.Tensor.add = f"}) {
    CAPTURE(line);
    CHECK(agent::forbidden_lines({}, {line}));
    CHECK_FALSE(agent::forbidden_lines({line}, {line}));
    CHECK_FALSE(agent::forbidden_lines({line}, {}));
  }
  for (const char* line : {"pos.x = 1", "if config.fallback_random == True:", "self.kernel_cost.x = 1", "reopen(x)",
                           "evaluate(x)", "model.eval()", "return torch.add(a, b)", "def same_shape(a):",
                           "config.triton.x <= 3", "websocket = 1", "self.torch.x = 1", "dtype = torch.float64"}) {
    CAPTURE(line);
    CHECK(agent::forbidden_lines({}, {line}).value_or("").empty());
  }
}
