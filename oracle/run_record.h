// What one mode of one program left behind: its outcome and its leaves. Pure data; any thread.
// The worker fills it from live tensors, the gate from the bytes of an artefact file; both are compared by compare.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "oracle/dtype.h"
#include "oracle/mode.h"
#include "oracle/names.h"

namespace parityd::oracle {

enum class OutcomeKind {
  ran,
  raised,  // a Python exception left the program or the compiler
  died,    // the process ended by itself (signal or exit)
  hung,    // the deadline passed and the process was killed
};
constexpr auto names(OutcomeKind) { return std::to_array<std::string_view>({"ran", "raised", "died", "hung"}); }

/// The last thing a mode was doing. `import_program` to `forward` exist for every mode; `compile` is the first compiled
/// call, `measure` also what an error says of itself, `reset` what a mode left. `compare` and a last `reset` belong to
/// the whole run: they follow its last mode.
enum class Step { start, import_program, inputs, model, compile, forward, backward, measure, compare, reset };
constexpr auto names(Step) {
  return std::to_array<std::string_view>(
      {"start", "import_program", "inputs", "model", "compile", "forward", "backward", "measure", "compare", "reset"});
}
/// In the other steps no compiled code runs, whatever the mode.
[[nodiscard]] bool calls_model(Step step);

/// A tensor alive at the failing user line: what a repair prompt shows of shapes and dtypes.
struct LiveTensor {
  std::string expression;  // "x1", "self.weight"
  std::string dtype;
  std::vector<std::int64_t> shape;
};

struct ErrorReport {
  std::string outer_class;     // "BackendCompilerFailed", "RuntimeError"
  std::string inner_class;     // innermost cause; equal to outer_class when there is no chain
  std::string message;         // capped at 8 KiB by the worker
  std::string compiler_frame;  // innermost frame inside torch's compiler, "file.py:function", no line; may be empty
  int user_line = 0;           // 1-based line in the program where it failed; 0 unknown
  std::string user_source;     // that line's text
  std::string user_operator;   // innermost call that raised: "ceil", "getitem", "conv2d"; empty where unknown
  std::vector<LiveTensor> live_tensors;
  std::string traceback;  // shortened, for people
  bool dead = false;      // nothing reads what the failing statement makes
};

/// What eager_watched saw an operator do with its actual operands (oracle/rules/freedoms.h names the rules).
struct Observation {
  std::string rule;                 // "right_shift_amount"
  std::string operator_name;        // "aten.bitwise_right_shift"
  std::int64_t elements = 0;        // of the operator's, to which it applies
  std::vector<std::string> leaves;  // paths of the leaves that depend on the operator's results
};

struct Outcome {
  OutcomeKind kind = OutcomeKind::ran;
  Step step = Step::start;           // the step that failed; for `ran` the last one
  std::optional<ErrorReport> error;  // set iff raised
  int signal = 0;                    // died: the signal, else 0
  int exit_status = 0;               // died without a signal
  std::string native_frame;          // died: innermost native frame where known
  double seconds = 0;
  int graphs = 0;                              // graphs Dynamo captured (compiled modes)
  std::vector<std::string> operators;          // aten operators of the captured graphs, sorted, unique (compiled modes)
  std::vector<std::string> lowered;            // operators Inductor made code for (modes of inductor)
  std::vector<std::string> decomposed;         // operators that were taken apart before (compiled modes)
  std::vector<std::string> seeded;             // operators of the graphs that draw random numbers (modes of inductor)
  std::vector<std::string> private_operators;  // aten._name, called by the program itself (compiled modes)
  std::vector<Observation> observations;       // eager_watched
  std::vector<std::string> fallbacks;          // how compiled code gave way to eager unasked: "recompile_limit", …
  std::string double_way;             // a double run: "lifted" (the captured graphs) or "double" (model and inputs)
  std::vector<std::string> replaced;  // of torch's own code, by the program: "torch.relu", "lowering aten.exp.default"
};

/// In `fallbacks`: torch.export warned that it leaves side effects of the program out; the exported program was called
/// with tensors of another dtype, or with other strides, than it was exported for.
inline constexpr std::string_view kSideEffects = "side_effects", kOtherLayout = "other_layout";
/// In `fallbacks` of any mode without gradients: the program wrote to a parameter.
inline constexpr std::string_view kParametersWritten = "parameters_written";
/// Those three, which are no way in which compiled code gave way to eager.
constexpr bool is_note(std::string_view fallback) {
  return fallback == kSideEffects || fallback == kOtherLayout || fallback == kParametersWritten;
}

/// Begins the path of a leaf that is no value of the program's, but a number that eager and compiled have in common
/// though they draw other random numbers (executor/worker/running/draws.py): "drawn.output[0].mean".
inline constexpr std::string_view kDrawn = "drawn.";

/// Begins the path of what a training step keeps, but for "call[0]." before it: "kept['optimizer'].state".
inline constexpr std::string_view kStepState = "kept";

/// `earlier_output`: of a call before the last one. `state`: what modules, beside tensors, and globals keep.
enum class LeafGroup { input, output, earlier_output, input_after, buffer, state, parameter, gradient };
constexpr auto names(LeafGroup) {
  return std::to_array<std::string_view>(
      {"input", "output", "earlier_output", "input_after", "buffer", "state", "parameter", "gradient"});
}

/// One leaf of what a mode produced. Tensors carry layout and storage; anything else its Python type and repr.
struct Leaf {
  std::string path;  // "output[0]['a']", "gradient.weight"; unique within the record
  LeafGroup group = LeafGroup::output;
  bool is_tensor = false;
  std::string type;       // Python type: "Tensor", "Parameter", "int", "NoneType"
  std::string value;      // repr of a non-tensor, capped
  bool unopened = false;  // nothing could look into it: there is only its type to compare
  Dtype dtype = Dtype::float32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> stride;  // elements
  std::int64_t offset = 0;           // elements into the storage
  int storage = -1;                  // equal numbers share memory, within one record; -1 no storage (sparse, meta)
  bool requires_grad = false;
  bool conjugate = false;  // lazy conj bit: stored values are conjugated
  bool negative = false;   // lazy neg bit
};

/// A storage's bytes; not owned. Only measure.h reads those `on_device`.
struct StorageView {
  const std::byte* data = nullptr;
  std::size_t size = 0;
  bool on_device = false;  // in a GPU's memory, not the host's
};

struct RunRecord {
  Mode mode = Mode::eager;
  Outcome outcome;
  std::vector<Leaf> leaves;           // empty unless the mode ran
  std::vector<StorageView> storages;  // indexed by Leaf::storage; must outlive the comparison

  /// Null where there is none of that path.
  [[nodiscard]] const Leaf* find(const std::string& path) const;
};

using LeavesByPath = std::unordered_map<std::string, const Leaf*>;
/// Points into `record`.
[[nodiscard]] LeavesByPath leaves_by_path(const RunRecord& record);

}  // namespace parityd::oracle
