// What is asked of Python's syntax: programs are parsed and made from others, never run. Answers
// come to a function, at once or while service() runs. One thread (the loop's).
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

/// What parsing says about a program.
struct Normalised {
  std::string
      identity;  // 32 hex digits: xxh3-128 of the normalised tree (comments, docstrings and formatting do not count)
  std::string text;                // the program as it will run: fixed where a free fix applied, else as given
  std::vector<std::string> fixes;  // free fixes applied, in words: "added import torch", "removed .cuda()"
  nlohmann::json options() const;  // the constant dict OPTIONS; {} when absent
  std::string options_text;        // its JSON
  bool draws = false;              // forward seems to draw random numbers
  bool has_model = false, has_inputs = false;
  std::string problem;  // why it cannot be used, in the user's words: no model, a wrong option; empty: it can
};
struct SyntaxError {
  std::string message;  // "line 3: invalid syntax"
  int line = 0;
};

struct Outline {
  std::vector<std::string> operators;  // "torch.sin", "F.pad", ".view", sorted unique
  int statements = 0;                  // statements in forward
};

/// What mutants are made of.
struct MutantWishes {
  std::string program;
  std::vector<std::string> others;  // programs that it may be spliced with
  std::uint64_t seed = 0;
  int count = 0;
  std::string along;  // a hypothesis about the program, along whose axes it is varied first; empty: there is none
};

/// A program made from another (executor/syntax/mutating/mutants.py). It parses; whether it runs is for a worker to
/// screen.
struct Mutant {
  std::string program;
  std::string kind;  // "operator", "dtype", "shape", "layout", "view", "constant", "option", "splice"; "view+dtype"
  std::string description;  // "sin → cos at line 9; input 0 lies transposed"
};

/// A way to make a program smaller (executor/syntax/reducing/reduction.py); what it comes to is for a run to tell.
struct ReductionEdit {
  std::string id;      // of this text
  std::string family;  // families follow one another in the order in which a search should try them
  std::string style;   // "nested", "choose", "subset": how the edits of a family go together
  std::string description;
};
struct ReductionEdits {
  std::vector<ReductionEdit> edits;
  int statements = 0;  // of functions that compute
  int lines = 0;       // that are not empty
};
struct ReducedText {
  std::string program;
  std::string options_text;  // OPTIONS as JSON
  int statements = 0, lines = 0;
};

/// Of a program that is reduced, assignments to local names that nobody reads. They change no value, but what they
/// compute may be what raises.
enum class UnreadLocals { go, stay };

/// Where a program is given options, those that it states itself. Where they stay, of the given ones only those come
/// in that go with them and with the program: a training step has no `own_random`.
enum class StatedOptions { go, stay };

/// A reduced program with one thing changed, to learn how far its finding reaches
/// (executor/syntax/mutating/variants.py).
struct ProgramVariant {
  std::string aspect;                  // "operators", "dtypes", "sizes", "threads", "modes"
  std::string value;                   // what stands there now: "amin", "int8", "33"
  std::string unit;                    // of a size: "columns"
  std::optional<std::string> program;  // nullopt: the value that the program itself has
  std::string options_text;            // OPTIONS as JSON
};

/// The process that parses (syntax_client.h), or the simulation's stand-in for it.
class Syntax {
 public:
  virtual ~Syntax() = default;

  template <class T>
  using Done = std::function<void(tl::expected<T, SyntaxError>)>;

  /// Parse, apply free fixes when `fix`, give identity. Salvages a cut-off program when `truncated`.
  virtual void normalise(const std::string& program, bool fix, bool truncated, Done<Normalised> done) = 0;
  virtual void outline(const std::string& program, Done<Outline> done) = 0;
  /// They differ from the program and each other, and depend on the wishes alone; fewer where it has not so many.
  virtual void mutants(const MutantWishes& wishes, Done<std::vector<Mutant>> done) = 0;
  /// The program with these options written into its OPTIONS; nothing is fixed.
  virtual void with_options(const std::string& program, const std::string& options_json, StatedOptions stated,
                            Done<Normalised> done) = 0;
  /// `values`: what a worker noted of the program's names (RunResult::values); "[]" when it noted nothing.
  virtual void reductions(const std::string& program, const std::string& values, Done<ReductionEdits> done) = 0;
  /// The program after these of its reductions, without what nothing uses then. No ids: only the latter.
  virtual void reduced(const std::string& program, const std::string& values, const std::vector<std::string>& edit_ids,
                       UnreadLocals locals, Done<ReducedText> done) = 0;
  /// The same program without comments and what nothing uses, in one layout.
  virtual void plain(const std::string& program, UnreadLocals locals, Done<ReducedText> done) = 0;

  /// `operator_name`: the one in question, as "aten.amax"; empty where none is. `modes`: to run it under, by name; with
  /// any, other numbers of threads are tried, too.
  virtual void variants(const std::string& program, const std::string& operator_name,
                        const std::vector<std::string>& modes, Done<std::vector<ProgramVariant>> done) = 0;

  virtual void append_interests(std::vector<Interest>& interests) const = 0;
  virtual void service() = 0;  // non-blocking; calls what is done
};

}  // namespace parityd::executor
