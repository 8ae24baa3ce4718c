#include "app/data_store/offers.h"

#include <algorithm>
#include <fstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "act/agents/checkpoint_relay.h"
#include "act/agents/data_fetch.h"
#include "base/field_reader.h"
#include "base/file.h"
#include "base/json.h"
#include "base/random_token.h"
#include "base/text.h"

namespace reckon::app {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;

net::HttpResponse RefuseFile(int status, const std::string& why) {
  return {status, "application/json", base::DumpJsonLine(base::Json{{"error", why}})};
}

// "/NAME/FILE?from=N".
struct WantedFile {
  std::string name;
  std::string file;
  uint64_t from = 0;
};

std::optional<WantedFile> ParseOffered(const std::string& target) {
  WantedFile wanted;
  const size_t query = target.find("?from=");
  if (query != std::string::npos) {
    const auto from = base::ParseInteger(target.substr(query + 6));
    if (!from || *from < 0) return std::nullopt;
    wanted.from = static_cast<uint64_t>(*from);
  }
  const std::string path = target.substr(0, query);
  const size_t slash = path.find('/', 1);
  if (path.empty() || path[0] != '/' || slash == std::string::npos) return std::nullopt;
  wanted.name = path.substr(1, slash - 1);
  wanted.file = path.substr(slash + 1);
  if (!base::IsPlainName(wanted.name) || !base::IsPlainName(wanted.file)) return std::nullopt;
  return wanted;
}

}  // namespace

Result<std::unique_ptr<Offers>> Offers::Open(Options options) {
  std::error_code error;
  fs::remove_all(options.folder, error);  // of a store that was killed
  fs::create_directories(options.folder, error);
  if (!error) fs::permissions(options.folder, fs::perms::owner_all, error);
  if (error) {
    return Error(ErrorCode::kIo, fmt::format("{}: {}", options.folder.string(), error.message()));
  }
  std::unique_ptr<Offers> offers(new Offers(std::move(options)));
  net::HttpServerOptions http;
  http.listen = offers->options_.listen;
  http.tls = offers->options_.tls;
  http.most_body_bytes = 1 << 10;  // nobody has anything to send
  RECKON_ASSIGN(offers->door_,
                net::HttpServer::Start(http, [offers = offers.get()](const net::HttpRequest& call) {
                  return offers->Answer(call);
                }));
  return offers;
}

Offers::~Offers() {
  door_.reset();
  End();
}

Status Offers::Begin(const std::string& name) {
  End();
  RECKON_ASSIGN(std::string secret, base::RandomToken());
  std::error_code error;
  fs::create_directories(options_.folder / name, error);
  if (error) return Error(ErrorCode::kIo, fmt::format("{}: {}", name, error.message()));
  const std::scoped_lock lock(mutex_);
  name_ = name;
  secret_ = std::move(secret);
  return {};
}

Result<act::DataWish::File> Offers::Add(const NamedBytes& file) {
  RECKON_TRY(base::WriteFile(options_.folder / name_ / file.name, file.bytes));
  return act::DataWish::File{file.name, act::PrintOf(file.bytes)};
}

void Offers::End() {
  const std::scoped_lock lock(mutex_);
  std::error_code error;
  if (!name_.empty()) fs::remove_all(options_.folder / name_, error);
  name_.clear();
  secret_.clear();
}

std::string Offers::source() const {
  const std::scoped_lock lock(mutex_);
  if (name_.empty()) return "";
  return fmt::format("{}://{}/{}", options_.tls ? "https" : "http",
                     net::Address{options_.listen.host, door_->port()}.ToText(), name_);
}

std::string Offers::secret() const {
  const std::scoped_lock lock(mutex_);
  return secret_;
}

net::HttpResponse Offers::Answer(const net::HttpRequest& request) const {
  if (request.method != "GET") return RefuseFile(405, "files are here to be fetched");
  const auto shown = request.headers.find("authorization");
  const auto wanted = ParseOffered(request.target);
  fs::path path;
  {
    const std::scoped_lock lock(mutex_);
    const bool known = !secret_.empty() && shown != request.headers.end() &&
                       base::SameSecret(shown->second, "Bearer " + secret_);
    if (!known) return RefuseFile(401, "expected the secret of this offer");
    if (!wanted || wanted->name != name_) return RefuseFile(404, "this is not offered here");
    path = options_.folder / name_ / wanted->file;
  }
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) return RefuseFile(404, "there is no such file");
  const auto size = static_cast<uint64_t>(in.tellg());
  if (wanted->from > size) return RefuseFile(400, fmt::format("from: the file has {} bytes", size));
  std::string bytes(std::min<uint64_t>(act::kOfferedPiece, size - wanted->from), '\0');
  in.seekg(static_cast<std::streamoff>(wanted->from));
  if (!bytes.empty() && !in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
    return RefuseFile(500, "the file cannot be read");
  }
  return {200, "application/octet-stream", std::move(bytes)};
}

}  // namespace reckon::app
