// Signatures: what makes two inconsistencies one finding (docs/findings.md). Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "oracle/names.h"
#include "oracle/rules/verdict.h"

namespace parityd::oracle {

/// First stage of the ladder that shows the inconsistency.
enum class Stage { dynamo_eager, aot_eager, aot_eager_decomp_partition, inductor };
constexpr auto names(Stage) {
  return std::to_array<std::string_view>({"dynamo_eager", "aot_eager", "aot_eager_decomp_partition", "inductor"});
}

/// `ladder` holds eager plus the three ladder modes, measured against eager. The first mode that differs the way
/// `verdict` does names the stage; none → inductor.
[[nodiscard]] Stage first_differing_stage(const Evidence& ladder, const Verdict& verdict);

/// Whether `mode`, measured against eager, shows what the verdict says: its kind, and where that is one of values or
/// metadata, on any of its leaves.
[[nodiscard]] bool shows_alike(const Evidence& evidence, const Verdict& verdict, Mode mode);

/// Removes what varies between runs of one cause: addresses, sizes, generated names (tmp0, buf3, arg1_1, s77), paths,
/// pids, line numbers.
[[nodiscard]] std::string normalise_message(std::string_view message);

/// Of the first reported leaf: bool, integer, float, low_precision or complex; empty where there is none.
[[nodiscard]] std::string dtype_class_of(const Verdict& verdict, const Evidence& evidence);

/// What tells one error from another: classes, normalised message, innermost compiler frame.
[[nodiscard]] std::vector<std::string> error_parts(const ErrorReport& error);
/// What tells one death from another: signal or exit status, innermost native frame.
[[nodiscard]] std::vector<std::string> death_parts(const Outcome& outcome);

struct Signature {
  std::string text;  // readable, one line; the database's key
  std::string hash;  // 16 hex digits of xxh3 over text
};

/// device is "cpu" or "cuda"; told where results differ and where a program hangs: an error, a lost check and a death
/// are known by their own words and places, whichever device shows them.
[[nodiscard]] Signature raw_signature(const Verdict& verdict, const Evidence& evidence, Stage stage,
                                      std::string_view device);

/// What an examination showed, as far as signatures ask.
struct Shown {
  Verdict verdict;
  Evidence evidence;
  Stage stage = Stage::inductor;
};

/// A reduced program's. `neutraliser`: the line of what makes it vanish, or empty. An operator that does stands for
/// those of the graph, however many of them reach the leaf, and for the one that eager names; an error and a death with
/// its place say their cause themselves. Settings and groups of passes are told beside.
[[nodiscard]] Signature final_signature(const Shown& shown, std::string_view device, std::string_view neutraliser);

/// That of an error that eager's program catches and compiled code raises all the same: what an operator says to fake
/// tensors goes past the program's handlers (torch/_dynamo/utils.py, get_fake_value; an IndexError without Dynamo's
/// words around it: issue 198192), whichever operator it is. nullopt: it is none. `reduced`: a handler is left in it
/// only where nothing shows without one.
[[nodiscard]] std::optional<Signature> signature_of_caught_error(const Shown& shown, const std::string& reduced);

/// Whether it is one of signature_of_caught_error().
[[nodiscard]] bool tells_of_caught_error(const Signature& signature);

/// Whether it is of a layout (strides, aliasing), which is judged, and mostly held, apart from values and dtypes.
[[nodiscard]] bool tells_of_layout(const Signature& signature);

/// The issue of a fault that PyTorch knows, where it is one's; else 0.
[[nodiscard]] int known_issue(const Signature& signature);

/// Whether the sign of a zero is all that differs; such findings belong together, in an issue of their own.
[[nodiscard]] bool tells_of_zero_sign(const Signature& signature);

/// What eager refuses, without what varies; empty unless it raised.
[[nodiscard]] std::string refusal(const Evidence& evidence);
/// The classes of what the compiled run raised, as signatures have them; empty where it raised nothing.
[[nodiscard]] std::string classes_raised(const Evidence& evidence);

/// Whether a smaller program shows what the whole one does: the same kind at the same stage, the same error, refusal or
/// death, or numbers of the same class of dtypes from none but the whole one's operators. Why not, in words; nullopt
/// when it does.
[[nodiscard]] std::optional<std::string> why_another(const Shown& whole, const Shown& smaller);

}  // namespace parityd::oracle
