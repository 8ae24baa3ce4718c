#include "serve/caller.h"

namespace reckon::serve {

using core::TokenScope;

bool MayCall(const Caller& caller, Scope needed, const std::map<std::string, std::string>& path) {
  const TokenScope has = caller.scope;
  if (has == TokenScope::kAdmin) return true;
  switch (needed) {
    case Scope::kPublic:
    case Scope::kAnyToken:
      return true;
    case Scope::kViewer:
      return has == TokenScope::kViewer || has == TokenScope::kOperator;
    case Scope::kOperator:
      return has == TokenScope::kOperator;
    case Scope::kJoin:
      return has == TokenScope::kAgent;
    case Scope::kNode: {
      const auto node = path.find("node");
      return has == TokenScope::kNode && node != path.end() && node->second == caller.name;
    }
    case Scope::kAdmin:
      break;
  }
  return false;
}

const char* WhoMay(Scope needed) {
  switch (needed) {
    case Scope::kPublic:
    case Scope::kAnyToken:
      return "any token";
    case Scope::kViewer:
      return "a viewer's token";
    case Scope::kOperator:
      return "an operator's token";
    case Scope::kJoin:
      return "a join token";
    case Scope::kNode:
      return "the secret of that node";
    case Scope::kAdmin:
      break;
  }
  return "an admin's token";
}

}  // namespace reckon::serve
