// Rows 18 and 31 to 33: the kernel's own doors.
#include <sys/stat.h>
#include <unistd.h>

#include "tests/attacks/attack.h"
#include "tests/catch.h"

using namespace parityd;
using namespace parityd::attacks;
using nlohmann::json;
namespace fs = std::filesystem;

TEST_CASE("row 18: user namespaces, mounts, bpf, perf, io_uring, key rings") {
  const Told attack = Attack("row_18_kernel", json::object()).finish();
  CHECK(attack.passed().empty());
  CHECK(attack.attempts().size() == 8);
  if (getuid() == 0) {
    const Told open = Attack("row_18_kernel", json::object(), {"--sandbox", "none"}).finish();
    CHECK(open.outcome("mount namespace") == "passed");
  }
}

TEST_CASE("row 31: clone3 and the entries for 32-bit programs") {
  const Told attack = Attack("row_31_other_entries", json::object()).finish();
  CHECK(attack.passed().empty());
  CHECK(attack.detail("clone3").find("not implemented") != std::string::npos);
}

TEST_CASE("row 32: terminal input") {
  const Told attack = Attack("row_32_terminal", json::object()).finish();
  CHECK(attack.passed().empty());
  CHECK(attack.detail("input") == "EPERM");
  CHECK(Attack("row_32_terminal", json::object(), {"--without", "seccomp"}).finish().detail("input") != "EPERM");
}

TEST_CASE("row 33: a set-uid program") {
  const fs::path program = fs::path("/usr/bin/id");
  if (getuid() != 0 || !fs::exists(program)) {
    PARITYD_SKIP("only root can make a set-uid program of root's");
  }
  const Outside outside;
  const fs::path copy = outside.folder() / "id";
  fs::copy_file(program, copy);
  REQUIRE(chmod(copy.c_str(), 04755) == 0);
  const json given{{"program", copy}};
  // Without a tree and path rules, so that it can be reached at all.
  auto options = only({"identity"});
  const Told attack = Attack("row_33_set_uid", given, options).finish();
  if (!attack.has_layer("identity")) {
    PARITYD_SKIP("the program cannot become an unprivileged user here");
  }
  CHECK(attack.detail("set-uid program") == "65534");
  options.insert(options.end(), {"--without", "no_new_privs"});
  CHECK(Attack("row_33_set_uid", given, options).finish().detail("set-uid program") == "0");
}
