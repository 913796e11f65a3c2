#include "oracle/rules/refusals.h"

#include <re2/re2.h>

#include <algorithm>

namespace parityd::oracle {
namespace {

bool is_class(std::string_view qualified, std::string_view wanted) {
  if (qualified == wanted) return true;
  return qualified.size() > wanted.size() && qualified.ends_with(wanted) &&
         qualified[qualified.size() - wanted.size() - 1] == '.';
}

bool matches(const ErrorPattern& pattern, const ErrorReport& error) {
  const bool class_fits = pattern.error_class.empty() || is_class(error.outer_class, pattern.error_class) ||
                          is_class(error.inner_class, pattern.error_class);
  return class_fits && error.message.find(pattern.message) != std::string::npos &&
         error.compiler_frame.starts_with(pattern.frame) &&
         (pattern.form.empty() || re2::RE2::FullMatch(error.message, std::string(pattern.form)));
}

/// An expression of symbols, one of them unbacked ("Eq(Min(1, u0*u1), u4)"), alone or with the text of its assertion;
/// or sizes that cannot be broadcast, since an unbacked one is assumed not to be 1.
constexpr std::string_view kAssumption =
    R"((?s)Runtime assertion failed for expression .*\bu\d+\b.*|)"
    R"(Expected .*\bu\d+\b.* but received .*|)"  // as the C++ wrapper has it
    R"((?:RuntimeError when making fake tensor call.*got RuntimeError\(')?The size of tensor a \()"
    R"((?:.*?\bu\d+\b.*?\) must match|.*?\) must match the size of tensor b \(.*?\bu\d+\b).*|)"
    R"((?:[A-Z]\w*|[su]\d+|\d+|[-\s+*/(),<>=!&|.%~])*\bu\d+\b(?:[A-Z]\w*|[su]\d+|\d+|[-\s+*/(),<>=!&|.%~])*)";

/// Not if a pass or a lowering of Inductor asks: the program was captured without the answer.
constexpr std::string_view kDataDependent =
    R"((?s)Could not .*|)"
    R"(backend='\w+' raised:\s+GuardOnDataDependentSymNode: Could not .*Caused by: \((?:[^_]|_[^i]).*)";

bool is_outer_class(const ErrorReport& error, std::string_view wanted) { return is_class(error.outer_class, wanted); }

}  // namespace

const std::vector<ErrorPattern>& declared_refusals() {
  static const std::vector<ErrorPattern> rows{
      {"fullgraph_graph_break", "Unsupported", "", "torch.compile, fullgraph: error on a graph break"},
      {"higher_order_body", "UncapturedHigherOrderOpError", "",
       "torch.cond and other higher-order operators: the body must be capturable"},
      {"user_error", "UserError", "", "torch._dynamo.exc.UserError: code that the compiler asks the user to rewrite"},
      {"assumed_size", "RuntimeError", "", "torch.fx.experimental.symbolic_shapes: guard_or_true, guard_or_false",
       kAssumption},
      {"data_dependent", "GuardOnDataDependentSymNode", "",
       "torch.fx.experimental.symbolic_shapes: the code depends on values that are known only at run time",
       kDataDependent},
      {"compiled_autograd_callback", "", "only supported when Compiled Autograd is enabled with fullgraph=True",
       "torch/_dynamo/compiled_autograd.py, queue_callback"},
      {"cpp_wrapper_limit", "NotImplementedError", "", "torch/_inductor/codegen/cpp_wrapper_cpu.py", "",
       "cpp_wrapper_"},
      {"cpp_wrapper_returns", "", "fallback kernels with runtime lookup currently only support tensor returns",
       "torch/_inductor/codegen/cpp_wrapper_cpu.py"},
      {"package_folder", "RuntimeError", "Failed to create temporary directory",
       "torch/csrc/inductor/aoti_package: up to torch 2.12 a package is unpacked under /tmp, which the sandbox "
       "forbids"},
      {"export_guard", "AssertionError", "Guard failed: ", "torch.export: called with inputs that violate its guards"},
      {"export_aliased_inputs", "RuntimeError", "Encountered aliased inputs that are mutated in the graph",
       "torch/_functorch/_aot_autograd, aot_export: inputs that share memory are not written"},
      {"export_metadata_mutation", "RuntimeError", "Found an input that received a metadata mutation",
       "torch/_functorch/_aot_autograd, aot_export: shapes of inputs are not changed in place"},
      {"export_constant_written", "RuntimeError", "is mutated in the forward method. Pls register it as buffer",
       "torch.export: constants are not written"},
      {"constraint_violation", "ConstraintViolationError", "", "torch._dynamo.mark_dynamic: the size was specialised"},
      {"recompile_refused", "RecompileError", "", "torch._dynamo.config.error_on_recompile"},
      {"recompile_limit", "FailOnRecompileLimitHit", "", "torch._dynamo.config.fail_on_recompile_limit_hit"},
      {"double_backward", "", "does not currently support double backward", "torch.compile FAQ, double backward"},
      {"donated_buffer", "", "non-empty donated buffers", "torch._functorch.config.donated_buffer"},
      {"cudagraph_overwritten", "", "tensor output of CUDAGraphs that has been overwritten",
       "CUDAGraph Trees, limitations"},
      {"as_strided_mutation", "", "so this behavior is banned in compile",
       "FunctionalTensorWrapper.cpp, pull request 122502, issue 104505"},
      {"aliased_input_mutation", "", "aot_autograd() does not yet handle",
       "torch/_functorch/_aot_autograd/runtime_wrappers.py, pull request 88817"},
  };
  return rows;
}

const std::vector<ErrorPattern>& environment_failures() {
  static const std::vector<ErrorPattern> rows{
      {"disk_full", "", "No space left on device", ""},
      {"quota", "", "Disk quota exceeded", ""},
      {"descriptors", "", "Too many open files", ""},
      {"processes", "BlockingIOError", "Resource temporarily unavailable", ""},
      {"processes", "", "can't start new thread", ""},
      {"processes", "", "fork: Resource temporarily unavailable", ""},
      {"memory", "MemoryError", "", ""},
      {"device_memory", "OutOfMemoryError", "", ""},
      {"device_memory", "", "CUDA out of memory", ""},
      {"device_memory", "", "CUDA error: out of memory", ""},
      {"device_lost", "", "GPU is lost", ""},
      {"device_lost", "", "no CUDA-capable device is detected", ""},
      {"device_lost", "", "devices are busy or unavailable", ""},
      {"device_reset", "", "uncorrectable ECC error", ""},
      {"device_reset", "", "ncorrectable NVLink error", ""},
      {"host_memory", "", "DefaultCPUAllocator: can't allocate memory", ""},
      {"host_memory", "", "DefaultCPUAllocator: not enough memory", ""},
      {"host_memory", "", "Cannot allocate memory", ""},
      {"compiler_memory", "", "virtual memory exhausted", ""},
      {"compiler_memory", "", "Killed signal terminated program", ""},
      {"compiler_missing", "InvalidCxxCompiler", "", ""},
      {"compiler_missing", "", "Failed to find C compiler", ""},
      {"python_headers", "", "Python.h: No such file or directory", ""},
      {"triton_missing", "TritonMissing", "", ""},
      {"triton_missing", "", "Cannot find a working triton installation", ""},
      {"gpu_too_old", "GPUTooOldForTriton", "", ""},
      {"python_unsupported", "", "Dynamo is not supported on Python", ""},
      {"python_unsupported", "", "torch.compile is not supported on Python", ""},
      {"record_too_large", "RecordTooLarge", "", ""},
  };
  return rows;
}

const std::vector<ErrorPattern>& device_failures() {
  static const std::vector<ErrorPattern> rows{
      {"device_assert", "", "device-side assert triggered", ""}, {"cuda_error", "", "CUDA error:", ""},
      {"accelerator_error", "AcceleratorError", "", ""},         {"cublas", "", "CUBLAS_STATUS_", ""},
      {"cudnn", "", "CUDNN_STATUS_EXECUTION_FAILED", ""},
  };
  return rows;
}

const ErrorPattern* match(const std::vector<ErrorPattern>& patterns, const ErrorReport& error) {
  const auto found =
      std::find_if(patterns.begin(), patterns.end(), [&](const auto& row) { return matches(row, error); });
  return found == patterns.end() ? nullptr : &*found;
}

bool is_own_check(const ErrorReport& error) {
  return error.user_source.starts_with("raise ") || error.user_source.starts_with("assert ") ||
         error.user_source.starts_with("assert(");
}

bool depends_on_values(const ErrorReport& error) {
  return is_own_check(error) || is_outer_class(error, "LinAlgError") || is_outer_class(error, "_LinAlgError");
}

}  // namespace parityd::oracle
