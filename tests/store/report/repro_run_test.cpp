// Repro scripts run with the torch at hand: 0 shown, 1 not shown, 2 cannot tell.
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#include "tests/catch.h"
#include "tests/files.h"
#include "tests/store/facts.h"
#include "tests/store/report/script_run.h"

using namespace parityd;
using namespace parityd::tests;
using oracle::Kind;

namespace {

constexpr const char* kClean = R"(import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 2)

    def forward(self, x):
        return {"y": torch.tanh(self.linear(x)), "n": x.shape[0]}


def get_inputs():
    return [torch.randn(4, 3)]
)";

/// Tells compiled from eager by itself, so that it shows a difference on every torch.
std::string telling(const std::string& compiled, const std::string& eager) {
  return fmt::format(R"(import torch


class Model(torch.nn.Module):
    def forward(self, x):
        if torch.compiler.is_compiling():
            {}
        {}


def get_inputs():
    return [torch.arange(4.0)]
)",
                     compiled, eager);
}

/// Its exit status; what it prints goes into the test's log.
int status_of(const store::DraftFacts& facts) {
  const auto [status, out, err] = run_script(store::render_repro(facts));
  UNSCOPED_INFO(out << err);
  return status;
}

}  // namespace

TEST_CASE("the script of a clean program reports that nothing differs") {
  if (const auto why = no_torch()) PARITYD_SKIP(why->c_str());
  CHECK(run_script_as_people_do(store::render_repro(facts_of(Kind::numerical, kClean))).status == 1);
  CHECK(status_of(facts_of(Kind::gradient, kClean, R"({"backward": true, "train": true, "dynamic": true})")) == 1);
}

TEST_CASE("a difference between distributions is reproduced if eager and compiled code draw different numbers") {
  if (const auto why = no_torch()) PARITYD_SKIP(why->c_str());
  const auto about = [](const std::string& leaf, const std::string& program, const char* options) {
    auto facts = facts_of(leaf == "drawn.derivative" ? Kind::gradient : Kind::numerical, program, options);
    facts.rounds.front().verdict.leaves = {leaf};
    return facts;
  };
  const auto programs = std::filesystem::path(PARITYD_SOURCE_DIR) / "tests" / "programs";
  const std::string reaches_one = read_file(programs / "numerical_own_random_bfloat16.py");
  constexpr const char* kOwn = R"({"own_random": true})";
  CHECK(status_of(about("drawn.output.max", reaches_one, kOwn)) == 0);
  CHECK(status_of(about("drawn.output.mean", reaches_one, kOwn)) == 1);
  CHECK(status_of(about("drawn.output.alike", reaches_one, kOwn)) == 1);
  const std::string counting = telling("self.n = getattr(self, 'n', 0) + 1; return x + self.n", "return x");
  CHECK(status_of(about("drawn.output.repeat", counting, kOwn)) == 0);
  const std::string other_mask = read_file(programs / "gradient_own_random_budget.py");
  constexpr const char* kBudget =
      R"({"own_random": true, "train": true, "backward": true, "functorch_config": {"activation_memory_budget": 0.0}})";
  CHECK(status_of(about("drawn.derivative", other_mask, kBudget)) == 0);
  constexpr const char* kNoBudget = R"({"own_random": true, "train": true, "backward": true})";
  CHECK(status_of(about("drawn.derivative", other_mask, kNoBudget)) == 1);
}

TEST_CASE("a difference in numbers is reproduced") {
  if (const auto why = no_torch()) PARITYD_SKIP(why->c_str());
  CHECK(status_of(facts_of(Kind::numerical, telling("return x + 1", "return x"))) == 0);
}

TEST_CASE("each way of compiling is used in the script") {
  if (const auto why = no_torch()) PARITYD_SKIP(why->c_str());
  const std::string child = R"(
import torch


class Child(torch.nn.Module):
    def forward(self, x):
        return x + (1 if torch.compiler.is_compiling() else 0)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.children_of_it = torch.nn.ModuleList([Child()])

    def forward(self, x):
        return {}


def get_inputs():
    return [torch.ones(3)]
)";
  const auto returning = [&](const char* value) {
    std::string program = child;
    return program.replace(program.find("{}"), 2, value);
  };
  constexpr const char* kOfChild = "self.children_of_it[0](x)";
  constexpr const char* kOwn = "x + (1 if torch.compiler.is_compiling() else 0)";
  for (const char* const mode : {"inductor_threads", "inductor_functional", "exported", "exported_strict"}) {
    CAPTURE(mode);
    const std::string options = fmt::format(R"({{"mode": "{}", "dynamic": true}})", mode);
    CHECK(status_of(facts_of(Kind::numerical, returning(kOwn), options)) == 0);
    CHECK(status_of(facts_of(Kind::numerical, returning("x * 2"), options)) == 1);
  }
  constexpr const char* kRegions = R"({"mode": "inductor_regions"})";
  CHECK(status_of(facts_of(Kind::numerical, returning(kOfChild), kRegions)) == 0);
  CHECK(status_of(facts_of(Kind::numerical, returning(kOwn), kRegions)) == 1);
}

