// SqlStore: sample sets.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/fingerprint.h"
#include "core/table_builder.h"
#include "store/checks.h"
#include "store/sample_codec.h"
#include "store/sql/micros.h"
#include "store/sql/sql_store.h"
#include "store/sql/transaction.h"

namespace reckon::store {
namespace {

constexpr std::string_view kSetNames = "SELECT name FROM sample_set ORDER BY id";

class ProgressStretch {
 public:
  ProgressStretch(base::Progress& progress, std::string_view what, uint64_t total)
      : progress_(progress) {
    progress_.Begin(what, total);
  }
  ~ProgressStretch() { progress_.End(); }
  ProgressStretch(const ProgressStretch&) = delete;
  ProgressStretch& operator=(const ProgressStretch&) = delete;

 private:
  base::Progress& progress_;
};

// Of a row of: id, name, source, fingerprint, imported_at_us, row_count.
core::SampleSet SetOf(const SqlStatement& row) {
  return {.id = row.Integer(0),
          .name = row.String(1),
          .source = row.Bytes(2),
          .fingerprint = row.String(3),
          .imported_at = FromMicros(row.Integer(4)),
          .row_count = row.Integer(5)};
}

}  // namespace

base::Status SqlStore::InsertRows(int64_t set_id, const core::Table& table,
                                  const std::stop_token& stop, base::Progress& progress) {
  constexpr size_t kRowsPerLook = 1024;
  const ProgressStretch stretch(progress, "storing samples", table.row_count);
  RECKON_ASSIGN(const auto rows, connection_->AddRows("sample", "set_id, row, cells"));
  std::string cells;
  for (size_t begin = 0; begin < table.row_count; begin += kRowsPerLook) {
    if (stop.stop_requested()) break;
    const size_t end = std::min(begin + kRowsPerLook, table.row_count);
    for (size_t row = begin; row < end; ++row) {
      EncodeCells(table, row, cells);
      RECKON_TRY(rows->Add(set_id, static_cast<int64_t>(row), cells));
    }
    progress.Advance(end - begin);
  }
  if (stop.stop_requested()) {
    return base::Error(base::ErrorCode::kInterrupted, "interrupted; no samples were stored");
  }
  return rows->Finish();
}

base::Result<core::SampleSet> SqlStore::AddSampleSet(std::string_view name,
                                                     std::string_view fingerprint,
                                                     const core::Table& table,
                                                     const std::stop_token& stop,
                                                     base::Progress& progress) {
  RECKON_TRY(CheckName("sample set", name));
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(SqlTransaction transaction, SqlTransaction::BeginWrite(*connection_));
  RECKON_ASSIGN(core::SampleSet set, InsertSet(name, fingerprint, table, stop, progress));
  RECKON_TRY(transaction.Commit());
  return set;
}

base::Result<core::SampleSet> SqlStore::InsertSet(std::string_view name,
                                                  std::string_view fingerprint,
                                                  const core::Table& table,
                                                  const std::stop_token& stop,
                                                  base::Progress& progress) {
  RECKON_ASSIGN(const std::string columns, EncodeColumns(table));
  core::SampleSet set{.id = 0,
                      .name = std::string(name),
                      .source = table.source,
                      .fingerprint = std::string(fingerprint),
                      .imported_at = clock_.Now(),
                      .row_count = static_cast<int64_t>(table.row_count)};
  RECKON_ASSIGN(const auto find, connection_->Prepare("SELECT 1 FROM sample_set WHERE name = ?1"));
  RECKON_ASSIGN(const bool taken, find->Bind(name).Step());
  if (taken) {
    return base::BadInput(
        fmt::format("store '{}' already has samples '{}'", connection_->name(), name));
  }
  RECKON_ASSIGN(
      const auto insert,
      connection_->Prepare("INSERT INTO sample_set"
                           " (name, source, fingerprint, imported_at_us, columns, row_count)"
                           " VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING id"));
  RECKON_ASSIGN(set.id, insert
                            ->Bind(name, SqlBytes{set.source}, fingerprint,
                                   ToMicros(set.imported_at), columns, set.row_count)
                            .RunForNumber());
  RECKON_TRY(InsertRows(set.id, table, stop, progress));
  return set;
}

// Sets of collected rows are small, and a new row may bring a column or a category: the whole set
// is written anew.
base::Status SqlStore::Collect(const core::CollectedRows& collected) {
  RECKON_TRY(CheckName("sample set", collected.set));
  RECKON_ASSIGN(const auto find,
                connection_->Prepare("SELECT source, fingerprint FROM sample_set WHERE name = ?1"));
  RECKON_ASSIGN(const bool exists, find->Bind(std::string_view(collected.set)).Step());
  core::TableBuilder builder;
  base::Fingerprint print;
  if (exists) {
    if (find->Bytes(0) != core::kCollected) {
      return base::BadInput(
          fmt::format("samples '{}' of store '{}' were imported; runs cannot add "
                      "to them",
                      collected.set, connection_->name()));
    }
    print.Add(find->Text(1));
    RECKON_ASSIGN(const core::Table table, ReadSamples(collected.set));
    builder.AddTable(table);
    RECKON_ASSIGN(const auto remove,
                  connection_->Prepare("DELETE FROM sample_set WHERE name = ?1"));
    RECKON_TRY(remove->Bind(std::string_view(collected.set)).Run());
  }
  builder.AddTable(collected.rows);
  const core::Table all = std::move(builder).Finish(core::kCollected);
  std::string cells;
  for (size_t row = 0; row < collected.rows.row_count; ++row) {
    EncodeCells(collected.rows, row, cells);
    print.Add(cells);
  }
  base::NoProgress silent;
  RECKON_TRY(InsertSet(collected.set, print.Hex(), all, {}, silent));
  return {};
}

base::Result<std::optional<core::SampleSet>> SqlStore::FindSampleSetByFingerprint(
    std::string_view fingerprint) {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(
      const auto find,
      connection_->Prepare("SELECT id, name, source, fingerprint, imported_at_us, row_count"
                           " FROM sample_set WHERE fingerprint = ?1 ORDER BY id LIMIT 1"));
  RECKON_ASSIGN(const bool found, find->Bind(fingerprint).Step());
  if (!found) return std::optional<core::SampleSet>();
  return std::optional(SetOf(*find));
}

base::Result<std::vector<core::SampleSet>> SqlStore::ListSampleSets() {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(const auto list,
                connection_->Prepare("SELECT id, name, source, fingerprint, imported_at_us,"
                                     " row_count FROM sample_set ORDER BY id"));
  std::vector<core::SampleSet> sets;
  for (;;) {
    RECKON_ASSIGN(const bool has_row, list->Step());
    if (!has_row) return sets;
    sets.push_back(SetOf(*list));
  }
}

base::Result<core::Table> SqlStore::LoadSamples(std::string_view name) {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(SqlTransaction transaction, SqlTransaction::BeginRead(*connection_));
  return ReadSamples(name);
}

base::Result<core::Table> SqlStore::ReadSamples(std::string_view name) {
  // The last row stands for all of them here: a damaged count must not size the table.
  RECKON_ASSIGN(const auto find,
                connection_->Prepare(
                    "SELECT id, columns, row_count,"
                    " (SELECT coalesce(max(row) + 1, 0) FROM sample WHERE set_id = sample_set.id)"
                    " FROM sample_set WHERE name = ?1"));
  RECKON_ASSIGN(const bool found, find->Bind(name).Step());
  if (!found) return UnknownName("samples", name, kSetNames);
  const int64_t set_id = find->Integer(0);
  const int64_t row_count = find->Integer(2);
  const auto place = [&] { return fmt::format("samples '{}' of {}", name, connection_->name()); };
  if (row_count != find->Integer(3)) {
    return base::Error(base::ErrorCode::kCorrupt, place() + ": rows are missing");
  }
  RECKON_ASSIGN(TableDecoder decoder,
                TableDecoder::Create(find->Text(1), static_cast<size_t>(row_count)));
  base::Status read = ReadRows(set_id, row_count, decoder);
  if (!read.ok()) return std::move(read).error().Wrap(place());
  base::Result<core::Table> table = std::move(decoder).Finish();
  if (!table.ok()) return std::move(table).error().Wrap(place());
  table->source = place();
  return table;
}

// In pages, for a database may hand over all rows of an answer at once.
base::Status SqlStore::ReadRows(int64_t set_id, int64_t row_count, TableDecoder& decoder) {
  constexpr int64_t kPage = 16'384;
  RECKON_ASSIGN(const auto rows,
                connection_->Prepare("SELECT row, cells FROM sample"
                                     " WHERE set_id = ?1 AND row >= ?2 AND row < ?3 ORDER BY row"));
  for (int64_t begin = 0; begin < row_count; begin += kPage) {
    rows->Bind(set_id, begin, begin + kPage);
    for (;;) {
      RECKON_ASSIGN(const bool has_row, rows->Step());
      if (!has_row) break;
      RECKON_TRY(decoder.SetRow(static_cast<size_t>(rows->Integer(0)), rows->Text(1)));
    }
  }
  return {};
}

base::Status SqlStore::RemoveSampleSet(std::string_view name) {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(SqlTransaction transaction, SqlTransaction::BeginWrite(*connection_));
  RECKON_ASSIGN(const auto remove,
                connection_->Prepare("DELETE FROM sample_set WHERE name = ?1 RETURNING id"));
  RECKON_ASSIGN(const bool found, remove->Bind(name).Step());
  if (!found) return UnknownName("samples", name, kSetNames);
  RECKON_TRY(remove->Run());
  return transaction.Commit();
}

}  // namespace reckon::store
