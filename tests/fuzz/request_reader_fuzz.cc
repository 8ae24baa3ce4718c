// Whatever a caller with all rights sends to the service, "METHOD TARGET" on the first line and the
// body after it: an answer, and with 400 and above a reason in JSON; never a failure of the service
// itself.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "app/calibration/model_keeper.h"
#include "app/manage/managed_view.h"
#include "app/manage/manager.h"
#include "base/check.h"
#include "base/json.h"
#include "base/progress.h"
#include "serve/event_feed.h"
#include "serve/routes.h"
#include "serve/sign_in.h"
#include "store/sqlite/sqlite_store.h"

namespace {

using namespace reckon;  // NOLINT(google-build-using-namespace): a program of its own

// A service as `reckon serve` puts it together, but for its door; for the whole of the process.
class Playground {
 public:
  Playground() {
    std::string name = std::filesystem::temp_directory_path() / "reckon-fuzz-XXXXXX";
    RECKON_CHECK(mkdtemp(name.data()) != nullptr);
    folder_ = name;
    store_ = store::SqliteStore::Open(folder_ / "reckon.db", clock_).value();
    context_.emplace(
        app::Context{clock_, log_, progress_, {}, 1, app::StorePlace(folder_ / "reckon.db")});
    app::ManagerOptions options;
    options.db = context_->db;
    options.gather_s = 0;
    manager_ = app::Manager::Open(options, *store_, clock_, log_).value();
    views_.emplace(context_->db);
    models_ = std::make_unique<app::ModelKeeper>(app::ModelKeeperOptions{.refit = false}, *store_,
                                                 *context_);
    published_ = std::make_unique<app::PublishedModels>(*manager_, *store_, *views_, *context_);
    service_.emplace(serve::Service{*manager_, *store_, *context_, *views_, *models_, *published_});
    feed_ = std::make_unique<serve::EventFeed>(serve::FeedOptions{}, *store_, log_,
                                               [](int64_t) { return serve::RunNews{}; });
    sign_in_ = std::make_unique<serve::SignIn>(serve::SignInOptions{}, *store_, clock_, log_);
    router_.emplace(serve::AllRoutes(*service_, *feed_, *sign_in_));
    caller_.scope = core::TokenScope::kAdmin;
  }
  ~Playground() {
    published_.reset();
    manager_.reset();
    std::error_code stays;
    std::filesystem::remove_all(folder_, stays);
  }

  void Ask(const net::HttpRequest& request) {
    const serve::Router::Match match = router_->Find(request);
    if (match.route != nullptr && match.route->stream) return;
    const net::HttpResponse answer = router_->Handle(request, caller_);
    RECKON_CHECK(answer.status < 500 || answer.status == 503);
    if (answer.status < 400) return;
    const base::Json body = base::Json::parse(answer.body, nullptr, false);
    RECKON_CHECK(body.is_object() && body.contains("error"));
    RECKON_CHECK(!body.at("error").get<std::string>().empty());
  }

 private:
  std::filesystem::path folder_;
  base::SystemClock clock_;
  base::Logger log_{base::LogLevel::kOff};
  base::NoProgress progress_;
  std::unique_ptr<store::SqliteStore> store_;
  std::optional<app::Context> context_;
  std::unique_ptr<app::Manager> manager_;
  std::optional<app::ManagedViews> views_;
  std::unique_ptr<app::ModelKeeper> models_;
  std::unique_ptr<app::PublishedModels> published_;
  std::optional<serve::Service> service_;
  std::unique_ptr<serve::EventFeed> feed_;
  std::unique_ptr<serve::SignIn> sign_in_;
  std::optional<serve::Router> router_;
  serve::Caller caller_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Playground playground;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line = text.find('\n');
  const std::string_view head = text.substr(0, line);
  const size_t blank = head.find(' ');
  if (blank == std::string_view::npos) return 0;
  net::HttpRequest request;
  request.method = head.substr(0, blank);
  request.target = head.substr(blank + 1);
  if (line != std::string_view::npos) request.body = text.substr(line + 1);
  request.peer = "127.0.0.1";
  playground.Ask(request);
  return 0;
}