TEST_CASE("a step is compiled as a whole and its kept state is compared") {
  if (const auto why = no_torch()) PARITYD_SKIP(why->c_str());
  const auto stepping = [](const char* kept) {
    return fmt::format(R"(
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 2)

    def forward(self, x):
        return self.linear(x)


def get_state(model):
    return {{"optimizer": torch.optim.SGD(model.parameters(), lr=0.1), "seen": [torch.zeros(())]}}


def step(model, inputs, state):
    state["optimizer"].zero_grad()
    loss = model(*inputs).sum()
    loss.backward()
    state["optimizer"].step()
    state["seen"][0].add_({})
    return loss.detach()


def get_inputs():
    return [torch.ones(4, 3)]
)",
                       kept);
  };
  for (const char* const options : {R"({"calls": 2, "train": true})", R"({"mode": "inductor_regions"})"}) {
    CHECK(status_of(facts_of(Kind::numerical, stepping("1"), options)) == 1);
  }
  constexpr const char* kAsks = "2 if torch.compiler.is_compiling() else 1";
  CHECK(status_of(facts_of(Kind::numerical, stepping(kAsks), R"({"calls": 2, "train": true})")) == 0);
}

TEST_CASE("an exception of compiled code is reproduced, a different one is undecided") {
  if (const auto why = no_torch()) PARITYD_SKIP(why->c_str());
  const std::string program = telling("raise AssertionError('lowering of x failed')", "return x");
  auto facts = facts_of(Kind::behaviour, program, R"({"fullgraph": true})");
  auto& error = facts.rounds.front().evidence.outcomes[oracle::Mode::inductor].error;
  error->outer_class = error->inner_class = "Unsupported";
  CHECK(status_of(facts) == 0);
  error->outer_class = error->inner_class = "ZeroDivisionError";
  CHECK(status_of(facts) == 2);
}

TEST_CASE("a check that only eager makes is reproduced") {
  if (const auto why = no_torch()) PARITYD_SKIP(why->c_str());
  CHECK(status_of(facts_of(Kind::missing_check, telling("return x", "raise RuntimeError('no')"))) == 0);
  CHECK(status_of(facts_of(Kind::missing_check, kClean)) == 1);
}

TEST_CASE("a different state is reproduced") {
  if (const auto why = no_torch()) PARITYD_SKIP(why->c_str());
  CHECK(status_of(facts_of(Kind::mutation, telling("x.add_(1)", "return x * 2"))) == 0);
}

TEST_CASE("a different global is reproduced although the next run would continue from it") {
  if (const auto why = no_torch()) PARITYD_SKIP(why->c_str());
  const auto counting = [](const std::string& start, const std::string& compiled, const std::string& eager) {
    auto facts = facts_of(Kind::mutation, telling(compiled + "\n            return x", eager + "\n        return x"));
    facts.finding.reduced.insert(facts.finding.reduced.find("class Model"), start + "\n\n\n");
    for (auto& round : facts.rounds) round.verdict.leaves = {"global.SEEN['sum']"};
    return facts;
  };
  CHECK(status_of(counting("SEEN = {'sum': 1.0}", "SEEN['sum'] += 2", "SEEN['sum'] += 1")) == 0);
  CHECK(status_of(counting("SEEN = {'sum': 1.0}", "SEEN['sum'] += 1", "SEEN['sum'] += 1")) == 1);
  CHECK(status_of(counting("SEEN: dict = {'sum': [torch.zeros(2)]}", "SEEN['sum'].append(x)", "pass")) == 0);
  CHECK(status_of(counting("import types\n\nSEEN = types.SimpleNamespace(n=0)", "SEEN.n += 2", "SEEN.n += 1")) == 0);
}

TEST_CASE("an output stored in a global is reproduced although the next run would continue from it") {
  if (const auto why = no_torch()) PARITYD_SKIP(why->c_str());
  auto facts = facts_of(Kind::numerical, telling("SEEN['sum'] += x + 1\n            return SEEN",
                                                 "SEEN['sum'] += x\n        return SEEN"));
  facts.finding.reduced.insert(facts.finding.reduced.find("class Model"), "SEEN = {'sum': 0.0}\nSCALE = 2\n\n\n");
  CHECK(status_of(facts) == 0);
  CHECK(store::render_repro(facts).find("{\"SEEN\": SEEN}") != std::string::npos);
}

TEST_CASE("the contents of objects are compared but not their addresses") {
  if (const auto why = no_torch()) PARITYD_SKIP(why->c_str());
  const auto in_object = [](const std::string& compiled) {
    auto facts = facts_of(Kind::numerical, telling("return Result(" + compiled + ")", "return Result(x)"));
    facts.finding.reduced.insert(facts.finding.reduced.find("class Model"),
                                 "class Result:\n    def __init__(self, loss):\n        self.loss = loss\n\n\n");
    for (auto& round : facts.rounds) round.verdict.leaves = {"output.loss"};
    return facts;
  };
  CHECK(status_of(in_object("x + 1")) == 0);
  CHECK(status_of(in_object("x * 1")) == 1);
}

TEST_CASE("different metadata is reproduced") {
  if (const auto why = no_torch()) PARITYD_SKIP(why->c_str());
  const std::string program = telling("return x.view(2, 2).clone()", "return x.view(2, 2).t().contiguous().t()");
  CHECK(status_of(facts_of(Kind::metadata, program)) == 0);
}

TEST_CASE("a crash of compiled code is reproduced and does not end the script") {
  if (const auto why = no_torch()) PARITYD_SKIP(why->c_str());
  const std::string died = R"(import os
import sys

import torch


@torch.compiler.disable
def die():
    if "--compiled" in sys.argv:
        os.abort()


class Model(torch.nn.Module):
    def forward(self, x):
        die()
        return x + 1


def get_inputs():
    return [torch.ones(2)]
)";
  CHECK(status_of(facts_of(Kind::crash, died)) == 0);
  CHECK(status_of(facts_of(Kind::crash, kClean)) == 1);
}
