// The record of one mode's run of one program: its outcome and its leaves. Pure data; any thread. The worker fills it
// from live tensors, confirmation rounds from the bytes of an artefact file; compare.h compares both.
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
  died,    // the process ended on its own (signal or exit)
  hung,    // the deadline passed and the process was killed
};
constexpr auto names(OutcomeKind) { return std::to_array<std::string_view>({"ran", "raised", "died", "hung"}); }

/// The last step a mode reached. Every mode has `import_program` to `forward`; `compile` is the first compiled call;
/// `measure` includes reading an error's details; `reset` clears what the mode left. `compare` and a final `reset`
/// belong to the whole run: they follow its last mode.
enum class Step { start, import_program, inputs, model, compile, forward, backward, measure, compare, reset };
constexpr auto names(Step) {
  return std::to_array<std::string_view>(
      {"start", "import_program", "inputs", "model", "compile", "forward", "backward", "measure", "compare", "reset"});
}
/// True if the step calls the model. In the other steps no compiled code runs, whatever the mode.
[[nodiscard]] bool calls_model(Step step);

/// A tensor alive at the failing user line; repair prompts show its shape and dtype.
struct LiveTensor {
  std::string expression;  // "x1", "self.weight"
  std::string dtype;
  std::vector<std::int64_t> shape;
};

struct ErrorReport {
  std::string outer_class;     // "BackendCompilerFailed", "RuntimeError"
  std::string inner_class;     // innermost cause; equal to outer_class if there is no chain
  std::string message;         // capped at 8 KiB by the worker
  std::string compiler_frame;  // innermost frame inside torch's compiler, "file.py:function", no line; may be empty
  int user_line = 0;           // 1-based line in the program where it failed; 0: unknown
  std::string user_source;     // text of that line
  std::string user_operator;   // innermost call that raised: "ceil", "getitem", "conv2d"; empty if unknown
  std::vector<LiveTensor> live_tensors;
  std::string traceback;  // shortened, for people
  bool dead = false;      // nothing reads the result of the failing statement
};

/// What eager_watched observed of an operator and its actual operands (oracle/rules/allowances.h names the rules).
struct Observation {
  std::string rule;                 // "right_shift_amount"
  std::string operator_name;        // "aten.bitwise_right_shift"
  std::int64_t elements = 0;        // how many of the operator's elements the rule applies to
  std::vector<std::string> leaves;  // paths of the leaves that depend on the operator's results
};

struct Outcome {
  OutcomeKind kind = OutcomeKind::ran;
  Step step = Step::start;           // the step that failed; for `ran` the last one
  std::optional<ErrorReport> error;  // set iff raised
  int signal = 0;                    // died: the signal, else 0
  int exit_status = 0;               // died without a signal
  std::string native_frame;          // died: innermost native frame if known
  double seconds = 0;
  int graphs = 0;                              // graphs Dynamo captured (compiled modes)
  std::vector<std::string> operators;          // aten operators of the captured graphs, sorted, unique (compiled modes)
  std::vector<std::string> lowered;            // operators that Inductor generated code for (modes of inductor)
  std::vector<std::string> decomposed;         // operators that were decomposed before (compiled modes)
  std::vector<std::string> seeded;             // operators of the graphs that draw random numbers (modes of inductor)
  std::vector<std::string> private_operators;  // aten._name, called by the program itself (compiled modes)
  std::vector<Observation> observations;       // eager_watched
  std::vector<std::string> fallbacks;          // how compiled code fell back to eager unasked: "recompile_limit", …
  std::string double_way;             // a double run: "lifted" (the captured graphs) or "double" (model and inputs)
  std::vector<std::string> replaced;  // by the program, in torch's own code: "torch.relu", "lowering aten.exp.default"
};

/// In `fallbacks`: torch.export warned that it leaves out side effects of the program; the exported program was called
/// with tensors of another dtype or with other strides than it was exported for.
inline constexpr std::string_view kSideEffects = "side_effects", kOtherLayout = "other_layout";
/// In `fallbacks` of any mode without gradients: the program wrote to a parameter.
inline constexpr std::string_view kParametersWritten = "parameters_written";
/// True for these three: they are notes, not ways in which compiled code fell back to eager.
constexpr bool is_note(std::string_view fallback) {
  return fallback == kSideEffects || fallback == kOtherLayout || fallback == kParametersWritten;
}

/// Path prefix of a leaf that is not a value of the program but a number that eager and compiled code share although
/// they draw different random numbers (executor/worker/running/draws.py): "drawn.output[0].mean".
inline constexpr std::string_view kDrawn = "drawn.";

/// Path prefix, after any "call[0].", of what a training step keeps: "kept['optimizer'].state".
inline constexpr std::string_view kStepState = "kept";

/// `earlier_output`: of a call before the last one. `state`: what modules (other than tensors) and globals keep.
enum class LeafGroup { input, output, earlier_output, input_after, buffer, state, parameter, gradient };
constexpr auto names(LeafGroup) {
  return std::to_array<std::string_view>(
      {"input", "output", "earlier_output", "input_after", "buffer", "state", "parameter", "gradient"});
}

/// One leaf of a mode's results. Tensors carry layout and storage; anything else carries its Python type and repr.
struct Leaf {
  std::string path;  // "output[0]['a']", "gradient.weight"; unique within the record
  LeafGroup group = LeafGroup::output;
  bool is_tensor = false;
  std::string type;       // Python type: "Tensor", "Parameter", "int", "NoneType"
  std::string value;      // repr of a non-tensor, capped
  bool unopened = false;  // its contents could not be read: only its type can be compared
  Dtype dtype = Dtype::float32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> stride;  // in elements
  std::int64_t offset = 0;           // in elements, into the storage
  int storage = -1;                  // equal numbers share memory, within one record; -1: no storage (sparse, meta)
  bool requires_grad = false;
  bool conjugate = false;  // lazy conj bit: stored values are conjugated
  bool negative = false;   // lazy neg bit
};

/// A storage's bytes, not owned. Only measure.h may read those that are `on_device`.
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

  /// Null if no leaf has that path.
  [[nodiscard]] const Leaf* find(const std::string& path) const;
};

using LeavesByPath = std::unordered_map<std::string, const Leaf*>;
/// Points into `record`.
[[nodiscard]] LeavesByPath leaves_by_path(const RunRecord& record);

}  // namespace parityd::oracle
