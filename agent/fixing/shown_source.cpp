#include "agent/fixing/shown_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <string_view>

#include "agent/fixing/line_diff.h"
#include "agent/fixing/python_scopes.h"
#include "store/base/text.h"

namespace parityd::agent {
namespace {

namespace fs = std::filesystem;
using Kind = SourceRequest::Kind;

/// No part of the compiler, and large.
constexpr std::string_view kNoCompiler[] = {"torch/testing/", "torch/_vendor/", "torch/onnx/", "torch/utils/hipify/"};

/// Texts of torch's Python files by their path, "torch/_inductor/ir.py".
class TorchFiles {
 public:
  explicit TorchFiles(const fs::path& torch_folder) {
    std::error_code error;
    for (fs::recursive_directory_iterator at(torch_folder, error), end; !error && at != end; at.increment(error)) {
      if (at->path().extension() != ".py" || at->is_symlink() || !at->is_regular_file()) continue;
      auto path = at->path().lexically_relative(torch_folder.parent_path()).generic_string();
      const auto within = [&](std::string_view folder) { return path.starts_with(folder); };
      if (std::ranges::none_of(kNoCompiler, within)) paths_.emplace(std::move(path), at->path());
    }
  }

  /// All paths, or the one that is asked for, if it exists.
  [[nodiscard]] std::vector<std::string> matching(const std::string& file) const {
    std::vector<std::string> found;
    for (const auto& [path, _] : paths_) {
      if (file.empty() || path == file || path == "torch/" + file) found.push_back(path);
    }
    return found;
  }

  [[nodiscard]] const std::string& text(const std::string& path) {
    const auto [place, is_new] = texts_.try_emplace(path);
    if (is_new) {
      std::ifstream file(paths_.at(path), std::ios::binary);
      place->second.assign(std::istreambuf_iterator<char>(file), {});
    }
    return place->second;
  }

 private:
  std::map<std::string, fs::path> paths_;
  std::map<std::string, std::string> texts_;
};

/// "Reduction.create" names "Reduction.create" and "ir.Reduction.create"; "create" both.
bool names(std::string_view asked, std::string_view definition) {
  if (!definition.ends_with(asked)) return false;
  return definition.size() == asked.size() || definition[definition.size() - asked.size() - 1] == '.';
}

std::string excerpt(std::string_view heading, const std::vector<std::string_view>& lines, std::size_t first,
                    std::size_t last) {
  const std::size_t end = std::min({last + 1, lines.size(), first + kMostLines});
  std::string text;
  for (std::size_t at = first; at < end; ++at) text += lines[at];
  if (end < last + 1 && end < lines.size())
    text += fmt::format("# … lines {} to {} are not shown\n", end + 1, last + 1);
  return fmt::format("### {}, lines {} to {}\n\n{}\n", heading, first + 1, last + 1, store::fenced(text, "python"));
}

std::string definitions(const SourceRequest& request, TorchFiles& files) {
  const std::string last = request.name.substr(request.name.rfind('.') + 1);
  std::vector<std::string> found;
  for (const auto& path : files.matching(request.file)) {
    const std::string& text = files.text(path);
    if (text.find("def " + last) == std::string::npos && text.find("class " + last) == std::string::npos) continue;
    const PythonScopes scopes(text);
    for (const auto& each : scopes.definitions()) {
      if (!names(request.name, each.name) || found.size() == kMostDefinitions) continue;
      found.push_back(excerpt(path + ":" + each.name, lines_of(text), each.first, each.last));
    }
  }
  return fmt::to_string(fmt::join(found, ""));
}

std::string lines(const SourceRequest& request, TorchFiles& files) {
  for (const auto& path : files.matching(request.file)) {
    const auto all = lines_of(files.text(path));
    const auto first = static_cast<std::size_t>(std::max(request.first, 1)) - 1;
    const auto last = std::min(static_cast<std::size_t>(std::max(request.last, 1)), all.size()) - 1;
    if (first <= last && last < all.size()) return excerpt(path, all, first, last);
  }
  return "";
}

/// "torch/_inductor/ir.py:120 in Reduction.create: the line".
std::string holding(const SourceRequest& request, TorchFiles& files) {
  std::string found;
  std::size_t number = 0;
  for (const auto& path : files.matching("")) {
    const std::string& text = files.text(path);
    if (text.find(request.name) == std::string::npos) continue;
    const PythonScopes scopes(text);
    const auto all = lines_of(text);
    for (std::size_t at = 0; at < all.size(); ++at) {
      if (all[at].find(request.name) == std::string_view::npos || ++number > kMostFound) continue;
      const auto* const scope = scopes.of(at);
      found += fmt::format("{}:{} in {}: {}", path, at + 1, scope != nullptr ? scope->name : "-", all[at]);
    }
  }
  if (number > kMostFound) found += fmt::format("and {} more lines\n", number - kMostFound);
  return found.empty() ? "" : fmt::format("### {}\n\n{}\n", request.asked, store::fenced(found, "text"));
}

}  // namespace

std::string shown_source(const std::vector<SourceRequest>& requests, const fs::path& torch_folder) {
  TorchFiles files(torch_folder);
  std::string text;
  for (const auto& request : requests) {
    std::string found = request.kind == Kind::definition ? definitions(request, files)
                        : request.kind == Kind::lines    ? lines(request, files)
                                                         : holding(request, files);
    if (found.empty()) found = fmt::format("### {}\n\nThere is none in torch's Python files.\n\n", request.asked);
    if (text.size() + found.size() > kLongestShown) {
      found = fmt::format("### {}\n\nToo long for this message: ask for some of its lines.\n\n", request.asked);
    }
    text += found;
  }
  return text + "Answer with your change, or NO PATCH.\n";
}

}  // namespace parityd::agent
