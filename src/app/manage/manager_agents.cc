// Manager: what agents tell, and what they are told.
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "act/agents/checkpoint_relay.h"
#include "act/agents/data_fetch.h"
#include "act/agents/part_shelf.h"
#include "app/manage/managed_view.h"
#include "app/manage/manager_impl.h"
#include "app/manage/part_events.h"
#include "app/runs/run_files.h"
#include "base/file.h"

namespace reckon::app {

namespace fs = std::filesystem;
using act::PartFacts;
using act::PartKey;
using act::PartWish;
using base::Error;
using base::ErrorCode;
using base::Json;
using base::Result;
using base::Status;
using core::RunState;
using watch::Part;
using watch::Want;

void Manager::Impl::SaveNews(NodeNews news) {
  for (const core::Event& event : news.events) {
    log_.Info(fmt::format("{} {}", event.kind, event.detail));
  }
  unsaved_.Add(std::move(news));
  if (unsaved_.empty()) return;
  // Those that were not kept at once may be out of date by now.
  for (core::NodeRecord& record : unsaved_.records) record = nodes_.Record(record.name);
  const Status saved = store_.SaveNodes(unsaved_.records, unsaved_.events);
  if (saved.ok()) {
    unsaved_ = {};
  } else {
    TellTrouble(saved.error());
  }
}

Result<act::BeatAnswer> Manager::Impl::TakeBeat(const act::Beat& beat) {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(NodeNews news, nodes_.Hear(beat, Now()));
  if (!news.empty()) SaveNews(std::move(news));
  // Who has been told nothing by this manager tells nothing of its parts either.
  if (beat.manager != id_) return act::BeatAnswer{id_, options_.beat_s, {}};
  const std::string& node = beat.node.name;
  std::map<PartKey, const PartFacts*> told;
  for (const PartFacts& facts : beat.parts) told[facts.key] = &facts;
  act::BeatAnswer answer{id_, options_.beat_s, {}};
  for (auto& [id, managed] : runs_) {
    Part* part = managed.PartOn(node);
    if (part == nullptr || part->lost) continue;
    const PartKey key{id, managed.run().attempt};
    const auto found = told.find(key);
    const PartFacts* facts = found == told.end() ? nullptr : found->second;
    TakeFacts(managed, *part, facts);
    answer.parts.push_back(WishFor(managed, *part, facts));
    if (facts != nullptr) told.erase(found);
  }
  bool old_work = false;
  for (const auto& [key, facts] : told) {
    answer.parts.push_back(WishForOld(node, *facts));
    old_work |= facts->lives;
  }
  nodes_.SetOldWork(node, old_work);
  Wake();
  return answer;
}

// `facts`: nullptr when the agent does not have the part.
void Manager::Impl::TakeFacts(Managed& managed, Part& part, const PartFacts* facts) {
  const bool ready = facts != nullptr && facts->ready;
  part.has_data = ready || (facts != nullptr && facts->has_data);
  if (facts == nullptr || part.has_data || facts->data_trouble.empty()) {
    managed.data_troubles.erase(part.node);
    managed.troubled_since.erase(part.node);
  } else {
    managed.data_troubles[part.node] = facts->data_trouble;
    managed.troubled_since.try_emplace(part.node, Now());
  }
  const auto fail = [&](const std::string& why) {
    part.gone = true;
    part.killed_by_others = true;  // another node may do better
    if (!part.end) {
      part.end = watch::PartEnd{RunState::kFailed, why, part.last_event_at.value_or(Now())};
    }
  };
  if (!ready) {
    std::string trouble = facts == nullptr ? "" : facts->trouble;
    const auto since = managed.troubled_since.find(part.node);
    // A data store is asked what to do; code has nobody to ask.
    if (!managed.document.update && since != managed.troubled_since.end() &&
        Now() - since->second > options_.update_patience_s) {
      trouble = "it cannot get the code: " + managed.data_troubles[part.node];
    }
    if (part.want == Want::kForget) part.forgotten = true;
    if (part.want >= Want::kStop) {
      part.gone = true;
    } else if (part.ready) {
      fail("its files are gone from the node");
    } else if (!trouble.empty()) {
      fail(trouble);
    }
    return;
  }
  part.ready = true;
  if (facts->lives) return;
  if (!facts->began) {
    if (part.want >= Want::kStop) part.gone = true;
    return;
  }
  if (!FilesOf(managed, part.node).HasAll(facts->files)) return;
  if (WantsResult(managed, part, *facts)) return;
  if (part.end) {
    part.gone = true;
  } else {
    fail(facts->trouble.empty() ? "its supervisor died" : facts->trouble);
  }
}

namespace {

// What a run's result is called in its folder.
const char* ResultName(const Managed& managed) {
  return managed.document.job.bundle.empty() ? act::kResultFile : act::kResultsFile;
}

bool HasFirstWorker(const act::LaunchSpec& spec) {
  return std::any_of(spec.processes.begin(), spec.processes.end(), [](const act::ProcessSpec& one) {
    return one.role == act::kWorkerRole && one.index == 0;
  });
}

}  // namespace

PartWish Manager::Impl::WishFor(Managed& managed, const Part& part, const PartFacts* facts) {
  PartWish wish;
  wish.key = {managed.row.id, managed.run().attempt};
  wish.want = watch::WantName(part.want);
  wish.have = FilesOf(managed, part.node).have();
  wish.ending = managed.run().ending;
  if (part.want == Want::kRelease) wish.training = managed.training;
  wish.have_checkpoint = managed.checkpoint.newest() ? managed.checkpoint.newest()->print : "";
  if (facts != nullptr && facts->result && !WantsResult(managed, part, *facts)) {
    wish.have_result = facts->result->print;
  }
  const bool to_be_made = part.want <= Want::kStart && (facts == nullptr || !facts->ready);
  const auto& update = managed.document.update;
  if (to_be_made && update && update->offer) {
    const auto files = update->offer->files.find(part.node);
    if (files != update->offer->files.end()) {
      wish.data = act::DataWish{update->offer->source, update->offer->secret, files->second};
    }
  }
  if (to_be_made) wish.bundle = managed.bundle;
  // Never a command without the code, and the sandbox, that it was meant for.
  const bool has_code = managed.document.job.bundle.empty() || managed.bundle.has_value();
  if (to_be_made && managed.plan && has_code) {
    for (const act::LaunchSpec& spec : managed.plan->parts) {
      if (spec.part != part.node) continue;
      wish.spec = spec;
      // The first worker tells it to the others.
      if (HasFirstWorker(spec)) wish.checkpoint = managed.checkpoint.newest();
    }
    wish.contents = managed.plan->contents;
  }
  return wish;
}

// Of an attempt that was given up without it, or of a run that has ended.
PartWish Manager::Impl::WishForOld(const std::string& node, const PartFacts& facts) {
  PartWish wish;
  wish.key = facts.key;
  const PartFiles files(PartFolder(options_.db, facts.key.run, facts.key.attempt, node));
  wish.have = files.have();
  if (facts.checkpoint) wish.have_checkpoint = facts.checkpoint->print;  // nobody goes on from it
  if (facts.result) wish.have_result = facts.result->print;              // nor uses it
  std::error_code error;
  const bool ours = fs::exists(AttemptFile(options_.db, facts.key.run, facts.key.attempt), error);
  const bool to_be_sent = ours && !files.HasAll(facts.files);
  wish.want = watch::WantName(facts.lives || to_be_sent ? Want::kStop : Want::kForget);
  return wish;
}

namespace {

Error NoPart(const PartKey& key) {
  return Error(ErrorCode::kNotFound, fmt::format("there is no part {} there", key.ToText()));
}

}  // namespace

Result<Managed*> Manager::Impl::FindPart(const std::string& node, const PartKey& key) {
  const auto run = runs_.find(key.run);
  const bool newest = run != runs_.end() && run->second.run().attempt == key.attempt;
  if (!newest || run->second.PartOn(node) == nullptr) return NoPart(key);
  return &run->second;
}

KeptCheckpoint& Manager::Impl::ResultOf(Managed& managed, const std::string& node) {
  const auto found = managed.results.find(node);
  if (found != managed.results.end()) return found->second;
  // Several come at once: each under a name of its own until it is there whole.
  KeptCheckpoint kept = KeptCheckpoint::Find(options_.db, managed.row.id,
                                             fmt::format("{}.{}", act::kResultFile, node));
  // Whole, but the manager was killed before it had its own name.
  if (kept.newest()) {
    const Status moved = kept.MoveTo(ResultName(managed));
    if (!moved.ok()) TellTrouble(moved.error());
  }
  return managed.results.emplace(node, std::move(kept)).first->second;
}

// Of a part that has done its work.
bool Manager::Impl::WantsResult(Managed& managed, const Part& part, const PartFacts& facts) {
  if (!facts.result || part.gone || !part.end) return false;
  // What code that was sent has left is of use after a failure too.
  const bool of_code = managed.bundle.has_value();
  if (!of_code && part.end->state != RunState::kFinished) return false;
  return ResultOf(managed, part.node).newest() != facts.result;
}

Result<uint64_t> Manager::Impl::TakeResult(const std::string& node, const PartKey& key,
                                           const act::FilePrint& print, uint64_t from,
                                           std::string_view bytes) {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(Managed* const managed, FindPart(node, key));
  KeptCheckpoint& result = ResultOf(*managed, node);
  RECKON_ASSIGN(const uint64_t have, result.Take(print, from, bytes));
  // Of workers that end one after the other the last one has the work of all.
  if (have == print.bytes) RECKON_TRY(result.MoveTo(ResultName(*managed)));
  return have;
}

Result<std::string> Manager::Impl::ReadLeft(int64_t run_id, const char* file, const char* what) {
  RECKON_TRY(store_.FindRun(run_id));
  auto left = base::ReadFile(RunFolderPath(options_.db, run_id) / file);
  if (left.ok() || left.error().code() != ErrorCode::kNotFound) return left;
  return Error(ErrorCode::kNotFound, fmt::format("run {} has left no {}", run_id, what));
}

Result<std::string> Manager::Impl::ReadModel(int64_t run_id) {
  return ReadLeft(run_id, act::kResultFile, "model");
}

Result<std::string> Manager::Impl::ReadResults(int64_t run_id) {
  return ReadLeft(run_id, act::kResultsFile, "results");
}

PartFiles& Manager::Impl::FilesOf(Managed& managed, const std::string& node) {
  const auto found = managed.files.find(node);
  if (found != managed.files.end()) return found->second;
  const fs::path folder = PartFolder(options_.db, managed.row.id, managed.run().attempt, node);
  return managed.files.emplace(node, PartFiles(folder)).first->second;
}

void Manager::Impl::FoldNews(Managed& managed, Part& part) {
  const Status read = FilesOf(managed, part.node).NextEvents([&](const Json& event) {
    Fold(event, part);
    if (!managed.accuracy || !managed.advice.empty()) return;
    if (auto why = managed.accuracy->Take(event)) managed.advice = *std::move(why);
  });
  if (!read.ok()) log_.Error(read.error().Describe());
}

Result<uint64_t> Manager::Impl::TakeFile(const std::string& node, const PartKey& key,
                                         const std::string& name, uint64_t from,
                                         std::string_view bytes) {
  const std::scoped_lock lock(mutex_);
  if (!act::GoesUp(name)) return base::BadInput(fmt::format("'{}' is no file of a part's", name));
  if (nodes_.Find(node) == nullptr) {
    return Error(ErrorCode::kNotFound, fmt::format("no node '{}' is known", node));
  }
  // Of attempts that are over too: what happened there is worth knowing.
  std::error_code error;
  if (!fs::exists(AttemptFile(options_.db, key.run, key.attempt), error)) {
    return Error(ErrorCode::kNotFound, fmt::format("there was no part {}", key.ToText()));
  }
  const auto run = runs_.find(key.run);
  const bool newest = run != runs_.end() && run->second.run().attempt == key.attempt;
  Part* part = newest ? run->second.PartOn(node) : nullptr;
  std::optional<PartFiles> old;
  if (part == nullptr) old.emplace(PartFolder(options_.db, key.run, key.attempt, node));
  PartFiles& files = part == nullptr ? *old : FilesOf(run->second, node);
  RECKON_ASSIGN(const uint64_t have, files.Append(name, from, bytes));
  if (part != nullptr && name == "events.jsonl") {
    FoldNews(run->second, *part);
    Wake();
  }
  return have;
}

Result<uint64_t> Manager::Impl::TakeCheckpoint(const std::string& node, const PartKey& key,
                                               const act::FilePrint& print, uint64_t from,
                                               std::string_view bytes) {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(Managed* const managed, FindPart(node, key));
  return managed->checkpoint.Take(print, from, bytes);
}

Result<std::string> Manager::Impl::ReadCheckpoint(const std::string& node, const PartKey& key,
                                                  uint64_t from) {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(Managed* const managed, FindPart(node, key));
  if (managed->PartOn(node)->lost) return NoPart(key);
  return managed->checkpoint.Read(from);
}

Result<std::string> Manager::Impl::ReadBundle(const std::string& node, const PartKey& key,
                                              uint64_t from) {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(Managed* const managed, FindPart(node, key));
  if (managed->PartOn(node)->lost || !managed->bundle) return NoPart(key);
  return base::ReadPiece(BundleOfRun(options_.db, key.run), from, act::kOfferedPiece);
}

}  // namespace reckon::app
