#include "core/token.h"

namespace reckon::core {
namespace {

constexpr TokenScope kScopes[] = {TokenScope::kAdmin, TokenScope::kOperator, TokenScope::kViewer,
                                  TokenScope::kAgent, TokenScope::kNode};

}  // namespace

const char* TokenScopeName(TokenScope scope) {
  switch (scope) {
    case TokenScope::kAdmin:
      return "admin";
    case TokenScope::kOperator:
      return "operator";
    case TokenScope::kViewer:
      return "viewer";
    case TokenScope::kAgent:
      return "agent";
    case TokenScope::kNode:
      break;
  }
  return "node";
}

std::optional<TokenScope> ParseTokenScope(std::string_view name) {
  for (const TokenScope scope : kScopes) {
    if (name == TokenScopeName(scope)) return scope;
  }
  return std::nullopt;
}

}  // namespace reckon::core
