#include "serve/router.h"

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace reckon::serve {
namespace {

using testing::HasSubstr;

net::HttpRequest Request(const std::string& method, const std::string& target,
                         const std::string& body = "") {
  return {method, target, {}, body};
}

net::HttpResponse Ask(const Router& router, const net::HttpRequest& request) {
  return router.Handle(request, Caller());
}

Router Example() {
  return Router(
      {{"GET", "/healthz", Scope::kPublic,
        [](const Call&) -> Answer {
          return JsonResponse({{"status", "ok"}});
        }},
       {"GET", "/runs/{id}", Scope::kViewer,
        [](const Call& call) -> Answer {
          RECKON_ASSIGN(const int64_t id, call.WholeInPath("id"));
          RECKON_ASSIGN(const auto limit, call.WholeInQuery("limit"));
          return JsonResponse({{"id", id}, {"limit", limit.value_or(-1)}});
        }},
       {"POST", "/runs", Scope::kViewer,
        [](const Call& call) -> Answer {
          RECKON_ASSIGN(const base::Json body, call.Body());
          return JsonResponse(body, 201);
        }},
       {"GET", "/names/{name}", Scope::kNode, [](const Call& call) -> Answer {
          return JsonResponse({{"name", call.path.at("name")}, {"q", call.query.at("q")}});
        }}});
}

TEST(RouterTest, FindsHandlersByMethodAndPath) {
  const Router router = Example();
  EXPECT_EQ(Ask(router, Request("GET", "/healthz")).status, 200);
  EXPECT_EQ(Ask(router, Request("GET", "/runs/7?limit=3")).body, "{\"id\":7,\"limit\":3}\n");
  EXPECT_EQ(Ask(router, Request("GET", "/runs/7")).body, "{\"id\":7,\"limit\":-1}\n");
  EXPECT_EQ(Ask(router, Request("POST", "/runs", "{\"a\":1}")).status, 201);
  EXPECT_EQ(Ask(router, Request("GET", "/names/a%20b?q=c+d%26")).body,
            "{\"name\":\"a b\",\"q\":\"c d&\"}\n");
  const Router::Match match = router.Find(Request("GET", "/names/x"));
  ASSERT_NE(match.route, nullptr);
  EXPECT_EQ(match.route->scope, Scope::kNode);
  EXPECT_EQ(match.path.at("name"), "x");
  EXPECT_EQ(router.Find(Request("GET", "/other")).route, nullptr);
  EXPECT_TRUE(router.Find(Request("POST", "/names/x")).other_method);
}

TEST(RouterTest, WhatIsWrongIsAnsweredWith4xxAndAReason) {
  struct Case {
    net::HttpRequest request;
    int status;
    const char* reason;
  };
  const Case cases[] = {
      {Request("GET", "/"), 404, "nothing at /"},
      {Request("GET", ""), 404, "nothing"},
      {Request("GET", "/runs/7/x"), 404, "nothing at /runs/7/x"},
      {Request("GET", "/runs/"), 404, "nothing"},
      {Request("GET", "/runs/%00"), 404, "nothing"},
      {Request("GET", "/runs/%zz"), 404, "nothing"},
      {Request("DELETE", "/runs/7"), 405, "DELETE is not answered"},
      {Request("GET", "/runs/-1"), 400, "id: expected a whole number"},
      {Request("GET", "/runs/99999999999999999999"), 400, "id: expected a whole number"},
      {Request("GET", "/runs/../healthz"), 404, "nothing"},
      {Request("GET", "/runs/..%2Fhealthz"), 400, "id: expected a whole number"},
      {Request("GET", "/runs/7?limit=many"), 400, "limit: expected a whole number"},
      {Request("GET", "/runs/7?limit=%"), 400, "broken escape"},
      {Request("POST", "/runs", "{\"a\""), 400, "the body"},
      {Request("POST", "/runs", ""), 400, "the body"},
      {Request("POST", "/runs", std::string(100, '[')), 400, "nested too deeply"}};
  const Router router = Example();
  for (const Case& one : cases) {
    const net::HttpResponse response = Ask(router, one.request);
    EXPECT_EQ(response.status, one.status) << one.request.target << response.body;
    const base::Json body = base::Json::parse(response.body);
    EXPECT_THAT(body.value("error", ""), HasSubstr(one.reason)) << one.request.target;
  }
}

TEST(CallerTest, EveryScopeMayWhatItMayAndNoMore) {
  using core::TokenScope;
  const TokenScope all[] = {TokenScope::kAdmin, TokenScope::kOperator, TokenScope::kViewer,
                            TokenScope::kAgent, TokenScope::kNode};
  struct Case {
    Scope needed;
    std::vector<TokenScope> may;
  };
  const Case cases[] = {
      {Scope::kPublic, {all, all + 5}},
      {Scope::kAnyToken, {all, all + 5}},
      {Scope::kViewer, {TokenScope::kAdmin, TokenScope::kOperator, TokenScope::kViewer}},
      {Scope::kOperator, {TokenScope::kAdmin, TokenScope::kOperator}},
      {Scope::kAdmin, {TokenScope::kAdmin}},
      {Scope::kJoin, {TokenScope::kAdmin, TokenScope::kAgent}},
      {Scope::kNode, {TokenScope::kAdmin, TokenScope::kNode}}};
  for (const Case& one : cases) {
    for (const TokenScope scope : all) {
      Caller caller;
      caller.name = "n0";
      caller.scope = scope;
      EXPECT_EQ(MayCall(caller, one.needed, {{"node", "n0"}}),
                std::count(one.may.begin(), one.may.end(), scope) == 1)
          << WhoMay(one.needed) << ": " << core::TokenScopeName(scope);
    }
  }
  Caller node;
  node.name = "n0";
  node.scope = TokenScope::kNode;
  EXPECT_FALSE(MayCall(node, Scope::kNode, {{"node", "n1"}}));
  EXPECT_FALSE(MayCall(node, Scope::kNode, {}));
}

}  // namespace
}  // namespace reckon::serve
