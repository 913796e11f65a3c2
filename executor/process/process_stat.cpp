#include "executor/process/process_stat.h"

#include <cstdlib>
#include <fstream>
#include <istream>
#include <iterator>
#include <sstream>

namespace parityd::executor {
namespace {

constexpr std::size_t kFirstField = 3;  // what stands before is the number and the name

}  // namespace

std::optional<ProcessStat> ProcessStat::of(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  return read(stat);
}

/// By getline, which makes a failed read a bad stream; an iterator over the buffer would throw.
std::optional<ProcessStat> ProcessStat::read(std::istream& stat) {
  std::string text;
  std::getline(stat, text, '\0');
  const auto name_end = text.rfind(')');  // a program chooses its name
  if (stat.bad() || name_end == std::string::npos) {
    return std::nullopt;
  }
  std::istringstream words(text.substr(name_end + 1));
  ProcessStat found;
  found.fields_.assign(std::istream_iterator<std::string>(words), {});
  return found.fields_.empty() ? std::nullopt : std::optional(found);
}

bool ProcessStat::ended() const { return fields_.front() == "Z" || fields_.front() == "X"; }

std::uint64_t ProcessStat::number(std::size_t field) const {
  const std::size_t index = field - kFirstField;
  return index < fields_.size() ? std::strtoull(fields_[index].c_str(), nullptr, 10) : 0;
}

}  // namespace parityd::executor
