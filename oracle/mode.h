// The named ways to run a program. Pure data; any thread.
#pragma once

#include <optional>
#include <string_view>

namespace parityd::oracle {

enum class Mode {
  eager,
  eager_repeat,
  eager_noise,      // what rounding alone may do: of several draws, what strays farthest
  eager_watched,    // its operators are watched: what is undefined or left open, and which leaves that reaches
  eager_normal,     // subnormal inputs, parameters and buffers made normal
  eager_otherwise,  // what nobody promises is chosen otherwise: signs of zeros and NaNs, "am I compiled?"
  reference,        // eager in fp64
  inductor,
  inductor_fp64,
  inductor_precise,  // emulate_precision_casts
  inductor_normal,   // the compiled side of eager_normal
  inductor_dynamic,
  inductor_max_autotune,
  inductor_reduce_overhead,
  inductor_freezing,
  aot_eager,
  aot_eager_decomp_partition,
  dynamo_eager,
};

/// The name used in the protocol, the database and every page.
[[nodiscard]] std::string_view name(Mode mode);
[[nodiscard]] std::optional<Mode> mode_from_name(std::string_view name);

/// True for modes that never call torch.compile: they run in the eager process of a gate round.
[[nodiscard]] bool is_eager(Mode mode);

/// True for the inductor modes a program's OPTIONS may name as its own compiled mode.
[[nodiscard]] bool is_compiled_choice(Mode mode);

}  // namespace parityd::oracle
