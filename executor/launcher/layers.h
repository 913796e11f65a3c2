// The sandbox's layers: which are on, why others are not, and what level they add up to (docs/sandbox.md). Pure.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace parityd::launcher {

enum class Layer {
  environment,   // built from scratch, with nothing of ours
  session,       // no terminal, own process group, only the descriptors it needs
  rlimits,       // memory, processes, files; first to be killed when memory runs out
  no_new_privs,  // set-uid programs gain nothing
  capabilities,  // none
  identity,      // if started by root: an unprivileged user
  user,          // a user namespace: processes counted separately
  mount,         // a private tree that holds only what a compiler needs
  pid,           // sees and reaches only its own processes; all die with their init
  network,       // not even loopback
  ipc,
  uts,
  cgroup,
  landlock,  // rules on paths, abstract sockets and signals
  seccomp,   // system calls
  // For the children of fork parents (executor/confine/child_room.h):
  hidden,           // launcher and fork parent: only root may read their memory and /proc files
  child_user,       // a user namespace for each child
  child_processes,  // process, mount and IPC namespaces for each child
};
inline constexpr std::size_t kLayers = 18;

/// The level requested or reached; `automatic` can only be requested.
enum class Level { none, reduced, full, automatic };

[[nodiscard]] std::optional<Level> level_of(std::string_view name);
[[nodiscard]] std::string_view name_of(Level level);
[[nodiscard]] std::optional<Layer> layer_of(std::string_view name);
[[nodiscard]] std::string_view name_of(Layer layer);
/// For messages: "environment, session, …".
[[nodiscard]] std::string all_layer_names();

/// First holds the layers to try; as the sandbox is built, those in place.
class Layers {
 public:
  /// The layers that make up `level`.
  explicit Layers(Level level);

  [[nodiscard]] bool on(Layer layer) const { return states_[index(layer)].on; }
  [[nodiscard]] const std::string& why(Layer layer) const { return states_[index(layer)].why; }
  void switch_off(Layer layer, std::string why);
  /// A worker without children does not need `layer`: it is not reported and lowers no level.
  void leave_out(Layer layer) { states_[index(layer)] = {.on = true, .why = {}, .left_out = true}; }

  /// The level that the layers now on add up to.
  [[nodiscard]] Level level() const;
  /// For people: the layers that `wanted` needs and that are off, with the reasons.
  [[nodiscard]] std::string missing_for(Level wanted) const;
  /// PARITYD_SANDBOX: docs/protocol.md, `hello`.
  [[nodiscard]] std::string report(double setup_milliseconds) const;

 private:
  struct State {
    bool on = true;
    std::string why;
    bool left_out = false;
  };
  static std::size_t index(Layer layer) { return static_cast<std::size_t>(layer); }
  [[nodiscard]] bool has_all(Level wanted) const;
  [[nodiscard]] bool counts_as_on(Layer layer, Level wanted) const;

  std::array<State, kLayers> states_;
};

}  // namespace parityd::launcher
