#include "store/sql/sql_store.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"

namespace reckon::store {

int64_t SqlLimit(size_t limit) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::min(limit, static_cast<size_t>(kMost)));
}

base::Result<bool> SqlStore::Exists(std::string_view sql, int64_t id) {
  RECKON_ASSIGN(const auto find, connection_->Prepare(sql));
  return find->Bind(id).Step();
}

base::Error SqlStore::UnknownRun(int64_t id) const {
  return {base::ErrorCode::kNotFound,
          fmt::format("no run {} in store '{}'", id, connection_->name())};
}

base::Error SqlStore::UnknownName(std::string_view what, std::string_view name,
                                  std::string_view names_sql) {
  std::vector<std::string> names;
  auto list = connection_->Prepare(names_sql);
  if (!list.ok()) return std::move(list).error();
  for (;;) {
    const base::Result<bool> has_row = (*list)->Step();
    if (!has_row.ok()) return has_row.error();
    if (!*has_row) break;
    names.push_back((*list)->String(0));
  }
  return {base::ErrorCode::kNotFound,
          fmt::format("no {} '{}' in store '{}'{}", what, name, connection_->name(),
                      base::SuggestFrom(name, names))};
}

}  // namespace reckon::store
