#include "agent/fixing/patch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "agent/fixing/forbidden.h"
#include "agent/fixing/line_diff.h"
#include "agent/fixing/python_scopes.h"
#include "store/base/text.h"

namespace parityd::agent {
namespace {
namespace fs = std::filesystem;

using Lines = std::vector<std::string_view>;

/// Places that an error lists.
constexpr std::size_t kMostPlaces = 5;

std::string_view without_end(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string without_blanks(std::string_view line) {
  std::string rest;
  std::ranges::copy_if(line, std::back_inserter(rest), [](char c) { return c != ' ' && c != '\t' && c != '\r'; });
  return rest;
}

/// The file of a module, relative to site-packages. A folder with an `__init__.py` takes precedence, as in Python.
tl::expected<std::string, std::string> file_of(const std::string& module, const fs::path& torch_folder) {
  const auto missing = [&](const std::string& why) { return tl::unexpected(fmt::format("{}: {}", module, why)); };
  std::string path = "torch";
  fs::path place = torch_folder;
  std::string_view rest = module;
  if (!rest.starts_with("torch")) return missing("is not a module of torch");
  rest.remove_prefix(path.size());
  std::error_code ignored;
  while (!rest.empty()) {
    if (!rest.starts_with('.')) return missing("is not a module of torch");
    rest.remove_prefix(1);
    const std::string part(rest.substr(0, rest.find('.')));
    if (part.empty() || !std::ranges::all_of(part, store::in_name)) return missing("is not a name");
    rest.remove_prefix(part.size());
    path += "/" + part;
    place /= part;
    const auto folder = fs::symlink_status(place, ignored);
    if (fs::is_symlink(folder)) return missing("is reached through a symbolic link");
    if (fs::is_directory(folder)) continue;
    if (!rest.empty()) return missing("there is no such module");
    path += ".py";
    place += ".py";
  }
  if (!path.ends_with(".py")) {
    path += "/__init__.py";
    place /= "__init__.py";
  }
  const auto file = fs::symlink_status(place, ignored);
  if (fs::is_symlink(file)) return missing("is a symbolic link");
  if (!fs::is_regular_file(file)) return missing("there is no such module");
  return path;
}

tl::expected<std::string, std::string> text_of(const fs::path& file) {
  std::error_code failed;
  const auto size = fs::file_size(file, failed);
  if (failed) return tl::unexpected("cannot be read: " + failed.message());
  if (size > kLargestFile) return tl::unexpected(fmt::format("has {} bytes, more than {}", size, kLargestFile));
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream || text.size() != size) return tl::unexpected(std::string("cannot be read"));
  if (!store::is_utf8(text) || text.find('\0') != std::string::npos) {
    return tl::unexpected(std::string("is not UTF-8 text"));
  }
  return text;
}

/// Where `wanted` stands in `lines`, compared by `same`; indices of the first lines.
template <class Same>
std::vector<std::size_t> places_of(const Lines& lines, const Lines& wanted, Same same) {
  std::vector<std::size_t> found;
  auto at = lines.begin();
  while ((at = std::search(at, lines.end(), wanted.begin(), wanted.end(), same)) != lines.end()) {
    found.push_back(static_cast<std::size_t>(at - lines.begin()));
    ++at;
  }
  return found;
}

std::string line_numbers(std::vector<std::size_t> places) {
  const bool more = places.size() > kMostPlaces;
  places.resize(std::min(places.size(), kMostPlaces));
  for (auto& place : places) ++place;
  return fmt::format("{} {}{}", places.size() == 1 ? "line" : "lines", fmt::join(places, ", "), more ? ", …" : "");
}

bool same_line(std::string_view a, std::string_view b) { return without_end(a) == without_end(b); }

/// Why a text is not found at one place.
std::string misplaced(const Lines& lines, const Lines& wanted, const std::vector<std::size_t>& places) {
  if (!places.empty()) {
    return fmt::format("SEARCH is found {} times, at {}; it must be found once: add lines before or after",
                       places.size(), line_numbers(places));
  }
  const auto near = places_of(lines, wanted, [](std::string_view a, std::string_view b) {
    return without_blanks(without_end(a)) == without_blanks(without_end(b));
  });
  if (!near.empty()) {
    return fmt::format("SEARCH is found 0 times; at {} the text differs only in white space", line_numbers(near));
  }
  const auto first = std::ranges::find_if(wanted, [](std::string_view line) { return !without_blanks(line).empty(); });
  const auto begins = first == wanted.end() ? std::vector<std::size_t>{} : places_of(lines, Lines{*first}, same_line);
  return begins.empty() ? "SEARCH is found 0 times; nor is its first line in the module"
                        : fmt::format("SEARCH is found 0 times; its first line is {}", line_numbers(begins));
}

/// Lines of a file and the text in their place.
struct Replacement {
  std::size_t begin = 0, count = 0;
  std::string text;
  std::size_t edit = 0;  // its number, for errors
};

/// The new lines, ended as the file's are: a last line without an end stays the last one, without an end.
std::string replacement_text(const Lines& lines, std::size_t begin, std::size_t count, std::string_view replace) {
  const bool crlf = lines[lines[begin].ends_with('\n') ? begin : 0].ends_with("\r\n");
  std::string text;
  for (const auto line : lines_of(replace)) {
    text += without_end(line);
    text += crlf ? "\r\n" : "\n";
  }
  if (begin + count == lines.size() && !lines.back().ends_with('\n')) text.resize(without_end(text).size());
  return text;
}

class Applied {
 public:
  Applied(std::string path, std::string text) : file_{.path = std::move(path), .before = std::move(text), .after = {}} {
    lines_ = lines_of(file_.before);
  }
  Applied(const Applied&) = delete;  // lines_ are views of file_
  Applied& operator=(const Applied&) = delete;

