#include "object_parts.h"

#include <structmember.h>

#include <cstring>
#include <string_view>

namespace parityd::worker {
namespace {

bool is_heap_type(const PyTypeObject* type) { return (type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0; }

/// Locks, loggers, weak references: normal use changes their contents, or they are not state of torch's.
bool is_skipped(const PyTypeObject* type) {
  const std::string_view name = type->tp_name;
  return name == "functools._lru_cache_wrapper" || name == "Logger" || name == "RootLogger" || name == "Thread" ||
         name == "local" || name.starts_with("_thread.") || name.starts_with("weakref") || name.starts_with("Weak");
}

struct Taker {
  TakePart take;
  void* context;
  bool more = true;

  bool operator()(PyObject* part) {
    more = more && take(part, context);
    return more;
  }
};

int on_visit(PyObject* part, void* taker) { return (*static_cast<Taker*>(taker))(part) ? 0 : 1; }

void visit_dictionary(PyObject* dictionary, Taker& take) {
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(dictionary, &at, &key, &value) != 0;) {
    if (!take(key) || !take(value)) return;
  }
}

/// An empty dictionary of attributes may have been created by a mere query.
PyObject* unless_empty(PyObject* dictionary) {
  return dictionary != nullptr && PyDict_Check(dictionary) && PyDict_GET_SIZE(dictionary) > 0 ? dictionary : nullptr;
}

void visit_function(PyObject* object, Taker& take) {
  const auto* const function = reinterpret_cast<PyFunctionObject*>(object);
  take(PyFunction_GET_CODE(object));
  take(PyFunction_GET_GLOBALS(object));
  take(PyFunction_GET_DEFAULTS(object));
  take(PyFunction_GET_KW_DEFAULTS(object));
  take(PyFunction_GET_CLOSURE(object));
  take(unless_empty(function->func_dict));
}

void visit_code(PyObject* object, Taker& take) {
  const auto* const code = reinterpret_cast<PyCodeObject*>(object);
  take(code->co_consts);
  take(code->co_names);
}

/// Slots of Sympy's that are filled on first use.
bool is_lazy(std::string_view slot) { return slot == "_mhash" || slot == "_assumptions"; }

/// Attributes in a dictionary and in slots.
void visit_instance(PyObject* object, Taker& take) {
  if (!take(unless_empty(attributes_of(object)))) return;
  for (const PyTypeObject* type = Py_TYPE(object); type != nullptr; type = type->tp_base) {
    if (!is_heap_type(type) || type->tp_members == nullptr) continue;
    for (const PyMemberDef* slot = type->tp_members; slot->name != nullptr; ++slot) {
      if (slot->type != T_OBJECT_EX || is_lazy(slot->name)) continue;
      PyObject* held = nullptr;
      std::memcpy(&held, reinterpret_cast<const char*>(object) + slot->offset, sizeof held);
      if (!take(held)) return;
    }
  }
}

std::size_t hash_of(const void* bytes, Py_ssize_t size) {
  return std::hash<std::string_view>{}({static_cast<const char*>(bytes), static_cast<std::size_t>(size)});
}

}  // namespace

PyObject* attributes_of(PyObject* object) {
  PyObject** const place = _PyObject_GetDictPtr(object);
  return place == nullptr ? nullptr : *place;
}

PyObject* dictionary_of_class(PyObject* type) {
  const auto* const definition = reinterpret_cast<PyTypeObject*>(type);
  return is_heap_type(definition) ? definition->tp_dict : nullptr;
}

Shape shape_of(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  if (PyType_Check(object) || PyModule_Check(object) || is_skipped(type)) return Shape::opaque;
  if (PyLong_CheckExact(object) || PyFloat_CheckExact(object) || PyUnicode_CheckExact(object) ||
      PyBytes_CheckExact(object))
    return Shape::value;
  if (PyDict_Check(object)) return Shape::dictionary;
  if (PyFunction_Check(object)) return Shape::function;
  if (PyCode_Check(object)) return Shape::code;
  if (PyList_Check(object) || PyTuple_Check(object) || PyAnySet_Check(object) || PyCell_Check(object) ||
      PyMethod_Check(object) || type == &PyProperty_Type || type == &PyStaticMethod_Type ||
      type == &PyClassMethod_Type || std::string_view(type->tp_name) == "functools.partial")
    return Shape::container;
  const bool made_by_python = is_heap_type(type) && PyObject_IS_GC(object) && !PyExceptionInstance_Check(object);
  return made_by_python ? Shape::instance : Shape::opaque;
}

std::size_t value_of(PyObject* object) {
  if (PyBytes_CheckExact(object)) return hash_of(PyBytes_AS_STRING(object), PyBytes_GET_SIZE(object));
  if (PyUnicode_CheckExact(object))  // it caches its own hash, whatever becomes of the text
    return hash_of(PyUnicode_DATA(object), PyUnicode_GET_LENGTH(object) * PyUnicode_KIND(object));
  return static_cast<std::size_t>(PyObject_Hash(object));  // of a number: computed each time
}

void visit_parts(PyObject* object, TakePart take, void* context) {
  Taker taker{.take = take, .context = context};
  switch (shape_of(object)) {
    case Shape::opaque:
    case Shape::value:
      return;
    case Shape::dictionary:
      return visit_dictionary(object, taker);
    case Shape::function:
      return visit_function(object, taker);
    case Shape::code:
      return visit_code(object, taker);
    case Shape::instance:
      return visit_instance(object, taker);
    case Shape::container:
      if (Py_TYPE(object)->tp_traverse != nullptr) Py_TYPE(object)->tp_traverse(object, &on_visit, &taker);
      return;
  }
}

}  // namespace parityd::worker
