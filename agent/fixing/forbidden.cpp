#include "agent/fixing/forbidden.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <memory>

#include "oracle/rules/message.h"
#include "store/base/text.h"

namespace parityd::agent {
namespace {

/// Files, and folders with "/" at the end.
constexpr std::array<std::string_view, 23> kCompiler = {"torch/_inductor/",
                                                        "torch/_dynamo/",
                                                        "torch/_functorch/_aot_autograd/",
                                                        "torch/_functorch/_activation_checkpointing/",
                                                        "torch/_functorch/_activation_offloading/",
                                                        "torch/_functorch/aot_autograd.py",
                                                        "torch/_functorch/compile_utils.py",
                                                        "torch/_functorch/compilers.py",
                                                        "torch/_functorch/partitioners.py",
                                                        "torch/_decomp/",
                                                        "torch/_refs/",
                                                        "torch/_prims/",
                                                        "torch/_prims_common/",
                                                        "torch/_subclasses/",
                                                        "torch/_higher_order_ops/",
                                                        "torch/_dispatch/",
                                                        "torch/fx/",
                                                        "torch/export/",
                                                        "torch/_export/",
                                                        "torch/utils/_sympy/",
                                                        "torch/_meta_registrations.py",
                                                        "torch/_compile.py",
                                                        "torch/_guards.py"};

constexpr std::string_view kJudges = "it is used to judge whether results are the same";
constexpr std::string_view kEager = "eager runs it, and eager defines what is right";

struct Named {
  std::string_view name, why;
};

constexpr std::array<Named, 6> kFiles = {{
    {"torch/_decomp/decompositions_for_jvp.py", kEager},          // forward-mode derivatives
    {"torch/_dynamo/_trace_wrapped_higher_order_op.py", kEager},  // flex_attention
    {"torch/_dynamo/debug_utils.py", kJudges},                    // same_two_models
    {"torch/_dynamo/repro/", kJudges},                            // the minifier
    {"torch/_dynamo/replay_record.py", kJudges},                  // the minifier
    {"torch/_inductor/compiler_bisector.py", "it bisects bugs of the compiler"},
}};

/// Of torch/_dynamo/utils.py, `same` with what it calls; else what torch's files outside the compiler call.
constexpr std::array<Named, 15> kFunctions = {{
    {"torch/_dynamo/utils.py:same", kJudges},
    {"torch/_dynamo/utils.py:rmse", kJudges},
    {"torch/_dynamo/utils.py:is_numpy_int_type", kJudges},
    {"torch/_dynamo/utils.py:is_numpy_float_type", kJudges},
    {"torch/_dynamo/utils.py:is_numpy_ndarray", kJudges},
    {"torch/_refs/__init__.py:_broadcast_shapes", kEager},         // torch.broadcast_shapes
    {"torch/_decomp/decompositions.py:_replication_pad", kEager},  // torch.nn.functional.pad, deterministic
    {"torch/_prims_common/__init__.py:canonicalize_dim", kEager},  // nested tensors, with the next four
    {"torch/_prims_common/__init__.py:canonicalize_dims", kEager},
    {"torch/_prims_common/__init__.py:is_expandable_to", kEager},
    {"torch/_prims_common/__init__.py:is_contiguous_for_memory_format", kEager},
    {"torch/_prims_common/__init__.py:is_contiguous_for_memory_format_or_false", kEager},
    {"torch/_prims_common/__init__.py:corresponding_real_dtype", kEager},  // masked operators
    {"torch/_higher_order_ops/flex_attention.py:math_attention", kEager},
    {"torch/_higher_order_ops/flex_attention.py:_math_attention_inner", kEager},
}};

/// Keys of the dispatcher under which eager finds an implementation in Python.
constexpr std::array<std::string_view, 3> kEagerKeys = {"DispatchKey.CompositeExplicitAutograd", "DispatchKey.CPU",
                                                        "DispatchKey.CUDA"};

constexpr std::string_view kMachine = "the compiler's result must not depend on the machine around it";
constexpr std::string_view kOtherCode = "a fix changes the code at fault, not other code at run time";
constexpr std::string_view kSetting = "the defaults of settings stay as they are";

struct Word {
  std::string_view name, pattern, why;
};

constexpr std::array<Word, 29> kWords = {{
    {"os", R"(\bos\.|\bimport\b.*\bos\b|\bfrom +os\b)", kMachine},
    {"environment variables", R"(\b(?:environ\w*|getenv|putenv)\b)", kMachine},
    {"subprocess", R"(\bsubprocess\b)", kMachine},
    {"multiprocessing", R"(\bmultiprocessing\b)", kMachine},
    {"ctypes", R"(\bctypes\b)", kMachine},
    {"socket", R"(\bsocket\b)", kMachine},
    {"urllib", R"(\burllib\b)", kMachine},
    {"requests", R"(\bimport +requests\b|\bfrom +requests\b)", kMachine},
    {"open(", R"(\bopen *\()", kMachine},
    {"pathlib", R"(\bpathlib\b)", kMachine},
    {"shutil", R"(\bshutil\b)", kMachine},
    {"tempfile", R"(\btempfile\b)", kMachine},
    {"pickle", R"(\bpickle\b)", kMachine},
    {"signal", R"(\bimport +signal\b|\bsignal\.)", kMachine},
    {"sys.modules", R"(\bsys\.modules\b)", kOtherCode},
    {"stack frames", R"(\b(?:_getframe|currentframe|settrace|setprofile)\b|\binspect\.(?:stack|getouterframes)\b)",
     "a fix must not depend on who calls"},
    {"importlib", R"(\bimportlib\b)", kOtherCode},
    {"__import__", R"(\b__import__\b)", kOtherCode},
    {"builtins", R"(\b(?:__builtins__|builtins)\b)", kOtherCode},
    {"globals(", R"(\bglobals *\()", kOtherCode},
    {"exec(", R"(\bexec *\()", kOtherCode},
    {"eval(", R"((?:^|[^\w.])eval *\()", kOtherCode},
    {"setattr(", R"(\bsetattr *\()", kOtherCode},
    {"gc", R"(\bimport +gc\b|\bgc\.)", kOtherCode},
    {"torch.testing", R"(\btorch\.testing\b|\bfrom +torch +import\b.*\btesting\b)", kJudges},
    {"torch._dynamo.utils.same", R"(\butils\.same\b|\butils +import\b.*\bsame\b)", kJudges},
    {"a setting", R"(\bconfig(?:\.\w+)+ *(?:[-+*/|&]|//)?=(?:[^=]|$))", kSetting},
    {"config.patch", R"(\bconfig(?:\.\w+)*\.(?:patch|load_config|_config)\b)", kSetting},
    {"an attribute of torch", R"((?:^|[;:])\s*torch(?:\.\w+)+ *=(?:[^=]|$))", kOtherCode},
}};

bool matches(std::string_view name, std::string_view pattern) {
  return pattern.ends_with('/') ? name.starts_with(pattern) : name == pattern;
}

bool is_settings(std::string_view base) {
  return base == "config.py" || base == "_config.py" || base.starts_with("config_");
}

const std::vector<std::unique_ptr<RE2>>& word_patterns() {
  static const auto kPatterns = [] {
    std::vector<std::unique_ptr<RE2>> patterns;
    patterns.reserve(kWords.size());
    for (const auto& word : kWords) patterns.push_back(std::make_unique<RE2>(word.pattern));
    return patterns;
  }();
  return kPatterns;
}

}  // namespace

std::optional<std::string> forbidden_file(std::string_view file) {
  const auto refused = [&](std::string_view why) { return fmt::format("{} may not be changed: {}", file, why); };
  if (file.starts_with("torch/testing/")) return refused(kJudges);
  const auto base = file.substr(file.rfind('/') + 1);
  if (is_settings(base)) return refused(kSetting);
  if (std::ranges::none_of(kCompiler, [&](std::string_view each) { return matches(file, each); })) {
    return refused("it is not a part of the compiler, and eager may run it");
  }
  if (file.find("/test") != std::string_view::npos) return refused("PyTorch's tests use it");
  const auto* const found = std::ranges::find_if(kFiles, [&](const Named& each) { return matches(file, each.name); });
  return found == kFiles.end() ? std::nullopt : std::optional(refused(found->why));
}

std::optional<std::string> forbidden_function(std::string_view file, const PythonScope& function) {
  const std::string name = fmt::format("{}:{}", file, function.name);
  const auto refused = [&](std::string_view why) { return fmt::format("{} may not be changed: {}", name, why); };
  const auto* const found = std::ranges::find(kFunctions, std::string_view(name), &Named::name);
  if (found != kFunctions.end()) return refused(found->why);
  const bool registered = std::ranges::any_of(kEagerKeys, [&](std::string_view key) {
    const auto at = function.decorators.find(key);
    return at != std::string::npos &&
           (at + key.size() == function.decorators.size() || !store::in_name(function.decorators[at + key.size()]));
  });
  return registered ? std::optional(refused(kEager)) : std::nullopt;
}

std::optional<std::string> forbidden_lines(const std::vector<std::string_view>& removed,
                                           const std::vector<std::string_view>& added) {
  for (std::size_t at = 0; at < kWords.size(); ++at) {
    const auto has_it = [&](std::string_view line) { return RE2::PartialMatch(line, *word_patterns()[at]); };
    const auto found = std::ranges::find_if(added, has_it);
    if (found == added.end() || std::ranges::any_of(removed, has_it)) continue;
    return fmt::format("the line `{}` brings in {}, which was not there: {}",
                       store::shortened(store::clean_text(oracle::trimmed(*found)), 120), kWords[at].name,
                       kWords[at].why);
  }
  return std::nullopt;
}

}  // namespace parityd::agent
