// Store: everything Reckon remembers. One interface, one contract suite (tests/unit/store), several
// technologies behind it. docs/store.md has the schema and the guarantees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/progress.h"
#include "base/result.h"
#include "core/forecast.h"
#include "core/published.h"
#include "core/run.h"
#include "core/sample.h"
#include "core/spend.h"
#include "core/table.h"
#include "core/token.h"

namespace reckon::store {

// See Store::ChangeManagedRun.
struct ManagedChange {
  core::RunState from = core::RunState::kQueued;
  core::RunState to = core::RunState::kQueued;
  std::string detail;  // of the step: a JSON object, or empty
  core::ManagedRun managed;
  std::string plan;      // JSON; empty: stays as it is
  std::string job = {};  // likewise
  std::vector<core::CollectedRows> samples;
  std::vector<core::Event> events;
  std::vector<core::NodeRecord> nodes;
};

// Every call is one transaction: it happened wholly and survives a crash once it returned, or it
// did not happen. Thread-safe, and several processes may share one store.
//
// Ids and times are given by the store; those of a record passed in are ignored. Names are not
// empty, valid UTF-8 and free of control characters; documents are valid JSON; anything else is
// kBadInput. Besides the errors named below every call may return kUnavailable (locked by another
// process for too long), kIo (the disk is full or failed) and kCorrupt (the store is damaged).
class Store {
 public:
  virtual ~Store() = default;

  // Stores all rows of `table` under `name`, or none. kBadInput: the name is taken, or a number is
  // infinite. kInterrupted: `stop` was requested before the end. Advances `progress` by rows.
  virtual base::Result<core::SampleSet> AddSampleSet(std::string_view name,
                                                     std::string_view fingerprint,
                                                     const core::Table& table,
                                                     const std::stop_token& stop,
                                                     base::Progress& progress) = 0;
  // The oldest set of that content, if there is one.
  virtual base::Result<std::optional<core::SampleSet>> FindSampleSetByFingerprint(
      std::string_view fingerprint) = 0;
  // Oldest first.
  virtual base::Result<std::vector<core::SampleSet>> ListSampleSets() = 0;
  // The table as it was added: names, kinds, levels and their order, numbers to the last bit. Only
  // `source` ("samples 'x' of reckon.db") and `lines` (none) are its own. kNotFound.
  virtual base::Result<core::Table> LoadSamples(std::string_view name) = 0;
  // kNotFound.
  virtual base::Status RemoveSampleSet(std::string_view name) = 0;

  // Returns the new id. A name that exists gets a new version; the earlier ones stay.
  virtual base::Result<int64_t> SaveModel(const core::ModelRecord& model) = 0;
  // The latest version. kNotFound.
  virtual base::Result<core::ModelRecord> FindModel(std::string_view name) = 0;
  // Every version, newest first, with `document` left empty: documents are large.
  virtual base::Result<std::vector<core::ModelRecord>> ListModels() = 0;

  // All or none. kNotFound: a model or run id is unknown.
  virtual base::Status AddForecasts(std::span<const core::ForecastRecord> forecasts) = 0;
  // Oldest first. kNotFound: the model is unknown.
  virtual base::Result<std::vector<core::ForecastRecord>> ListForecasts(int64_t model_id) = 0;
  // The newest `limit` of those given for runs that have finished, oldest first; by any version of
  // `model`, or by every model when it is empty.
  virtual base::Result<std::vector<core::FinishedForecast>> ListFinishedForecasts(
      std::string_view model, size_t limit) = 0;
  // What the run took that the forecast was given for. The first answer stays. kNotFound;
  // kBadInput: it was given for no run, or `actual` is no number.
  virtual base::Status SetActual(int64_t forecast_id, double actual) = 0;

  // Returns the run with its id and times. kBadInput: its state is not kQueued, where runs begin,
  // or it has a campaign without a point or the reverse. kNotFound: the campaign is unknown.
  virtual base::Result<core::Run> AddRun(const core::Run& run) = 0;
  // kNotFound.
  virtual base::Result<core::Run> FindRun(int64_t id) = 0;
  // At most `limit`, newest first, of ids below `before_id` when given.
  virtual base::Result<std::vector<core::Run>> ListRuns(size_t limit,
                                                        std::optional<int64_t> before_id) = 0;
  // Moves a run that is in state `from` to `to` and records the event "run.state" with detail
  // {"from", "to", "detail": `detail`} (a JSON object, or empty for none), both in one transaction.
  // kBadInput: core::CanFollow forbids the step. kNotFound: no such run. kFailed: the run is no
  // longer in `from`, since somebody else moved it first; nothing was changed.
  virtual base::Result<core::Run> MoveRun(int64_t id, core::RunState from, core::RunState to,
                                          std::string_view detail) = 0;

  // MoveRun to a final state, and what the run has measured, in one transaction. Every set of rows
  // is appended to the set of that name that earlier runs have collected. kBadInput also: there is
  // a set of that name that was imported, or a number is infinite.
  virtual base::Result<core::Run> FinishRun(int64_t id, core::RunState from, core::RunState to,
                                            std::string_view detail,
                                            std::span<const core::CollectedRows> samples) = 0;

