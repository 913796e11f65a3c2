#include "agent/cli/commands/import_lines.h"

#include <fmt/format.h>

#include <ostream>
#include <vector>

#include "agent/cli/requesting.h"
#include "agent/cli/table.h"
#include "store/upkeep/interchange.h"

namespace parityd::agent {
namespace {

constexpr std::size_t kTogether =
    200;  // requests of one transaction: a daemon beside us waits no longer than for these
constexpr std::int64_t kMostSaid = 100;

class Lines {
 public:
  Lines(Context& context, store::Store& store, const std::string& name)
      : context_(context), store_(store), name_(name) {}

  /// False: the rest of the file is not for us.
  bool take(const std::string& text, std::int64_t number) {
    const auto line = store::interchange_line(text);
    if (!line) {
      refuse(number, line.error().message);
      return !line.error().newer_version;
    }
    if (line->text.empty()) return true;
    requests::Import program{
        .file = fmt::format("{}:{}", name_, number), .text = line->text, .line = true, .options_json = {}};
    if (!line->options_json.empty()) program.options_json = line->options_json;
    requests_.push_back(own_row(program));
    if (requests_.size() >= kTogether) queue();
    return true;
  }

  LinesTaken end() {
    queue();
    if (taken_.refused > kMostSaid) {
      context_.err << fmt::format("parityd import: {}: and {} lines more\n", printable_line(name_),
                                  taken_.refused - kMostSaid);
    }
    return taken_;
  }

 private:
  void refuse(std::int64_t number, const std::string& why) {
    if (++taken_.refused > kMostSaid) return;
    context_.err << fmt::format("parityd import: {}:{}: {}\n", printable_line(name_), number, printable_line(why));
  }

  void queue() {
    store_.transaction([&] {
      for (const auto& row : requests_) store_.requests.add(row);
    });
    taken_.queued += static_cast<std::int64_t>(requests_.size());
    requests_.clear();
  }

  Context& context_;
  store::Store& store_;
  std::string name_;
  std::vector<store::RequestRow> requests_;
  LinesTaken taken_;
};

}  // namespace

LinesTaken import_lines(Context& context, store::Store& store, std::istream& stream, const std::string& name) {
  Lines lines(context, store, name);
  std::string text;
  for (std::int64_t number = 1; std::getline(stream, text); ++number) {
    if (text.ends_with('\r')) text.pop_back();
    if (number == 1 && text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
    if (text.find_first_not_of(" \t") == std::string::npos) continue;
    if (!lines.take(text, number)) break;
  }
  return lines.end();
}

}  // namespace parityd::agent
