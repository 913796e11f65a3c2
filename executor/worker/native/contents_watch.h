// Watches the objects behind names that stay bound: the contents of dictionaries, lists and sets, closure cells,
// attributes of instances, the parts of functions. Objects are compared by identity, numbers and strings by value as
// well, and no Python code runs for it. Everything here needs the interpreter lock.
#pragma once

#include <torch/csrc/utils/pybind.h>

#include <cstddef>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

namespace parityd::worker {

/// Whether entries may be added.
enum class Growth {
  none,
  caches,  ///< In dictionaries, and attributes that hide no more of the class than a functools.cached_property: torch
           ///< keeps its caches there.
};

/// Keeps what it watches alive. One thread.
class ContentsWatch {
 public:
  /// `restless`: keys and attributes whose values normal use replaces; nothing behind them is compared, wherever they
  /// are. `values`: whether numbers and strings are compared by value; most objects that belong to code are such.
  ContentsWatch(const std::vector<std::string>& restless, bool values);

  /// Watches `root` and what can be reached from it in up to `depth` steps. Steps lead neither into modules nor into
  /// classes; if the root is a class, its own attributes are watched. Changes are reported under `name`.
  void add(const std::string& name, const pybind11::object& root, int depth, Growth growth);
  /// The same for the objects that a module's names stand for; rebinding of the names is not watched.
  void add_values(const std::string& name, const pybind11::dict& names, int depth, Growth growth);

  /// What has changed, as "name.key.key", at most `most` entries.
  [[nodiscard]] std::vector<std::string> changed(std::size_t most) const;

  /// Number of objects watched.
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

 private:
  struct Node {
    pybind11::object object;
    PyTypeObject* type;
    std::size_t value;         // of a number or a string
    std::size_t first, count;  // its parts
    std::size_t parent;        // itself for a root
    std::size_t name;
    bool grows;
  };

  void add_node(const pybind11::object& object, std::size_t parent, bool grows);
  void add_children(std::size_t node);
  [[nodiscard]] bool is_restless(PyObject* key) const;
  [[nodiscard]] std::span<const pybind11::object> parts(const Node& node) const;
  [[nodiscard]] bool unchanged(const Node& node) const;
  /// The first key whose value was replaced, or that is new or gone.
  [[nodiscard]] PyObject* changed_key(const Node& node) const;
  [[nodiscard]] bool is_as_recorded(const Node& node, const pybind11::object& wanted, PyObject* part) const;
  [[nodiscard]] bool may_add(const Node& node, PyObject* key) const;
  [[nodiscard]] std::string place(const Node& node) const;

  std::unordered_set<std::string> restless_;
  bool values_;
  std::vector<std::string> names_;
  std::vector<Node> nodes_;
  std::vector<pybind11::object> parts_;  // of all nodes; empty: anything may be there
  std::unordered_set<PyObject*> seen_;
  bool grows_ = false;  // for what is being added
};

}  // namespace parityd::worker
