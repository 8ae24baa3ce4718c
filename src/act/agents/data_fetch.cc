#include "act/agents/data_fetch.h"

#include <fstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/fingerprint.h"
#include "base/json.h"

namespace reckon::act {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;
using base::Result;

constexpr std::chrono::milliseconds kFetchPatience{5'000};

// Of a file that is not whole yet.
fs::path HalfOf(const fs::path& file) { return file.string() + ".half"; }

base::Status AppendTo(const fs::path& file, const std::string& bytes) {
  std::ofstream out(file, std::ios::binary | std::ios::app);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (out) return {};
  return Error(ErrorCode::kIo, fmt::format("{} cannot be written", file.string()));
}

}  // namespace

Result<FilePrint> PrintOfFile(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return Error(ErrorCode::kNotFound, fmt::format("{} cannot be read", file.string()));
  base::Fingerprint print;
  FilePrint whole;
  std::string block(size_t{1} << 20, '\0');
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
    const auto count = static_cast<size_t>(in.gcount());
    print.Add(std::string_view(block).substr(0, count));
    whole.bytes += count;
  }
  if (in.bad()) return Error(ErrorCode::kIo, fmt::format("{} cannot be read", file.string()));
  whole.print = print.Hex();
  return whole;
}

Result<bool> DataFetch::Fetch(const fs::path& folder, const DataWish& wish,
                              base::MonotonicTime until) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return Error(ErrorCode::kIo, fmt::format("{}: {}", folder.string(), error.message()));
  fs::permissions(folder, fs::perms::owner_all, error);
  for (const DataWish::File& file : wish.files) {
    RECKON_ASSIGN(const bool whole, FetchFile(folder, wish, file, until));
    if (!whole) return false;
  }
  return true;
}

Result<bool> DataFetch::FetchFile(const fs::path& folder, const DataWish& wish,
                                  const DataWish::File& file, base::MonotonicTime until) {
  const fs::path path = folder / file.name;
  std::error_code none;
  if (fs::exists(path, none)) return true;
  const fs::path half = HalfOf(path);
  uint64_t have = fs::exists(half, none) ? fs::file_size(half, none) : 0;
  while (have < file.print.bytes) {
    if (clock_.Monotonic() >= until) return false;
    RECKON_ASSIGN(const std::string bytes, Piece(wish, file.name, have));
    if (bytes.empty() || have + bytes.size() > file.print.bytes) break;
    RECKON_TRY(AppendTo(half, bytes));
    have += bytes.size();
  }
  if (file.print.bytes == 0) RECKON_TRY(AppendTo(half, ""));
  RECKON_ASSIGN(const FilePrint print, PrintOfFile(half));
  if (print != file.print) {
    fs::remove(half, none);
    return base::Corrupt(
        fmt::format("{} as {} gives it is not the file that was offered", file.name, wish.source));
  }
  fs::rename(half, path, none);
  if (none) return Error(ErrorCode::kIo, fmt::format("{}: {}", path.string(), none.message()));
  return true;
}

Result<std::string> DataFetch::Piece(const DataWish& wish, const std::string& name, uint64_t from) {
  if (!client_ || source_ != wish.source) {
    RECKON_ASSIGN(const net::Url url, net::ParseUrl(wish.source));
    if (url.secure && tls_ == nullptr) {
      return base::BadInput(
          fmt::format("{}: this agent knows no certificates to believe (--tls-ca)", wish.source));
    }
    client_.emplace(url.address, net::HttpClientOptions{.connect_patience = kFetchPatience,
                                                        .answer_patience = kFetchPatience,
                                                        .most_body_bytes = 2 * kOfferedPiece,
                                                        .tls = url.secure ? tls_ : nullptr});
    source_ = wish.source;
    target_ = url.target == "/" ? "" : url.target;
  }
  net::HttpRequest request;
  request.method = "GET";
  request.target = fmt::format("{}/{}?from={}", target_, name, from);
  if (!wish.secret.empty()) request.headers["authorization"] = "Bearer " + wish.secret;
  RECKON_ASSIGN(net::HttpResponse answer, client_->Call(request));
  if (answer.status == 200) return std::move(answer.body);
  const base::Json json = base::Json::parse(answer.body, nullptr, false);
  const std::string why = json.is_object() ? json.value("error", "") : "";
  return Error(ErrorCode::kUnavailable, fmt::format("{} says {}{}", wish.source, answer.status,
                                                    why.empty() ? "" : ": " + why));
}

}  // namespace reckon::act
