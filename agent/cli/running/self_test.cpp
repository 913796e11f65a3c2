#include "agent/cli/running/self_test.h"

#include <array>

#include "agent/cli/running/engine.h"
#include "agent/daemon/daemon.h"
#include "agent/requests/request.h"
#include "store/store.h"

namespace parityd::agent {
namespace {

struct Fault {
  std::string_view name;  // inject_relu_bug_TESTING_ONLY's value (torch/_inductor/config.py); empty: the control
  oracle::Kind expected_kind;
};

constexpr std::array kFaults = {Fault{"compile_error", oracle::Kind::behaviour},
                                Fault{"runtime_error", oracle::Kind::behaviour},
                                Fault{"accuracy", oracle::Kind::numerical}, Fault{"", oracle::Kind::numerical}};

std::string program_of(const Fault& fault, executor::DeviceKind device) {
  std::string options = "{}";
  if (!fault.name.empty()) {
    options = fmt::format(R"({{"inductor_config": {{"{}.inject_relu_bug_TESTING_ONLY": "{}"}}}})", row(device).kernels,
                          fault.name);
  }
  return "import torch\n\nOPTIONS = " + options +
         "\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        y = torch.sin(x)\n        "
         "z = torch.relu(x) * 2\n        return z, y.cumsum(0)\n\n\n"
         "def get_inputs():\n    return [torch.linspace(-1, 1, 64)]\n";
}

std::string label(const Fault& fault) { return fault.name.empty() ? "control" : std::string(fault.name); }

/// The finding whose first program came from this fault; nullopt: none.
std::optional<store::FindingRow> finding_of(const store::Store& store, const Fault& fault) {
  for (const auto& finding : store.findings.list({})) {
    const auto program = store.programs.find(finding.program);
    if (program && program->source == label(fault) + ".py") return finding;
  }
  return std::nullopt;
}

bool judged(const store::Store& store, const Fault& fault) {
  for (const auto& program : store.programs.in_state(store::ProgramState::finished, 100)) {
    if (program.source == label(fault) + ".py") {
      return program.verdict && program.verdict->verdict == oracle::VerdictKind::consistent;
    }
  }
  return false;
}

bool report(Context& context, const store::Store& store, const Fault& fault) {
  const auto finding = finding_of(store, fault);
  if (fault.name.empty()) {
    const bool good = !finding && judged(store, fault);
    context.out << fmt::format("{}  control: {}\n", good ? "ok  " : "FAIL",
                               good ? "consistent, no finding" : "expected consistent and no finding");
    return good;
  }
  const auto draft = finding ? store.drafts.find(finding->id) : std::nullopt;
  const bool good = finding && finding->kind == fault.expected_kind && finding->hits == finding->rounds && draft &&
                    !draft->body.empty() && finding->statements > 0 && finding->statements < finding->statements_before;
  context.out << fmt::format("{}  {}: ", good ? "ok  " : "FAIL", fault.name);
  if (finding) {
    context.out << fmt::format(
        "{} at {}, {} of {} rounds, reduced from {} to {} statements, {}, draft of {} characters\n",
        oracle::name(finding->kind), oracle::name(finding->stage), finding->hits, finding->rounds,
        finding->statements_before, finding->statements, finding->disposition.text(), draft ? draft->body.size() : 0);
  } else {
    context.out << "no finding\n";
  }
  return good;
}

}  // namespace

bool self_test(Context& context, const Config& config) {
  const ScratchFolder folder(scratch_for("self-test"));
  auto engine = make_engine(config, folder.path() / "scratch", {.programs = static_cast<int>(kFaults.size())});
  if (!engine) {
    context.err << "parityd doctor: " << engine.error() << "\n";
    return false;
  }
  context.out << fmt::format("self-test: {}\n", engine->description()) << std::flush;
  store::Store store(folder.path() / "parityd.db", store::Access::write);
  for (const auto& fault : kFaults) {
    store.requests.add(row_of(requests::Import{.file = label(fault) + ".py",
                                               .text = program_of(fault, engine->pool->config(0).device),
                                               .options_json = {}},
                              "self-test", 0));
  }
  Config plain = config;
  plain.modes = {{"inductor", 1.0}};
  plain.newest_python.clear();
  plain.known_max_age = std::chrono::seconds::max();  // its findings must not be held for stale known issues
  const prompts::PromptSet no_prompts;
  EventLoop loop;
  SystemLoopClock clock(loop);
  Service service;
  Progress progress(context.err, false, executor::Clock::now());
  Daemon daemon({.config = plain,
                 .prompts = no_prompts,
                 .store = store,
                 .clock = clock,
                 .pool = *engine->pool,
                 .syntax = *engine->syntax,
                 .provider = nullptr,
                 .shares = engine->shares,
                 .tested = engine->tested,
                 .torches = engine->torches(),
                 .scratch = engine->scratch->path() / "rounds",
                 .draft_template = engine->installation.draft_template,
                 .service = service},
                {.drain = true}, progress);
  if (daemon.run() != EndReason::done) {
    context.err << "parityd doctor: the self-test did not complete: " << daemon.problem() << "\n";
    return false;
  }
  bool good = true;
  for (const auto& fault : kFaults) good = report(context, store, fault) && good;
  return good;
}

}  // namespace parityd::agent
