#include "app/manage/remote.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/manage/agent_run.h"
#include "app/manage/attempt_plan.h"
#include "app/runs/describe.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/json.h"
#include "base/system_error.h"
#include "base/text.h"
#include "core/run.h"
#include "net/sha256.h"

namespace reckon::app {
namespace {

using base::Error;
using base::ErrorCode;
using base::Json;
using base::Result;

constexpr std::chrono::milliseconds kLook{300};

ErrorCode CodeOf(const Json& body, int status) {
  for (const ErrorCode code :
       {ErrorCode::kBadInput, ErrorCode::kNotFound, ErrorCode::kCorrupt, ErrorCode::kUnavailable,
        ErrorCode::kIo, ErrorCode::kInterrupted, ErrorCode::kFailed}) {
    if (body.is_object() && body.value("code", "") == base::ErrorCodeName(code)) return code;
  }
  if (status == 404) return ErrorCode::kNotFound;
  if (status == 429) return ErrorCode::kUnavailable;
  return status < 500 ? ErrorCode::kBadInput : ErrorCode::kUnavailable;
}

bool HasEnded(const Json& run) {
  const auto state = core::ParseRunState(run.value("state", ""));
  return state && core::IsFinal(*state);
}

void Tell(const Json& run, double elapsed_s, base::Progress& progress) {
  base::ProgressState state;
  const std::string what = run.value("state", "");
  state.what = what;
  state.elapsed_s = elapsed_s;
  const Json done = run.value("progress", Json::object());
  if (done.value("total", 0.0) > 0)
    state.share = done.value("done", 0.0) / done["total"].get<double>();
  const auto left = done.find("remaining_s");
  if (left != done.end() && left->is_number()) state.remaining_s = left->get<double>();
  progress.Tell(state);
}

}  // namespace

Result<Remote> Remote::Open(const RemoteRequest& request) {
  auto place = ParseManager(request.server, request.tls_ca);
  if (!place.ok()) return std::move(place).error().Wrap("--server");
  RECKON_ASSIGN(std::string token, ReadTokenFile(request.token_file));
  constexpr size_t kMostModel = size_t{300} << 20;
  return Remote(net::HttpClient(place->address, {.most_body_bytes = kMostModel, .tls = place->tls}),
                std::move(token));
}

Result<net::HttpResponse> Remote::Send(const std::string& method, const std::string& target,
                                       const std::string& body, const std::string& type) {
  net::HttpRequest request;
  request.method = method;
  request.target = "/api/v1" + target;
  request.body = body;
  if (!body.empty()) request.headers["content-type"] = type;
  if (!token_.empty()) request.headers["authorization"] = "Bearer " + token_;
  RECKON_ASSIGN(net::HttpResponse response, client_.Call(request));
  if (response.status < 300) return response;
  const Json answer = Json::parse(response.body, nullptr, false);
  const std::string why = answer.is_object() ? answer.value("error", "") : "";
  return Error(CodeOf(answer, response.status),
               why.empty() ? fmt::format("the manager says {}", response.status) : why);
}

Result<Json> Remote::Call(const std::string& method, const std::string& target,
                          const std::string& body) {
  RECKON_ASSIGN(const net::HttpResponse response, Send(method, target, body));
  Json answer = Json::parse(response.body, nullptr, false);
  if (answer.is_discarded()) return base::Corrupt("the manager's answer is no JSON");
  return answer;
}

Result<std::string> Remote::Model(int64_t run) {
  RECKON_ASSIGN(net::HttpResponse response, Send("GET", fmt::format("/runs/{}/model", run), ""));
  return std::move(response.body);
}

Json JobBody(const JobText& job) {
  Json body{{"job", job.text}, {"source", job.source}, {"set", Json::array()}};
  for (const spec::Override& one : job.overrides) {
    body["set"].push_back({{"path", one.path}, {"value", one.value}});
  }
  if (!job.model.empty()) body["model"] = job.model;
  if (!job.bundle.empty()) body["bundle"] = job.bundle;
  return body;
}

Result<Json> Remote::Ask(const std::string& method, const std::string& target, const Json& body) {
  return Call(method, target, body.is_null() ? "" : base::DumpJsonLine(body));
}

Result<Json> Remote::Published(const std::string& name) {
  return Call("GET", name.empty() ? "/published" : "/published/" + net::UrlPart(name));
}

Result<Json> Remote::Publish(const std::string& name, int64_t run, bool force) {
  return Ask("POST", "/published/" + net::UrlPart(name) + "/versions",
             Json{{"run", run}, {"force", force}});
}

Result<Json> Remote::Promote(const std::string& name, int64_t version) {
  return Ask("POST", "/published/" + net::UrlPart(name) + "/promote", Json{{"version", version}});
}

Result<Json> Remote::RollBack(const std::string& name) {
  return Call("POST", "/published/" + net::UrlPart(name) + "/rollback");
}

Result<Json> Remote::DataStores() { return Call("GET", "/data-stores"); }

Result<Json> Remote::WantUpdate(const std::string& data_store) {
  return Call("POST", "/data-stores/" + net::UrlPart(data_store) + "/update");
}

Result<int64_t> Remote::Submit(const JobText& job) {
  RECKON_ASSIGN(const Json run, Ask("POST", "/runs", JobBody(job)));
  return run.value("id", int64_t{0});
}

namespace {

// Goes with us; nobody else looks into it.
class PrivateFolder {
 public:
  static Result<PrivateFolder> Make() {
    std::error_code error;
    const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
    if (error) return Error(ErrorCode::kIo, "no folder for temporary files: " + error.message());
    std::string path = (parent / "reckon-XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) return base::SystemError("cannot make " + path);
    return PrivateFolder(path);
  }
  PrivateFolder(PrivateFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  ~PrivateFolder() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit PrivateFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

}  // namespace

Result<std::string> Remote::SendFolder(const std::filesystem::path& folder,
                                       const Context& context) {
  constexpr size_t kPiece = size_t{1} << 20;
  constexpr int kPatience = 100;  // looks at a manager that has no time
  int refusals = 0;
  RECKON_ASSIGN(const PrivateFolder scratch, PrivateFolder::Make());
  const std::filesystem::path file = scratch.path() / "bundle";
  RECKON_TRY(bundle::Pack(folder, file, bundle::Limits(), context.stop));
  RECKON_ASSIGN(const std::string sha256, net::Sha256OfFile(file));
  std::error_code error;
  const uint64_t bytes = std::filesystem::file_size(file, error);
  const std::string target = "/bundles/" + sha256;
  RECKON_ASSIGN(Json told, Call("GET", target));
  context.progress.Begin("sending code", bytes);
  context.progress.Advance(told.value("have", uint64_t{0}));
  while (!told.value("whole", false)) {
    if (context.stop.stop_requested()) return Error(ErrorCode::kInterrupted, "interrupted");
    const auto from = told.value("have", uint64_t{0});
    RECKON_ASSIGN(const std::string piece, base::ReadPiece(file, from, kPiece));
    const auto answer = Send("POST", fmt::format("{}?bytes={}&from={}", target, bytes, from), piece,
                             "application/octet-stream");
    if (!answer.ok()) {
      // Somebody may be sending the same: then there is more of it now, or it is being checked.
      RECKON_ASSIGN(told, Call("GET", target));
      const bool moves = told.value("have", uint64_t{0}) > from || told.value("whole", false);
      const bool later = answer.error().code() == ErrorCode::kUnavailable && ++refusals < kPatience;
      if (!moves && !later) return answer.error();
      if (!moves) std::this_thread::sleep_for(kLook);
      continue;
    }
    told = Json::parse(answer->body, nullptr, false);
    if (!told.is_object()) return base::Corrupt("the manager's answer is no JSON");
    context.progress.Advance(piece.size());
  }
  context.progress.End();
  return sha256;
}

Result<bundle::Contents> Remote::FetchResults(int64_t run, const std::filesystem::path& folder) {
  RECKON_TRY(base::CheckFreeFolder(folder, "--out"));
  RECKON_ASSIGN(const net::HttpResponse response,
                Send("GET", fmt::format("/runs/{}/results", run), ""));
  RECKON_ASSIGN(const PrivateFolder scratch, PrivateFolder::Make());
  RECKON_TRY(base::WriteFile(scratch.path() / "results", response.body));
  std::error_code error;
  std::filesystem::create_directory(folder, error);
  if (error) return Error(ErrorCode::kIo, fmt::format("{}: {}", folder.string(), error.message()));
  auto unpacked = bundle::Unpack(scratch.path() / "results", folder, bundle::Limits());
  if (!unpacked.ok()) std::filesystem::remove_all(folder, error);
  return unpacked;
}

Result<int64_t> Remote::NewestRun(bool at_work) {
  RECKON_ASSIGN(const Json list, Call("GET", "/runs?limit=1000"));
  for (const Json& run : list.value("runs", Json::array())) {
    if (!at_work || !HasEnded(run)) return run.value("id", int64_t{0});
  }
  return Error(ErrorCode::kNotFound,
               at_work ? "no run of the manager is at work" : "the manager has no runs yet");
}

Result<Json> Remote::ShowNumber(int64_t run) { return Call("GET", fmt::format("/runs/{}", run)); }

Result<Json> Remote::Show(const std::string& run) {
  if (!run.empty() && run != "last") return Call("GET", "/runs/" + run);
  RECKON_ASSIGN(const int64_t newest, NewestRun(false));
  return ShowNumber(newest);
}

Result<Json> Remote::Stop(const std::string& run, const Context& context) {
  int64_t number = 0;
  if (run.empty()) {
    RECKON_ASSIGN(number, NewestRun(true));
  } else {
    RECKON_ASSIGN(const Json shown, Show(run));
    number = shown.value("run", int64_t{0});
  }
  RECKON_TRY(Call("POST", fmt::format("/runs/{}/stop", number)));
  for (;;) {
    RECKON_ASSIGN(Json shown, ShowNumber(number));
    if (HasEnded(shown) || context.stop.stop_requested()) return shown;
    std::this_thread::sleep_for(kLook);
  }
}

Result<Json> Remote::Follow(int64_t run, const Context& context) {
  const auto begin = context.clock.Monotonic();
  bool asked = false;
  for (;;) {
    auto shown = ShowNumber(run);
    // A manager that is started anew is waited for; the run goes on meanwhile.
    if (!shown.ok() && shown.error().code() != ErrorCode::kUnavailable) {
      return std::move(shown).error();
    }
    if (shown.ok()) {
      const std::chrono::duration<double> passed = context.clock.Monotonic() - begin;
      Tell(*shown, passed.count(), context.progress);
      if (HasEnded(*shown)) {
        context.progress.End();
        return shown;
      }
    }
    if (context.stop.stop_requested() && !asked) {
      const auto stopped = Call("POST", fmt::format("/runs/{}/stop", run));
      asked = stopped.ok() || stopped.error().code() == ErrorCode::kBadInput;
    }
    std::this_thread::sleep_for(kLook);
  }
}

Result<Json> Remote::Nodes() { return Call("GET", "/nodes"); }

Result<Json> Remote::ForgiveNode(const std::string& name) {
  return Call("POST", "/nodes/" + name + "/forgive");
}

Result<Json> Remote::RemoveNode(const std::string& name) {
  return Call("POST", "/nodes/" + name + "/remove");
}

Result<Json> Remote::MakeToken(const TokenWish& wish) {
  return Call("POST", "/tokens", base::DumpJsonLine(ToJson(wish)));
}

Result<Json> Remote::Tokens() { return Call("GET", "/tokens"); }

Result<Json> Remote::RevokeToken(const std::string& which) {
  RECKON_ASSIGN(const Json list, Tokens());
  RECKON_ASSIGN(const int64_t id, FindTokenId(list, which));
  return Call("POST", fmt::format("/tokens/{}/revoke", id));
}

Result<Json> Remote::Calibration(const std::string& model) {
  return Call("GET",
              model.empty() ? "/calibration" : "/models/" + net::UrlPart(model) + "/calibration");
}

Result<Json> Remote::AskForRefit(const std::string& model) {
  return Call("POST", "/models/" + net::UrlPart(model) + "/refit");
}

Result<Json> Remote::Spend(std::optional<uint64_t> days) {
  return Call("GET", days ? fmt::format("/spend?days={}", *days) : "/spend");
}

Result<Json> Remote::Audit(size_t limit) {
  return Call("GET", fmt::format("/audit?limit={}", limit));
}

Result<JobToSend> ReadJobToSend(const std::string& path, std::vector<spec::Override> overrides,
                                const std::stop_token& stop) {
  JobToSend sent;
  JobText& job = sent.job;
  RECKON_ASSIGN(job.text, base::ReadFile(path));
  job.source = std::filesystem::path(path).filename().string();
  job.overrides = std::move(overrides);
  RECKON_TRY(ReadJobText(job));  // what is wrong is told here, with no manager needed
  RECKON_ASSIGN(spec::JobFile here, spec::ReadJobFile(path, job.overrides));
  const std::map<std::string, double> written = here.job.known;
  RECKON_TRY(Describer().Describe(here, stop));
  for (const auto& [name, value] : here.job.known) {
    if (written.contains(name)) continue;
    job.overrides.push_back({"known." + name, base::RoundTrip(value)});
  }
  // The usual folder is not meant by who does not name it: a home may be large.
  if (here.job.command && here.yaml["workdir"]) sent.code = here.job.workdir;
  return sent;
}

}  // namespace reckon::app
