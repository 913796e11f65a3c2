#include "executor/pool/canary.h"

namespace parityd::executor {
namespace {

using oracle::Mode;

// Names of the settings: torch/_inductor/config.py, `inject_relu_bug_TESTING_ONLY` of cpp and triton.
const char* const kProgram = R"(import torch

OPTIONS = {
    "inductor_config": {
        "cpp.inject_relu_bug_TESTING_ONLY": "accuracy",
        "triton.inject_relu_bug_TESTING_ONLY": "accuracy",
    }
}


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x), x * 2.0


def get_inputs():
    return [torch.arange(-8.0, 8.0)]
)";

}  // namespace

const std::string& canary_program() {
  static const std::string program = kProgram;
  return program;
}

std::optional<std::string> canary_failure(const oracle::Evidence& evidence) {
  for (const Mode mode : {Mode::eager, Mode::inductor}) {
    const auto* outcome = evidence.outcome(mode);
    if (outcome == nullptr || outcome->kind != oracle::OutcomeKind::ran) {
      return std::string(name(mode)) + " did not run it";
    }
  }
  if (evidence.outcome(Mode::inductor)->graphs != 1) return "it was not captured as one graph";
  const auto* measured = evidence.measurement(Mode::eager, Mode::inductor);
  const auto* faulty = measured == nullptr ? nullptr : measured->find("output[0]");
  const auto* sound = measured == nullptr ? nullptr : measured->find("output[1]");
  if (faulty == nullptr || sound == nullptr) return "its outputs were not measured";
  if (faulty->unequal == 0) return "the injected fault was not seen";
  if (sound->unequal != 0) return "equal outputs were reported as different";
  return std::nullopt;
}

}  // namespace parityd::executor
