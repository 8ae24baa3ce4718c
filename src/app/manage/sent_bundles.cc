#include "app/manage/sent_bundles.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "act/agents/data_fetch.h"
#include "base/units.h"
#include "bundle/bundle.h"
#include "net/sha256.h"

namespace reckon::app {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;

constexpr std::chrono::hours kKept{24};
// All that is here together, in bundles of the largest size.
constexpr uint64_t kMostKept = 16;

Status CheckName(const std::string& sha256) {
  constexpr size_t kDigits = 64;
  const bool good =
      sha256.size() == kDigits && sha256.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (good) return {};
  return base::BadInput(
      fmt::format("'{}' is no SHA-256; expected 64 hexadecimal digits, lower case", sha256));
}

// Of one that is not whole yet.
fs::path HalfOf(const fs::path& file) { return file.string() + ".half"; }

Status AppendTo(const fs::path& file, std::string_view piece) {
  std::ofstream out(file, std::ios::binary | std::ios::app);
  out.write(piece.data(), static_cast<std::streamsize>(piece.size()));
  out.close();
  if (out) return {};
  return Error(ErrorCode::kIo, fmt::format("{} cannot be written", file.string()));
}

}  // namespace

Result<SentBundle> SentBundles::Find(const std::string& sha256) {
  RECKON_TRY(CheckName(sha256));
  const std::scoped_lock lock(mutex_);
  return FindLocked(sha256);
}

SentBundle SentBundles::FindLocked(const std::string& sha256) const {
  std::error_code error;
  const fs::path file = folder_ / sha256;
  const uint64_t whole = fs::file_size(file, error);
  if (!error) return {whole, true};
  const uint64_t half = fs::file_size(HalfOf(file), error);
  return {error ? 0 : half, false};
}

Result<SentBundle> SentBundles::Take(const std::string& sha256, uint64_t bytes, uint64_t from,
                                     std::string_view piece) {
  RECKON_TRY(CheckName(sha256));
  if (bytes > most_bytes_) {
    return base::BadInput(fmt::format("{} of code; at most {} are taken", base::FormatBytes(bytes),
                                      base::FormatBytes(most_bytes_)));
  }
  {
    const std::scoped_lock lock(mutex_);
    RECKON_ASSIGN(const SentBundle known, Append(sha256, bytes, from, piece));
    if (known.whole || known.have < bytes) return known;
    checking_.insert(sha256);
  }
  const Status accepted = Accept(sha256);
  const std::scoped_lock lock(mutex_);
  checking_.erase(sha256);
  if (!accepted.ok()) return accepted.error();
  return SentBundle{bytes, true};
}

Result<SentBundle> SentBundles::Append(const std::string& sha256, uint64_t bytes, uint64_t from,
                                       std::string_view piece) {
  if (checking_.contains(sha256)) {
    return Error(ErrorCode::kUnavailable, "it is being checked; ask again");
  }
  SentBundle known = FindLocked(sha256);
  if (known.whole) return known;
  if (from != known.have || from > bytes || piece.size() > bytes - from) {
    return base::BadInput(fmt::format("bytes {} to {} of {}; expected some from byte {} on", from,
                                      from + piece.size(), bytes, known.have));
  }
  if (from == 0) RECKON_TRY(MakeRoom(bytes));
  RECKON_TRY(AppendTo(HalfOf(folder_ / sha256), piece));
  known.have += piece.size();
  return known;
}

// What is no good goes: the next attempt begins anew.
Status SentBundles::Accept(const std::string& sha256) {
  const fs::path file = folder_ / sha256;
  const fs::path half = HalfOf(file);
  act::FilePrint print;
  const auto checked = [&]() -> Status {
    RECKON_ASSIGN(const std::string is, net::Sha256OfFile(half));
    if (is != sha256) return base::BadInput("what came is not what its SHA-256 says: " + is);
    RECKON_ASSIGN(print, act::PrintOfFile(half));
    const auto contents = bundle::Check(half, bundle::Limits());
    if (contents.ok()) return {};
    // Where it lies here is nobody else's business.
    std::string why = contents.error().Describe();
    const std::string place = fmt::format("'{}'", half.string());
    const size_t at = why.find(place);
    if (at != std::string::npos) why.replace(at, place.size(), "what was sent");
    return Error(contents.error().code(), why);
  };
  std::error_code error;
  Status good = checked();
  const std::scoped_lock lock(mutex_);
  if (!good.ok()) {
    fs::remove(half, error);
    return good;
  }
  fs::rename(half, file, error);
  if (error) return Error(ErrorCode::kIo, fmt::format("{}: {}", file.string(), error.message()));
  prints_[sha256] = print;
  return {};
}

Status SentBundles::MakeRoom(uint64_t bytes) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) return Error(ErrorCode::kIo, fmt::format("{}: {}", folder_.string(), error.message()));
  fs::permissions(folder_, fs::perms::owner_all, error);
  struct Kept {
    fs::path file;
    base::WallTime at;
    uint64_t bytes = 0;
  };
  std::vector<Kept> all;
  uint64_t sum = bytes;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    std::error_code gone;
    const auto at = std::chrono::file_clock::to_sys(entry.last_write_time(gone));
    const uint64_t size = gone ? 0 : entry.file_size(gone);
    if (gone) continue;
    all.push_back({entry.path(), std::chrono::time_point_cast<base::WallTime::duration>(at), size});
    sum += size;
  }
  std::sort(all.begin(), all.end(), [](const Kept& a, const Kept& b) { return a.at < b.at; });
  for (const Kept& one : all) {
    if (checking_.contains(one.file.stem().string())) continue;
    const bool old = one.at < clock_.Now() - kKept;
    const bool may_go = one.file.extension() != ".half" && sum > kMostKept * most_bytes_;
    if (!old && !may_go) continue;
    fs::remove(one.file, error);
    sum -= one.bytes;
  }
  if (sum <= kMostKept * most_bytes_) return {};
  return Error(ErrorCode::kUnavailable, "too much code is being sent; try again later");
}

Result<act::FilePrint> SentBundles::Link(const std::string& sha256, const fs::path& file) {
  RECKON_TRY(CheckName(sha256));
  const std::scoped_lock lock(mutex_);
  if (!FindLocked(sha256).whole) {
    return base::BadInput(fmt::format("bundle {} is not here; send it first", sha256));
  }
  std::error_code error;
  fs::remove(file, error);
  fs::create_hard_link(folder_ / sha256, file, error);
  if (error) return Error(ErrorCode::kIo, fmt::format("{}: {}", file.string(), error.message()));
  // It was of use: others who send the same need not.
  fs::last_write_time(folder_ / sha256, fs::file_time_type::clock::now(), error);
  const auto known = prints_.find(sha256);
  if (known != prints_.end()) return known->second;
  RECKON_ASSIGN(const act::FilePrint print, act::PrintOfFile(file));
  prints_[sha256] = print;
  return print;
}

}  // namespace reckon::app
