// The whole service behind real sockets: who may call what, and what is written down about it.
#include "serve/service.h"

#include <csignal>
#include <future>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/access/audit_log.h"
#include "app/access/tokens.h"
#include "base/file.h"
#include "net/http_client.h"
#include "serve/event_feed.h"
#include "serve/routes.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/support/certificates.h"
#include "tests/support/raw_connection.h"
#include "tests/support/temp_folder.h"
#include "tests/support/within.h"

namespace reckon::serve {
namespace {

using base::Json;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr seconds kAnswerPatience{60};  // sanitizers on a busy machine

class ServiceTest : public ::testing::Test {
 protected:
  ServiceTest() {
    request_.listen = "127.0.0.1:0";
    MakeStore();
  }
  ~ServiceTest() override { Stop(); }

  void MakeStore() { store_ = store::SqliteStore::Open(folder_ / "reckon.db", clock_).value(); }

  void Start() {
    std::promise<std::string> ready;
    auto url = ready.get_future();
    stop_ = std::stop_source();
    service_ = std::jthread([this, &ready] {
      const app::Context context{
          clock_, log_, progress_, stop_.get_token(), 1, folder_ / "reckon.db"};
      bool told = false;
      const base::Status served = Serve(request_, context, [&](const std::string& at) {
        told = true;
        ready.set_value(at);
      });
      EXPECT_TRUE(served.ok()) << served.error().Describe();
      if (!told) ready.set_value("");
    });
    url_ = url.get();
    ASSERT_FALSE(url_.empty());
  }
  void Stop() {
    stop_.request_stop();
    if (service_.joinable()) service_.join();
  }

  std::string Make(const std::string& name, const std::string& scope,
                   std::optional<double> lifetime_s = {}, std::optional<int64_t> uses = {}) {
    const auto made = app::MakeToken({name, scope, "Ada", "", lifetime_s, uses}, *store_, clock_);
    EXPECT_TRUE(made.ok()) << made.error().Describe();
    return made->secret;
  }

  net::HttpResponse Call(const std::string& method, const std::string& target,
                         const std::string& token, const std::string& body = "",
                         net::HttpHeaders headers = {}) {
    const net::Url url = net::ParseUrl(url_).value();
    net::HttpClient client(
        url.address,
        {.tls = url.secure ? net::TlsTrust::Load(folder_ / "ca.pem").value() : nullptr});
    if (!token.empty()) headers["authorization"] = "Bearer " + token;
    const auto answer = client.Call({method, target, std::move(headers), body});
    EXPECT_TRUE(answer.ok()) << answer.error().Describe();
    return answer.ok() ? *answer : net::HttpResponse{.status = 0};
  }
  int Status(const std::string& method, const std::string& target, const std::string& token,
             const std::string& body = "") {
    return Call(method, target, token, body).status;
  }
  // With a secret of its own; the answer's status.
  int Join(const std::string& node, const std::string& secret, const std::string& token) {
    return Status("POST", "/api/v1/agents/" + node + "/join", token,
                  fmt::format(R"({{"secret_sha256": "{}"}})", app::HashOfSecret(secret)));
  }
  int Beat(const std::string& node, const std::string& secret) {
    return Status("POST", "/api/v1/agents/" + node + "/beat", secret,
                  Json{{"node",
                        {{"name", node},
                         {"type", "n"},
                         {"cpus", 1},
                         {"memory_bytes", 1 << 30},
                         {"address", "127.0.0.1"}}},
                       {"instance", "i-" + secret},
                       {"now", {{"cpu", 0}, {"memory", 0}}},
                       {"parts", Json::array()}}
                      .dump());
  }
  std::vector<Json> Audit() {
    return app::ReadAudit(app::AuditFile(folder_ / "reckon.db"), 1000, {}).value();
  }
  Json Parsed(const net::HttpResponse& response) {
    return Json::parse(response.body, nullptr, false);
  }

