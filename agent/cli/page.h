// What the page is told: paths in; JSON (docs/page.md), metrics and the page's own files out. Reads the database anew
// for each request and writes rows of `requests` alone. Any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agent/llm/budget.h"
#include "agent/web/server.h"
#include "store/store.h"

namespace parityd::agent {

struct PageFacts {
  std::filesystem::path database;
  std::string version;
  Caps caps;
  std::vector<std::string> groups;  // of workers
  store::Millis started = 0;
};

[[nodiscard]] PageAnswer answer_page(const PageFacts& facts, const PageRequest& request, store::Millis now);

}  // namespace parityd::agent
