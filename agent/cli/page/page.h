// The page's answers: a path is answered with JSON (docs/page-api.md), metrics or one of the page's own files. Reads
// the database for each request and writes only rows of `requests`. Any thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "agent/llm/budget.h"
#include "agent/web/server.h"
#include "store/store.h"

namespace parityd::agent {

/// Configuration that a reload can change while the page is served. Any thread.
class PageSettings {
 public:
  struct Values {
    Caps caps;
    std::chrono::seconds known_max_age{0};  // for the table of known issues
  };
  explicit PageSettings(const Config& config) { set(config); }
  void set(const Config& config);
  [[nodiscard]] Values values() const;

 private:
  mutable std::mutex mutex_;
  Values values_;
};

struct PageFacts {
  std::filesystem::path database;
  std::string version;
  std::shared_ptr<const PageSettings> settings;  // never null
  std::vector<std::string> groups;               // worker groups
  store::Millis started = 0;
  bool daemon = true;  // one runs; without one decisions are refused
};

[[nodiscard]] PageAnswer answer_page(const PageFacts& facts, const PageRequest& request, store::Millis now);

}  // namespace parityd::agent
