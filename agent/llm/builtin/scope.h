// What a program under composition knows: its live values with their types, and the lines written so far. Plain data
// and helpers for the rules; one thread.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/llm/builtin/random.h"

namespace parityd::agent {

enum class Type { f32, f64, f16, bf16, i64, i32, i16, i8, u8, boolean };
[[nodiscard]] const char* torch_name(Type type);  // "float32"
[[nodiscard]] bool is_float(Type type);
[[nodiscard]] bool is_wide_float(Type type);  // float32 or float64: every operator has a kernel for it
[[nodiscard]] bool is_integer(Type type);     // not bool
/// What arithmetic on two tensors of at least one dimension yields.
[[nodiscard]] Type promote(Type one, Type other);

using Shape = std::vector<long>;
[[nodiscard]] long elements(const Shape& shape);
/// The broadcast shape; empty optional when the two do not fit.
[[nodiscard]] std::optional<Shape> broadcast(const Shape& one, const Shape& other);

/// A closed interval that holds every element.
struct Range {
  double low = 0, high = 0;
  [[nodiscard]] double magnitude() const;
};
[[nodiscard]] Range hull(Range one, Range other);

struct Value {
  std::string name;
  Type type = Type::f32;
  Shape shape;
  Range range;
  bool gradient = false;  // depends on a floating input or parameter through differentiable operators
  int uses = 0;
  [[nodiscard]] long rank() const { return static_cast<long>(shape.size()); }
};

using Accepts = std::function<bool(const Value&)>;

class Scope {
 public:
  explicit Scope(Random& random) : random_(random) {}

  [[nodiscard]] Random& random() { return random_; }
  [[nodiscard]] const std::vector<Value>& values() const { return values_; }
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }
  [[nodiscard]] const std::vector<std::string>& module_lines() const { return module_lines_; }

  /// One of the accepted values, unused and late ones more often; empty when none is accepted.
  [[nodiscard]] std::optional<Value> pick(const Accepts& accepts);

  /// Makes an input or another value that no line computes.
  void declare(Value value);
  /// Writes `name = expression` and makes the value, unless its range is out of what its type holds well: then false.
  /// Every operand's name that stands in the expression counts as used.
  bool emit(const std::string& hint, const std::string& expression, Type type, Shape shape, Range range, bool gradient);
  /// Writes a line that makes no value; its operands count as used.
  void write(const std::string& line);
  /// Adds `self.name = constructor` to __init__ and gives "self.name".
  std::string module(const std::string& hint, const std::string& constructor);
  /// A name nobody has yet: `hint`, else `hint2`, …
  std::string fresh_name(const std::string& hint);

 private:
  void count_uses(const std::string& text);

  Random& random_;
  std::vector<Value> values_;
  std::vector<std::string> lines_, module_lines_;
  std::set<std::string> names_{"self", "torch", "nn", "F", "math"};
};

/// "{}" by "{}" filled with the arguments, in order.
[[nodiscard]] std::string fill(const std::string& pattern, const std::vector<std::string>& arguments);
/// "2, 3, 4" for a shape.
[[nodiscard]] std::string sizes_text(const Shape& shape);
/// A dimension as people write it: counted from the front or from the end.
[[nodiscard]] std::string dimension_text(Random& random, long dimension, long rank);

/// One way to go on: picks operands in the scope, writes lines, says whether it did.
struct Rule {
  const char* name;
  bool (*apply)(Scope&);
};

// One list a file; together the composer's operators.
[[nodiscard]] const std::vector<Rule>& pointwise_rules();
[[nodiscard]] const std::vector<Rule>& binary_rules();
[[nodiscard]] const std::vector<Rule>& reduction_rules();
[[nodiscard]] const std::vector<Rule>& view_rules();
[[nodiscard]] const std::vector<Rule>& index_rules();
[[nodiscard]] const std::vector<Rule>& layer_rules();

}  // namespace parityd::agent