  // Adds a run that a manager carries out: AddRun and its document in one transaction.
  virtual base::Result<core::Run> AddManagedRun(const core::Run& run,
                                                std::string_view document) = 0;
  // A step of such a run: its state (`from` and `to` may be the same, then no event tells of it),
  // its document, its plan if one is given, what it measured, events, and nodes that the step
  // concerns; all of it or nothing. Errors as of MoveRun and FinishRun; kNotFound also for runs
  // that nobody manages. An event without a run is of no run.
  virtual base::Result<core::Run> ChangeManagedRun(const ManagedChange& change) = 0;
  // kNotFound: no such run, or nobody manages it.
  virtual base::Result<core::ManagedRun> FindManagedRun(int64_t run_id) = 0;
  // Those with something to do, oldest first.
  virtual base::Result<std::vector<core::ManagedRun>> ListOpenManagedRuns() = 0;

  // The bill of a run that is over; written again it replaces itself. kNotFound: no such run.
  // kBadInput: it is negative or no number.
  virtual base::Status SetCharge(const core::Charge& charge) = 0;
  // By user, then project; of bills since then, or of all. A run that is still open (a manager was
  // killed between its bill and its end) does not count yet.
  virtual base::Result<std::vector<core::Spend>> ListSpend(std::optional<base::WallTime> since) = 0;

  // The next version of its name, a candidate or, in the place of the one that was, live, as it is
  // in the store then. kNotFound: no such run.
  virtual base::Result<core::PublishedModel> AddPublished(const core::PublishedModel& model) = 0;
  // By name, then version.
  virtual base::Result<std::vector<core::PublishedModel>> ListPublished() = 0;
  // That version is live, and who was it is retired, in one transaction. kNotFound.
  virtual base::Status SetLive(std::string_view name, int64_t version) = 0;

  // Nodes of these names get these documents, and these events are added, in one transaction.
  virtual base::Status SaveNodes(std::span<const core::NodeRecord> nodes,
                                 std::span<const core::Event> events) = 0;
  // By name.
  virtual base::Result<std::vector<core::NodeRecord>> ListNodes() = 0;

  // The node, what is known of it, and its secret are forgotten (the secret is revoked), and the
  // events are added. kNotFound: there is neither a node of that name nor a secret.
  virtual base::Status RemoveNode(std::string_view name, std::span<const core::Event> events) = 0;

  // Returns it with its id and time of making; those, when it was revoked and its uses are not
  // taken from what is passed in. kBadInput: the hash is none or is there already, or another token
  // (of a node: another secret) that is not revoked has the name.
  virtual base::Result<core::Token> AddToken(const core::Token& token) = 0;
  // Adds the secret of a node and counts one use of the join token that vouches for it: `by` is its
  // hash, or empty when somebody else vouches, who needs none.
  // The same secret for the same node again changes nothing, so that a lost answer may be asked for
  // again. kNotFound: no token has that hash. kFailed: that token is no join token, is revoked,
  // expired or used up; the node has another secret; or this secret was revoked.
  virtual base::Result<core::Token> JoinNode(std::string_view by, const core::Token& secret) = 0;
  // Also of those that expired or were revoked.
  virtual base::Result<std::optional<core::Token>> FindToken(std::string_view hash) = 0;
  // By id.
  virtual base::Result<std::vector<core::Token>> ListTokens() = 0;
  // For good; again changes nothing. kNotFound.
  virtual base::Result<core::Token> RevokeToken(int64_t id) = 0;
  // It was used just now. kNotFound.
  virtual base::Status TouchToken(int64_t id) = 0;

  // The campaign of that name gets this document; it is made when there is none.
  virtual base::Result<core::Campaign> SaveCampaign(std::string_view name,
                                                    std::string_view document) = 0;
  // kNotFound.
  virtual base::Result<core::Campaign> FindCampaign(std::string_view name) = 0;
  // Oldest first.
  virtual base::Result<std::vector<core::Campaign>> ListCampaigns() = 0;
  // Every run that measures for the campaign, oldest first. kNotFound: the campaign is unknown.
  virtual base::Result<std::vector<core::Run>> ListCampaignRuns(int64_t campaign_id) = 0;

  // Returns the new id; an empty detail is stored as {}. kNotFound: the run is unknown.
  virtual base::Result<int64_t> AddEvent(const core::Event& event) = 0;
  // All or none, in this order, with one sync for all: for whoever has thousands a second.
  virtual base::Status AddEvents(std::span<const core::Event> events) = 0;
  // At most `limit` of ids above `after_id` (0: from the start), oldest first, of one run or of
  // everything. Ids grow in the order of commits, so a reader that goes on after the last id it saw
  // misses none.
  virtual base::Result<std::vector<core::Event>> ListEvents(std::optional<int64_t> run_id,
                                                            int64_t after_id, size_t limit) = 0;
  // 0: there is none.
  virtual base::Result<int64_t> NewestEventId() = 0;
};

}  // namespace reckon::store
