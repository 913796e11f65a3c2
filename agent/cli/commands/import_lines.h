// parityd import FILE.jsonl: each line's program becomes a request for the daemon (docs/interchange.md). One thread.
#pragma once

#include <cstdint>
#include <istream>
#include <string>

#include "agent/cli/context.h"
#include "store/store.h"

namespace parityd::agent {

struct LinesTaken {
  std::int64_t queued = 0, refused = 0;
};

/// Queues what can be queued and says of each line that cannot what is wrong with it, by `name` and number. `name`: as
/// the programs' source, without folders. Nothing more is taken of a file of a newer version.
LinesTaken import_lines(Context& context, store::Store& store, std::istream& stream, const std::string& name);

}  // namespace parityd::agent
