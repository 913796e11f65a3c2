// What fired in torch's Python compiler for a program: the answer of the tool `fired`
// (executor/worker/inspecting/inspect_fired.py), and what changed between two such answers. Pure; any thread.
#pragma once

#include <tl/expected.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace parityd::agent {

/// A function of the compiler that did something for the program.
struct FiredFunction {
  std::string file;  // relative to site-packages: "torch/_inductor/lowering.py"
  std::string name;  // qualified: "Scheduler.fuse"
  int first_line = 0, last_line = 0;
  std::int64_t calls = 0;
  bool common = false;                 // trivial programs enter it, too
  std::string own_lines = {};          // of a common one, those that run for no trivial program: "7, 10-12"
  std::vector<std::string> operators;  // that it was called for

  /// "torch/_inductor/lowering.py:cat".
  [[nodiscard]] std::string place() const { return file + ":" + name; }
};

struct Fired {
  std::vector<FiredFunction> functions;        // the likeliest first
  std::map<std::string, std::int64_t> counts;  // "rewrite:mm_plus_mm", "lowering:aten.add", "fallback:…", "kernels"
};

/// Reads the tool's text: its last line is a JSON object. The error: it holds none, or the program did not run.
[[nodiscard]] tl::expected<Fired, std::string> read_fired(std::string_view text);

/// Something that the compiler did before and does no more, or by which it gives up more often than before.
struct SwitchedOff {
  std::string name;       // in Fired::counts
  std::string told;       // "rewrite:mm_plus_mm: 1 before, none with the change"
  bool gives_up = false;  // a fallback or graph breaks
};

/// A rewrite that no longer matches, a lowering that became a fallback, no more vector kernels. Empty: all that fired
/// still fires. Counts that only grew are not listed, except fallbacks and graph breaks.
[[nodiscard]] std::vector<SwitchedOff> switched_off(const Fired& before, const Fired& after);
/// The compiler still does `name` for a program: it did before and does now or, for what gives up, does not more often.
[[nodiscard]] bool still_fires(const SwitchedOff& name, const Fired& before, const Fired& after);

}  // namespace parityd::agent
