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
  std::filesystem::path file;       // where the worker writes it, so that tracebacks and PGO keys are the program's own
  std::vector<oracle::Mode> modes;  // in this order; the mode that OPTIONS asks for: choose_compiled
  bool choose_compiled = false;     // replace `inductor` in modes with the program's own compiled mode
  DeviceKind device = DeviceKind::cpu;
  std::uint64_t seed = 0;
  bool fresh = false;                             // run in a forked child of this (never used) worker
  std::filesystem::path artefacts;                // directory for one file per mode; empty: measure in the worker
  std::vector<oracle::Neutraliser> neutralisers;  // in effect in the compiled modes of this run
  bool values = false;                            // record what the program's names hold in `eager`: RunResult::values
  int compile_from = 0;                           // as Job::compile_from
  std::vector<std::uint64_t> known_forms;  // forms that this process treats as known from now on (oracle::GraphForms)
};

/// Lines of torch's own source files.
struct SourceSpan {
  std::string file;  // relative to the package's folder
  int first_line = 0, last_line = 0;
};

/// Runs one of PyTorch's debugging tools on a program, always in a forked child of this (never used) worker.
struct InspectMessage {
  std::int64_t id = 0;
  std::string program;              // the source
  std::filesystem::path file;       // where the worker writes it; the tools print this name
  std::string tool;                 // its name: executor/tools.h
  std::optional<SourceSpan> place;  // for the tool "place": the lines to look at
  std::string arguments;            // a JSON object for tools that take one (docs/inspect.md); empty: none
  DeviceKind device = DeviceKind::cpu;
  std::uint64_t seed = 0;
  int seconds = 0;               // after which a minifier settles for its result so far
  std::filesystem::path output;  // the text is written there as it is produced, so that it survives a death
};

/// Asks which programs run in eager, and for composed programs; always in a forked child of this (never used) worker.
struct ScreenMessage {
  std::int64_t id = 0;
  std::vector<std::string> programs;
  int compose = 0;             // number of programs to compose from torch's operators, besides the given ones
  std::filesystem::path file;  // where the worker writes each program while it runs
  std::uint64_t seed = 0;      // of the runs; composed programs depend on `composing`
  std::uint64_t composing = 0;
};

struct EnvironmentMessage {
  std::int64_t id = 0;
};
/// To a fork parent: the next line is for its new child, which alone reads it.
struct ForkMessage {
  std::int64_t id = 0;
};
/// Looks for everything that programs may have left behind, including where the check after each program does not look.
/// To warm workers.
struct CheckMessage {
  std::int64_t id = 0;
};
struct ShutdownMessage {};

using ToWorker = std::variant<PrimeMessage, RunMessage, InspectMessage, ScreenMessage, EnvironmentMessage, CheckMessage,
                              ForkMessage, ShutdownMessage>;
/// One line, newline included.
[[nodiscard]] std::string encode(const ToWorker& message);

// ---- worker → daemon

/// One layer of the sandbox, as set up by the launcher.
struct SandboxLayer {
  std::string name;  // "user", "mount", "pid", "network", "ipc", "seccomp", "landlock", "rlimits", …
  bool on = false;
  std::string why;  // why it is off; empty when on
};

struct Sandbox {
  std::string level;  // "full", "reduced", "none": the level that the layers add up to
  std::vector<SandboxLayer> layers;
  double setup_milliseconds = 0;
};

/// "full: user, mount, …", followed by the layers that are off and why: the text in `status`, the database and drafts.
[[nodiscard]] std::string description(const Sandbox& sandbox);

struct Hello {
  int protocol = 0;  // kProtocolVersion
  std::string torch, python, executable;
  bool cuda = false;
  std::map<DeviceKind, std::string> device_names;  // models; a GPU's only if torch sees one
  Sandbox sandbox;

  /// Empty if this worker has no such device.
  [[nodiscard]] std::string device_name(DeviceKind kind) const;
};
/// State of a fork parent's whole memory (executor/worker/native/pages.h). Empty if nothing looked.
struct Memory {
  std::string digest;
  std::string changed;  // address of the first page that differs from its state after priming; empty: none

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
/// State of a warm worker after a program: shows the pool whether it grows or changes.
struct Health {
  std::int64_t resident_bytes = 0;
  std::int64_t maps = 0;                       // memory maps; the kernel's limit is 65,530
  std::int64_t gpu_bytes = 0;                  // allocated and reserved by this process; 0 without CUDA
  std::optional<std::int64_t> gpu_free_bytes;  // free on the device; empty if the process has not used CUDA
  double check_seconds = 0;                    // time spent on reset, restore and fingerprint
};

/// End of a run. With artefacts, the evidence holds outcomes only; the bytes are in the files.
struct RunResult {
  std::int64_t id = 0;
  oracle::Evidence evidence;
  std::string tainted;  // why this worker must not be used again; empty: it may
  Health health;
  std::string values;  // JSON: a list of {line, name, shape, dtype, …}, for the syntax process; "[]" when not requested
};
/// A fresh child has ended: what its parent saw.
struct ChildEnded {
  std::int64_t id = 0;
  int status = 0;
  int signal = 0;
  Memory memory;  // the parent's, taken when nothing of the child was left
};
/// End of a tool; its text is in the file.
struct InspectResult {
  std::int64_t id = 0;
  std::string failure;  // the tool itself failed, whatever the program; empty: it did not
  std::string text;     // replaces the text in the file; empty: the file counts
};
/// Screening result of one program.
struct Screened {
  bool valid = false;
  std::string error;  // why not: "RuntimeError: …"
};
/// End of a screening: a verdict for each program of the request, in order, and the composed programs.
struct ScreenResult {
  std::int64_t id = 0;
  std::vector<Screened> verdicts;
  std::vector<std::string> composed;
};
struct EnvironmentResult {
  std::int64_t id = 0;
  std::string text;                   // torch.utils.collect_env, pretty-printed
  std::vector<std::string> features;  // everything that its compiler lists (executor/worker/running/coverage.py)
};
/// End of a check.
struct CheckResult {
  std::int64_t id = 0;
  std::string changed;  // what differs from the state before the first program; empty: nothing
};
/// The worker itself failed (not the program): a harness failure.
struct WorkerError {
  std::int64_t id = 0;
  std::string message;
};

using FromWorker = std::variant<Hello, Primed, Beat, StepStarted, RunResult, InspectResult, ScreenResult, ChildEnded,
                                EnvironmentResult, CheckResult, WorkerError>;
inline constexpr int kProtocolVersion = 5;

/// Never throws: for a line that is not a message, the error says what is wrong and where.
[[nodiscard]] tl::expected<FromWorker, std::string> decode(std::string_view line);

// What is wrong with bytes written by a worker (protocol, artefacts). Thrown while they are read; the file that reads
// them turns it into an error text.

class Malformed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// `reason` in a form safe for logs, terminals and the database: at most 500 characters of printable ASCII, `?` for the
/// rest.
[[nodiscard]] std::string printable(std::string reason);

}  // namespace parityd::executor
