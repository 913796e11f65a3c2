#include "prompts/strategy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <kainjow/mustache.hpp>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

namespace parityd::prompts {
namespace fs = std::filesystem;
namespace {

/// Enough for any program worth repairing, small beside the model's window.
constexpr std::size_t kProgramCap = std::size_t{16} * 1024;
constexpr std::size_t kFactsCap = std::size_t{24} * 1024;
constexpr std::size_t kErrorCap = 600;
constexpr std::size_t kLiveTensorCap = 24;
constexpr std::size_t kLiveTensorLength = 200;

tl::expected<std::string, std::string> read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream content;
  content << stream.rdbuf();
  if (!stream) {
    return tl::unexpected(fmt::format("{}: cannot be read", file.string()));
  }
  std::string text = content.str();
  std::erase(text, '\r');
  return text;
}

tl::expected<void, std::string> set_field(Strategy& strategy, const std::string& key, const std::string& value) {
  if (key == "title") {
    strategy.title = value;
    return {};
  }
  if (key == "weight") {
    char* end = nullptr;
    strategy.weight = std::strtod(value.c_str(), &end);
    const bool number = !value.empty() && *end == '\0' && std::isfinite(strategy.weight);
    return number && strategy.weight >= 0
               ? tl::expected<void, std::string>{}
               : tl::unexpected(fmt::format("weight: \"{}\" is not a number from 0 up", value));
  }
  if (key == "options") {
    const auto options = nlohmann::json::parse(value, nullptr, false);
    if (!options.is_object()) {
      return tl::unexpected(std::string("options: expected a JSON object, such as {\"train\": true}"));
    }
    strategy.options_json = options.dump();
    return {};
  }
  return tl::unexpected(fmt::format("no such field \"{}\"; there are title, weight, options", key));
}

/// Front matter between two lines of `---`, then the text.
tl::expected<Strategy, std::string> parse_strategy(const fs::path& file, const std::string& content) {
  Strategy strategy{.name = file.stem().string(), .options_json = "{}"};
  std::istringstream stream(content);
  std::string line;
  int number = 1;
  if (!std::getline(stream, line) || line != "---") {
    return tl::unexpected(fmt::format("{}:1: expected front matter that begins with ---", file.string()));
  }
  while (std::getline(stream, line) && line != "---") {
    ++number;
    const auto colon = line.find(':');
    if (colon == std::string::npos) {
      return tl::unexpected(fmt::format("{}:{}: expected \"key: value\"", file.string(), number));
    }
    const auto begin = line.find_first_not_of(' ', colon + 1);
    if (auto set = set_field(strategy, line.substr(0, colon), begin == std::string::npos ? "" : line.substr(begin));
        !set) {
      return tl::unexpected(fmt::format("{}:{}: {}", file.string(), number, set.error()));
    }
  }
  strategy.text.assign(std::istreambuf_iterator<char>(stream), {});
  strategy.title = strategy.title.empty() ? strategy.name : strategy.title;
  if (line != "---" || strategy.text.find_first_not_of(" \n") == std::string::npos) {
    return tl::unexpected(
        fmt::format("{}:{}: front matter must end with --- and be followed by the text", file.string(), number));
  }
  return strategy;
}

tl::expected<void, std::string> add_strategies(PromptSet& prompts, const fs::path& folder) {
  if (!fs::is_directory(folder)) {
    return {};
  }
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".md") {
      continue;
    }
    const auto content = read(entry.path());
    if (!content) {
      return tl::unexpected(content.error());
    }
    auto strategy = parse_strategy(entry.path(), *content);
    if (!strategy) {
      return tl::unexpected(strategy.error());
    }
    std::erase_if(prompts.strategies, [&](const Strategy& each) { return each.name == strategy->name; });
    prompts.strategies.push_back(std::move(*strategy));
  }
  return {};
}

/// At most `cap` bytes, not ending inside a character.
std::string_view head(std::string_view text, std::size_t cap) {
  if (text.size() <= cap) {
    return text;
  }
  while (cap > 0 && (static_cast<unsigned char>(text[cap]) & 0xC0U) == 0x80U) {
    --cap;
  }
  return text.substr(0, cap);
}

/// Data from programs and errors: no control characters but newline and tab, at most `cap` bytes.
std::string plain(std::string_view text, std::size_t cap) {
  const std::string_view kept = head(text, cap);
  std::string result;
  for (std::size_t at = 0; at < kept.size(); ++at) {
    const auto byte = static_cast<unsigned char>(kept[at]);
    const bool second = at + 1 < kept.size() && static_cast<unsigned char>(kept[at + 1]) < 0xA0;
    if (byte == 0xC2 && second) {
      ++at;  // the control characters that UTF-8 spells in two bytes
    } else if (byte == '\n' || byte == '\t' || (byte >= 0x20 && byte != 0x7f)) {
      result += kept[at];
    }
  }
  return text.size() > cap ? result + "\n[cut]" : result;
}

