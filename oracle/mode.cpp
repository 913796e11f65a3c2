#include "oracle/mode.h"

#include "oracle/names.h"

namespace parityd::oracle {
namespace {

constexpr std::array<std::string_view, 18> kNames{
    "eager",
    "eager_repeat",
    "eager_noise",
    "eager_watched",
    "eager_normal",
    "eager_otherwise",
    "reference",
    "inductor",
    "inductor_fp64",
    "inductor_precise",
    "inductor_normal",
    "inductor_dynamic",
    "inductor_max_autotune",
    "inductor_reduce_overhead",
    "inductor_freezing",
    "aot_eager",
    "aot_eager_decomp_partition",
    "dynamo_eager",
};
static_assert(static_cast<std::size_t>(Mode::dynamo_eager) + 1 == kNames.size());

}  // namespace

std::string_view name(Mode mode) { return name_in(kNames, mode); }
std::optional<Mode> mode_from_name(std::string_view name) { return value_in<Mode>(kNames, name); }

bool is_eager(Mode mode) { return mode <= Mode::reference; }

bool is_compiled_choice(Mode mode) {
  return mode == Mode::inductor || mode == Mode::inductor_dynamic || mode == Mode::inductor_max_autotune ||
         mode == Mode::inductor_reduce_overhead || mode == Mode::inductor_freezing;
}

}  // namespace parityd::oracle
