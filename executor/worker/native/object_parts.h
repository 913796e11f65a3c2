// What a Python object holds, read without running Python code. With the interpreter lock.
#pragma once

#include <Python.h>

#include <cstddef>

namespace parityd::worker {

/// What is told of an object.
enum class Shape {
  opaque,  ///< Nothing: modules, classes, what C code made and locks.
  value,   ///< A number or a text.
  dictionary,
  container,  ///< List, tuple, set, cell, method, partial: all that the garbage collector sees.
  function,
  code,
  instance,  ///< Of a class that Python code made: its attributes.
};

[[nodiscard]] Shape shape_of(PyObject* object);

/// Of Shape::value.
[[nodiscard]] std::size_t value_of(PyObject* object);

/// Told of each part in a fixed order: in a dictionary key and value by turns. Parts that are not there are null.
/// False: no more.
using TakePart = bool (*)(PyObject* part, void* context);
void visit_parts(PyObject* object, TakePart take, void* context);

/// The attributes of an object that has some; null: it has none.
[[nodiscard]] PyObject* attributes_of(PyObject* object);

/// A class's own dictionary; null where no Python code made it.
[[nodiscard]] PyObject* dictionary_of_class(PyObject* type);

}  // namespace parityd::worker
