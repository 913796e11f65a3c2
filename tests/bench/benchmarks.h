// The four benchmarks (docs/benchmarks.md). Each runs its sides in turn, every repeat with processes and caches of its
// own, and says on stderr how far it is. One thread.
#pragma once

#include <tl/expected.hpp>

#include "tests/bench/report.h"

namespace parityd::bench {

/// A new process for each program against the warm pool.
[[nodiscard]] tl::expected<Report, std::string> pool_benchmark(const Options& options);
/// The warm pool against the plainest warm loop.
[[nodiscard]] tl::expected<Report, std::string> overhead_benchmark(const Options& options);
/// One warm worker against many.
[[nodiscard]] tl::expected<Report, std::string> scale_benchmark(const Options& options);
/// torch's `same` against the worker's measurement; its rows are sizes, not programs.
[[nodiscard]] tl::expected<nlohmann::json, std::string> compare_benchmark(const Options& options);
[[nodiscard]] std::string compare_text(const nlohmann::json& result);

}  // namespace parityd::bench