  support::TempFolder folder_;
  base::SystemClock clock_;
  base::Logger log_{base::LogLevel::kOff};
  base::NoProgress progress_;
  ServeRequest request_;
  std::unique_ptr<store::SqliteStore> store_;
  std::stop_source stop_;
  std::string url_;
  std::jthread service_;
};

// Every route, and who may call it: a route that is new has to be added here.
const std::map<std::string, std::set<std::string>> kMayCall = {
    {"GET /healthz", {"nobody", "admin", "operator", "viewer", "agent", "node", "other node"}},
    {"GET /metrics", {"admin", "operator", "viewer"}},
    {"GET /api/v1/whoami", {"admin", "operator", "viewer", "agent", "node", "other node"}},
    {"GET /api/v1/runs", {"admin", "operator", "viewer"}},
    {"POST /api/v1/runs", {"admin", "operator"}},
    {"GET /api/v1/runs/{id}", {"admin", "operator", "viewer"}},
    {"GET /api/v1/runs/{id}/model", {"admin", "operator", "viewer"}},
    {"POST /api/v1/runs/{id}/stop", {"admin", "operator"}},
    {"GET /api/v1/runs/{id}/events", {"admin", "operator", "viewer"}},
    {"GET /api/v1/runs/{id}/stream", {"admin", "operator", "viewer"}},
    {"GET /api/v1/stream", {"admin", "operator", "viewer"}},
    {"GET /api/v1/spend", {"admin", "operator", "viewer"}},
    {"POST /api/v1/solver", {"admin", "operator", "viewer"}},
    {"POST /api/v1/updates", {"admin", "operator"}},
    {"GET /api/v1/updates/{id}", {"admin", "operator", "viewer"}},
    {"POST /api/v1/updates/{id}/offer", {"admin", "operator"}},
    {"POST /api/v1/updates/{id}/task", {"admin", "operator"}},
    {"POST /api/v1/updates/{id}/again", {"admin", "operator"}},
    {"POST /api/v1/published/{name}/predict", {"admin", "operator"}},
    {"POST /api/v1/published/{name}/labels", {"admin", "operator"}},
    {"GET /api/v1/published", {"admin", "operator", "viewer"}},
    {"GET /api/v1/published/{name}", {"admin", "operator", "viewer"}},
    {"POST /api/v1/published/{name}/versions", {"admin", "operator"}},
    {"POST /api/v1/published/{name}/promote", {"admin", "operator"}},
    {"POST /api/v1/published/{name}/rollback", {"admin", "operator"}},
    {"GET /api/v1/published/{name}/labelled", {"admin", "operator", "viewer"}},
    {"GET /api/v1/data-stores", {"admin", "operator", "viewer"}},
    {"POST /api/v1/data-stores/{store}/beat", {"admin", "operator"}},
    {"POST /api/v1/data-stores/{store}/update", {"admin", "operator"}},
    {"GET /api/v1/runs/{id}/results", {"admin", "operator", "viewer"}},
    {"GET /api/v1/bundles/{sha256}", {"admin", "operator"}},
    {"POST /api/v1/bundles/{sha256}", {"admin", "operator"}},
    {"GET /api/v1/nodes", {"admin", "operator", "viewer"}},
    {"GET /api/v1/models", {"admin", "operator", "viewer"}},
    {"GET /api/v1/models/{name}", {"admin", "operator", "viewer"}},
    {"GET /api/v1/models/{name}/calibration", {"admin", "operator", "viewer"}},
    {"POST /api/v1/models/{name}/refit", {"admin", "operator"}},
    {"GET /api/v1/calibration", {"admin", "operator", "viewer"}},
    {"POST /api/v1/forecasts", {"admin", "operator", "viewer"}},
    {"POST /api/v1/recommendations", {"admin", "operator", "viewer"}},
    {"GET /api/v1/prices", {"admin", "operator", "viewer"}},
    {"POST /api/v1/nodes/{node}/forgive", {"admin"}},
    {"POST /api/v1/nodes/{node}/remove", {"admin"}},
    {"GET /api/v1/tokens", {"admin"}},
    {"POST /api/v1/tokens", {"admin"}},
    {"POST /api/v1/tokens/{id}/revoke", {"admin"}},
    {"GET /api/v1/audit", {"admin"}},
    {"POST /api/v1/agents/{node}/join", {"admin", "agent"}},
    {"POST /api/v1/agents/{node}/beat", {"admin", "node"}},
    {"POST /api/v1/agents/{node}/parts/{part}/checkpoint", {"admin", "node"}},
    {"POST /api/v1/agents/{node}/parts/{part}/result", {"admin", "node"}},
    {"GET /api/v1/agents/{node}/parts/{part}/checkpoint", {"admin", "node"}},
    {"GET /api/v1/agents/{node}/parts/{part}/bundle", {"admin", "node"}},
    {"POST /api/v1/agents/{node}/parts/{part}/files/{file}", {"admin", "node"}}};

// What handlers look for is not there, but for what agents tell of their own node.
std::string TargetOf(std::string pattern) {
  const bool of_people = pattern.find("/nodes/{node}") != std::string::npos;
  for (const auto& [name, value] :
       {std::pair("{id}", "4711"), std::pair("{node}", of_people ? "n9" : "n0"),
        std::pair("{name}", "none"), std::pair("{part}", "4711.1"), std::pair("{store}", "s"),
        std::pair("{file}", "events.jsonl"), std::pair("{sha256}", "0")}) {
    const size_t at = pattern.find(name);
    if (at != std::string::npos) pattern.replace(at, std::string(name).size(), value);
  }
  return pattern;
}

TEST_F(ServiceTest, EveryRouteIsOpenToTheScopesItNamesAndToNobodyElse) {
  std::map<std::string, std::string> tokens{{"nobody", ""}};
  for (const char* scope : {"admin", "operator", "viewer", "agent"}) {
    tokens[scope] = Make(scope, scope);
  }
  Start();
  for (const char* node : {"n0", "n1"}) {
    ASSERT_EQ(Join(node, std::string("secret of ") + node, tokens["agent"]), 201);
  }
  tokens["node"] = "secret of n0";
  tokens["other node"] = "secret of n1";
  for (const auto& [route, may] : kMayCall) {
    const size_t blank = route.find(' ');
    const std::string method = route.substr(0, blank);
    const std::string target = TargetOf(route.substr(blank + 1));
    for (const auto& [who, token] : tokens) {
      // A body that no handler takes: who gets that far is told so, and nothing is changed.
      const bool streams = target == "/api/v1/stream";
      int status = 0;
      if (streams) {  // has no end
        support::RawConnection raw(net::ParseUrl(url_)->address.port);
        raw.Send(fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n{}\r\n", target,
                             token.empty() ? "" : "Authorization: Bearer " + token + "\r\n"));
        status = std::stoi(raw.ReadUntil("\r\n").substr(9, 3));
      } else {
        status = Status(method, target, token, method == "POST" ? "[" : "");
      }
      const std::string what = route + " by " + who;
      if (may.contains(who)) {
        EXPECT_NE(status, 401) << what;
        EXPECT_NE(status, 403) << what;
        EXPECT_NE(status, 0) << what;
      } else {
        // Nobody fails so often here that it has to wait.
        EXPECT_THAT(status, who == "nobody" ? AnyOf(401, 429) : AnyOf(403, 403)) << what;
      }
    }
  }
}

TEST_F(ServiceTest, TheTableAboveHasEveryRoute) {
  const app::Context context{clock_, log_, progress_, {}, 1, folder_ / "reckon.db"};
  app::ManagerOptions options;
  options.db = folder_ / "reckon.db";
  const auto manager = app::Manager::Open(options, *store_, clock_, log_).value();
  app::ManagedViews views(context.db);
  app::ModelKeeper models({.refit = false}, *store_, context);
  app::PublishedModels published(*manager, *store_, views, context);
  const Service service{*manager, *store_, context, views, models, published};
  EventFeed feed({}, *store_, log_, [](int64_t) { return RunNews{}; });
  SignIn sign_in({}, *store_, clock_, log_);
  std::set<std::string> routes;
  for (const Route& route : AllRoutes(service, feed, sign_in)) {
    routes.insert(route.method + " " + route.pattern);
  }
  std::set<std::string> tested;
  for (const auto& [route, may] : kMayCall) tested.insert(route);
  EXPECT_EQ(routes, tested);
}

TEST_F(ServiceTest, BeyondThisMachineItDoesNotStartWithoutAToken) {
  const app::Context context{clock_, log_, progress_, {}, 1, folder_ / "reckon.db"};
  request_.listen = "0.0.0.0:0";
  const auto refused = Serve(request_, context, [](const std::string&) { FAIL(); });
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().Describe(), HasSubstr("a token is needed"));
  Make("brief", "viewer", 1e-6);
  EXPECT_FALSE(Serve(request_, context, [](const std::string&) { FAIL(); }).ok());
  Make("ada", "viewer");
  Start();
  url_ = "http://127.0.0.1:" + url_.substr(url_.rfind(':') + 1);
  EXPECT_EQ(Status("GET", "/api/v1/runs", ""), 401);
}

