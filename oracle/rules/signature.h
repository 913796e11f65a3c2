// Signatures decide which inconsistencies are one finding (docs/findings.md). Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "oracle/names.h"
#include "oracle/rules/verdict.h"

namespace parityd::oracle {

/// The first stage that shows the inconsistency.
enum class Stage { dynamo_eager, aot_eager, aot_eager_decomp_partition, inductor };
constexpr auto names(Stage) {
  return std::to_array<std::string_view>({"dynamo_eager", "aot_eager", "aot_eager_decomp_partition", "inductor"});
}

/// `stages` holds eager and the three stage modes, measured against eager. The first mode that differs as `verdict`
/// says names the stage; inductor if none does.
[[nodiscard]] Stage first_differing_stage(const Evidence& stages, const Verdict& verdict);

/// Whether `mode`, measured against eager, shows what the verdict says: its kind and, for values or metadata, a
/// difference in any of its leaves.
[[nodiscard]] bool shows_alike(const Evidence& evidence, const Verdict& verdict, Mode mode);

/// Removes what varies between runs with one cause: addresses, sizes, generated names (tmp0, buf3, arg1_1, s77), paths,
/// pids, line numbers.
[[nodiscard]] std::string normalise_message(std::string_view message);

/// Of the first reported leaf: bool, integer, float, low_precision or complex; empty if there is none.
[[nodiscard]] std::string dtype_class_of(const Verdict& verdict, const Evidence& evidence);

/// What distinguishes errors: classes, normalised message, innermost compiler frame.
[[nodiscard]] std::vector<std::string> error_parts(const ErrorReport& error);
/// What distinguishes deaths: signal or exit status, innermost native frame.
[[nodiscard]] std::vector<std::string> death_parts(const Outcome& outcome);

struct Signature {
  std::string text;  // readable, one line; the database's key
  std::string hash;  // 16 hex digits of xxh3 over text
};

/// `device` is "cpu" or "cuda". It is part of the signature if results differ or the program hangs; errors, missing
/// checks and deaths are identified by their own messages and places, whichever device shows them.
[[nodiscard]] Signature raw_signature(const Verdict& verdict, const Evidence& evidence, Stage stage,
                                      std::string_view device);

/// The part of an examination's result that signatures need.
struct Shown {
  Verdict verdict;
  Evidence evidence;
  Stage stage = Stage::inductor;
};

/// The signature of a reduced program. `neutraliser`: the line of what makes the finding vanish, or empty. If it names
/// operators, they replace all operators of the graph, or the one that eager names, however many reach the leaf. An
/// error, and a death with a known place, identify their cause themselves and ignore these operators. Settings and
/// groups of passes are appended separately.
[[nodiscard]] Signature final_signature(const Shown& shown, std::string_view device, std::string_view neutraliser);

/// The common signature of errors that eager's program catches and compiled code raises nevertheless, whichever
/// operator it is: an operator's error on fake tensors bypasses the program's handlers (torch/_dynamo/utils.py,
/// get_fake_value; an IndexError lacks Dynamo's text around it: issue 198192). nullopt if this is no such error.
/// `reduced` is the reduced program: a handler remains in it only if the finding needs one.
[[nodiscard]] std::optional<Signature> signature_of_caught_error(const Shown& shown, const std::string& reduced);

/// Whether signature_of_caught_error() made it.
[[nodiscard]] bool tells_of_caught_error(const Signature& signature);

/// Whether it is about layout (strides, aliasing), which is judged, and mostly held, separately from values and dtypes.
[[nodiscard]] bool tells_of_layout(const Signature& signature);

/// The issue of the fault known to PyTorch that this signature stands for; 0 if there is none.
[[nodiscard]] int known_issue(const Signature& signature);

/// Whether only the sign of a zero differs; such findings share an issue of their own.
[[nodiscard]] bool tells_of_zero_sign(const Signature& signature);

/// What eager refuses, without the parts that vary; empty unless it raised.
[[nodiscard]] std::string refusal(const Evidence& evidence);
/// The classes of the compiled run's error, as in signatures; empty if it raised nothing.
[[nodiscard]] std::string classes_raised(const Evidence& evidence);

/// Whether a smaller program shows the same as the whole one: the same kind, and the same error, refusal or death or,
/// if results differ, the same stage and class of dtypes with no operator that the whole one lacks. Returns the reason
/// why not, in words; nullopt if it does.
[[nodiscard]] std::optional<std::string> why_another(const Shown& whole, const Shown& smaller);

}  // namespace parityd::oracle
