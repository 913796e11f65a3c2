// Watches namespaces (dictionaries of modules and classes) for names that have been rebound. Everything here needs the
// interpreter lock.
#pragma once

#include <torch/csrc/utils/pybind.h>

#include <cstddef>
#include <string>
#include <vector>

namespace parityd::worker {

/// How much of a namespace must stay the same.
enum class Scope {
  code,    ///< Functions, classes and other callables: modules rebind their own counters and caches.
  names,   ///< Every binding.
  closed,  ///< Like `names`, and nothing may be added.
};

/// Keeps what it watches alive. One thread.
class NamespaceWatch {
 public:
  /// `owner` is a dictionary, or a class defined in Python.
  void add(const std::string& name, const pybind11::object& owner, Scope scope,
           const std::vector<std::string>& restless);

  /// "name.key" of every changed binding, at most `most` per namespace.
  [[nodiscard]] std::vector<std::string> changed(std::size_t most) const;

  /// Number of bindings watched.
  [[nodiscard]] std::size_t size() const;

 private:
  struct Binding {
    pybind11::object key;
    pybind11::object value;
    PyObject* code;  // a function's code and its default arguments; null for other objects
    PyObject* defaults;
    bool watched;
  };
  struct Space {
    std::string name;
    pybind11::object dictionary;
    Scope scope;
    std::vector<Binding> bindings;
  };

  static bool unchanged(const Space& space);
  static void list_changes(const Space& space, std::size_t most, std::vector<std::string>& found);
  static bool holds(const Binding& binding, PyObject* value);

  std::vector<Space> spaces_;
};

}  // namespace parityd::worker
