#include "store/report/repro_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "oracle/device.h"
#include "oracle/json_read.h"
#include "store/base/text.h"
#include "store/report/chance.h"
#include "store/report/draft_parts.h"
#include "store/report/draws_repro.h"

namespace parityd::store {
namespace {

using oracle::Kind;

constexpr int kLimitSeconds = 200;  // for a compiled run in its own process; longer than a round allows for compiling

const std::map<std::string, std::string>& templates() {
  static const std::map<std::string, std::string> all{
#include "store/script_templates.inc"
  };
  return all;
}

class Options {
 public:
  explicit Options(const std::string& text) : json_(oracle::parsed_object(text)) {}
  /// Null if not given.
  [[nodiscard]] const nlohmann::json* find(const char* key) const {
    const auto found = json_.find(key);
    return found == json_.end() ? nullptr : &*found;
  }
  [[nodiscard]] bool flag(const char* key) const {
    const auto* const found = find(key);
    return found != nullptr && found->is_boolean() && found->get<bool>();
  }
  [[nodiscard]] std::string text(const char* key, const std::string& otherwise) const {
    const auto* const found = find(key);
    return found != nullptr && found->is_string() ? clean_line(found->get<std::string>()) : otherwise;
  }
  [[nodiscard]] int number(const char* key) const {
    const auto* const found = find(key);
    return found != nullptr && found->is_number_integer() ? found->get<int>() : 0;
  }
  /// The settings, applied over `preset`; empty if there are none.
  [[nodiscard]] std::string settings(const char* key, const nlohmann::json& preset) const {
    const auto all = merged(key, preset);
    return all.empty() ? "" : python_literal(all);
  }
  [[nodiscard]] nlohmann::json merged(const char* key, nlohmann::json preset) const {
    if (const auto* const found = find(key); found != nullptr && found->is_object()) preset.update(*found);
    return preset;
  }
  /// The same, one statement each.
  [[nodiscard]] std::string assignments(const char* key, const char* module, const nlohmann::json& preset) const {
    static const RE2 kName(R"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)", RE2::Latin1);
    const auto all = merged(key, preset);
    std::vector<std::string> lines;
    for (const auto& [name, value] : all.items()) {
      if (RE2::FullMatch(name, kName)) lines.push_back(fmt::format("{}.{} = {}", module, name, python_literal(value)));
    }
    return fmt::format("{}", fmt::join(lines, "\n"));
  }

