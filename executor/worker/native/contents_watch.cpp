#include "contents_watch.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "object_parts.h"

namespace py = pybind11;

namespace parityd::worker {
namespace {

using Parts = std::vector<PyObject*>;

Parts parts_of(PyObject* object) {
  Parts parts;
  const auto take = [](PyObject* part, void* context) {
    static_cast<Parts*>(context)->push_back(part);
    return true;
  };
  visit_parts(object, take, &parts);
  return parts;
}

std::string text_of(PyObject* key) {
  if (PyUnicode_CheckExact(key)) return py::cast<std::string>(py::handle(key));
  return std::string("[") + Py_TYPE(key)->tp_name + "]";
}

/// Whether anything may take its place.
bool is_free(const py::object& part) { return part.ptr() == Py_Ellipsis; }

/// Meant to be hidden by the value it computes at its first use.
bool is_cached_property(PyObject* attribute) {
  return std::string_view(Py_TYPE(attribute)->tp_name) == "cached_property";
}

/// An attribute of an instance must not hide one of its class.
bool may_add_attribute(PyObject* owner, PyObject* key) {
  PyObject* const hidden = _PyType_Lookup(Py_TYPE(owner), key);
  return hidden == nullptr || is_cached_property(hidden);
}

bool is_globals_of(PyObject* function, PyObject* held) {
  return PyFunction_Check(function) && held == PyFunction_GET_GLOBALS(function);
}

}  // namespace

ContentsWatch::ContentsWatch(const std::vector<std::string>& restless, bool values)
    : restless_(restless.begin(), restless.end()), values_(values) {}

bool ContentsWatch::is_restless(PyObject* key) const {
  return PyUnicode_CheckExact(key) && restless_.contains(py::cast<std::string>(py::handle(key)));
}

std::span<const py::object> ContentsWatch::parts(const Node& node) const {
  return std::span(parts_).subspan(node.first, node.count);
}

void ContentsWatch::add_node(const py::object& object, std::size_t parent, bool grows) {
  const Shape shape = shape_of(object.ptr());
  if (shape == Shape::opaque || (shape == Shape::value && !values_) || !seen_.insert(object.ptr()).second) return;
  Parts held = parts_of(object.ptr());
  for (std::size_t at = 0; shape == Shape::dictionary && at < held.size(); at += 2) {
    if (is_restless(held[at])) held[at + 1] = Py_Ellipsis;
  }
  nodes_.push_back({.object = object,
                    .type = Py_TYPE(object.ptr()),
                    .value = shape == Shape::value ? value_of(object.ptr()) : 0,
                    .first = parts_.size(),
                    .count = held.size(),
                    .parent = parent,
                    .name = names_.size() - 1,
                    .grows = grows && (shape == Shape::dictionary || shape == Shape::instance)});
  for (PyObject* const part : held) parts_.push_back(py::reinterpret_borrow<py::object>(part));
}

void ContentsWatch::add_children(std::size_t node) {
  const py::object owner = nodes_[node].object;
  // Attributes of a function tell the compiler how to treat it.
  const bool grows = grows_ && !PyFunction_Check(owner.ptr());
  const std::size_t first = nodes_[node].first;
  for (std::size_t part = first; part < first + nodes_[node].count; ++part) {
    const py::object held = parts_[part];
    if (held && !is_globals_of(owner.ptr(), held.ptr())) add_node(held, node, grows);
  }
}

void ContentsWatch::add(const std::string& name, const py::object& root, int depth, Growth growth) {
  names_.push_back(name);
  grows_ = growth == Growth::caches;
  std::size_t begin = nodes_.size();
  PyObject* const start = PyType_Check(root.ptr()) ? dictionary_of_class(root.ptr()) : root.ptr();
  if (start != nullptr) add_node(py::reinterpret_borrow<py::object>(start), begin, grows_);
  for (int step = 0; step < depth; ++step) {
    const std::size_t end = nodes_.size();
    for (; begin < end; ++begin) add_children(begin);
  }
}

void ContentsWatch::add_values(const std::string& name, const py::dict& names, int depth, Growth growth) {
  for (const auto& [key, value] : names) {
    if (!is_restless(key.ptr()) && !PyType_Check(value.ptr()))
      add(name + "." + text_of(key.ptr()), py::reinterpret_borrow<py::object>(value), depth, growth);
  }
}

bool ContentsWatch::may_add(const Node& node, PyObject* key) const {
  PyObject* const owner = nodes_[node.parent].object.ptr();
  const bool attributes = shape_of(owner) == Shape::instance && attributes_of(owner) == node.object.ptr();
  return node.grows && (!attributes || may_add_attribute(owner, key));
}

PyObject* ContentsWatch::changed_key(const Node& node) const {
  const Parts entries = parts_of(node.object.ptr());
  std::unordered_map<PyObject*, PyObject*> held;
  for (std::size_t at = 0; at < entries.size(); at += 2) held.emplace(entries[at], entries[at + 1]);
  const auto wanted = parts(node);
  for (std::size_t at = 0; at < wanted.size(); at += 2) {
    const auto found = held.extract(wanted[at].ptr());
    const bool free = is_free(wanted[at + 1]);
    if (found.empty() ? !free : !free && found.mapped() != wanted[at + 1].ptr()) return wanted[at].ptr();
  }
  for (std::size_t at = 0; at < entries.size(); at += 2) {
    if (held.contains(entries[at]) && !is_restless(entries[at]) && !may_add(node, entries[at])) return entries[at];
  }
  return nullptr;
}

/// A function or an instance without attributes gets a dictionary with its first one.
bool ContentsWatch::is_as_recorded(const Node& node, const py::object& wanted, PyObject* part) const {
  if (wanted.ptr() == part || is_free(wanted)) return true;
  if (wanted || !PyDict_Check(part)) return false;
  const Parts entries = parts_of(part);
  bool allowed = true;
  for (std::size_t at = 0; at < entries.size(); at += 2) {
    allowed =
        allowed && (is_restless(entries[at]) || (node.grows && may_add_attribute(node.object.ptr(), entries[at])));
  }
  return allowed;
}

bool ContentsWatch::unchanged(const Node& node) const {
  struct Comparison {
    const ContentsWatch& watch;
    const Node& node;
    std::span<const py::object> wanted;
    std::size_t at = 0;
    bool same = true;
  };
  PyObject* const object = node.object.ptr();
  if (Py_TYPE(object) != node.type) return false;
  if (shape_of(object) == Shape::value) return value_of(object) == node.value;
  Comparison comparison{.watch = *this, .node = node, .wanted = parts(node)};
  const auto take = [](PyObject* part, void* context) {
    auto& [watch, node, wanted, at, same] = *static_cast<Comparison*>(context);
    same = at < wanted.size() && watch.is_as_recorded(node, wanted[at], part);
    ++at;
    return same;
  };
  visit_parts(object, take, &comparison);
  if (comparison.same && comparison.at == node.count) return true;
  return PyDict_Check(object) && changed_key(node) == nullptr;
}

std::string ContentsWatch::place(const Node& node) const {
  if (nodes_[node.parent].object.is(node.object)) return names_[node.name];
  const Node& parent = nodes_[node.parent];
  const auto held = parts(parent);
  std::string step;
  for (std::size_t at = 0; PyDict_Check(parent.object.ptr()) && step.empty() && at < held.size(); at += 2) {
    if (held[at + 1].is(node.object)) step = "." + text_of(held[at].ptr());
  }
  return place(parent) + step;
}

std::vector<std::string> ContentsWatch::changed(std::size_t most) const {
  std::vector<std::string> found;
  for (const Node& node : nodes_) {
    if (found.size() >= most) break;
    if (unchanged(node)) continue;
    PyObject* const key = PyDict_Check(node.object.ptr()) ? changed_key(node) : nullptr;
    std::string name = place(node) + (key != nullptr ? "." + text_of(key) : "");
    name += std::string(" (") + node.type->tp_name + ")";
    if (std::ranges::find(found, name) == found.end()) found.push_back(std::move(name));
  }
  return found;
}

}  // namespace parityd::worker