std::string one_line(std::string_view text, std::size_t cap) {
  std::string result = plain(text, cap);
  std::replace(result.begin(), result.end(), '\n', ' ');
  return result;
}

kainjow::mustache::data shown(bool condition) {
  return condition ? kainjow::mustache::data::type::bool_true : kainjow::mustache::data::type::bool_false;
}

/// Longer than any run of backticks inside, so that data cannot end its own fence.
std::string fence_for(std::string_view text) {
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(longest + 1, '`');
}

std::string render(const std::string& text, const kainjow::mustache::data& data) {
  kainjow::mustache::mustache view(text);
  view.set_custom_escape([](const std::string& value) { return value; });  // prompts are not HTML
  return view.render(data);
}

}  // namespace

const Strategy* PromptSet::find(const std::string& name) const {
  const auto found =
      std::find_if(strategies.begin(), strategies.end(), [&](const Strategy& each) { return each.name == name; });
  return found == strategies.end() ? nullptr : &*found;
}

tl::expected<PromptSet, std::string> load_prompts(const fs::path& folder, const std::vector<fs::path>& extra) {
  PromptSet prompts;
  std::vector<fs::path> folders = {folder};
  folders.insert(folders.end(), extra.begin(), extra.end());
  for (const auto& each : folders) {
    if (!fs::is_directory(each)) {
      return tl::unexpected(fmt::format("{}: no such folder of prompts", each.string()));
    }
    for (auto [name, target] : {std::pair{"system.md", &prompts.system}, std::pair{"repair.md", &prompts.repair},
                                std::pair{"draft.md", &prompts.draft}}) {
      if (!fs::exists(each / name) && !target->empty()) {
        continue;
      }
      auto text = read(each / name);
      if (!text) {
        return tl::unexpected(text.error());
      }
      *target = std::move(*text);
    }
    if (auto added = add_strategies(prompts, each / "strategies"); !added) {
      return tl::unexpected(added.error());
    }
  }
  if (std::none_of(prompts.strategies.begin(), prompts.strategies.end(),
                   [](const Strategy& each) { return each.weight > 0; })) {
    return tl::unexpected(
        fmt::format("{}: holds no strategy with a weight above zero", (folder / "strategies").string()));
  }
  std::sort(prompts.strategies.begin(), prompts.strategies.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return prompts;
}

std::string render_generate(const Strategy& strategy, std::uint64_t seed) {
  // A few concrete asks keep equal prompts from getting equal answers where temperature cannot be set.
  static const std::vector<std::string> kEmphasis = {"Prefer sizes that are not multiples of 8.",
                                                     "Let one intermediate be used by three different consumers.",
                                                     "Use at least one reduction whose result is broadcast back.",
                                                     "Use a tensor of rank four or five.",
                                                     "Let one operand be non-contiguous.",
                                                     "Use an operator you have rarely seen under torch.compile.",
                                                     "Return several outputs, one of them an integer tensor.",
                                                     "Mix at least two dtypes.",
                                                     "Let one dimension have size 1 and be broadcast.",
                                                     "Put a loop of fixed length around two of the operators.",
                                                     "Use values near the edge of an operator's domain.",
                                                     "Let two outputs share an intermediate through views."};
  std::mt19937_64 random(seed);
  const auto& first = kEmphasis[random() % kEmphasis.size()];
  const auto& second = kEmphasis[random() % kEmphasis.size()];
  return fmt::format("{}\n\nFor this one: {}{}\nVariation {}.",
                     strategy.text.substr(0, strategy.text.find_last_not_of('\n') + 1), first,
                     first == second ? "" : " " + second, seed);
}

std::string render_repair(const PromptSet& prompts, const RepairFacts& facts) {
  const std::string program = plain(facts.program, kProgramCap);
  const std::string error = plain(facts.error, kErrorCap);
  const std::string source = one_line(facts.source_line, kErrorCap);
  std::string tensors;
  for (std::size_t index = 0; index < std::min(facts.live_tensors.size(), kLiveTensorCap); ++index) {
    tensors += (index == 0 ? "" : "\n") + one_line(facts.live_tensors[index], kLiveTensorLength);
  }
  kainjow::mustache::data data;
  data.set("fence", fence_for(program + "\n" + error + "\n" + source + "\n" + tensors));
  data.set("program", program);
  data.set("error", error);
  data.set("where", one_line(facts.where, kLiveTensorLength));
  data.set("line", shown(facts.line > 0));
  data.set("number", std::to_string(facts.line));
  data.set("source", source);
  data.set("live", shown(!tensors.empty()));
  data.set("tensors", tensors);
  data.set("again", shown(facts.round > 1));
  data.set("round", std::to_string(facts.round));
  return render(prompts.repair, data);
}

std::string render_draft(const PromptSet& prompts, const std::string& facts) {
  const std::string shown_facts = plain(facts, kFactsCap);
  kainjow::mustache::data data;
  data.set("fence", fence_for(shown_facts));
  data.set("facts", shown_facts);
  return render(prompts.draft, data);
}

}  // namespace parityd::prompts
