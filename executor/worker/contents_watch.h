// Watches what lies behind names that stay bound: the contents of dictionaries, lists and sets, closure cells, attributes
// of instances, the parts of functions. Objects are compared by identity, numbers and texts by value too, and no Python
// code runs for it. Everything here runs with the interpreter lock.
#pragma once

#include <torch/csrc/utils/pybind.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace parityd::worker {

/// Keeps what it watches alive. One thread.
class ContentsWatch {
 public:
  /// `restless`: keys and attributes whose values honest use replaces; wherever they are, nothing behind them counts.
  explicit ContentsWatch(const std::vector<std::string>& restless);

  /// Watches `root` and what lies up to `depth` steps behind it. Steps lead neither into modules nor into classes; of a
  /// class as a root its own attributes are watched. `name` is what a change is reported by.
  void add(const std::string& name, const pybind11::object& root, int depth);

  /// Where something is not what it was, as "name.key.key", `most` at most.
  [[nodiscard]] std::vector<std::string> changed(std::size_t most) const;

  /// Objects watched.
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

 private:
  struct Node {
    pybind11::object object;
    PyTypeObject* type;
    std::size_t value;  // of a number or a text
    std::size_t first, count;  // its parts
    std::size_t parent;        // itself for a root
    std::size_t name;
  };

  void add_node(const pybind11::object& object, std::size_t parent, std::size_t name);
  [[nodiscard]] bool is_restless(PyObject* key) const;
  [[nodiscard]] bool unchanged(const Node& node) const;
  [[nodiscard]] std::string place(std::size_t node) const;
  [[nodiscard]] std::string step_to(const Node& parent, PyObject* child) const;

  std::unordered_set<std::string> restless_;
  std::vector<std::string> names_;
  std::vector<Node> nodes_;
  std::vector<pybind11::object> parts_;  // of all nodes; empty: anything may be there
  std::unordered_set<PyObject*> seen_;
};

}  // namespace parityd::worker
