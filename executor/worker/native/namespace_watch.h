// Watches namespaces (modules' and classes' dictionaries) for names that are bound to something else than before.
// Everything here runs with the interpreter lock.
#pragma once

#include <torch/csrc/utils/pybind.h>

#include <cstddef>
#include <string>
#include <vector>

namespace parityd::worker {

/// How much of a namespace must stay.
enum class Scope {
  code,    ///< Functions, classes and other callables: modules rebind their own counters and caches.
  names,   ///< Whatever a name was bound to.
  closed,  ///< As `names`, and nothing may be added.
};

/// Keeps what it watches alive. One thread.
class NamespaceWatch {
 public:
  /// `owner` is a dictionary or a class that Python code made.
  void add(const std::string& name, const pybind11::object& owner, Scope scope,
           const std::vector<std::string>& restless);

  /// "name.key" of every binding that changed, `most` at most for one namespace.
  [[nodiscard]] std::vector<std::string> changed(std::size_t most) const;

  /// Bindings watched.
  [[nodiscard]] std::size_t size() const;

 private:
  struct Binding {
    pybind11::object key;
    pybind11::object value;
    PyObject* code;  // what a function runs and what its arguments default to; null for all else
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
