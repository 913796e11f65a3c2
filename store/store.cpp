#include "store/store.h"

#include "store/base/connection.h"
#include "store/base/durable.h"

namespace parityd::store {

Store::Store(const std::filesystem::path& file, Access access, std::chrono::milliseconds read_limit)
    : connection_(std::make_unique<Connection>(file, access, read_limit)),
      values(*connection_),
      programs(*connection_),
      environments(*connection_),
      examinations(*connection_),
      trust(*connection_),
      workers(*connection_),
      reductions(*connection_),
      replies(*connection_),
      repairs(*connection_),
      spending(*connection_),
      arms(*connection_),
      coverage(*connection_),
      requests(*connection_),
      events(*connection_),
      alarms(*connection_),
      tally(*connection_),
      findings(*connection_),
      groups(*connection_, findings, events, alarms),
      triage(*connection_, findings),
      rechecks(*connection_, findings),
      known(*connection_, values),
      inspections(*connection_),
      scripts(*connection_, inspections),
      fixes(*connection_, findings, known),
      drafts(*connection_, findings, triage, known, inspections, rechecks, scripts, fixes),
      notifications(*connection_),
      sources(*connection_, values),
      readings(*connection_, replies),
      hypotheses(*connection_),
      retention(*connection_, values) {}
Store::~Store() = default;

void Store::transaction(const std::function<void()>& work) { connection_->transaction(work); }

bool Store::unchecked() const { return connection_->unchecked(); }

void Store::note_checked() { connection_->note_checked(); }

const std::filesystem::path& Store::file() const { return connection_->file(); }

bool Store::checkpoint() { return connection_->checkpoint(); }

Store::Size Store::size() const {
  Rows rows = connection_->query("measure the database",
                                 "SELECT (c.page_count - f.freelist_count) * s.page_size FROM pragma_page_count c, "
                                 "pragma_freelist_count f, pragma_page_size s");
  Size size;
  if (rows.next()) rows.read(size.bytes);
  size.wal_bytes = static_cast<std::int64_t>(size_of(connection_->file().string() + "-wal"));
  return size;
}

}  // namespace parityd::store
