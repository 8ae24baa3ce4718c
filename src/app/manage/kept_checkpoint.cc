#include "app/manage/kept_checkpoint.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "act/agents/checkpoint_relay.h"
#include "app/runs/run_files.h"
#include "base/file.h"

namespace reckon::app {

using base::Error;
using base::ErrorCode;

KeptCheckpoint KeptCheckpoint::Find(const StorePlace& db, int64_t run_id, const std::string& file) {
  KeptCheckpoint kept;
  kept.file_ = RunFolderPath(db, run_id) / file;
  kept.newest_ = act::CheckpointPrints().Of(kept.file_);
  return kept;
}

base::Result<uint64_t> KeptCheckpoint::Take(const act::FilePrint& print, uint64_t from,
                                            std::string_view bytes) {
  if (print.bytes > act::kMostCheckpointBytes) {
    return base::BadInput(fmt::format("a checkpoint of {} bytes; at most {} are kept", print.bytes,
                                      act::kMostCheckpointBytes));
  }
  if (from == 0) {
    coming_ = print;
    arrived_.clear();
  }
  const bool goes_on = coming_ == print && from == arrived_.size();
  if (!goes_on || bytes.size() > print.bytes - from) {
    return base::BadInput(fmt::format("byte {} of a checkpoint of {}; expected one from byte {} on",
                                      from, print.bytes, coming_ == print ? arrived_.size() : 0));
  }
  arrived_ += bytes;
  if (arrived_.size() < print.bytes) return arrived_.size();
  coming_.reset();
  const std::string text = std::move(arrived_);
  arrived_.clear();
  if (act::PrintOf(text) != print) {
    return base::BadInput("the checkpoint that came is not the one that was named");
  }
  RECKON_TRY(base::WriteFile(file_, text));
  newest_ = print;
  return print.bytes;
}

base::Result<std::string> KeptCheckpoint::Read(uint64_t from) {
  constexpr size_t kPiece = 1 << 20;
  if (!newest_) return Error(ErrorCode::kNotFound, "the run has no checkpoint");
  if (from > newest_->bytes) {
    return base::BadInput(
        fmt::format("from {}: the checkpoint has {} bytes", from, newest_->bytes));
  }
  auto bytes = base::ReadPiece(file_, from, kPiece);
  if (bytes.ok() && bytes->size() == std::min<uint64_t>(kPiece, newest_->bytes - from)) {
    return bytes;
  }
  newest_.reset();  // who would wait for it begins without
  return Error(ErrorCode::kIo, fmt::format("cannot read {}", file_.string()));
}

base::Status KeptCheckpoint::MoveTo(const std::string& name) const {
  std::error_code error;
  std::filesystem::rename(file_, file_.parent_path() / name, error);
  if (!error) return {};
  return Error(ErrorCode::kIo, fmt::format("{}: {}", file_.string(), error.message()));
}

}  // namespace reckon::app
