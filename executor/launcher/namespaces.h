// Sets of namespaces to try, strongest first, and what has to be done inside them.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <vector>

namespace parityd::launcher {

struct NamespacePlan {
  bool user = false;     // without privilege the others need a user namespace of their own
  bool network = false;  // an empty one: not even loopback is up
  bool ipc = false;
  bool pid = false;  // with its own mounts and a fresh /proc

  [[nodiscard]] int clone_flags() const;
  /// Names for PARITYD_SANDBOX.
  [[nodiscard]] std::vector<std::string> layers() const;
};

[[nodiscard]] std::span<const NamespacePlan> namespace_plans();

struct Identity {
  uid_t user;
  gid_t group;
};

/// Called in the new namespaces: maps `outside` (who we were before) to itself, makes mounts private and mounts /proc.
/// Returns 0 or the errno of what could not be done.
[[nodiscard]] int enter_namespaces(const NamespacePlan& plan, const Identity& outside);

}  // namespace parityd::launcher
