#include "agent/daemon/lock.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "tests/catch.h"
#include "tests/store/fixture.h"

using parityd::agent::DaemonLock;

namespace {

/// A state folder that is not there yet.
struct Folder : parityd::tests::Folder {
  std::filesystem::path path = parityd::tests::Folder::path() / "state";
};

}  // namespace

TEST_CASE("a second daemon is refused and told who locks the state folder") {
  const Folder folder;
  CHECK_FALSE(DaemonLock::holder(folder.path));
  {
    const auto lock = DaemonLock::acquire(folder.path);
    REQUIRE(lock);
    const auto second = DaemonLock::acquire(folder.path);
    REQUIRE_FALSE(second);
    CHECK(second.error().find("pid " + std::to_string(getpid())) != std::string::npos);
    CHECK(second.error().find("parityd stop") != std::string::npos);
    REQUIRE(DaemonLock::holder(folder.path));
    CHECK(DaemonLock::holder(folder.path)->pid == getpid());
  }
  CHECK_FALSE(DaemonLock::holder(folder.path));
  CHECK(DaemonLock::acquire(folder.path));
}

TEST_CASE("the lock of a killed daemon is released at once") {
  const Folder folder;
  const pid_t child = fork();
  if (child == 0) {
    const auto lock = DaemonLock::acquire(folder.path);
    raise(SIGKILL);
    _exit(lock ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  CHECK_FALSE(DaemonLock::holder(folder.path));
  CHECK(DaemonLock::acquire(folder.path));
}
