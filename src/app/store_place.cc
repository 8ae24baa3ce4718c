#include "app/store_place.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/file.h"
#include "base/fingerprint.h"
#include "base/random_token.h"

namespace reckon::app {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;

fs::path Canonical(const fs::path& path) {
  std::error_code error;
  fs::path canonical = fs::weakly_canonical(path, error);
  return error ? fs::absolute(path) : canonical;
}

// A name for people, and what tells it from all that look like it.
std::string FolderName(const std::string& store) {
  constexpr std::string_view kScheme = "postgresql://";
  constexpr size_t kMost = 80;
  constexpr size_t kDigits = 8;
  std::string name = store.substr(kScheme.size(), kMost);
  std::replace_if(
      name.begin(), name.end(),
      [](unsigned char c) { return std::isalnum(c) == 0 && c != '.' && c != '-' && c != '@'; },
      '_');
  base::Fingerprint print;
  print.Add(store);
  return fmt::format("{}-{}.runs", name, print.Hex().substr(0, kDigits));
}

fs::path StateFolder() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state != 0) {
    return fs::path(state) / "reckon";
  }
  const char* const home = std::getenv("HOME");
  return fs::path(home != nullptr ? home : "") / ".local/state/reckon";
}

std::string HostName() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

fs::path MarkFile(const StorePlace& place) { return place.RunsFolder() / "store.json"; }

base::Result<base::Json> ReadMark(const StorePlace& place) {
  const fs::path file = MarkFile(place);
  RECKON_ASSIGN(const std::string text, base::ReadFile(file));
  RECKON_ASSIGN(base::Json mark, base::ParseJson(text, file.string()));
  const auto is_text = [&](const char* key) { return mark.contains(key) && mark[key].is_string(); };
  if (!mark.is_object() || !is_text("store") || !is_text("mark")) {
    return base::Corrupt(fmt::format("{} is damaged", file.string()));
  }
  return mark;
}

// Of programs that come at once the first one's counts.
base::Status MakeMark(const StorePlace& place, const std::string& store) {
  std::error_code error;
  const fs::path folder = place.RunsFolder();
  fs::create_directories(folder, error);
  if (error) {
    return Error(ErrorCode::kIo, fmt::format("{}: {}", folder.string(), error.message()));
  }
  RECKON_ASSIGN(const std::string token, base::RandomToken());
  const fs::path own = folder / ("store.json." + token);
  RECKON_TRY(base::WriteFile(own, base::DumpJson({{"store", store}, {"mark", token}})));
  fs::create_hard_link(own, MarkFile(place), error);
  const bool made = !error || error == std::errc::file_exists;
  std::error_code ignored;
  fs::remove(own, ignored);
  if (made) return {};
  return Error(ErrorCode::kIo, fmt::format("{}: {}", MarkFile(place).string(), error.message()));
}

}  // namespace

std::string StorePlace::ForPrograms() const {
  if (address_.IsPostgres() || address_.text().empty()) return address_.text();
  return fs::absolute(address_.text()).string();
}

fs::path StorePlace::RunsFolder() const {
  if (!runs_.empty()) return Canonical(runs_);
  if (address_.IsPostgres()) return Canonical(StateFolder() / FolderName(name()));
  // Whoever comes to the store by a link finds the same runs.
  fs::path folder = Canonical(address_.text());
  if (folder.extension() == ".db") folder.replace_extension();
  folder += ".runs";
  return folder;
}

base::Result<RunsMark> ClaimRunsFolder(const StorePlace& place) {
  const std::string store =
      place.address().IsPostgres() ? place.name() : Canonical(place.name()).string();
  std::error_code error;
  if (!fs::exists(MarkFile(place), error)) RECKON_TRY(MakeMark(place, store));
  RECKON_ASSIGN(const base::Json mark, ReadMark(place));
  const std::string folder = place.RunsFolder().string();
  if (mark["store"] != store) {
    return base::BadInput(
        fmt::format("{} keeps the runs of '{}'; give '{}' another one with --runs-folder", folder,
                    mark["store"].get<std::string>(), store));
  }
  return RunsMark{HostName(), folder, mark["mark"]};
}

base::Json ToJson(const RunsMark& mark) {
  return {{"host", mark.host}, {"folder", mark.folder}, {"mark", mark.mark}};
}

std::string KeptElsewhere(const StorePlace& place, const core::Run& run) {
  const base::Json plan = base::Json::parse(run.plan, nullptr, false);
  if (!plan.is_object() || !plan.contains("kept") || !plan["kept"].is_object()) return "";
  const base::Json& kept = plan["kept"];
  const auto mark = ReadMark(place);
  if (mark.ok() && (*mark)["mark"] == kept.value("mark", "")) return "";
  return fmt::format("its files are on {}, in {}", kept.value("host", "another machine"),
                     kept.value("folder", "another folder"));
}

}  // namespace reckon::app
