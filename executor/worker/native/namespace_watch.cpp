#include "namespace_watch.h"

#include <algorithm>
#include <stdexcept>

namespace py = pybind11;

namespace parityd::worker {
namespace {

py::object dictionary_of(const py::object& owner) {
  if (PyDict_Check(owner.ptr())) return owner;
  if (!PyType_Check(owner.ptr())) throw std::invalid_argument("neither a dictionary nor a class");
  // A class's own dictionary; __dict__ would be a proxy. In newer Pythons classes written in C keep theirs elsewhere,
  // but those cannot be assigned to either.
  auto* const type = reinterpret_cast<PyTypeObject*>(owner.ptr());
  if ((type->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0 || type->tp_dict == nullptr)
    throw std::invalid_argument("not a class that Python code made");
  return py::reinterpret_borrow<py::object>(type->tp_dict);
}

PyObject* code_of(PyObject* value) { return PyFunction_Check(value) ? PyFunction_GET_CODE(value) : nullptr; }
PyObject* defaults_of(PyObject* value) { return PyFunction_Check(value) ? PyFunction_GET_DEFAULTS(value) : nullptr; }

bool is_code(PyObject* value) {
  return PyCallable_Check(value) != 0 || Py_TYPE(value) == &PyProperty_Type || Py_TYPE(value) == &PyStaticMethod_Type ||
         Py_TYPE(value) == &PyClassMethod_Type;
}

std::string text_of(PyObject* key) {
  return PyUnicode_Check(key) ? py::cast<std::string>(py::handle(key))
                              : py::cast<std::string>(py::str(py::handle(key)));
}

bool is_special(const std::string& name) { return name.starts_with("__"); }

}  // namespace

void NamespaceWatch::add(const std::string& name, const py::object& owner, Scope scope,
                         const std::vector<std::string>& restless) {
  Space space{.name = name, .dictionary = dictionary_of(owner), .scope = scope, .bindings = {}};
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(space.dictionary.ptr(), &at, &key, &value) != 0;) {
    const std::string text = text_of(key);
    const bool watched =
        (scope != Scope::code || is_code(value)) && std::ranges::find(restless, text) == restless.end();
    space.bindings.push_back({.key = py::reinterpret_borrow<py::object>(key),
                              .value = watched ? py::reinterpret_borrow<py::object>(value) : py::object(),
                              .code = code_of(value),
                              .defaults = defaults_of(value),
                              .watched = watched});
  }
  spaces_.push_back(std::move(space));
}

bool NamespaceWatch::holds(const Binding& binding, PyObject* value) {
  if (!binding.watched) return true;
  return value == binding.value.ptr() &&
         (binding.code == nullptr || (code_of(value) == binding.code && defaults_of(value) == binding.defaults));
}

bool NamespaceWatch::unchanged(const Space& space) {
  // A dictionary keeps its order, so if nothing was deleted the old bindings come first, unchanged.
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  Py_ssize_t at = 0;
  for (const Binding& binding : space.bindings) {
    if (PyDict_Next(space.dictionary.ptr(), &at, &key, &value) == 0) return false;
    if (key != binding.key.ptr() || !holds(binding, value)) return false;
  }
  return space.scope != Scope::closed || PyDict_Next(space.dictionary.ptr(), &at, &key, &value) == 0;
}

void NamespaceWatch::list_changes(const Space& space, std::size_t most, std::vector<std::string>& found) {
  std::size_t count = 0;
  for (const Binding& binding : space.bindings) {
    PyObject* const value = PyDict_GetItemWithError(space.dictionary.ptr(), binding.key.ptr());
    if (value == nullptr && PyErr_Occurred() != nullptr) throw py::error_already_set();
    const bool same = value == nullptr ? !binding.watched : holds(binding, value);
    if (!same && count++ < most) found.push_back(space.name + "." + text_of(binding.key.ptr()));
  }
  if (space.scope != Scope::closed) return;
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(space.dictionary.ptr(), &at, &key, &value) != 0;) {
    const bool known = std::ranges::any_of(
        space.bindings, [key](const Binding& binding) { return binding.key.equal(py::handle(key)); });
    const std::string text = text_of(key);
    if (!known && !is_special(text) && count++ < most) found.push_back(space.name + "." + text);
  }
}

std::vector<std::string> NamespaceWatch::changed(std::size_t most) const {
  std::vector<std::string> found;
  for (const Space& space : spaces_) {
    if (!unchanged(space)) list_changes(space, most, found);
  }
  return found;
}

std::size_t NamespaceWatch::size() const {
  std::size_t count = 0;
  for (const Space& space : spaces_) count += space.bindings.size();
  return count;
}

}  // namespace parityd::worker