 private:
  nlohmann::json json_;
};

/// What a mode sets in one of torch's configurations, unless users request the mode by a name.
nlohmann::json settings_of(const oracle::ModeRow& mode, const std::string& owner) {
  nlohmann::json found = nlohmann::json::object();
  if (!mode.compile_mode.empty()) return found;
  const auto settings = oracle::parsed_object(mode.settings);
  for (const auto& [name, value] : settings.items()) {
    if (name.starts_with(owner + ".")) found[name.substr(owner.size() + 1)] = value;
  }
  return found;
}

bool reported(const DraftFacts& facts, const RE2& leaf) {
  return std::ranges::any_of(facts.rounds, [&](const EvidenceRow& round) {
    return std::ranges::any_of(round.verdict.leaves,
                               [&](const std::string& each) { return RE2::FullMatch(each, leaf); });
  });
}

/// Only Inductor generates different code for another number of threads.
int threads_needed(const DraftFacts& facts) {
  const int threads = threads_of(facts);
  const bool one =
      row(oracle::device_named(facts.finding.device)).threads && facts.finding.stage == oracle::Stage::inductor;
  if (threads > 1) return threads;
  return one && !facts.any_threads ? 1 : 0;
}

std::string expected_error(const DraftFacts& facts) {
  for (const EvidenceRow& round : facts.rounds) {
    const auto* outcome = round.evidence.outcome(round.evidence.compiled);
    if (outcome != nullptr && outcome->error) {
      return fmt::format("({}, {})", python_literal(clean_line(outcome->error->outer_class)),
                         python_literal(clean_line(outcome->error->inner_class)));
    }
  }
  return "()";
}

std::string autocast_of(const Options& options, const std::string& device) {
  const auto* const found = options.find("autocast");
  if (found == nullptr || *found == false) return "";
  const std::string dtype = options.text("autocast", "");
  return fmt::format("torch.autocast(\"{}\"{}{})", device, dtype.empty() ? "" : ", dtype=torch.", dtype);
}

kainjow::mustache::list marks_of(const Options& options) {
  kainjow::mustache::list marks;
  for (const auto& [option, function] :
       {std::pair{"mark_dynamic", "mark_dynamic"}, std::pair{"mark_unbacked", "decorators.mark_unbacked"}}) {
    const auto* const given = options.find(option);
    if (given == nullptr || !given->is_array()) continue;
    for (const auto& mark : *given) {
      if (!mark.is_array() || mark.size() != 2 || !mark[0].is_number_integer() || !mark[1].is_number_integer())
        continue;
      Fields& fields = marks.emplace_back(kainjow::mustache::object{});
      const int input = mark[0].get<int>(), dimension = mark[1].get<int>();
      const bool unbacked = option == std::string_view("mark_unbacked");
      // torch takes no dimension below 0, and the mark promises that the size is neither 0 nor 1.
      set_texts(fields, {{"function", function},
                         {"input", std::to_string(input)},
                         {"dimension", dimension < 0 ? fmt::format("inputs[{}].dim() - {}", input, -dimension)
                                                     : std::to_string(dimension)},
                         {"guard", unbacked ? fmt::format(" and inputs[{}].size({}) > 1", input, dimension) : ""}});
    }
  }
  return marks;
}

std::string globals_of(const DraftFacts& facts) {
  std::vector<std::string> entries;
  for (const std::string& name : globals_reported(facts)) entries.push_back(fmt::format("\"{0}\": {0}", name));
  return entries.empty() ? "" : fmt::format("{{{}}}", fmt::join(entries, ", "));
}

/// Whether the program has this function at module level.
bool defines(const std::string& program, const std::string& function) {
  return program.starts_with("def " + function + "(") || program.find("\ndef " + function + "(") != std::string::npos;
}

/// What a function of the program returns, judged by its first return.
enum class Returned { list, named, other };

Returned returned_by(const std::string& program, const std::string& function) {
  const std::size_t start = program.find("def " + function);
  const std::size_t at = start == std::string::npos ? start : program.find("return ", start);
  if (at == std::string::npos) return Returned::other;
  const std::string_view value = std::string_view(program).substr(at + std::string_view("return ").size());
  if (value.starts_with("{") || value.starts_with("dict(")) return Returned::named;
  const bool list = value.starts_with("[") || value.starts_with("(") || value.starts_with("tuple(");
  return list || value.starts_with("list(") ? Returned::list : Returned::other;
}

void set_program(Fields& fields, const DraftFacts& facts, const std::string& program, int calls) {
  static const RE2 kScaled(R"(def\s+get_inputs\([^)]*scale)", RE2::Latin1);
  const std::string& whole = facts.finding.reduced;
  const bool scale = calls > 1 && RE2::PartialMatch(whole, kScaled);
  const bool random = whole.find("import random") != std::string::npos;
  const bool numpy = program.find("numpy") != std::string::npos;
  set_flags(fields, {{"random", random},
                     {"numpy", numpy},
                     {"seeds_more", random || numpy},
                     {"without_torch", program.find("import torch\n") == std::string::npos},
                     {"init_inputs", whole.find("def get_init_inputs") != std::string::npos},
                     {"named_init", returned_by(program, "get_init_inputs") == Returned::named},
                     {"named", returned_by(program, "get_inputs") == Returned::named},
                     {"maybe_one_input", returned_by(program, "get_inputs") == Returned::other}});
  set_texts(fields, {{"source", scale ? "get_inputs(scale=call + 1) if call else get_inputs()" : "get_inputs()"},
                     {"globals", globals_of(facts)}});
}

void set_options(Fields& fields, const DraftFacts& facts, const Options& options, const oracle::ModeRow& mode) {
  const std::string device(name(oracle::device_named(facts.finding.device)));
  const std::string dtype = options.text("default_dtype", "");
  const bool backward = options.flag("backward"), own_random = options.flag("own_random");
  const int threads = threads_needed(facts);
  const auto dynamo = settings_of(mode, "dynamo");
  auto functorch = settings_of(mode, "functorch");
  const bool casts = !autocast_of(options, device).empty();
  // Backward runs outside of forward's autocast, which the compiler is told (torch 2.9 and newer).
  if (casts && backward && oracle::is_at_least(facts.finding.torch, 2, 9)) functorch["backward_pass_autocast"] = "off";
  const auto inductor = settings_of(mode, "inductor");
  nlohmann::json always{{"fallback_random", !own_random}, {"force_disable_caches", true}};
  always.update(inductor);
  const bool compiled_autograd =
      options.merged("dynamo_config", dynamo).value("compiled_autograd", nlohmann::json()) == true;
  set_flags(fields, {{"backward", backward},
                     {"compiled_autograd", backward && compiled_autograd},
                     {"cuda", device == "cuda"},
                     {"dynamic", options.flag("dynamic") || mode.dynamic},
                     {"grad", backward || options.flag("grad") || defines(facts.finding.reduced, "step")},
                     {"graph", options.flag("graph")},
                     {"own_random", own_random},
                     {"train", options.flag("train")}});
  set_texts(fields, {{"autocast", autocast_of(options, device)},
                     {"default_dtype", dtype == "float32" ? "" : dtype},
                     {"device", device},
                     {"dynamo", options.settings("dynamo_config", dynamo)},
                     {"functorch", options.settings("functorch_config", functorch)},
                     {"inductor", options.settings("inductor_config", always)},
                     {"set_dynamo", options.assignments("dynamo_config", "torch._dynamo.config", dynamo)},
                     {"set_functorch", options.assignments("functorch_config", "torch._functorch.config", functorch)},
                     {"set_inductor", options.assignments("inductor_config", "torch._inductor.config", inductor)},
                     {"threads", threads > 0 ? std::to_string(threads) : ""},
                     // Setting one thread, with gradients, would exceed the number of lines people read.
                     {"plain_threads", threads > (backward ? 1 : 0) ? std::to_string(threads) : ""}});
  fields.set("marks", marks_of(options));
}

/// The arguments of torch.compile besides what it compiles. `backend`: the script takes one.
std::vector<std::string> compile_arguments(const Options& options, const oracle::ModeRow& mode, bool backend) {
  std::vector<std::string> all;
  if (backend) all.emplace_back("backend=BACKEND");
  if (!mode.compile_mode.empty()) {
    const char* const otherwise = backend ? " if BACKEND == \"inductor\" else None" : "";
    all.push_back(fmt::format("mode=\"{}\"{}", mode.compile_mode, otherwise));
  }
  if (options.flag("dynamic") || mode.dynamic) all.emplace_back("dynamic=True");
  if (options.flag("fullgraph")) all.emplace_back("fullgraph=True");
  return all;
}

/// What is called, and how that is compiled.
void set_route(Fields& fields, const Options& options, const oracle::ModeRow& mode, const std::string& program,
               bool backend) {
  const bool step = defines(program, "step");
  const bool graph = options.flag("graph"), exported = oracle::is_exported(mode) && !graph;
  const bool regions = mode.route == "regions" && !graph, threads = mode.route == "threads" && !graph;
  const bool functional = mode.functional && !step && !graph;
  set_flags(fields, {{"by_compile", !graph && !exported && !regions && !threads && !functional},
                     {"decomposed", mode.backend == "aot_eager"},
                     {"exported", exported},
                     {"functional", functional},
                     {"get_state", defines(program, "get_state")},
                     {"packaged", mode.backend == "inductor"},
                     {"regions", regions},
                     {"step", step},
                     {"strict", mode.route == "export_strict"},
                     {"threads_apart", threads},
                     {"without_dynamo", graph || exported}});
  const std::string arguments = fmt::format("{}", fmt::join(compile_arguments(options, mode, backend), ", "));
  set_texts(fields, {{"arguments", arguments.empty() ? "" : ", " + arguments}, {"called", step ? "step" : "model"}});
}

/// The results that are compared besides what the last call returns.
void set_results(Fields& fields, const DraftFacts& facts, bool backward, int calls) {
  static const RE2 kState(R"((?s)(?:input_after|buffer\.|parameter\.).*)", RE2::Latin1);
  static const RE2 kOwnState(R"((?s)state\..*)", RE2::Latin1), kCall(R"((?s)call\[.*)", RE2::Latin1);
  static const RE2 kGradient(R"((?s)gradient\..*)", RE2::Latin1);
  // A pytree ends at an object, whose repr is its address.
  static const RE2 kAttribute(R"(output(?:\[[^\]]*\]|\.\w+)*\.[A-Za-z_]\w*.*)", RE2::Latin1);
  const Kind kind = facts.finding.kind;
  set_flags(fields, {{"compared", !oracle::fails(kind) && kind != Kind::missing_check},
                     {"behaviour", kind == Kind::behaviour},
                     {"missing_check", kind == Kind::missing_check},
                     {"in_child", kind == Kind::crash || kind == Kind::hang},
                     {"hang", kind == Kind::hang},
                     {"layout", kind == Kind::metadata},
                     {"changes_state", kind == Kind::mutation || reported(facts, kState)},
                     {"keeps_state", reported(facts, kOwnState)},
                     {"objects", reported(facts, kAttribute)},
                     {"earlier_calls", calls > 1 && reported(facts, kCall)},
                     {"leaves_gradients", !backward && reported(facts, kGradient)}});
  set_texts(fields, {{"expected_error", expected_error(facts)}, {"limit", std::to_string(kLimitSeconds)}});
}

/// By the program's text, or by what the compiler captured.
bool draws(const DraftFacts& facts) {
  return may_draw(facts.finding.reduced) || std::ranges::any_of(facts.rounds, [](const EvidenceRow& round) {
           const auto* const compiled = round.evidence.outcome(round.evidence.compiled);
           return compiled != nullptr && !compiled->seeded.empty();
         });
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

void set_flags(Fields& fields, const std::vector<std::pair<std::string, bool>>& flags) {
  for (const auto& [name, value] : flags)
    fields.set(name, Fields(value ? Fields::type::bool_true : Fields::type::bool_false));
}

void set_texts(Fields& fields, const std::vector<std::pair<std::string, std::string>>& texts) {
  for (const auto& [name, value] : texts)
    fields.set(name, value.empty() ? Fields(Fields::type::bool_false) : Fields(value));
}

Fields script_fields(const DraftFacts& facts, const std::string& program, const std::string& backend) {
  const Options options(facts.options_json);
  const auto& mode = mode_of(facts);
  const int calls = std::max(mode.calls, options.number("calls"));
  const auto drawn = drawn_number(facts);
  Fields fields;
  set_program(fields, facts, program, drawn ? 1 : calls);
  set_options(fields, facts, options, mode);
  set_route(fields, options, mode, facts.finding.reduced, !backend.empty() && !drawn);
  set_results(fields, facts, options.flag("backward"), calls);
  set_flags(fields,
            {{"seeded", drawn || draws(facts)}, {"has_mode", drawn || may_depend_on_mode(facts.finding.reduced)}});
  set_texts(fields, {{"backend", backend},
                     {"seed", std::to_string(facts.seed)},
                     {"calls", calls > 1 ? std::to_string(calls) : ""},
                     {"indent", calls > 1 && !drawn ? "        " : "    "}});
  if (drawn) set_drawn(fields, *drawn, facts.seed, options.flag("backward"));
  return fields;
}

std::string script(const std::string& name, Fields fields) {
  for (const auto& [part, text] : templates()) fields.set(part, Fields(text));
  kainjow::mustache::mustache page(templates().at(name + ".py"));
  page.set_custom_escape([](const std::string& text) { return text; });
  return page.render(fields) + "\n";
}

std::string repro_program(const DraftFacts& facts) {
  std::string program = clean_text(facts.finding.reduced);
  while (program.ends_with('\n')) program.pop_back();
  const bool has_long_text = program.find("\"\"\"") != std::string::npos || program.find("'''") != std::string::npos;
  if (!has_long_text) RE2::GlobalReplace(&program, "\n{4,}", "\n\n\n");  // where the reduction has removed lines
  return program;
}

std::string without_prefix(std::string script) {
  replace_all(script, "repro_", "");
  return script;
}

std::string without_clashes(std::string script, const std::string& program) {
  if (program.find("repro_") != std::string::npos) replace_all(script, "repro_", "parityd_repro_");
  return script;
}

std::string python_literal(const nlohmann::json& value) {
  std::string text;
  switch (value.type()) {
    case nlohmann::json::value_t::object:
      for (const auto& [key, child] : value.items()) {
        text += (text.empty() ? "" : ", ") + python_literal(key) + ": " + python_literal(child);
      }
      return "{" + text + "}";
    case nlohmann::json::value_t::array:
      for (const auto& child : value) text += (text.empty() ? "" : ", ") + python_literal(child);
      return "[" + text + "]";
    case nlohmann::json::value_t::boolean:
      return value.get<bool>() ? "True" : "False";
    case nlohmann::json::value_t::number_integer:
    case nlohmann::json::value_t::number_unsigned:
    case nlohmann::json::value_t::number_float:
      return value.dump();
    case nlohmann::json::value_t::string:  // JSON's escapes mean the same in Python
      return oracle::compact(value);
    default:
      return "None";
  }
}

}  // namespace parityd::store
