// The native frames a worker told before a fatal signal ended it (executor/worker/native/crash_handler.h), read from
// its captured output. The program can write such lines itself: they group crashes, they prove nothing. Pure; any
// thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parityd::executor {

struct NativeFrame {
  std::string file;    // without folder; "?" where the address lies in no file
  std::string symbol;  // demangled, without arguments; "?" where the file has none there
  std::string offset;  // into the file, "0x12"
};

struct CrashReport {
  int signal = 0;
  std::vector<NativeFrame> frames;  // innermost first
};

/// The last one in `output`; nullopt where there is none.
[[nodiscard]] std::optional<CrashReport> read_crash_report(std::string_view output);

/// The frame at fault as "FILE:SYMBOL" ("FILE+OFFSET" without a symbol), the same in every process: the C library,
/// which only raises or copies what it was told to, is passed over, and code that Inductor built is called "generated".
/// Empty where no frame is known.
[[nodiscard]] std::string innermost_frame(const CrashReport& report);

/// Whether the worker's own module was at work, in whatever library it then died: no program's doing.
[[nodiscard]] bool is_of_harness(const CrashReport& report);

}  // namespace parityd::executor
