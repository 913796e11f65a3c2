// What running programs takes: the built worker, the pool, the syntax process and their scratch folder. One thread.
#pragma once

#include <tl/expected.hpp>

#include <filesystem>
#include <memory>
#include <string>

#include "agent/cli/installation.h"
#include "agent/config.h"
#include "executor/pool.h"
#include "executor/syntax/syntax_client.h"
#include "executor/worker_build.h"

namespace parityd::agent {

/// A folder that is emptied when taken and removed when done.
class ScratchFolder {
 public:
  explicit ScratchFolder(std::filesystem::path folder);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

struct Engine {
  Installation installation;
  executor::BuiltWorker worker;
  executor::DeviceKind device = executor::DeviceKind::cpu;
  int workers = 1;
  std::unique_ptr<ScratchFolder> scratch;
  std::unique_ptr<executor::SyntaxClient> syntax;
  std::unique_ptr<executor::Pool> pool;
};

/// Starts the pool, with no more workers than `at_most` programs can use. The error says what is missing and the
/// command that mends it.
[[nodiscard]] tl::expected<Engine, std::string> make_engine(const Config& config, const std::filesystem::path& scratch,
                                                            int at_most = 1024);

}  // namespace parityd::agent
