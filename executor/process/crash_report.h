// The native frames that a worker printed before a fatal signal ended it (executor/worker/native/crash_handler.h), read
// from its captured output. The program can write such lines itself: they group crashes but prove nothing. Pure; any
// thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parityd::executor {

struct NativeFrame {
  std::string file;    // without folder; "?" if the address belongs to no file
  std::string symbol;  // demangled, without arguments; "?" if the file has no symbol there
  std::string offset;  // into the file, "0x12"
};

struct CrashReport {
  int signal = 0;
  std::vector<NativeFrame> frames;  // innermost first
};

/// The last report in `output`; nullopt if there is none.
[[nodiscard]] std::optional<CrashReport> read_crash_report(std::string_view output);

/// The frame at fault as "FILE:SYMBOL" ("FILE+OFFSET" without a symbol), the same in every process: frames of the C
/// library, which only raises or copies as requested, are skipped, and code built by Inductor is called "generated".
/// Empty if no frame is known.
[[nodiscard]] std::string innermost_frame(const CrashReport& report);

/// Whether the worker's own module was running, whatever library it then died in: not the program's fault.
[[nodiscard]] bool is_of_harness(const CrashReport& report);

}  // namespace parityd::executor
