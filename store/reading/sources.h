// Rows about the sources of the torches under test, and about what a model was given of them to read. Times are Unix
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
  std::string fingerprint;  // of its files; empty: reading them has not ended
  Millis first_at = 0, read_at = 0;
};

/// A torch, and the one that it is compared with, if there is one.
struct SourcesInUse {
  SourceTorchRow torch;
  std::optional<SourceTorchRow> before;
};

/// Of `rows`, which Sources::torches() gave, the last one that was read to its end, up to the one with id
/// `before`; nothing: there is none.
[[nodiscard]] std::optional<SourceTorchRow> last_read(const std::vector<SourceTorchRow>& rows,
                                                      std::optional<Id> before = std::nullopt);

/// A function, method or registration of one torch.
struct SourceUnitRow {
  std::string file, name, area;
  int first_line = 0;
  std::string code;                                        // the same where it behaves alike
  std::vector<std::string> registers, operators;           // what registers it, for which operators
  std::vector<std::pair<std::string, std::string>> calls;  // file and name
  bool trivial = false;
  std::string text;  // written; what is read has the next three instead
  std::string text_hash;
  std::int64_t characters = 0, lines = 0;
};

/// Not code of the compiler, but what its users are promised, or what PyTorch tests its operators with
/// (executor/syntax/sources/areas.py).
inline constexpr std::string_view kDocumentation = "documentation", kSamples = "samples";
[[nodiscard]] inline bool is_of_compiler(std::string_view area) { return area != kDocumentation && area != kSamples; }

/// A unit as it stood in a reading.
struct ReadUnit {
  std::string file, name, code;
};

/// The sources of the torches under test: units, their texts, what eager promises. One thread.
class Sources : public Table {
 public:
  Sources(Connection& connection, Values& values) : Table(connection), values_(values) {}

  /// Finds or adds it.
  Id torch_id(const std::string& torch, Millis at);
  /// What the daemon reads now: `before` is what its changes are told against.
  void set_in_use(Id torch, std::optional<Id> before);
  /// The daemon's last choice; before there is one, the torch read last. nullopt: none was read to its end.
  [[nodiscard]] std::optional<SourcesInUse> in_use() const;
  [[nodiscard]] std::vector<SourceTorchRow> torches() const;  // the one seen first on top
  /// These are the file's units from now on.
  void put_file(Id torch, const std::string& file, const std::vector<SourceUnitRow>& units);
  /// Each of its files was put. Units of other files go, and texts that no torch has.
  void end_reading(Id torch, const std::string& fingerprint, const std::vector<std::string>& files, Millis at);
  [[nodiscard]] std::vector<SourceUnitRow> units(Id torch) const;  // in the order of their files; without texts
  [[nodiscard]] std::vector<SourceUnitRow> units_of(const std::string& torch, const std::string& file) const;
  [[nodiscard]] std::string text(const std::string& hash) const;  // "": there is none
  /// What eager promises of an operator, as a prompt tells it.
  void put_promise(Id torch, const std::string& operator_name, const std::string& promise);
  [[nodiscard]] std::string promise(Id torch, const std::string& operator_name) const;  // "": nothing is known

 private:
  Values& values_;
};

}  // namespace parityd::store
