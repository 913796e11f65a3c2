// What a worker module is made from, as a hash: another hash means that it must be built anew. Any thread.
#pragma once

#include <string>
#include <string_view>

#include "executor/worker_build.h"

namespace parityd::executor {

/// 16 hex digits over names and contents of what CMake reads and compiles. The Python beside the module is not part of
/// it: it is read at every start.
[[nodiscard]] std::string worker_source_hash(const WorkerBuildPlaces& places);

/// 16 hex digits of xxh3.
[[nodiscard]] std::string short_hash(std::string_view text);

/// Python that prints what a build must know of an interpreter, as JSON, without importing torch (seconds).
extern const char* const kTorchFacts;

}  // namespace parityd::executor
