// A daemon that goes on with a state folder stays with its torch.
#include "agent/cli/running/last_worker.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "executor/worker_build.h"
#include "tests/agent/cli/command.h"
#include "tests/catch.h"
#include "tests/store/fixture.h"

using namespace parityd;
using namespace parityd::tests;
namespace fs = std::filesystem;

namespace {

/// Workers that are built as far as their descriptions say.
class Workers {
 public:
  Workers() {
    fs::create_directories(places_.sources);
    fs::create_directories(places_.oracle);
    for (const char* neighbour : {"confine", "shared"}) fs::create_directories(folder_.path() / neighbour);
  }
  /// Later ones are newer.
  void add(const std::string& python, const std::string& torch) {
    const auto version_file = folder_.path() / ("torch-" + torch);
    std::ofstream(version_file) << "__version__ = '" << torch << "'\n";
    const auto folder = places_.cache / (torch + "-" + std::to_string(++count_));
    fs::create_directories(folder);
    const nlohmann::json description{{"python", python},
                                     {"torch", torch},
                                     {"python_version", "3.11"},
                                     {"source_hash", executor::worker_source_hash(places_)},
                                     {"cuda", false},
                                     {"torch_version_file", version_file.string()}};
    std::ofstream(folder / "worker.json") << description.dump();
    fs::last_write_time(folder / "worker.json", fs::file_time_type(std::chrono::seconds(count_)));
  }
  [[nodiscard]] auto stay_with(const std::string& python, const std::string& torch) const {
    return agent::python_to_stay_with({.python = python, .torch = torch}, places_);
  }

 private:
  Folder folder_;
  executor::WorkerBuildPlaces places_{
      .sources = folder_.path() / "worker", .oracle = folder_.path() / "oracle", .cache = folder_.path() / "cache"};
  int count_ = 0;
};

}  // namespace

TEST_CASE("last worker: a later run uses the torch of the previous run rather than the last worker built") {
  Workers workers;
  workers.add("/old/python", "2.11.0");
  workers.add("/new/python", "2.13.0");
  CHECK(workers.stay_with("/old/python", "2.11.0") == "/old/python");
  CHECK(workers.stay_with("/gone/python", "2.11.0") == "/old/python");  // the same torch elsewhere
  CHECK(workers.stay_with("/on/its/host", "") == "/on/its/host");
}

TEST_CASE("last worker: if that torch is gone the message names what is installed and both ways out") {
  Workers workers;
  const auto none = workers.stay_with("/old/python", "2.11.0");
  REQUIRE_FALSE(none);
  CHECK(none.error().find("workers are built for: none") != std::string::npos);
  workers.add("/old/python", "2.13.0");
  const auto gone = workers.stay_with("/old/python", "2.11.0");
  REQUIRE_FALSE(gone);
  CHECK(gone.error().find("torch 2.11.0 of /old/python, which has torch 2.13.0 now") != std::string::npos);
  CHECK(gone.error().find("parityd worker build --python /old/python") != std::string::npos);
  CHECK(gone.error().find("parityd run --python PATH, or set [executor] python; workers are built for:\n  torch 2.13.0 "
                          "of /old/python") != std::string::npos);
}

TEST_CASE(
    "last worker: a different torch is reported once both are known, a different Python with the same torch is not") {
  const agent::LastWorker before{.python = "/old/python", .torch = "2.11.0"};
  CHECK(agent::change_of_torch(before, {.python = "/new/python", .torch = "2.13.0"}, "--python") ==
        "--python asks for torch 2.13.0 of /new/python; the last run here tested torch 2.11.0 of /old/python");
  CHECK(agent::change_of_torch(before, {.python = "/new/python", .torch = "2.11.0"}, "--python").empty());
  CHECK(agent::change_of_torch(before, {.python = "/new/python", .torch = ""}, "--python").empty());
}

TEST_CASE("last worker: a torch named in the configuration overrides that of the last run") {
  CHECK(agent::chooses_python({}));
  CHECK_FALSE(agent::chooses_python({.python = "/a/python"}));
  agent::Config config;
  config.groups = {{.name = "a", .python = "/a/python"}};
  CHECK_FALSE(agent::chooses_python(config));
  config.groups.push_back({.name = "b"});
  CHECK(agent::chooses_python(config));
}

TEST_CASE("last worker: a run whose torch is gone starts nothing and says so") {
  const Folder folder;
  {
    store::Store store(folder.database(), store::Access::write);
    agent::remember_worker(store, {.python = "/gone/python", .torch = "0.0.gone"});
    CHECK(agent::last_worker(store) == agent::LastWorker{.python = "/gone/python", .torch = "0.0.gone"});
  }
  const auto config = folder.path() / "parityd.toml";
  std::ofstream(config) << "";
  const Ran ran = run_command(folder.path(), {"run", "--provider", "none", "--drain"}, config);
  CHECK(ran.exit_code == 3);
  CHECK(ran.err.find("the last run here tested torch 0.0.gone of /gone/python") != std::string::npos);
}
