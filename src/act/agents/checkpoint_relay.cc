#include "act/agents/checkpoint_relay.h"

#include <algorithm>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/fingerprint.h"
#include "base/json.h"

namespace reckon::act {
namespace {

namespace fs = std::filesystem;
using base::Result;

constexpr size_t kPiece = 256 << 10;  // bytes a message: one takes no longer than beats may

}  // namespace

FilePrint PrintOf(std::string_view text) {
  base::Fingerprint print;
  print.Add(text);
  return {print.Hex(), text.size()};
}

std::optional<FilePrint> CheckpointPrints::Of(const fs::path& file) {
  std::error_code error;
  const auto bytes = fs::file_size(file, error);
  if (error || bytes > kMostCheckpointBytes) return std::nullopt;
  const auto changed = fs::last_write_time(file, error);
  if (error) return std::nullopt;
  const auto found = seen_.find(file.string());
  if (found != seen_.end() && found->second.changed == changed &&
      found->second.print.bytes == bytes) {
    return found->second.print;
  }
  const auto text = base::ReadFile(file);
  if (!text.ok()) return std::nullopt;
  // Replaced in between: what was read is one of the two, and the next look finds the other.
  Seen& seen = seen_[file.string()];
  seen = {changed, PrintOf(*text)};
  return seen.print;
}

std::string CheckpointRelay::Target(const PartKey& key) const {
  return fmt::format("/api/v1/agents/{}/parts/{}/{}", node_, key.ToText(), what_);
}

Result<bool> CheckpointRelay::Send(const PartKey& key, const fs::path& file,
                                   base::MonotonicTime until) {
  if (!outgoing_ || outgoing_->key != key) {
    // What is under way goes on although the file has been replaced: half of each is of no use.
    RECKON_ASSIGN(std::string text, base::ReadFile(file));
    const FilePrint print = PrintOf(text);
    outgoing_ = Cargo{key, print, std::move(text)};
  }
  Cargo& cargo = *outgoing_;
  while (cargo.sent < cargo.print.bytes && clock_.Monotonic() < until) {
    net::HttpRequest request;
    request.method = "POST";
    request.target = fmt::format("{}?print={}&bytes={}&from={}", Target(key), cargo.print.print,
                                 cargo.print.bytes, cargo.sent);
    request.headers["content-type"] = "application/octet-stream";
    request.body = cargo.text.substr(cargo.sent, kPiece);
    const auto answer = ask_(request);
    if (!answer.ok()) {
      outgoing_.reset();  // begun anew: the manager may be another one by now
      return answer.error();
    }
    const auto json = base::Json::parse(answer->body, nullptr, false);
    const auto have = base::WholeAt(json, "have");
    if (!have || *have > cargo.print.bytes) {
      outgoing_.reset();
      return base::Corrupt(fmt::format("the manager does not say how much of a {} it has", what_));
    }
    cargo.sent = *have;
  }
  const bool more = cargo.sent < cargo.print.bytes;
  if (!more) outgoing_.reset();
  return more;
}

Result<std::optional<std::string>> CheckpointRelay::Fetch(const PartKey& key,
                                                          const FilePrint& wanted,
                                                          base::MonotonicTime until) {
  if (!incoming_ || incoming_->key != key || incoming_->print != wanted) {
    incoming_ = Cargo{key, wanted, ""};
  }
  Cargo& cargo = *incoming_;
  while (cargo.text.size() < wanted.bytes && clock_.Monotonic() < until) {
    net::HttpRequest request;
    request.method = "GET";
    request.target = fmt::format("{}?from={}", Target(key), cargo.text.size());
    RECKON_ASSIGN(const net::HttpResponse answer, ask_(request));
    if (answer.body.empty() || cargo.text.size() + answer.body.size() > wanted.bytes) break;
    cargo.text += answer.body;
  }
  if (cargo.text.size() < wanted.bytes && clock_.Monotonic() >= until) {
    return std::optional<std::string>();
  }
  std::string text = std::move(cargo.text);
  incoming_.reset();
  if (PrintOf(text) != wanted) {
    return base::Corrupt("the checkpoint that the manager sent is not the one that it named");
  }
  return std::optional<std::string>(std::move(text));
}

}  // namespace reckon::act
