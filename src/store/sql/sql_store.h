// The Store in a database that speaks SQL: everything but how one connects, which is what
// SqliteStore and PostgresStore add.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "store/sample_codec.h"
#include "store/sql/connection.h"
#include "store/store.h"

namespace reckon::store {

// Thread-safe: one connection guarded by a mutex, so threads take turns, and a thread that stores a
// large set keeps the others waiting; a thread that must not wait opens a store of its own. Not to
// be used across fork().
class SqlStore : public Store {
 public:
  base::Result<core::SampleSet> AddSampleSet(std::string_view name, std::string_view fingerprint,
                                             const core::Table& table, const std::stop_token& stop,
                                             base::Progress& progress) override;
  base::Result<std::optional<core::SampleSet>> FindSampleSetByFingerprint(
      std::string_view fingerprint) override;
  base::Result<std::vector<core::SampleSet>> ListSampleSets() override;
  base::Result<core::Table> LoadSamples(std::string_view name) override;
  base::Status RemoveSampleSet(std::string_view name) override;

  base::Result<int64_t> SaveModel(const core::ModelRecord& model) override;
  base::Result<core::ModelRecord> FindModel(std::string_view name) override;
  base::Result<std::vector<core::ModelRecord>> ListModels() override;

  base::Status AddForecasts(std::span<const core::ForecastRecord> forecasts) override;
  base::Result<std::vector<core::ForecastRecord>> ListForecasts(int64_t model_id) override;
  base::Result<std::vector<core::FinishedForecast>> ListFinishedForecasts(std::string_view model,
                                                                          size_t limit) override;
  base::Status SetActual(int64_t forecast_id, double actual) override;

  base::Result<core::PublishedModel> AddPublished(const core::PublishedModel& model) override;
  base::Result<std::vector<core::PublishedModel>> ListPublished() override;
  base::Status SetLive(std::string_view name, int64_t version) override;

  base::Status SetCharge(const core::Charge& charge) override;
  base::Result<std::vector<core::Spend>> ListSpend(std::optional<base::WallTime> since) override;

  base::Result<core::Run> AddRun(const core::Run& run) override;
  base::Result<core::Run> FindRun(int64_t id) override;
  base::Result<std::vector<core::Run>> ListRuns(size_t limit,
                                                std::optional<int64_t> before_id) override;
  base::Result<core::Run> MoveRun(int64_t id, core::RunState from, core::RunState to,
                                  std::string_view detail) override;
  base::Result<core::Run> FinishRun(int64_t id, core::RunState from, core::RunState to,
                                    std::string_view detail,
                                    std::span<const core::CollectedRows> samples) override;

  base::Result<core::Run> AddManagedRun(const core::Run& run, std::string_view document) override;
  base::Result<core::Run> ChangeManagedRun(const ManagedChange& change) override;
  base::Result<core::ManagedRun> FindManagedRun(int64_t run_id) override;
  base::Result<std::vector<core::ManagedRun>> ListOpenManagedRuns() override;
  base::Status SaveNodes(std::span<const core::NodeRecord> nodes,
                         std::span<const core::Event> events) override;
  base::Result<std::vector<core::NodeRecord>> ListNodes() override;
  base::Status RemoveNode(std::string_view name, std::span<const core::Event> events) override;

  base::Result<core::Token> AddToken(const core::Token& token) override;
  base::Result<core::Token> JoinNode(std::string_view by, const core::Token& secret) override;
  base::Result<std::optional<core::Token>> FindToken(std::string_view hash) override;
  base::Result<std::vector<core::Token>> ListTokens() override;
  base::Result<core::Token> RevokeToken(int64_t id) override;
  base::Status TouchToken(int64_t id) override;

  base::Result<core::Campaign> SaveCampaign(std::string_view name,
                                            std::string_view document) override;
  base::Result<core::Campaign> FindCampaign(std::string_view name) override;
  base::Result<std::vector<core::Campaign>> ListCampaigns() override;
  base::Result<std::vector<core::Run>> ListCampaignRuns(int64_t campaign_id) override;

  base::Result<int64_t> AddEvent(const core::Event& event) override;
  base::Status AddEvents(std::span<const core::Event> events) override;
  base::Result<std::vector<core::Event>> ListEvents(std::optional<int64_t> run_id, int64_t after_id,
                                                    size_t limit) override;
  base::Result<int64_t> NewestEventId() override;

 protected:
  SqlStore(std::unique_ptr<SqlConnection> connection, const base::Clock& clock)
      : connection_(std::move(connection)), clock_(clock) {}

 private:
  // Of a name, inside a transaction.
  base::Status Retire(std::string_view name);
  // The following expect mutex_ to be held.
  base::Status InsertRows(int64_t set_id, const core::Table& table, const std::stop_token& stop,
                          base::Progress& progress);
  base::Result<core::SampleSet> InsertSet(std::string_view name, std::string_view fingerprint,
                                          const core::Table& table, const std::stop_token& stop,
                                          base::Progress& progress);
  base::Result<core::Table> ReadSamples(std::string_view name);
  base::Status ReadRows(int64_t set_id, int64_t row_count, TableDecoder& decoder);
  base::Status Collect(const core::CollectedRows& collected);
  base::Result<bool> Exists(std::string_view sql, int64_t id);
  base::Result<core::Run> InsertRun(const core::Run& run);
  base::Result<core::Run> ReadRun(int64_t id);
  base::Status WriteManaged(const core::ManagedRun& managed);
  base::Status WriteNodes(std::span<const core::NodeRecord> nodes);
  base::Result<core::Token> InsertToken(const core::Token& token);
  base::Result<std::optional<core::Token>> ReadToken(std::string_view hash);
  base::Result<std::optional<core::Token>> SecretOf(std::string_view node);
  base::Result<core::Token> ReadToken(int64_t id);
  base::Result<core::Campaign> ReadCampaign(std::string_view name);
  base::Result<core::Run> ChangeRun(int64_t id, core::RunState from, core::RunState to,
                                    std::string_view detail);
  base::Status CheckRunsOf(std::span<const core::Event> events);
  base::Status InsertEvents(std::span<const core::Event> events);
  base::Result<int64_t> InsertEvent(const core::Event& event, base::WallTime at);
  base::Error UnknownName(std::string_view what, std::string_view name, std::string_view names_sql);
  base::Error UnknownRun(int64_t id) const;

  std::mutex mutex_;
  std::unique_ptr<SqlConnection> connection_;  // guarded by mutex_
  const base::Clock& clock_;
};

// As databases take it: they have no numbers above this.
int64_t SqlLimit(size_t limit);

}  // namespace reckon::store
