#include "oracle/rules/message.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "oracle/rules/signature.h"

namespace parityd::oracle {
namespace {

constexpr std::size_t kLongest = 400;

struct Rewrite {
  const char* pattern;
  const char* replacement;
};

// The order matters: a whole that is recognised comes before the numbers inside it.
constexpr std::array kRewrites{
    Rewrite{R"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?Z?)", "<time>"},
    Rewrite{R"(\b0x[0-9a-fA-F]+\b)", "<address>"},
    Rewrite{R"(\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b)", "<uuid>"},
    Rewrite{R"((?:[A-Za-z]:)?(?:/[\w.+~@<>-]+)+/([\w.+<>-]+))", R"(\1)"},  // folders
    Rewrite{R"(\bc?[a-z2-7]{40,}\.(?:py|cpp|so|o|h|cubin|ptx))", "<generated>"},
    Rewrite{R"(\bc?[a-z2-7]{40,}\b)", "<generated>"},
    Rewrite{R"(\btmp[a-z0-9_]{8}\b)", "<temporary>"},
    Rewrite{R"(\b(?:pid|PID|process)([ =:]+)\d+)", R"(pid\1#)"},
    Rewrite{R"(\.(py|cpp|h|hpp|cu|so):\d+(?::\d+)?)", R"(.\1)"},
    Rewrite{R"(\bline \d+)", "line #"},
    Rewrite{R"(\btensor\([^()]*(?:\([^()]*\)[^()]*)*\))", "tensor(…)"},
    Rewrite{R"('[^'\n]{80,}')", "'…'"},
    Rewrite{R"("[^"\n]{80,}")", "\"…\""},
    Rewrite{R"(\b(tmp|buf|op|arg|primals|tangents|view|xindex|yindex|rindex|xnumel|rnumel)_?\d+(_\d+)?\b)", R"(\1#)"},
    Rewrite{R"(\{(?:(?:arg|primals|tangents)#(?:, )?)+\})", "{…}"},  // of as many as the graph has, in any order
    Rewrite{R"(\b(s|u|zuf|zf|ps|ks|x|y|z|r)\d+\b)", R"(\1#)"},
    Rewrite{R"(\bi[0-7]\b)", "i#"},
    Rewrite{R"(\b([A-Za-z][A-Za-z0-9_]*?)_\d+\b)", R"(\1_#)"},  // graph nodes: add_12, getitem_3
    Rewrite{R"([-+]?\b\d+(?:\.\d*)?(?:[eE][-+]?\d+)?[LUu]*\b)", "#"},
    Rewrite{R"(%[A-Za-z_][A-Za-z0-9_]*#?)", "<node>"},  // torch.fx's way to name one
    Rewrite{R"(\b([Nn]ode:?) [A-Za-z_][A-Za-z0-9_]*_#)", R"(\1 <node>)"},
    Rewrite{R"(\s+)", " "},
};

/// These words begin the program's own lines, and advice that is the same for every error.
constexpr std::array<std::string_view, 7> kEndings{
    "from user code:",
    "Set TORCHDYNAMO_VERBOSE=1",
    "Set TORCH_LOGS=",
    "You can suppress this exception",
    "The above exception was the direct cause",
    "To execute this test, run",
    "Compile with `TORCH_USE_CUDA_DSA`",
};

const std::vector<std::unique_ptr<const RE2>>& compiled_patterns() {
  static const auto patterns = [] {
    std::vector<std::unique_ptr<const RE2>> made;
    made.reserve(kRewrites.size());
    for (const Rewrite& rewrite : kRewrites) made.push_back(std::make_unique<const RE2>(rewrite.pattern));
    return made;
  }();
  return patterns;
}

std::string without_endings(std::string_view message) {
  std::size_t end = message.size();
  for (const std::string_view ending : kEndings) end = std::min(end, message.find(ending));
  return std::string(message.substr(0, end));
}

/// Calls `use` with each line, unchanged.
template <typename Use>
void each_line(std::string_view text, Use use) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    use(text.substr(at, end - at));
    at = end + 1;
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  each_line(text, [&](std::string_view line) {
    if (!trimmed(line).empty()) lines.emplace_back(trimmed(line));
  });
  return lines;
}

/// A line of a traceback: a file, or source beneath it. "None" means a node of unknown origin.
bool is_of_trace(std::string_view line) {
  constexpr std::size_t kSourceIndent = 4;
  const std::string_view text = trimmed(line);
  return text.empty() || text == "None" || text.starts_with("File \"") || line.find_first_not_of(' ') >= kSourceIndent;
}

/// "backend='inductor' raised:", and the lines of a graph that is printed whole: those vary with the program's size.
bool says_nothing(const std::string& line) {
  static const RE2 backend(R"(backend='[^']*' raised:)");
  static const RE2 rule(R"([-=^~ ]+)");
  static const RE2 node(R"(%\w+ : \[num_users=\d+\] = .*|return .*%\w+.*)");
  return RE2::FullMatch(line, backend) || RE2::FullMatch(line, rule) || RE2::FullMatch(line, node);
}

/// Removes the arguments of a failing lowering (torch/_inductor/exc.py, LoweringException): buffers, each over many
/// lines, with the code that fills them and lines of the program. All of them are indented like "target: …".
std::string without_lowering_arguments(std::string_view message) {
  static const RE2 argument(R"((?:args\[\d+\]|kwargs): .*)");
  std::string kept;
  bool in_arguments = false;
  each_line(message, [&](std::string_view line) {
    const std::string_view text = trimmed(line);
    const bool goes_on = in_arguments && (text.empty() || line.starts_with("  ")) && !text.starts_with("target: ");
    in_arguments = goes_on || RE2::FullMatch(re2::StringPiece(text.data(), text.size()), argument);
    if (!in_arguments) kept += std::string(line) + "\n";
  });
  return kept;
}

/// A C++ compiler's output is mostly notes about headers; only its errors matter, and the first three are kept.
std::vector<std::string> compiler_errors(const std::vector<std::string>& lines) {
  static const RE2 error(R"((?:.*?: )?(?:fatal )?error: (.*))");
  static const RE2 native(R"(.*\.(?:cpp|h|hpp|cu):\d+:\d+: (?:fatal )?error: .*)");
  std::vector<std::string> errors;
  for (const std::string& line : lines) {
    std::string text;
    if (errors.size() < 3 && RE2::FullMatch(line, native) && RE2::FullMatch(line, error, &text))
      errors.push_back("error: " + text);
  }
  return errors;
}

std::string rewritten(std::string text) {
  for (std::size_t i = 0; i < kRewrites.size(); ++i)
    RE2::GlobalReplace(&text, *compiled_patterns()[i], kRewrites[i].replacement);
  return text;
}

std::string capped(std::string text) {
  if (text.size() <= kLongest) return text;
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // not inside a character
  return text.substr(0, end) + "…";
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

std::string lowered(std::string_view text) {
  std::string small(text);
  for (char& letter : small) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return small;
}

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  return text;
}

std::string without_triton_source(const std::string& message) {
  static const RE2 excerpt(R"((?:^|\b)at \d+:\d+:\n(?:.*\n)*?(.*)\n( *)\^(?:\n|$))");
  std::string text = message;
  std::array<re2::StringPiece, 3> found;  // the excerpt; in it the marked line, and the blanks before the caret
  while (excerpt.Match(text, 0, text.size(), RE2::UNANCHORED, found.data(), static_cast<int>(found.size()))) {
    const auto& [whole, source, indent] = found;
    const std::size_t skipped = indent.size() < source.size() ? indent.size() : 0;
    const std::string at(source.data() + skipped, source.size() - skipped);
    text.replace(static_cast<std::size_t>(whole.data() - text.data()), whole.size(),
                 at.substr(0, at.find_first_of("( ")) + "\n");
  }
  return text;
}

std::optional<std::string> words_of_triton(const std::string& message) {
  static const RE2 below_caret(R"(\n *\^\n(.+))");
  static const RE2 excerpt(R"((?m)\bat \d+:\d+:$)");
  static const RE2 named(R"(\w*(?:Error|Exception)\b.*)");
  if (!RE2::PartialMatch(message, excerpt)) return std::nullopt;  // Python's own reports have carets, too
  std::string line, reason;
  for (re2::StringPiece rest(message); RE2::FindAndConsume(&rest, below_caret, &line);) {
    if (!RE2::PartialMatch(line, excerpt)) reason = line;
  }
  if (reason.empty()) return std::nullopt;
  return (RE2::FullMatch(reason, named) ? "Triton's " : "Triton's CompilationError: ") + reason;
}

std::string without_native_frames(std::string message) {
  static const RE2 raised(R"((?:\\n|\n)Exception raised from [^\n]*? \(most recent call first\):)");
  static const RE2 frame(R"((?:\\n|\n)frame #\d+: (?:[^\\\n]|\\[^n])*)");
  static const RE2 end_of_quoted(R"((?:\\n)+(['"]\)))");
  if (RE2::GlobalReplace(&message, raised, "") + RE2::GlobalReplace(&message, frame, "") > 0) {
    RE2::GlobalReplace(&message, end_of_quoted, R"(\1)");
  }
  return message;
}

