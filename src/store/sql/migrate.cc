#include "store/sql/migrate.h"

#include <utility>

#include <fmt/format.h>

namespace reckon::store {

base::Status MigrateStore(SchemaKeeper& keeper, const std::string& store,
                          std::span<const Migration> migrations) {
  const auto known = static_cast<int64_t>(migrations.size());
  for (;;) {
    RECKON_ASSIGN(const int64_t version, keeper.Version());
    if (version > known) {
      return base::BadInput(
          fmt::format("store '{}' was written by a newer Reckon (schema {}, this program knows {})",
                      store, version, known));
    }
    if (version == known) return {};
    const Migration& migration = migrations[static_cast<size_t>(version)];
    base::Status applied = keeper.ApplyFrom(version, migration);
    if (applied.ok()) continue;
    // A busy, full or foreign store says it all; otherwise the migration is what went wrong.
    if (applied.error().code() != base::ErrorCode::kFailed) return applied;
    return std::move(applied).error().Wrap(fmt::format(
        "store '{}' stays at schema {}: migration '{}' failed", store, version, migration.name));
  }
}

}  // namespace reckon::store
