// Questions about Python source: programs are parsed and derived from others, never run. Answers are passed to a
// callback, at once or while poll() runs. One thread (the loop's).
#pragma once

#include <tl/expected.hpp>

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "executor/process/interest.h"

namespace parityd::executor {

/// Result of parsing a program.
struct Normalised {
  std::string
      identity;  // 32 hex digits: xxh3-128 of the normalised tree (comments, docstrings and formatting do not count)
  std::string text;                // the program as it will run: with the free fixes that applied, otherwise as given
  std::vector<std::string> fixes;  // free fixes applied, in words: "added import torch", "removed .cuda()"
  nlohmann::json options() const;  // the constant dict OPTIONS; {} when absent
  std::string options_text;        // its JSON
  bool draws = false;              // forward appears to draw random numbers
  bool has_model = false, has_inputs = false;
  std::string problem;  // why it cannot be used, in words for the user: no model, a wrong option; empty: it can be used
};
struct SyntaxError {
  std::string message;  // "line 3: invalid syntax"
  int line = 0;
};

struct Outline {
  std::vector<std::string> operators;  // "torch.sin", "F.pad", ".view", sorted, unique
  int statements = 0;                  // statements in forward
};

/// What to make mutants from.
struct MutantWishes {
  std::string program;
  std::vector<std::string> others;  // programs that it may be spliced with
  std::uint64_t seed = 0;
  int count = 0;
  std::string along;  // a hypothesis about the program, whose axes are varied first; empty: none
};

/// A program made from another (executor/syntax/mutating/mutants.py). It parses; whether it runs is found out by
/// screening.
struct Mutant {
  std::string program;
  std::string kind;  // "operator", "dtype", "shape", "layout", "view", "constant", "option", "splice"; "view+dtype"
  std::string description;  // "sin → cos at line 9; input 0 lies transposed"
};

/// A way to make a program smaller (executor/syntax/reducing/reduction.py); only a run can tell its effect.
struct ReductionEdit {
  std::string id;      // depends only on this text
  std::string family;  // a search should try the families in this order
  std::string style;   // "nested", "choose", "subset": how the edits of a family combine
  std::string description;
};
struct ReductionEdits {
  std::vector<ReductionEdit> edits;
  int statements = 0;  // in functions that compute
  int lines = 0;       // not empty
};
struct ReducedText {
  std::string program;
  std::string options_text;  // OPTIONS as JSON
  int statements = 0, lines = 0;
};

/// What happens, in a program being reduced, to assignments to local names that are never read. They change no value,
/// but what they compute may raise the error.
enum class UnreadLocals { go, stay };

/// What happens to the options a program states itself when it is given others. If they stay, only those given options
/// are added that are compatible with them and with the program: a training step has no `own_random`.
enum class StatedOptions { go, stay };

/// A reduced program with one thing changed, to learn the extent of its finding (executor/syntax/mutating/variants.py).
struct ProgramVariant {
  std::string aspect;                  // "operators", "dtypes", "sizes", "threads", "modes"
  std::string value;                   // the value in this variant: "amin", "int8", "33"
  std::string unit;                    // for a size: "columns"
  std::optional<std::string> program;  // nullopt: the value of the program itself
  std::string options_text;            // OPTIONS as JSON
};

/// A sweep around a finding, to try a change of the compiler (executor/syntax/mutating/sweep.py).
struct SweepWishes {
  std::string program;
  std::string operator_name;          // the one in question, as "add"; empty: none
  std::vector<std::string> siblings;  // others that run the changed code, the nearest first, as "sub"
  int most = 0;                       // the most programs
};

/// The process that parses (syntax_client.h), or the simulation's replacement for it.
class Syntax {
 public:
  virtual ~Syntax() = default;

  template <class T>
  using Done = std::function<void(tl::expected<T, SyntaxError>)>;

  /// Parses, applies free fixes if `fix`, and computes the identity. Salvages a cut-off program if `truncated`.
  virtual void normalise(const std::string& program, bool fix, bool truncated, Done<Normalised> done) = 0;
  virtual void outline(const std::string& program, Done<Outline> done) = 0;
  /// The mutants differ from the program and from each other, and depend only on the wishes; fewer if the program does
  /// not have that many.
  virtual void mutants(const MutantWishes& wishes, Done<std::vector<Mutant>> done) = 0;
  /// The program with these options written into its OPTIONS; applies no fixes.
  virtual void with_options(const std::string& program, const std::string& options_json, StatedOptions stated,
                            Done<Normalised> done) = 0;
  /// `values`: what a worker recorded about the program's names (RunResult::values); "[]" if nothing.
  virtual void reductions(const std::string& program, const std::string& values, Done<ReductionEdits> done) = 0;
  /// The program after these of its reductions, without what is then unused. Without ids: only removes what is unused.
  virtual void reduced(const std::string& program, const std::string& values, const std::vector<std::string>& edit_ids,
                       UnreadLocals locals, Done<ReducedText> done) = 0;
  /// The same program without comments and unused parts, in a uniform layout.
  virtual void plain(const std::string& program, UnreadLocals locals, Done<ReducedText> done) = 0;

  /// `operator_name`: the operator in question, as "aten.amax"; empty if there is none. `modes`: names of modes to run
  /// it under; if there are any, other numbers of threads are tried, too.
  virtual void variants(const std::string& program, const std::string& operator_name,
                        const std::vector<std::string>& modes, Done<std::vector<ProgramVariant>> done) = 0;

  virtual void append_interests(std::vector<Interest>& interests) const = 0;
  virtual void poll() = 0;  // non-blocking; calls the callbacks of finished requests
};

}  // namespace parityd::executor