  /// "" or why it cannot be applied.
  std::string add(const Edit& edit, std::size_t number) {
    const Lines wanted = lines_of(edit.search);
    const auto places = places_of(lines_, wanted, same_line);
    if (places.size() != 1) return misplaced(lines_, wanted, places);
    Replacement made{.begin = places[0],
                     .count = wanted.size(),
                     .text = replacement_text(lines_, places[0], wanted.size(), edit.replace),
                     .edit = number};
    for (const auto& other : replacements_) {
      if (made.begin < other.begin + other.count && other.begin < made.begin + made.count) {
        return fmt::format("SEARCH overlaps that of edit {}; make one edit of both", other.edit);
      }
    }
    replacements_.push_back(std::move(made));
    return "";
  }

  ChangedFile file() {
    std::ranges::sort(replacements_, {}, &Replacement::begin);
    std::size_t at = 0;
    const auto keep = [&](std::size_t end) {
      for (; at < end; ++at) file_.after += lines_[at];
    };
    for (const auto& each : replacements_) {
      keep(each.begin);
      file_.after += each.text;
      at += each.count;
    }
    keep(lines_.size());
    return file_;
  }

 private:
  ChangedFile file_;
  Lines lines_;
  std::vector<Replacement> replacements_;
};

/// Each once: a change may have thousands of lines and functions.
std::vector<PythonScope> changed_scopes(const ChangedFile& file) {
  const PythonScopes old_scopes(file.before);
  const PythonScopes new_scopes(file.after);
  std::vector<PythonScope> changed;
  std::set<const PythonScope*> known;
  const auto touch = [&](const PythonScope* scope) {
    if (scope != nullptr && known.insert(scope).second) changed.push_back(*scope);
  };
  for (const Hunk& hunk : line_diff(lines_of(file.before), lines_of(file.after))) {
    for (std::size_t at = 0; at < hunk.before_count; ++at) touch(old_scopes.of(hunk.before + at));
    for (std::size_t at = 0; at < hunk.after_count; ++at) touch(new_scopes.of(hunk.after + at));
  }
  return changed;
}

/// Adds what a file's difference is to the patch. The error: it is forbidden.
std::optional<std::string> describe(const ChangedFile& file, Patch& patch) {
  for (const PythonScope& scope : changed_scopes(file)) {
    if (auto why = forbidden_function(file.path, scope)) return why;
  }
  const Lines before = lines_of(file.before);
  const Lines after = lines_of(file.after);
  for (const Hunk& hunk : line_diff(before, after)) {
    const auto part = [](const Lines& lines, std::size_t begin, std::size_t count) {
      const auto first = lines.begin() + static_cast<std::ptrdiff_t>(begin);
      return Lines(first, first + static_cast<std::ptrdiff_t>(count));
    };
    const auto why =
        forbidden_lines(part(before, hunk.before, hunk.before_count), part(after, hunk.after, hunk.after_count));
    if (why) return fmt::format("{}: {}", file.path, *why);
    patch.changed_lines += hunk.before_count + hunk.after_count;
  }
  std::ranges::move(changed_functions(file), std::back_inserter(patch.functions));
  patch.diff += unified_diff(file.path, file.before, file.after);
  return std::nullopt;
}

}  // namespace

std::vector<std::string> changed_functions(const ChangedFile& file) {
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const PythonScope& scope : changed_scopes(file)) {
    auto name = fmt::format("{}:{}", file.path, scope.name);
    if (known.insert(name).second) names.push_back(std::move(name));
  }
  return names;
}

tl::expected<Patch, std::string> make_patch(const ProposedChange& change, const fs::path& torch_folder) {
  std::map<std::string, Applied> files;
  std::vector<std::string> problems;
  std::size_t number = 0;
  for (const Edit& edit : change.edits) {
    ++number;
    const auto problem = [&](const std::string& what) { problems.push_back(fmt::format("edit {}: {}", number, what)); };
    const auto path = file_of(edit.module, torch_folder);
    if (!path) {
      problem(path.error());
      continue;
    }
    if (const auto why = forbidden_file(*path)) {
      problem(*why);
      continue;
    }
    auto found = files.find(*path);
    if (found == files.end()) {
      auto text = text_of(torch_folder.parent_path() / *path);
      if (!text) {
        problem(fmt::format("{} {}", edit.module, text.error()));
        continue;
      }
      found = files.try_emplace(*path, *path, std::move(*text)).first;
    }
    const auto why = found->second.add(edit, number);
    if (!why.empty()) problem(fmt::format("{}: {}", edit.module, why));
  }
  if (!problems.empty()) return tl::unexpected(fmt::format("{}", fmt::join(problems, "\n")));

  Patch patch;
  std::size_t size = 0;
  for (auto& [path, applied] : files) {
    ChangedFile file = applied.file();
    size += file.after.size();
    if (file.after.size() > kLargestFile || size > kLargestPatch) {
      return tl::unexpected(fmt::format("{} would have {} bytes; a file may have {}, all changed files {}", path,
                                        file.after.size(), kLargestFile, kLargestPatch));
    }
    if (file.after == file.before) continue;
    if (const auto why = describe(file, patch)) return tl::unexpected(*why);
    patch.files.push_back(std::move(file));
  }
  if (patch.files.empty()) return tl::unexpected(std::string("the edits change nothing"));
  return patch;
}

}  // namespace parityd::agent