TEST_F(ServiceTest, OnThisMachineNobodyIsAskedUntilThereIsAToken) {
  Start();
  EXPECT_EQ(Status("GET", "/api/v1/runs", ""), 200);
  EXPECT_EQ(Parsed(Call("GET", "/api/v1/whoami", ""))["scope"], "admin");
  // Pages of a browser may not, under whatever name they come.
  EXPECT_EQ(Call("GET", "/api/v1/runs", "", "", {{"origin", "http://evil"}}).status, 403);
  EXPECT_EQ(Call("GET", "/api/v1/runs", "", "", {{"host", "evil.example"}}).status, 403);
  Stop();
  const std::string admin = Make("ada", "admin");
  Start();
  EXPECT_EQ(Status("GET", "/api/v1/runs", ""), 401);
  EXPECT_EQ(Status("GET", "/api/v1/runs", admin), 200);
  EXPECT_EQ(Call("GET", "/api/v1/runs", admin, "", {{"origin", "http://evil"}}).status, 403);
}

TEST_F(ServiceTest, ATokenFileIsAnAdminsAndTokensAreMadeAndRevokedWithIt) {
  request_.token_file = folder_.Write("token", "from outside\n");
  Start();
  const auto made = Call("POST", "/api/v1/tokens", "from outside",
                         R"({"name": "ci", "scope": "operator", "user": "Ada",
                             "project": "digits", "lifetime_s": 3600})");
  ASSERT_EQ(made.status, 201) << made.body;
  const std::string secret = Parsed(made)["token"];
  const Json who = Parsed(Call("GET", "/api/v1/whoami", secret));
  EXPECT_EQ(who["name"], "ci");
  EXPECT_EQ(who["scope"], "operator");
  EXPECT_EQ(who["user"], "Ada");
  EXPECT_EQ(who["project"], "digits");
  EXPECT_TRUE(who["expires_at"].is_string());
  // It is shown only once.
  const auto list = Call("GET", "/api/v1/tokens", "from outside");
  EXPECT_THAT(list.body, AllOf(HasSubstr("\"ci\""), Not(HasSubstr(secret)),
                               Not(HasSubstr(app::HashOfSecret(secret)))));
  EXPECT_EQ(Status("POST", "/api/v1/tokens", "from outside", R"({"name": "ci", "scope": "admin"})"),
            400);
  EXPECT_EQ(Status("POST", "/api/v1/tokens/99/revoke", "from outside"), 404);
  const std::string revoke = fmt::format("/api/v1/tokens/{}/revoke", Parsed(made)["id"].dump());
  EXPECT_EQ(Status("POST", revoke, secret), 403);
  EXPECT_EQ(Status("POST", revoke, "from outside"), 200);
  const auto refused = Call("GET", "/api/v1/whoami", secret);
  EXPECT_EQ(refused.status, 401);
  EXPECT_THAT(refused.body, HasSubstr("was revoked"));
}

