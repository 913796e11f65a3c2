// The sources of the torches under test, and the parts of them that a model was given to read. Times are Unix
// milliseconds.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/base/table.h"
#include "store/work/daemon_state.h"

namespace parityd::store {

/// A torch whose sources were read.
struct SourceTorchRow {
  Id id = 0;
  std::string torch;
  std::string fingerprint;  // of its files; empty: reading them is not finished
  Millis first_at = 0, read_at = 0;
};

/// A torch, and the one that it is compared with, if any.
struct SourcesInUse {
  SourceTorchRow torch;
  std::optional<SourceTorchRow> before;
};

/// Of `rows`, as returned by Sources::torches(), the last one that was read completely, not counting `before` and those
/// after it; nullopt if there is none.
[[nodiscard]] std::optional<SourceTorchRow> last_read(const std::vector<SourceTorchRow>& rows,
                                                      std::optional<Id> before = std::nullopt);

/// A function, method or registration of one torch.
struct SourceUnitRow {
  std::string file, name, area;
  int first_line = 0;
  std::string code;                                        // equal for code that behaves the same
  std::vector<std::string> registers, operators;           // what registers it, and for which operators
  std::vector<std::pair<std::string, std::string>> calls;  // file and name
  bool trivial = false;
  std::string text;  // for writing; rows that are read have the next three instead
  std::string text_hash;
  std::int64_t characters = 0, lines = 0;
};

/// Areas that are not code of the compiler: what its users are promised, and the samples with which PyTorch tests its
/// operators (executor/syntax/sources/areas.py).
inline constexpr std::string_view kDocumentation = "documentation", kSamples = "samples";
inline constexpr std::string_view kGpuCode = "GPU code generation";
[[nodiscard]] inline bool is_of_compiler(std::string_view area) { return area != kDocumentation && area != kSamples; }

/// A unit as it was at the time of a reading.
struct ReadUnit {
  std::string file, name, code;
};

/// The sources of the torches under test: units, their texts, and eager's promises. One thread.
class Sources : public Table {
 public:
  Sources(Connection& connection, Values& values) : Table(connection), values_(values) {}

  /// Finds the torch or adds it.
  Id torch_id(const std::string& torch, Millis at);
  /// Sets what the daemon reads now: its changes are relative to `before`.
  void set_in_use(Id torch, std::optional<Id> before);
  /// The daemon's last choice; before the first one, the torch that was read last. nullopt if none was read completely.
  [[nodiscard]] std::optional<SourcesInUse> in_use() const;
  [[nodiscard]] std::vector<SourceTorchRow> torches() const;  // in order of first appearance
  /// Replaces the file's units.
  void put_file(Id torch, const std::string& file, const std::vector<SourceUnitRow>& units);
  /// All of its files were put. Removes units of other files, and texts that no torch has.
  void end_reading(Id torch, const std::string& fingerprint, const std::vector<std::string>& files, Millis at);
  [[nodiscard]] std::vector<SourceUnitRow> units(Id torch) const;  // in the order of their files; without texts
  [[nodiscard]] std::vector<SourceUnitRow> units_of(const std::string& torch, const std::string& file) const;
  [[nodiscard]] std::string text(const std::string& hash) const;  // "" if there is none
  /// What eager promises about an operator, as used in prompts.
  void put_promise(Id torch, const std::string& operator_name, const std::string& promise);
  [[nodiscard]] std::string promise(Id torch, const std::string& operator_name) const;  // "" if nothing is known

 private:
  Values& values_;
};

}  // namespace parityd::store
