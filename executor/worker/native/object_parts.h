// Contents of a Python object, read without running Python code. Any thread that holds the interpreter lock.
#pragma once

#include <Python.h>

#include <cstddef>

namespace parityd::worker {

/// Which contents of an object are read.
enum class Shape {
  opaque,  ///< None: modules, classes, objects made by C code, and locks.
  value,   ///< A number or a string.
  dictionary,
  container,  ///< List, tuple, set, cell, method, partial: everything the garbage collector sees.
  function,
  code,
  instance,  ///< Of a class defined in Python: its attributes.
};

[[nodiscard]] Shape shape_of(PyObject* object);

/// Only for Shape::value.
[[nodiscard]] std::size_t value_of(PyObject* object);

/// Called for each part in a fixed order; in a dictionary, key and value alternate. Missing parts are null. Returns
/// false to stop.
using TakePart = bool (*)(PyObject* part, void* context);
void visit_parts(PyObject* object, TakePart take, void* context);

/// The dictionary of the object's attributes; null if it has none.
[[nodiscard]] PyObject* attributes_of(PyObject* object);

/// A class's own dictionary; null unless it was defined in Python.
[[nodiscard]] PyObject* dictionary_of_class(PyObject* type);

}  // namespace parityd::worker