TEST_F(ServiceTest, ANodeIsKnownByItsSecretUntilItIsRemoved) {
  const std::string admin = Make("ada", "admin");
  const std::string join = Make("rack", "agent", {}, 2);
  Start();
  EXPECT_EQ(Beat("n0", join), 403);  // it only lets nodes join
  ASSERT_EQ(Join("n0", "s0", join), 201);
  ASSERT_EQ(Join("n0", "s0", join), 201);  // the answer was lost
  EXPECT_EQ(Beat("n0", "s0"), 200);
  // Somebody else with the name, and a node that speaks for another.
  EXPECT_EQ(Join("n0", "stolen", join), 409);
  EXPECT_EQ(Beat("n0", "stolen"), 401);
  ASSERT_EQ(Join("n1", "s1", join), 201);
  EXPECT_EQ(Beat("n0", "s1"), 403);
  EXPECT_EQ(Join("n2", "s2", join), 409);  // used up
  EXPECT_EQ(Join("a%20b", "s3", join), 400);
  // After a restart all are known as before.
  Stop();
  Start();
  EXPECT_EQ(Beat("n0", "s0"), 200);
  EXPECT_EQ(Status("POST", "/api/v1/nodes/n0/remove", admin), 200);
  EXPECT_EQ(Beat("n0", "s0"), 401);
  EXPECT_THAT(Call("GET", "/api/v1/nodes", admin).body, Not(HasSubstr("n0")));
  EXPECT_EQ(Join("n0", "s0", admin), 409);  // that secret is dead
  EXPECT_EQ(Join("n0", "new", admin), 201);
  EXPECT_EQ(Beat("n0", "new"), 200);
  EXPECT_EQ(Status("POST", "/api/v1/nodes/none/remove", admin), 404);
  EXPECT_EQ(Status("POST", "/api/v1/nodes/none/forgive", admin), 404);
  EXPECT_EQ(Status("POST", "/api/v1/nodes/n0/forgive", admin), 200);
}

