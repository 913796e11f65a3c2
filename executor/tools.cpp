#include "executor/tools.h"

#include <algorithm>
#include <array>

namespace parityd::executor {
namespace {

constexpr std::array kTools{
    Tool{"info-log", "the compiler's log, a line for each step"},
    Tool{"debug-log", "the compiler's whole log, each traced instruction included"},
    Tool{"graph-breaks", "the graphs Dynamo captures, their operators, and why each break came"},
    Tool{"guards", "what Dynamo checks before it uses compiled code again"},
    Tool{"recompiles", "two calls at least: what was compiled again and which guard failed"},
    Tool{"compile-times", "how long each phase of compiling took"},
    Tool{"minify-dynamo", "the smallest part of Dynamo's graph that still raises the error"},
    Tool{"minify-aot", "the smallest part of AOTAutograd's graph on which Inductor still raises"},
    Tool{"accuracy-dynamo", "the smallest part of Dynamo's graph that still gives other numbers"},
    Tool{"accuracy-aot", "the smallest part of AOTAutograd's graph that Inductor gets wrong"},
    Tool{"function-filter", "the log of compiling the model's forward and no other function"},
    Tool{"fx-readable", "the graphs Inductor is given, as code to read"},
    Tool{"fx-runnable", "the graphs Inductor is given, as scripts to run"},
    Tool{"fx-transformed", "the graphs after Inductor's passes"},
    Tool{"ir-pre", "Inductor's representation before fusion"},
    Tool{"ir-post", "Inductor's representation after fusion"},
    Tool{"output-code", "the code Inductor generates"},
    Tool{"graph-diagram", "a diagram of the fused graph; needs pydot"},
    Tool{"trace", "the structured trace (TORCH_TRACE), for tlparse"},
    Tool{"replay", "records the frames that fail in Dynamo and replays them; needs dill"},
};

}  // namespace

std::span<const Tool> tools() { return kTools; }

bool is_tool(std::string_view name) {
  return std::ranges::any_of(kTools, [&](const Tool& tool) { return tool.name == name; });
}

}  // namespace parityd::executor
