#include "executor/process/crash_report.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <memory>

namespace parityd::executor {
namespace {

constexpr std::string_view kBegin = "parityd crash: signal ";
constexpr std::string_view kFrame = "parityd frame: ";

std::string_view next_line(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// "at::native::add" from its mangled name: the file and the other frames identify the overload well enough.
std::string demangled(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) {
    return symbol;  // a C function named f would be taken for the type float
  }
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  std::string text = status == 0 && plain != nullptr ? plain.get() : symbol;
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {  // the first bracket outside template arguments
    depth += text[at] == '<' ? 1 : text[at] == '>' ? -1 : 0;
    if (text[at] == '(' && depth == 0 && at > 0 && text.compare(at, 21, "(anonymous namespace)") != 0) {
      text.resize(at);
      break;
    }
  }
  return text;
}

NativeFrame frame_of(std::string_view line) {
  const auto blank = std::min(line.find(' '), line.size());
  const auto rest = line.substr(std::min(blank + 1, line.size()));
  const auto offset = rest.rfind(' ');
  return {.file = std::string(line.substr(0, blank)),
          .symbol = demangled(std::string(rest.substr(0, rest.find(' ')))),
          .offset = std::string(offset == std::string_view::npos ? "" : rest.substr(offset + 1))};
}

bool only_serves(const std::string& file) {
  constexpr std::array<std::string_view, 7> kLibraries{"libc.so",       "libc-",    "libpthread", "ld-linux",
                                                       "linux-vdso.so", "libgcc_s", "libstdc++"};
  return file == "?" || std::ranges::any_of(kLibraries, [&](std::string_view name) { return file.starts_with(name); });
}

/// Inductor names a kernel's file with the letter c and a hash of 51 letters and digits.
bool is_generated(const std::string& file) {
  const auto stem = file.substr(0, file.find('.'));
  return stem.size() >= 40 && stem.front() == 'c' && std::ranges::all_of(stem, [](unsigned char letter) {
           return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
         });
}

}  // namespace

std::optional<CrashReport> read_crash_report(std::string_view output) {
  const auto begin = output.rfind(kBegin);
  if (begin == std::string_view::npos) return std::nullopt;
  std::string_view rest = output.substr(begin + kBegin.size());
  const std::string_view number = next_line(rest);
  CrashReport report;
  std::from_chars(number.data(), number.data() + number.size(), report.signal);
  while (rest.starts_with(kFrame)) report.frames.push_back(frame_of(next_line(rest).substr(kFrame.size())));
  return report;
}

bool is_of_harness(const CrashReport& report) {
  return std::ranges::any_of(report.frames,
                             [](const NativeFrame& frame) { return frame.file.starts_with("parityd_worker"); });
}

std::string innermost_frame(const CrashReport& report) {
  const auto at_fault =
      std::ranges::find_if_not(report.frames, [](const NativeFrame& frame) { return only_serves(frame.file); });
  if (at_fault == report.frames.end()) return {};
  const std::string file = is_generated(at_fault->file) ? "generated" : at_fault->file;
  return at_fault->symbol == "?" ? file + "+" + at_fault->offset : file + ":" + at_fault->symbol;
}

}  // namespace parityd::executor