TEST_F(ServiceTest, WhoFailsToSignInHasToWait) {
  const std::string admin = Make("ada", "admin");
  Start();
  ASSERT_EQ(Status("GET", "/api/v1/whoami", admin), 200);
  net::HttpResponse last;
  for (int i = 0; i < 100; ++i) last = Call("GET", "/api/v1/runs", "wrong");
  EXPECT_EQ(last.status, 429);
  EXPECT_EQ(Status("GET", "/healthz", "wrong"), 200);
  // From the same address, since it is known by now.
  EXPECT_EQ(Status("GET", "/api/v1/runs", admin), 200);
  support::RawConnection raw(net::ParseUrl(url_)->address.port);
  raw.Send("GET /api/v1/runs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(raw.ReadAll(), AllOf(HasSubstr("429"), HasSubstr("retry-after: ")));
  size_t listed = 0;
  for (const Json& line : Audit()) listed += line["status"] == 401 ? 1 : 0;
  EXPECT_LT(listed, 20U);  // not a line each
  EXPECT_GT(listed, 4U);
}

TEST_F(ServiceTest, ChangesAndRefusalsAreInTheAuditLogAndReadingIsNot) {
  const std::string admin = Make("ada", "admin");
  const std::string viewer = Make("eye", "viewer");
  const std::string join = Make("rack", "agent");
  Start();
  Status("GET", "/api/v1/runs", viewer);
  ASSERT_EQ(Status("POST", "/api/v1/runs", admin, R"({"job": "name: x\nrun: sleep 60\n"})"), 201);
  Status("POST", "/api/v1/runs/1/stop", viewer);
  ASSERT_EQ(Status("POST", "/api/v1/runs/1/stop", admin), 202);
  Status("GET", "/api/v1/runs", "guessed");
  ASSERT_EQ(Join("n0", "s0", join), 201);
  ASSERT_EQ(Beat("n0", "s0"), 200);
  const auto answer = Call("GET", "/api/v1/audit?limit=3", admin);
  EXPECT_EQ(Parsed(answer)["audit"].size(), 3U);
  std::vector<std::string> told;
  for (const Json& line : Audit()) {
    told.push_back(fmt::format("{} {} {} {} {} {}", line["token"].get<std::string>(),
                               line["method"].get<std::string>(), line["route"].get<std::string>(),
                               line["path"].dump(), line["status"].get<int>(),
                               line.value("made", int64_t{0})));
    EXPECT_EQ(line["from"], "127.0.0.1");
  }
  const std::vector<std::string> expected{
      R"(rack POST /api/v1/agents/{node}/join {"node":"n0"} 201 0)",
      R"( GET /api/v1/runs {} 401 0)", R"(ada POST /api/v1/runs/{id}/stop {"id":"1"} 202 0)",
      R"(eye POST /api/v1/runs/{id}/stop {"id":"1"} 403 0)", R"(ada POST /api/v1/runs {} 201 1)"};
  EXPECT_EQ(told, expected);
  const std::string text = base::ReadFile(app::AuditFile(folder_ / "reckon.db")).value();
  for (const std::string& secret :
       {admin, viewer, join, std::string("guessed"), std::string("s0\"")}) {
    EXPECT_THAT(text, Not(HasSubstr(secret)));
  }
}

TEST_F(ServiceTest, NothingChangesWhileTheAuditLogCannotBeWritten) {
  const std::string admin = Make("ada", "admin");
  const std::filesystem::path log = app::AuditFile(folder_ / "reckon.db");
  Start();
  std::filesystem::create_directory(log);
  // The first is noticed when it is done.
  EXPECT_EQ(Status("POST", "/api/v1/runs", admin, R"({"job": "name: x\nrun: sleep 60\n"})"), 201);
  EXPECT_EQ(Status("POST", "/api/v1/runs", admin, R"({"job": "name: y\nrun: sleep 60\n"})"), 503);
  EXPECT_EQ(Status("GET", "/api/v1/runs", admin), 200);
  EXPECT_EQ(Status("GET", "/api/v1/runs", "wrong"), 401);
  std::filesystem::remove(log);
  EXPECT_EQ(Status("POST", "/api/v1/runs", admin, R"({"job": "name: y\nrun: sleep 60\n"})"), 201);
  ASSERT_EQ(Audit().size(), 2U);
  EXPECT_EQ(Audit()[1]["made"], 1);
  EXPECT_EQ(Audit()[0]["made"], 2);
}

TEST_F(ServiceTest, AllOfItOverTlsWithACertificateThatMayBeRenewed) {
  support::CertificateIssuer issuer("a root of the test");
  const auto show = [&](const support::CertificateIssuer& by) {
    const support::PemPair pair = by.Issue();
    request_.tls_cert = folder_.Write("cert.pem", pair.certificate);
    request_.tls_key = folder_.Write("key.pem", pair.key);
    folder_.Write("ca.pem", by.Root());
  };
  show(issuer);
  const std::string admin = Make("ada", "admin");
  Start();
  EXPECT_THAT(url_, HasSubstr("https://"));
  EXPECT_EQ(Status("GET", "/api/v1/runs", admin), 200);
  EXPECT_EQ(Status("GET", "/api/v1/runs", ""), 401);
  ASSERT_EQ(Join("n0", "s0", admin), 201);
  EXPECT_EQ(Beat("n0", "s0"), 200);
  const support::CertificateIssuer next("the next root");
  show(next);
  ASSERT_EQ(raise(SIGHUP), 0);
  EXPECT_TRUE(support::Within(kAnswerPatience, [&] {
    net::HttpClient client(net::ParseUrl(url_)->address,
                           {.tls = net::TlsTrust::Load(folder_ / "ca.pem").value()});
    return client.Call({"GET", "/healthz", {}, ""}).ok();
  }));
  EXPECT_EQ(Status("GET", "/api/v1/runs", admin), 200);
}

TEST_F(ServiceTest, HalfOfTheFilesForTlsIsNotEnough) {
  const app::Context context{clock_, log_, progress_, {}, 1, folder_ / "reckon.db"};
  request_.tls_cert = "cert.pem";
  EXPECT_THAT(Serve(request_, context, [](const std::string&) { FAIL(); }).error().Describe(),
              HasSubstr("belong together"));
  request_.tls_key = "key.pem";
  EXPECT_EQ(Serve(request_, context, [](const std::string&) { FAIL(); }).error().code(),
            base::ErrorCode::kNotFound);
}

}  // namespace
}  // namespace reckon::serve
