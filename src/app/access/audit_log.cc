#include "app/access/audit_log.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/system_error.h"
#include "base/text.h"

namespace reckon::app {
namespace {

namespace fs = std::filesystem;
using base::Json;
using base::Result;
using base::Status;

// Longer than any line: a request's path is not.
constexpr int64_t kTail = 64 << 10;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

fs::path OlderFile(const fs::path& file, int age) {
  if (age == 0) return file;
  fs::path older = file;
  older.replace_extension(fmt::format("{}.jsonl", age));
  return older;
}

int64_t IdOf(std::string_view line) {
  const Json json = Json::parse(line, nullptr, false);
  return json.is_object() ? json.value("id", int64_t{0}) : 0;
}

// Of the last whole line; 0 when there is none.
int64_t LastId(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  const size_t end = text.rfind('\n');
  return IdOf(end == std::string_view::npos ? text : text.substr(end + 1));
}

struct End {
  int64_t size = 0;     // after the last whole line
  int64_t last_id = 0;  // 0: none
};

Result<End> EndOf(int file) {
  struct stat info {};
  if (fstat(file, &info) != 0) return base::SystemError("fstat");
  const int64_t from = std::max<int64_t>(0, info.st_size - kTail);
  std::string text(static_cast<size_t>(info.st_size - from), '\0');
  if (pread(file, text.data(), text.size(), from) != static_cast<ssize_t>(text.size())) {
    return base::SystemError("cannot read");
  }
  // What was cut off by a crash was answered to nobody.
  const size_t whole = text.rfind('\n');
  text.resize(whole == std::string::npos ? 0 : whole + 1);
  return End{from + static_cast<int64_t>(text.size()), text.empty() ? 0 : LastId(text)};
}

// Opens and locks it, also when another process has just put a new one in its place.
Result<int> OpenLocked(const fs::path& path) {
  for (;;) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return base::SystemError(fmt::format("cannot open '{}'", path.string()));
    struct stat here {};
    struct stat there {};
    if (flock(file, LOCK_EX) != 0 || fstat(file, &here) != 0) {
      const base::Error error = base::SystemError(fmt::format("cannot lock '{}'", path.string()));
      close(file);
      return error;
    }
    if (stat(path.c_str(), &there) == 0 && here.st_ino == there.st_ino) return file;
    close(file);
  }
}

Json LineOf(const AuditEntry& entry, int64_t id, base::WallTime at) {
  Json line{{"id", id}, {"at", base::FormatTime(at)}};
  line["token"] = entry.token;
  if (entry.token_id) line["token_id"] = *entry.token_id;
  line["user"] = entry.user;
  line["scope"] = entry.scope;
  line["from"] = entry.from;
  line["method"] = entry.method;
  line["route"] = entry.route;
  line["path"] = Json::object();
  for (const auto& [name, value] : entry.path) line["path"][name] = value.substr(0, 200);
  if (entry.made) line["made"] = *entry.made;
  line["status"] = entry.status;
  if (!entry.why.empty()) line["why"] = entry.why;
  if (entry.unlisted > 0) line["unlisted"] = entry.unlisted;
  return line;
}

// Every file becomes one older; the oldest goes.
Status Rotate(const fs::path& file, int kept_files) {
  for (int age = kept_files - 1; age > 0; --age) {
    const fs::path from = OlderFile(file, age - 1);
    if (rename(from.c_str(), OlderFile(file, age).c_str()) != 0 && errno != ENOENT) {
      return base::SystemError(fmt::format("cannot rename '{}'", from.string()));
    }
  }
  return {};
}

}  // namespace

fs::path AuditFile(const StorePlace& place) {
  // A database on a server has no place of its own here.
  if (place.address().IsPostgres()) return place.RunsFolder() / "audit.jsonl";
  const fs::path db = place.address().text();
  // Whoever comes to the store by a link finds the same log.
  std::error_code error;
  fs::path file = fs::weakly_canonical(db, error);
  if (error) file = fs::absolute(db);
  if (file.extension() == ".db") file.replace_extension();
  file += ".audit.jsonl";
  return file;
}

Status AuditLog::Append(const Kept& kept) {
  RECKON_ASSIGN(const int opened, OpenLocked(file_));
  const Descriptor file(opened);
  RECKON_ASSIGN(End end, EndOf(file.number()));
  if (end.last_id == 0 && options_.kept_files > 1) {
    // A new file goes on where the one before it ended.
    const Descriptor older(open(OlderFile(file_, 1).c_str(), O_RDONLY | O_CLOEXEC));
    if (older.number() >= 0) {
      RECKON_ASSIGN(const End before, EndOf(older.number()));
      end.last_id = before.last_id;
    }
  }
  const Json line = LineOf(kept.entry, end.last_id + 1, kept.at);
  const std::string text = base::DumpJsonLine(line) + "\n";
  const auto fail = [this](int code) {
    return base::SystemError(fmt::format("cannot write '{}'", file_.string()), code);
  };
  if (ftruncate(file.number(), end.size) != 0) return fail(errno);
  const ssize_t written = pwrite(file.number(), text.data(), text.size(), end.size);
  if (written != static_cast<ssize_t>(text.size())) {
    const int code = written < 0 ? errno : ENOSPC;
    (void)!ftruncate(file.number(), end.size);  // the next one cuts off what is left of it
    return fail(code);
  }
  if (fdatasync(file.number()) != 0) return fail(errno);
  // Renamed under the lock: others notice that their file has another name by now.
  if (end.size + written >= static_cast<int64_t>(options_.most_bytes)) {
    // One that cannot be renamed grows: an error would have the line written again.
    (void)Rotate(file_, options_.kept_files);
  }
  return {};
}

Status AuditLog::Write(const AuditEntry& entry) {
  kept_.push_back({clock_.Now(), entry});
  return CatchUp();
}

Status AuditLog::CatchUp() {
  while (!kept_.empty()) {
    RECKON_TRY(Append(kept_.front()));
    kept_.erase(kept_.begin());
  }
  return {};
}

Result<std::vector<Json>> ReadAudit(const fs::path& file, size_t limit,
                                    std::optional<int64_t> before, const AuditOptions& options) {
  std::vector<Json> found;
  for (int age = 0; age < options.kept_files && found.size() < limit; ++age) {
    auto text = base::ReadFile(OlderFile(file, age));
    if (!text.ok() && text.error().code() == base::ErrorCode::kNotFound) continue;
    if (!text.ok()) return std::move(text).error();
    std::vector<std::string_view> lines = base::Split(*text, '\n');
    lines.pop_back();  // empty, or not whole yet
    auto end = lines.end();
    if (before) {
      end = std::partition_point(lines.begin(), lines.end(),
                                 [&](std::string_view line) { return IdOf(line) < *before; });
    }
    while (end != lines.begin() && found.size() < limit) {
      Json line = Json::parse(*--end, nullptr, false);
      if (line.is_object()) found.push_back(std::move(line));
    }
  }
  return found;
}

}  // namespace reckon::app
