// SqlStore: campaigns.
#include <utility>

#include "store/checks.h"
#include "store/sql/micros.h"
#include "store/sql/sql_store.h"
#include "store/sql/transaction.h"

namespace reckon::store {
namespace {

constexpr const char* kNames = "SELECT name FROM campaign ORDER BY id";

// Of a row of: id, name, document, created_at_us, changed_at_us.
core::Campaign CampaignOf(const SqlStatement& row) {
  return {.id = row.Integer(0),
          .name = row.String(1),
          .document = row.String(2),
          .created_at = FromMicros(row.Integer(3)),
          .changed_at = FromMicros(row.Integer(4))};
}

}  // namespace

base::Result<core::Campaign> SqlStore::SaveCampaign(std::string_view name,
                                                    std::string_view document) {
  RECKON_TRY(CheckName("campaign", name));
  RECKON_TRY(CheckJsonObject("the document of a campaign", document));
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(SqlTransaction transaction, SqlTransaction::BeginWrite(*connection_));
  RECKON_ASSIGN(const auto save,
                connection_->Prepare(
                    "INSERT INTO campaign (name, document, created_at_us, changed_at_us)"
                    " VALUES (?1, ?2, ?3, ?3) ON CONFLICT (name) DO UPDATE SET"
                    " document = excluded.document, changed_at_us = excluded.changed_at_us"));
  RECKON_TRY(save->Bind(name, document, ToMicros(clock_.Now())).Run());
  RECKON_ASSIGN(core::Campaign campaign, ReadCampaign(name));
  RECKON_TRY(transaction.Commit());
  return campaign;
}

base::Result<core::Campaign> SqlStore::ReadCampaign(std::string_view name) {
  RECKON_ASSIGN(const auto find,
                connection_->Prepare("SELECT id, name, document, created_at_us, changed_at_us"
                                     " FROM campaign WHERE name = ?1"));
  RECKON_ASSIGN(const bool found, find->Bind(name).Step());
  if (!found) return UnknownName("campaign", name, kNames);
  return CampaignOf(*find);
}

base::Result<core::Campaign> SqlStore::FindCampaign(std::string_view name) {
  const std::scoped_lock lock(mutex_);
  return ReadCampaign(name);
}

base::Result<std::vector<core::Campaign>> SqlStore::ListCampaigns() {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(const auto list,
                connection_->Prepare("SELECT id, name, document, created_at_us, changed_at_us"
                                     " FROM campaign ORDER BY id"));
  list->Bind();
  std::vector<core::Campaign> campaigns;
  for (;;) {
    RECKON_ASSIGN(const bool has_row, list->Step());
    if (!has_row) return campaigns;
    campaigns.push_back(CampaignOf(*list));
  }
}

}  // namespace reckon::store
