#include "prompts/error_class.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

namespace parityd::prompts {
namespace {

constexpr std::array<std::string_view, 18> kErrorClasses{
    "syntax",   "contract", "missing_name", "attribute", "arity", "device", "dtype",   "unsupported", "mutation",
    "autograd", "index",    "shape",        "numeric",   "value", "memory", "timeout", "died",        "other"};

/// A class of errors by its exception and its message, either of which may be anything.
struct ErrorRow {
  const char* exception;
  const char* message;
  ErrorClass is;
};

/// The first matching row decides: classes named outright by a message come before those only suggested by an
/// exception.
constexpr std::array kErrorRows{
    ErrorRow{"SyntaxError|IndentationError|TabError", "", ErrorClass::syntax},
    ErrorRow{"", R"(\b(Model|get_inputs|get_init_inputs|OPTIONS)\b|\bforward\(\) (takes|missing|got))",
             ErrorClass::contract},
    ErrorRow{"NameError|UnboundLocalError|ImportError|ModuleNotFoundError", "", ErrorClass::missing_name},
    ErrorRow{"OutOfMemoryError|MemoryError", "", ErrorClass::memory},
    ErrorRow{"", R"(out of memory|can't allocate memory|not enough memory)", ErrorClass::memory},
    ErrorRow{"", R"(same device|No NVIDIA|Torch not compiled with CUDA|is on (cpu|cuda)|expected .* device)",
             ErrorClass::device},
    ErrorRow{"", R"(Could not run 'aten::|Cannot access (accelerator|cuFFT)|distributed|INTERNAL ASSERT FAILED)",
             ErrorClass::unsupported},  // its lists of backends would match other rows
    ErrorRow{"", R"(Declaration: aten::|aten::\w+\(\) (Expected|expected|is missing))", ErrorClass::arity},
    ErrorRow{"LinAlgError", "", ErrorClass::numeric},
    ErrorRow{"", R"(singular|positive-definite|failed to converge|ill-conditioned)", ErrorClass::numeric},
    ErrorRow{
        "", R"(inplace operation|in-place operation|written-to (tensor|location)|leaf Variable|being modified inplace)",
        ErrorClass::mutation},
    ErrorRow{"", R"(does not require grad|through the graph a second time|requires_grad|autograd|can't call numpy)",
             ErrorClass::autograd},
    ErrorRow{"AttributeError", "", ErrorClass::attribute},
    ErrorRow{"NotImplementedError", "", ErrorClass::unsupported},
    ErrorRow{"", R"(not implemented for|not supported|unsupported|not yet implemented|No operator found)",
             ErrorClass::unsupported},
    ErrorRow{
        "TypeError",
        R"(positional argument|required argument|required positional|unexpected keyword|invalid combination of arguments|multiple values|takes no|takes exactly|not callable)",
        ErrorClass::arity},
    ErrorRow{"", R"(index .*out of (range|bounds)|out of range|out of bounds|indices should be)", ErrorClass::index},
    ErrorRow{
        "",
        R"(dtype|scalar type|can't be cast|data type|same type|floating point|floating-point|integral|integer tensor|bool tensor|complex|type (Float|Double|Half|BFloat16|Long|Int|Short|Char|Byte|Bool)|(Float|Double|Half|Long|Int|Bool)Tensor|must be (Long|Int|float|Float))",
        ErrorClass::dtype},
    ErrorRow{
        "",
        R"(shape|size|dimension|\bdims?\b|broadcast|stride|channels|elements|numel|[0-9]+D\b|-D\b|kernel|must match|divisible|length|unpack|rank|batch)",
        ErrorClass::shape},
    ErrorRow{"IndexError|KeyError", "", ErrorClass::index},
    ErrorRow{"TypeError|ValueError|RuntimeError|AssertionError|ZeroDivisionError|OverflowError", "", ErrorClass::value},
};

struct CompiledRow {
  RE2 exception, message;
  ErrorClass is;
  explicit CompiledRow(const ErrorRow& row) : exception(row.exception), message(row.message), is(row.is) {}
};

const std::vector<std::unique_ptr<CompiledRow>>& compiled_rows() {
  static const auto rows = [] {
    std::vector<std::unique_ptr<CompiledRow>> made;
    made.reserve(kErrorRows.size());
    for (const auto& row : kErrorRows) made.push_back(std::make_unique<CompiledRow>(row));
    return made;
  }();
  return rows;
}

}  // namespace

std::string_view name(ErrorClass error_class) { return kErrorClasses.at(static_cast<std::size_t>(error_class)); }

std::optional<ErrorClass> error_class_from_name(std::string_view name) {
  const auto* const found = std::find(kErrorClasses.begin(), kErrorClasses.end(), name);
  return found == kErrorClasses.end() ? std::nullopt
                                      : std::optional(static_cast<ErrorClass>(found - kErrorClasses.begin()));
}

ErrorClass classify(const Failure& failure) {
  if (failure.how != Failure::How::raised) {
    return failure.how == Failure::How::hung ? ErrorClass::timeout : ErrorClass::died;
  }
  for (const auto& row : compiled_rows()) {
    if (RE2::PartialMatch(failure.exception, row->exception) && RE2::PartialMatch(failure.message, row->message)) {
      return row->is;
    }
  }
  return ErrorClass::other;
}

bool worth_repairing(ErrorClass error_class) {
  return error_class != ErrorClass::died && error_class != ErrorClass::memory && error_class != ErrorClass::timeout;
}

bool blames_operator(ErrorClass error_class) {
  return error_class == ErrorClass::missing_name || error_class == ErrorClass::attribute ||
         error_class == ErrorClass::arity || error_class == ErrorClass::unsupported;
}

}  // namespace parityd::prompts
