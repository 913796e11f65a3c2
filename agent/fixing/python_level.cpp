#include "agent/fixing/python_level.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "store/base/text.h"

namespace parityd::agent {
namespace {

constexpr std::size_t kLongestWord = 200;  // characters of a frame or a message that is told

/// Shared objects that hold kernels. Not libtorch_python, which Dynamo's Python drives, nor generated code.
constexpr std::array<std::string_view, 12> kNative = {"libtorch_cpu", "libtorch_cuda", "libtorch_xpu", "libtorch_hip",
                                                      "libc10",       "libmkl",        "libdnnl",      "libgomp",
                                                      "libiomp",      "libcublas",     "libcudnn",     "libcufft"};

/// Classes of Python's errors that torch's C++ throws.
constexpr std::array<std::string_view, 7> kNativeErrors = {
    "RuntimeError",     "IndexError",       "ValueError", "NotImplementedError",
    "OutOfMemoryError", "AcceleratorError", "LinAlgError"};

/// The parts of a signature, as oracle/rules/signature.h joins them. A message may hold the separator, too.
std::vector<std::string_view> parts_of(std::string_view text) {
  constexpr std::string_view kBetween = " | ";
  std::vector<std::string_view> parts;
  for (auto at = text.find(kBetween); at != std::string_view::npos; at = text.find(kBetween)) {
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + kBetween.size());
  }
  parts.push_back(text);
  return parts;
}

std::string told(std::string_view part) { return store::shortened(store::clean_line(part), kLongestWord); }

/// "crash | signal 11 | libtorch_cpu.so:at::native::…".
std::optional<std::string> killed_in_kernel(const std::vector<std::string_view>& parts) {
  constexpr std::size_t kFrame = 2;
  if (parts.size() <= kFrame) return std::nullopt;
  const auto frame = parts[kFrame];
  if (std::ranges::none_of(kNative, [&](std::string_view file) { return frame.starts_with(file); })) return {};
  return fmt::format("it is killed by {} in {}, which is C++", told(parts[1]), told(frame));
}

/// Whether the compiler did something for this program that it does not do for any.
bool did_something(const Fired& fired) {
  return std::ranges::any_of(fired.functions, [](const FiredFunction& each) { return !each.common; });
}

/// "behaviour | RuntimeError | RuntimeError | the message", without a frame of the compiler at its end.
std::optional<std::string> raised_by_kernel(const std::vector<std::string_view>& parts, const Fired& fired) {
  constexpr std::size_t kInner = 2;
  static const RE2 kPythonFrame(R"([\w./]+\.py:[\w.<>]+)");
  if (parts.size() <= kInner + 1 || RE2::FullMatch(parts.back(), kPythonFrame)) return std::nullopt;
  const auto inner = parts[kInner].substr(parts[kInner].rfind('.') + 1);
  if (std::ranges::find(kNativeErrors, inner) == kNativeErrors.end()) return std::nullopt;
  // Without counts the tool saw no compilation, as for torch.export.
  if (fired.counts.empty() || did_something(fired)) return std::nullopt;
  return fmt::format(
      "the {} is raised outside of torch's Python, and no function of the compiler did anything for it: {}",
      told(inner), told(parts[kInner + 1]));
}

}  // namespace

std::optional<std::string> why_not_python(const store::FindingRow& finding, const Fired* fired) {
  if (finding.side == oracle::Side::eager) return "eager is at fault, and no change may touch what eager runs";
  // A part of the compiler without which it vanishes is called from Python.
  if (!finding.neutraliser.empty()) return std::nullopt;
  const auto parts = parts_of(finding.signature.text);
  if (finding.kind == oracle::Kind::crash) return killed_in_kernel(parts);
  if (finding.kind == oracle::Kind::behaviour && fired != nullptr) return raised_by_kernel(parts, *fired);
  return std::nullopt;
}

}  // namespace parityd::agent
