// What a sandbox's description becomes on a terminal and in a draft.
#include "store/report/sandbox_text.h"

#include "tests/catch.h"

using namespace parityd::store;

TEST_CASE("a sandbox description is parsed") {
  const auto parts = sandbox_parts("reduced: rlimits, seccomp; off: user (EPERM: not allowed), mount (no user)");
  CHECK(parts.level == "reduced");
  CHECK(parts.on == "rlimits, seccomp");
  CHECK(parts.off == "user (EPERM: not allowed), mount (no user)");
  CHECK(sandbox_parts("full: user").off.empty());
  CHECK(sandbox_parts("user, pid").level.empty());  // as the first version wrote it
  CHECK(sandbox_parts("user, why: x").level.empty());
  CHECK(sandbox_parts("").level.empty());
}

TEST_CASE("a summary names the level and only what is off") {
  CHECK(sandbox_summary("full: user, mount; off: cgroup (EPERM)") == "full; off: cgroup (EPERM)");
  CHECK(sandbox_summary("full: user, mount") == "full, nothing off");
  CHECK(sandbox_summary("none: no layer") == "none");
  CHECK(sandbox_summary("none: session; off: user (EPERM)") == "none; off: user (EPERM)");
  CHECK(sandbox_summary("user, pid") == "user, pid");
  CHECK(sandbox_summary("") == "unknown");
}

TEST_CASE("a layer that the level omits has its reason once") {
  const std::string reason = " (not part of level reduced)";
  CHECK(sandbox_summary("reduced: seccomp; off: user" + reason + ", mount" + reason) ==
        "reduced; off: user, mount" + reason);
  CHECK(sandbox_summary("reduced: seccomp; off: user" + reason + ", landlock (EPERM), mount" + reason) ==
        "reduced; off: user" + reason + ", landlock (EPERM), mount" + reason);
  CHECK(sandbox_summary("full: seccomp; off: user (EPERM), mount (EPERM)") == "full; off: user (EPERM), mount (EPERM)");
}

TEST_CASE("the sentence in a draft is prose that cannot become markup") {
  CHECK(sandbox_sentence("full: user; off: cgroup (EPERM)") ==
        "The programs ran in a sandbox (level full; off: cgroup (EPERM)).");
  CHECK(sandbox_sentence("full: user, mount") == "The programs ran in a sandbox (level full).");
  CHECK(sandbox_sentence("user, pid") == "The programs ran in a sandbox (user, pid).");
  CHECK(sandbox_sentence("none: no layer; off: user (as asked)") == "The programs ran without a sandbox.");
  CHECK(sandbox_sentence("").empty());
  const auto hostile = sandbox_sentence("full: user; off: cgroup (<b>@someone</b> #12\n### x)");
  CAPTURE(hostile);
  CHECK(hostile.find("<b>") == std::string::npos);
  CHECK(hostile.find("@someone") == std::string::npos);
  CHECK(hostile.find('\n') == std::string::npos);
  CHECK(sandbox_sentence("full: user; off: " + std::string(5000, 'x')).size() < 1100);
}
