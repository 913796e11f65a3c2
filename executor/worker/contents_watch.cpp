#include "contents_watch.h"

#include <algorithm>
#include <span>
#include <unordered_map>

#include "object_parts.h"

namespace py = pybind11;

namespace parityd::worker {
namespace {

std::vector<PyObject*> parts_of(PyObject* object) {
  std::vector<PyObject*> parts;
  const auto take = [](PyObject* part, void* context) {
    static_cast<std::vector<PyObject*>*>(context)->push_back(part);
    return true;
  };
  visit_parts(object, take, &parts);
  return parts;
}

std::string text_of(PyObject* key) {
  if (PyUnicode_CheckExact(key)) return py::cast<std::string>(py::handle(key));
  return std::string("[") + Py_TYPE(key)->tp_name + "]";
}

/// Compares parts with those recorded, as they come.
struct Comparison {
  std::span<const py::object> wanted;
  std::size_t at = 0;
  bool same = true;

  bool take(PyObject* part) {
    same = at < wanted.size() && (wanted[at].ptr() == part || wanted[at].ptr() == Py_Ellipsis);
    ++at;
    return same;
  }
};

/// Where something was taken out and put back the order is another one.
bool same_entries(std::span<const py::object> wanted, PyObject* dictionary) {
  const auto entries = parts_of(dictionary);
  if (entries.size() != wanted.size()) return false;
  std::unordered_map<PyObject*, PyObject*> held;
  for (std::size_t at = 0; at + 1 < entries.size(); at += 2) held.emplace(entries[at], entries[at + 1]);
  for (std::size_t at = 0; at + 1 < wanted.size(); at += 2) {
    const auto found = held.find(wanted[at].ptr());
    if (found == held.end()) return false;
    if (wanted[at + 1].ptr() != Py_Ellipsis && found->second != wanted[at + 1].ptr()) return false;
  }
  return true;
}

}  // namespace

ContentsWatch::ContentsWatch(const std::vector<std::string>& restless) : restless_(restless.begin(), restless.end()) {}

bool ContentsWatch::is_restless(PyObject* key) const {
  return PyUnicode_CheckExact(key) && restless_.contains(py::cast<std::string>(py::handle(key)));
}

void ContentsWatch::add_node(const py::object& object, std::size_t parent, std::size_t name) {
  const Shape shape = shape_of(object.ptr());
  if (shape == Shape::opaque || !seen_.insert(object.ptr()).second) return;
  auto parts = parts_of(object.ptr());
  if (shape == Shape::dictionary) {
    for (std::size_t at = 0; at + 1 < parts.size(); at += 2) {
      if (is_restless(parts[at])) parts[at + 1] = Py_Ellipsis;
    }
  }
  nodes_.push_back({.object = object,
                    .type = Py_TYPE(object.ptr()),
                    .value = shape == Shape::value ? value_of(object.ptr()) : 0,
                    .first = parts_.size(),
                    .count = parts.size(),
                    .parent = parent,
                    .name = name});
  for (PyObject* const part : parts) parts_.push_back(py::reinterpret_borrow<py::object>(part));
}

void ContentsWatch::add(const std::string& name, const py::object& root, int depth) {
  names_.push_back(name);
  py::object start = root;
  if (PyType_Check(root.ptr())) start = py::reinterpret_borrow<py::object>(dictionary_of_class(root.ptr()));
  std::size_t begin = nodes_.size();
  if (start) add_node(start, begin, names_.size() - 1);
  for (int step = 0; step < depth; ++step) {
    const std::size_t end = nodes_.size();
    for (std::size_t at = begin; at < end; ++at) {
      const std::size_t first = nodes_[at].first;
      const std::size_t last = first + nodes_[at].count;
      for (std::size_t part = first; part < last; ++part) {
        const py::object held = parts_[part];
        if (held && held.ptr() != nodes_[at].object.ptr() && !PyModule_Check(held.ptr())) {
          const bool globals = PyFunction_Check(nodes_[at].object.ptr()) &&
                               held.ptr() == PyFunction_GET_GLOBALS(nodes_[at].object.ptr());
          if (!globals) add_node(held, at, names_.size() - 1);
        }
      }
    }
    begin = end;
  }
}

bool ContentsWatch::unchanged(const Node& node) const {
  if (Py_TYPE(node.object.ptr()) != node.type) return false;
  if (node.count == 0 && shape_of(node.object.ptr()) == Shape::value) return value_of(node.object.ptr()) == node.value;
  Comparison comparison{.wanted = std::span(parts_).subspan(node.first, node.count)};
  const auto take = [](PyObject* part, void* context) { return static_cast<Comparison*>(context)->take(part); };
  visit_parts(node.object.ptr(), take, &comparison);
  if (comparison.same && comparison.at == node.count) return true;
  return PyDict_Check(node.object.ptr()) && same_entries(comparison.wanted, node.object.ptr());
}

/// The key under which a dictionary holds it; empty: no key tells it.
std::string ContentsWatch::step_to(const Node& parent, PyObject* child) const {
  if (!PyDict_Check(parent.object.ptr())) return "";
  for (std::size_t at = parent.first; at + 1 < parent.first + parent.count; at += 2) {
    if (parts_[at + 1].ptr() == child) return "." + text_of(parts_[at].ptr());
  }
  return "";
}

std::string ContentsWatch::place(std::size_t node) const {
  std::string path;
  for (std::size_t at = node; nodes_[at].parent != at; at = nodes_[at].parent)
    path.insert(0, step_to(nodes_[nodes_[at].parent], nodes_[at].object.ptr()));
  return names_[nodes_[node].name] + path;
}

std::vector<std::string> ContentsWatch::changed(std::size_t most) const {
  std::vector<std::string> found;
  for (std::size_t at = 0; at < nodes_.size() && found.size() < most; ++at) {
    if (unchanged(nodes_[at])) continue;
    std::string name = place(at) + " (" + nodes_[at].type->tp_name + ")";
    if (std::ranges::find(found, name) == found.end()) found.push_back(std::move(name));
  }
  return found;
}

}  // namespace parityd::worker
