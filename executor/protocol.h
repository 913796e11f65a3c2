// The worker protocol: JSON lines, one object each (docs/protocol.md). Daemon side; no torch. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>
#include <vector>

#include "oracle/device.h"
#include "oracle/measure/evidence.h"
#include "oracle/names.h"
#include "oracle/rules/neutraliser.h"

namespace parityd::executor {

using oracle::DeviceKind;
using oracle::name;

// ---- daemon → worker

struct PrimeMessage {
  DeviceKind device = DeviceKind::cpu;
  bool fork_parent = false;  // never touch CUDA: this worker only forks fresh children
};

struct RunMessage {
  std::int64_t id = 0;
  std::string program;              // the source
  std::filesystem::path file;       // where the worker writes it, so that tracebacks and PGO keys are its own
  std::vector<oracle::Mode> modes;  // in this order; Mode of OPTIONS is the daemon's business: see RunResult::compiled
  bool choose_compiled = false;     // replace `inductor` in modes by the program's own compiled mode
  DeviceKind device = DeviceKind::cpu;
  std::uint64_t seed = 0;
  bool fresh = false;                             // run in a forked child of this (never used) worker
  std::filesystem::path artefacts;                // directory for one file a mode; empty: measure in the worker
  std::vector<oracle::Neutraliser> neutralisers;  // hold in the compiled modes of this run
  bool values = false;                            // note what the program's names hold in `eager`: RunResult::values
  int compile_from = 0;                           // as Job::compile_from
  std::vector<std::uint64_t> known_forms;         // forms that this process knows from now on (oracle::GraphForms)
};

/// Lines of torch's own sources.
struct SourceSpan {
  std::string file;  // relative to the package's folder
  int first_line = 0, last_line = 0;
};

/// One of PyTorch's debugging tools on a program, always in a forked child of this (never used) worker.
struct InspectMessage {
  std::int64_t id = 0;
  std::string program;              // the source
  std::filesystem::path file;       // where the worker writes it; the tools name it
  std::string tool;                 // executor/tools.h
  std::optional<SourceSpan> place;  // for the tool "place": what is looked at
  DeviceKind device = DeviceKind::cpu;
  std::uint64_t seed = 0;
  int seconds = 0;               // after which a minifier settles for what it has
  std::filesystem::path output;  // the text goes there as it comes, so that a death leaves what was told before
};

/// Which programs run eager, and programs composed on the way; always in a forked child of this (never used) worker.
struct ScreenMessage {
  std::int64_t id = 0;
  std::vector<std::string> programs;
  int compose = 0;             // so many programs made from torch's operators, beside the given ones
  std::filesystem::path file;  // where the worker writes each while it runs
  std::uint64_t seed = 0;      // of the runs; what is composed depends on `composing`
  std::uint64_t composing = 0;
};

struct EnvironmentMessage {
  std::int64_t id = 0;
};
/// Of a fork parent: the next line is its new child's, who alone reads it.
struct ForkMessage {
  std::int64_t id = 0;
};
/// Look at all that programs may have left, where no program's own check looks, too. Of warm workers.
struct CheckMessage {
  std::int64_t id = 0;
};
struct ShutdownMessage {};

using ToWorker = std::variant<PrimeMessage, RunMessage, InspectMessage, ScreenMessage, EnvironmentMessage, CheckMessage,
                              ForkMessage, ShutdownMessage>;
/// One line, newline included.
[[nodiscard]] std::string encode(const ToWorker& message);

// ---- worker → daemon

/// One layer of the sandbox, as the launcher set it up.
struct SandboxLayer {
  std::string name;  // "user", "mount", "pid", "network", "ipc", "seccomp", "landlock", "rlimits", …
  bool on = false;
  std::string why;  // why it is off; empty when on
};

struct Sandbox {
  std::string level;  // "full", "reduced", "none": what the layers add up to
  std::vector<SandboxLayer> layers;
  double setup_milliseconds = 0;
};

/// "full: user, mount, …", and what is off and why: what `status`, the database and drafts say.
[[nodiscard]] std::string description(const Sandbox& sandbox);

struct Hello {
  int protocol = 0;  // kProtocolVersion
  std::string torch, python, executable;
  bool cuda = false;
  std::map<DeviceKind, std::string> device_names;  // models; of a GPU only where torch sees one
  Sandbox sandbox;

