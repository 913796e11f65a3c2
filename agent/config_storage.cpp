#include "agent/config_storage.h"

namespace parityd::agent {
namespace {

constexpr double kMostMebibytes = 1e9;  // a petabyte

}  // namespace

void read_store(const toml::table* table, ConfigReport report, Config& config) {
  TableReader reader(table, "store", report);
  reader.number("disk_floor", config.disk_floor_mebibytes, 0, kMostMebibytes);
  reader.number("disk_cap", config.disk_cap_mebibytes, 0, kMostMebibytes);
}

void read_retention(const toml::table* table, ConfigReport report, Config& config) {
  TableReader reader(table, "retention", report);
  reader.span("max_age", config.retention_max_age);
  reader.number("max_programs", config.retention_max_programs, 0, 1e9);
}

}  // namespace parityd::agent
