#include "app/manage/remote.h"

#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/manage/agent_run.h"
#include "app/manage/attempt_plan.h"
#include "base/file.h"
#include "base/json.h"
#include "core/run.h"
#include "net/http_client.h"

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
  const std::string url =
      request.server.find("://") == std::string::npos ? "http://" + request.server : request.server;
  auto parsed = net::ParseUrl(url);
  if (!parsed.ok()) return std::move(parsed).error().Wrap("--server");
  RECKON_ASSIGN(std::string token, ReadTokenFile(request.token_file));
  return Remote(parsed->address.host, parsed->address.port, std::move(token));
}

Result<Json> Remote::Call(const std::string& method, const std::string& target,
                          const std::string& body) const {
  net::HttpRequest request;
  request.method = method;
  request.target = "/api/v1" + target;
  request.body = body;
  if (!body.empty()) request.headers["content-type"] = "application/json";
  if (!token_.empty()) request.headers["authorization"] = "Bearer " + token_;
  net::HttpClient client({host_, port_});
  RECKON_ASSIGN(const net::HttpResponse response, client.Call(request));
  Json answer = Json::parse(response.body, nullptr, false);
  if (response.status < 300) {
    if (answer.is_discarded()) return base::Corrupt("the manager's answer is no JSON");
    return answer;
  }
  const std::string why = answer.is_object() ? answer.value("error", "") : "";
  return Error(CodeOf(answer, response.status),
               why.empty() ? fmt::format("the manager says {}", response.status) : why);
}

Result<int64_t> Remote::Submit(const JobText& job) {
  Json body{{"job", job.text}, {"source", job.source}, {"set", Json::array()}};
  for (const spec::Override& one : job.overrides) {
    body["set"].push_back({{"path", one.path}, {"value", one.value}});
  }
  RECKON_ASSIGN(const Json run, Call("POST", "/runs", base::DumpJsonLine(body)));
  return run.value("id", int64_t{0});
}

Result<int64_t> Remote::NewestRun(bool at_work) const {
  RECKON_ASSIGN(const Json list, Call("GET", "/runs?limit=1000"));
  for (const Json& run : list.value("runs", Json::array())) {
    if (!at_work || !HasEnded(run)) return run.value("id", int64_t{0});
  }
  return Error(ErrorCode::kNotFound,
               at_work ? "no run of the manager is at work" : "the manager has no runs yet");
}

Result<Json> Remote::ShowNumber(int64_t run) const {
  return Call("GET", fmt::format("/runs/{}", run));
}

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

Result<JobText> ReadJobToSend(const std::string& path, std::vector<spec::Override> overrides) {
  JobText job;
  RECKON_ASSIGN(job.text, base::ReadFile(path));
  job.source = std::filesystem::path(path).filename().string();
  job.overrides = std::move(overrides);
  RECKON_TRY(ReadJobText(job));  // what is wrong is told here, with no manager needed
  return job;
}

}  // namespace reckon::app
