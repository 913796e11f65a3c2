#include "agent/llm/builtin/composer.h"

#include <set>

#include "agent/llm/builtin/scope.h"
#include "tests/agent/builtin/fixture.h"

using namespace parityd::agent;

TEST_CASE("the same seed composes the same program, another seed another") {
  std::set<std::string> programs;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::string program = compose(seed);
    CHECK(program == compose(seed));
    programs.insert(program);
  }
  CHECK(programs.size() == 300);
}

TEST_CASE("the numbers behind a composed program are splitmix64's, on every machine") {
  Random random(42);
  CHECK(random.next() == 13679457532755275413U);
  for (int draw = 0; draw < 100; ++draw) {
    const long number = random.between(-2, 3);
    CHECK(number >= -2);
    CHECK(number <= 3);
  }
}

TEST_CASE("composed programs parse, keep the contract and need no fix") {
  testing::Builtin builtin(0);
  int with_options = 0;
  std::set<std::string> operators;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::string program = compose(seed);
    CAPTURE(seed, program);
    builtin.syntax().normalise(program, true, false, [&](const auto& result) {
      REQUIRE(result.has_value());
      CHECK(result->fixes.empty());
      CHECK(result->has_model);
      CHECK(result->has_inputs);
      with_options += result->options_text == "{}" ? 0 : 1;
    });
    builtin.syntax().outline(program, [&](const auto& outline) {
      REQUIRE(outline.has_value());
      operators.insert(outline->operators.begin(), outline->operators.end());
    });
    builtin.syntax().wait();
  }
  CHECK(with_options > 50);
  CHECK(with_options < 250);
  // Named functions, methods and layers; arithmetic signs and indexing come on top.
  CHECK(operators.size() >= 80);
}

TEST_CASE("broadcasting and promotion follow torch") {
  CHECK(broadcast({3, 1}, {4}) == Shape{3, 4});
  CHECK(broadcast({2, 3}, {}) == Shape{2, 3});
  CHECK_FALSE(broadcast({2, 3}, {2}).has_value());
  CHECK(promote(Type::i64, Type::f16) == Type::f16);
  CHECK(promote(Type::f16, Type::bf16) == Type::f32);
  CHECK(promote(Type::u8, Type::i8) == Type::i16);
  CHECK(promote(Type::boolean, Type::u8) == Type::u8);
  CHECK(promote(Type::i32, Type::i16) == Type::i32);
  CHECK(promote(Type::f32, Type::f64) == Type::f64);
}

TEST_CASE("a value out of its type's safe range is not made") {
  Random random(1);
  Scope scope(random);
  scope.declare({"x", Type::f16, {2}, {-10, 10}, true, 0});
  CHECK_FALSE(scope.emit("big", "x * 1000", Type::f16, {2}, {-1e4, 1e4}, true));
  CHECK_FALSE(scope.emit("none", "x[2:]", Type::f16, {0}, {-10, 10}, true));
  CHECK(scope.emit("x", "x * 2", Type::f16, {2}, {-20, 20}, true));
  CHECK(scope.values().back().name == "x2");
  CHECK(scope.values().front().uses == 1);
}
