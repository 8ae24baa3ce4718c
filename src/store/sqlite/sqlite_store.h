// The Store in one SQLite file: what Reckon uses unless told otherwise.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "store/sqlite/connection.h"
#include "store/store.h"

namespace reckon::store {

// Thread-safe: one connection guarded by a mutex, so threads take turns, and a thread that stores a
// large set keeps the others waiting; a thread that must not wait opens a SqliteStore of its own.
// Processes share the file through SQLite's locks: readers never wait for writers, writers wait for
// each other up to the busy timeout. Not to be used across fork().
class SqliteStore final : public Store {
 public:
  // Opens `path`, makes it if nothing is there, and migrates it to this program's schema. The clock
  // outlives the store. Besides the errors of every call: kCorrupt for a file that is not ours
  // (which stays as it is), kBadInput for a folder, a device or a store of a newer program,
  // kNotFound when the folder, or without `create` the file, does not exist.
  static base::Result<std::unique_ptr<SqliteStore>> Open(const std::filesystem::path& path,
                                                         const base::Clock& clock,
                                                         const OpenOptions& options = {});

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

 private:
  SqliteStore(std::unique_ptr<SqliteConnection> connection, const base::Clock& clock)
      : connection_(std::move(connection)), clock_(clock) {}

  // The following expect mutex_ to be held.
  base::Status InsertRows(int64_t set_id, const core::Table& table, const std::stop_token& stop,
                          base::Progress& progress);
  base::Result<core::SampleSet> InsertSet(std::string_view name, std::string_view fingerprint,
                                          const core::Table& table, const std::stop_token& stop,
                                          base::Progress& progress);
  base::Result<core::Table> ReadSamples(std::string_view name);
  base::Status Collect(const core::CollectedRows& collected);
  base::Result<bool> Exists(std::string_view sql, int64_t id);
  base::Result<core::Run> InsertRun(const core::Run& run);
  base::Result<core::Run> ReadRun(int64_t id);
  base::Status WriteManaged(const core::ManagedRun& managed);
  base::Status WriteNodes(std::span<const core::NodeRecord> nodes);
  base::Result<core::Campaign> ReadCampaign(std::string_view name);
  base::Result<core::Run> ChangeRun(int64_t id, core::RunState from, core::RunState to,
                                    std::string_view detail);
  // The id of the last one; 0 of none.
  base::Result<int64_t> InsertEvents(std::span<const core::Event> events);
  base::Result<int64_t> InsertEvent(const core::Event& event, base::WallTime at);
  base::Error UnknownName(std::string_view what, std::string_view name, std::string_view names_sql);

  std::mutex mutex_;
  std::unique_ptr<SqliteConnection> connection_;  // guarded by mutex_
  const base::Clock& clock_;
};

}  // namespace reckon::store