std::string without_graph_places(std::string_view message) {
  std::string kept;
  bool in_trace = false;
  each_line(message, [&](std::string_view line) {
    const std::string_view text = trimmed(line);
    const bool heads_trace = text.starts_with("Original traceback:") || text.starts_with("Found from");
    in_trace = heads_trace || (in_trace && is_of_trace(line));
    const bool says_where = text.starts_with("While executing %") || text.starts_with("Use tlparse to see full graph");
    if (!in_trace && !says_where) kept += std::string(line) + "\n";
  });
  return kept;
}

std::optional<FakeCall> fake_call(const std::string& message) {
  static const std::string call =
      R"re((?s)call_(?:function|method|module) (?:<(?:built-in )?(?:method|function) (\w+)[^>]*>|([\w.]+))\(\*.*?)re"
      R"re(\*\*\{.*?\}\):)re";
  static const RE2 report(call + R"re( got (\w+)\((?:'(.*?)'|"(.*?)")\)(?:\n|$))re");
  static const RE2 older_report(call + R"re(\n(.+?)\n\nfrom user code:)re");  // torch 2.6
  std::string function, named, error, single, twice;
  if (RE2::PartialMatch(message, report, &function, &named, &error, &single, &twice)) {
    return FakeCall{.called = function + named, .error = error + ": " + single + twice};
  }
  if (RE2::PartialMatch(message, older_report, &function, &named, &error) && !error.starts_with('\n')) {
    return FakeCall{.called = function + named, .error = error};
  }
  return std::nullopt;
}

std::string words(const FakeCall& call) { return call.error + " (" + call.called + " called with fake tensors)"; }

std::string normalise_message(std::string_view whole) {
  const std::string message = without_native_frames(std::string(whole));
  const auto fake = fake_call(message);
  const std::string error = fake ? "fake tensors: " + fake->error
                                 : without_lowering_arguments(without_graph_places(without_endings(message)));
  const std::vector<std::string> lines = lines_of(without_triton_source(error));
  std::vector<std::string> kept = compiler_errors(lines);
  if (kept.empty()) {
    std::copy_if(lines.begin(), lines.end(), std::back_inserter(kept),
                 [](const auto& line) { return !says_nothing(line); });
  }
  std::vector<std::string> unique;  // some versions print a lowering's text twice
  for (const std::string& line : kept) {
    std::string text = rewritten(line);
    if (std::find(unique.begin(), unique.end(), text) == unique.end()) unique.push_back(std::move(text));
  }
  std::string joined;
  for (const std::string& line : unique) joined += (joined.empty() ? "" : " ") + line;
  const std::size_t last = joined.find_last_not_of(' ');
  return capped(last == std::string::npos ? "" : joined.substr(0, last + 1));
}

}  // namespace parityd::oracle
