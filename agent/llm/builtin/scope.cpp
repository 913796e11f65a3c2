#include "agent/llm/builtin/scope.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

namespace parityd::agent {

const char* torch_name(Type type) {
  switch (type) {
    case Type::f32:
      return "float32";
    case Type::f64:
      return "float64";
    case Type::f16:
      return "float16";
    case Type::bf16:
      return "bfloat16";
    case Type::i64:
      return "int64";
    case Type::i32:
      return "int32";
    case Type::i16:
      return "int16";
    case Type::i8:
      return "int8";
    case Type::u8:
      return "uint8";
    case Type::boolean:
      return "bool";
  }
  return "float32";
}

bool is_float(Type type) { return type <= Type::bf16; }
bool is_wide_float(Type type) { return type == Type::f32 || type == Type::f64; }
bool is_integer(Type type) { return type > Type::bf16 && type != Type::boolean; }

Type promote(Type one, Type other) {
  if (one == other || other == Type::boolean) return one;
  if (one == Type::boolean) return other;
  if (is_float(one) != is_float(other)) return is_float(one) ? one : other;
  const auto pair = [&](Type a, Type b) { return (one == a && other == b) || (one == b && other == a); };
  if (pair(Type::f16, Type::bf16)) return Type::f32;
  if (pair(Type::i8, Type::u8)) return Type::i16;
  if (is_float(one)) {
    if (one == Type::f64 || other == Type::f64) return Type::f64;
    return Type::f32;
  }
  return std::min(one, other);  // integers are declared from wide to narrow
}

long elements(const Shape& shape) {
  long product = 1;
  for (const long size : shape) product *= size;
  return product;
}

std::optional<Shape> broadcast(const Shape& one, const Shape& other) {
  Shape result(std::max(one.size(), other.size()), 1);
  for (std::size_t back = 1; back <= result.size(); ++back) {
    const long left = back <= one.size() ? one[one.size() - back] : 1;
    const long right = back <= other.size() ? other[other.size() - back] : 1;
    if (left != right && left != 1 && right != 1) return std::nullopt;
    result[result.size() - back] = left == 1 ? right : left;
  }
  return result;
}

double Range::magnitude() const { return std::max(std::abs(low), std::abs(high)); }

Range hull(Range one, Range other) { return {std::min(one.low, other.low), std::max(one.high, other.high)}; }

namespace {

/// Values stay well inside their types, so that overflow is never what a composed program is about; bytes may wrap.
bool settle(Type type, Range& range) {
  const auto within = [&](double low, double high) { return range.low >= low && range.high <= high; };
  switch (type) {
    case Type::f16:
      return range.magnitude() < 2e3;
    case Type::bf16:
    case Type::f32:
      return range.magnitude() < 1e5;
    case Type::f64:
      return range.magnitude() < 1e8;
    case Type::i64:
    case Type::i32:
      return range.magnitude() < 1e9;
    case Type::i16:
      return range.magnitude() < 3e4;
    case Type::i8:
      if (!within(-128, 127)) range = {-128, 127};
      return true;
    case Type::u8:
      if (!within(0, 255)) range = {0, 255};
      return true;
    case Type::boolean:
      range = {0, 1};
      return true;
  }
  return true;
}

bool is_name_part(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

constexpr long kMostElements = 4096;

}  // namespace

std::optional<Value> Scope::pick(const Accepts& accepts) {
  std::vector<const Value*> tickets;
  for (std::size_t at = 0; at < values_.size(); ++at) {
    if (!accepts(values_[at])) continue;
    const std::size_t weight = 1 + (values_[at].uses == 0 ? 8 : 0) + (at + 3 >= values_.size() ? 2 : 0);
    tickets.insert(tickets.end(), weight, &values_[at]);
  }
  if (tickets.empty()) return std::nullopt;
  return *random_.pick(tickets);
}

void Scope::declare(Value value) {
  names_.insert(value.name);
  values_.push_back(std::move(value));
}

bool Scope::emit(const std::string& hint, const std::string& expression, Type type, Shape shape, Range range,
                 bool gradient) {
  if (elements(shape) > kMostElements || elements(shape) == 0 || shape.size() > 5 || !settle(type, range)) return false;
  const std::string name = fresh_name(hint);
  write(name + " = " + expression);
  values_.push_back({name, type, std::move(shape), range, gradient && is_float(type), 0});
  return true;
}

void Scope::write(const std::string& line) {
  count_uses(line);
  lines_.push_back(line);
}

std::string Scope::module(const std::string& hint, const std::string& constructor) {
  const std::string name = fresh_name(hint);
  module_lines_.push_back("self." + name + " = " + constructor);
  return "self." + name;
}

std::string Scope::fresh_name(const std::string& hint) {
  std::string name = hint;
  for (int number = 2; !names_.insert(name).second; ++number) name = hint + std::to_string(number);
  return name;
}

void Scope::count_uses(const std::string& text) {
  for (Value& value : values_) {
    for (std::size_t at = text.find(value.name); at != std::string::npos; at = text.find(value.name, at + 1)) {
      const std::size_t end = at + value.name.size();
      const bool begins = at == 0 || (!is_name_part(text[at - 1]) && text[at - 1] != '.');
      if (begins && (end == text.size() || !is_name_part(text[end]))) ++value.uses;
    }
  }
}

std::string fill(const std::string& pattern, const std::vector<std::string>& arguments) {
  std::string result;
  std::size_t from = 0;
  for (const std::string& argument : arguments) {
    const std::size_t at = pattern.find("{}", from);
    if (at == std::string::npos) break;
    result += pattern.substr(from, at - from) + argument;
    from = at + 2;
  }
  return result + pattern.substr(from);
}

std::string sizes_text(const Shape& shape) {
  std::string text;
  for (const long size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return text;
}

std::string dimension_text(Random& random, long dimension, long rank) {
  return std::to_string(random.chance(50) ? dimension : dimension - rank);
}

}  // namespace parityd::agent