  /// Empty where this worker has no such device.
  [[nodiscard]] std::string device_name(DeviceKind kind) const;
};
/// What all of a fork parent's memory is (executor/worker/native/pages.h). Empty where nobody looked.
struct Memory {
  std::string digest;
  std::string changed;  // address of the first page that is not as it was primed; empty: none

  friend bool operator==(const Memory&, const Memory&) = default;
};
struct Primed {
  double seconds = 0;
  Memory memory;                               // of a fork parent
  std::optional<std::int64_t> gpu_free_bytes;  // as in Health
};
struct Beat {};
struct StepStarted {
  std::int64_t id = 0;
  oracle::Mode mode = oracle::Mode::eager;
  oracle::Step step = oracle::Step::start;
};
/// How a warm worker stands after a program: what tells the pool that it grows or changes.
struct Health {
  std::int64_t resident_bytes = 0;
  std::int64_t maps = 0;                       // memory maps; the kernel's limit is 65,530
  std::int64_t gpu_bytes = 0;                  // allocated and reserved by this process; 0 without CUDA
  std::optional<std::int64_t> gpu_free_bytes;  // left on the device; empty where the process has not used CUDA
  double check_seconds = 0;                    // what reset, restore and fingerprint cost
};

/// End of a run. With artefacts the evidence holds outcomes only; the bytes are in the files.
struct RunResult {
  std::int64_t id = 0;
  oracle::Evidence evidence;
  std::string tainted;  // why this worker must not be used again; empty: it may
  Health health;
  std::string values;  // JSON: a list of {line, name, shape, dtype, …}, for the syntax process; "[]" when not asked for
};
/// A fresh child is gone: what its parent saw.
struct ChildEnded {
  std::int64_t id = 0;
  int status = 0;
  int signal = 0;
  Memory memory;  // the parent's, when nothing of the child was left
};
/// End of a tool; its text is in the file.
struct InspectResult {
  std::int64_t id = 0;
  std::string failure;  // the tool itself failed, on whatever program; empty: it did not
  std::string text;     // in place of what lies in the file; empty: that counts
};
/// What screening says of one program.
struct Screened {
  bool valid = false;
  std::string error;  // why not: "RuntimeError: …"
};
/// End of a screening: a verdict for each program asked about, in order, and what was composed.
struct ScreenResult {
  std::int64_t id = 0;
  std::vector<Screened> verdicts;
  std::vector<std::string> composed;
};
struct EnvironmentResult {
  std::int64_t id = 0;
  std::string text;                   // torch.utils.collect_env, pretty
  std::vector<std::string> features;  // all that its compiler lists (executor/worker/running/coverage.py)
};
/// End of a check.
struct CheckResult {
  std::int64_t id = 0;
  std::string changed;  // what is not as before the first program; empty: nothing
};
/// The worker itself failed (not the program): a harness failure.
struct WorkerError {
  std::int64_t id = 0;
  std::string message;
};

using FromWorker = std::variant<Hello, Primed, Beat, StepStarted, RunResult, InspectResult, ScreenResult, ChildEnded,
                                EnvironmentResult, CheckResult, WorkerError>;
inline constexpr int kProtocolVersion = 5;

/// Never throws: a line that is no message gives its reason, with what was wrong and where.
[[nodiscard]] tl::expected<FromWorker, std::string> decode(std::string_view line);

// What is wrong with bytes that a worker wrote (protocol, artefacts): thrown while they are read, an error text at the
// border of the file that reads them.

class Malformed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// `reason` as logs, terminals and the database may have it: at most 500 characters, printable ASCII, `?` for the rest.
[[nodiscard]] std::string printable(std::string reason);

}  // namespace parityd::executor
