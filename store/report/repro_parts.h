// Pieces of a stand-alone script that runs a finding's program eager and compiled: shared by the repro script and the
// regression test. Python source, whole top-level blocks. Internal to store/. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "store/report/draft.h"

namespace parityd::store {

inline constexpr int kLimitSeconds =
    200;  // for a compiled run in a process of its own; more than compiling has in a round

/// What the harness has to do, read off the finding and its options.
struct ReproPlan {
  nlohmann::json options = nlohmann::json::object();
  std::string mode = "inductor";
  int calls = 1;
  std::uint64_t seed = 0;
  bool cuda = false;
  int threads = 0;  // 0: any number shows it
  bool backward = false;
  bool grad = false;
  bool train = false;
  bool scale = false;  // get_inputs takes one
  bool init_inputs = false;
  bool random = false;    // the program draws from Python's random
  bool outcomes = false;  // what counts is who raises, dies or hangs; not numbers
  bool in_child = false;
  bool changes_state = false;        // compare what inputs, buffers and parameters hold afterwards
  bool keeps_state = false;          // what modules keep beside tensors of their own counts as well
  bool objects = false;              // what differs lies in an attribute of an output
  bool earlier_calls = false;        // outputs of the calls before the last count as well
  bool leaves_gradients = false;     // forward goes backward itself
  std::vector<std::string> globals;  // of the program's module, whose values count
  bool own_random = false;           // compiled, it draws random numbers of the compiler's own
  bool layout = false;               // compare what shape, dtype and values do not show
  std::string expected_error;        // behaviour: class names, as a Python tuple
};

[[nodiscard]] ReproPlan repro_plan(const DraftFacts& facts);

/// SEED, DEVICE, BACKEND and the settings; `backend` is Python for the name of the backend.
[[nodiscard]] std::string repro_header(const ReproPlan& plan, const std::string& backend);

/// What repro_run needs: arguments, seeds, moving to the device.
[[nodiscard]] std::string repro_helpers(const ReproPlan& plan, const std::string& program);

/// What torch.compile is asked for besides backend and mode: "dynamic=True, fullgraph=True"; may be empty.
[[nodiscard]] std::string compile_flags(const ReproPlan& plan);

/// repro_compiled_graph(model), which compiles a graph that the compiler had made; empty where forward is no such
/// graph.
[[nodiscard]] std::string graph_function(const ReproPlan& plan);

/// The context of the calls, "torch.autocast(…)", and the line that sets the default dtype; both may be empty.
[[nodiscard]] std::string autocast_of(const ReproPlan& plan);
[[nodiscard]] std::string default_dtype_of(const ReproPlan& plan);

/// Globals of the program that the finding names or that forward changes, what keeps their first values, the line with
/// which a run starts from these, and the lines that add what it left to `results`. Empty where no global counts.
[[nodiscard]] std::vector<std::string> globals_reported(const DraftFacts& facts);
[[nodiscard]] std::string globals_at_start(const ReproPlan& plan);
[[nodiscard]] std::string globals_anew(const ReproPlan& plan);
[[nodiscard]] std::string globals_left(const ReproPlan& plan);

/// Marks the inputs' dimensions before a compiled call; may be empty.
[[nodiscard]] std::string mark_dynamic(const ReproPlan& plan, const std::string& indent);

/// repro_run(compiled): one run of the program, its results by name where numbers count.
[[nodiscard]] std::string repro_run_function(const ReproPlan& plan);

/// "with …:" the settings under which everything runs, and a newline.
[[nodiscard]] std::string repro_settings(const ReproPlan& plan);

/// repro_layout(results): strides, requires_grad and sharing, by name.
[[nodiscard]] std::string repro_layout_function();

/// The program as it is shown, and a harness without "repro_" before its names, or with names the program has not.
[[nodiscard]] std::string repro_program(const DraftFacts& facts);
[[nodiscard]] std::string without_prefix(std::string harness);
[[nodiscard]] std::string without_clashes(std::string harness, const std::string& program);

}  // namespace parityd::store
