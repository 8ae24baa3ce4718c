// SqlStore: tokens, and the secrets of nodes.
#include <utility>

#include <fmt/format.h>

#include "store/checks.h"
#include "store/sql/micros.h"
#include "store/sql/sql_store.h"
#include "store/sql/transaction.h"

namespace reckon::store {
namespace {

using core::Token;
using core::TokenScope;

constexpr const char* kByHash =
    "SELECT id, name, scope, hash, user_name, project, created_at_us, expires_at_us,"
    " revoked_at_us, last_used_at_us, uses, most_uses FROM token WHERE hash = ?1";
constexpr const char* kById =
    "SELECT id, name, scope, hash, user_name, project, created_at_us, expires_at_us,"
    " revoked_at_us, last_used_at_us, uses, most_uses FROM token WHERE id = ?1";
constexpr const char* kByNode =
    "SELECT id, name, scope, hash, user_name, project, created_at_us, expires_at_us,"
    " revoked_at_us, last_used_at_us, uses, most_uses FROM token"
    " WHERE name = ?1 AND scope = 'node' AND revoked_at_us IS NULL";
constexpr const char* kAll =
    "SELECT id, name, scope, hash, user_name, project, created_at_us, expires_at_us,"
    " revoked_at_us, last_used_at_us, uses, most_uses FROM token ORDER BY id";

std::optional<base::WallTime> TimeAt(const SqlStatement& row, int column) {
  if (row.IsNull(column)) return std::nullopt;
  return FromMicros(row.Integer(column));
}

std::optional<int64_t> MicrosOf(const std::optional<base::WallTime>& time) {
  if (!time) return std::nullopt;
  return ToMicros(*time);
}

// Of a row of the columns above.
base::Result<Token> TokenOf(const SqlStatement& row) {
  Token token;
  token.id = row.Integer(0);
  token.name = row.String(1);
  const auto scope = core::ParseTokenScope(row.Text(2));
  if (!scope) return base::Corrupt(fmt::format("token {} has no scope that we know", token.id));
  token.scope = *scope;
  token.hash = row.String(3);
  token.user = row.String(4);
  token.project = row.String(5);
  token.created_at = FromMicros(row.Integer(6));
  token.expires_at = TimeAt(row, 7);
  token.revoked_at = TimeAt(row, 8);
  token.last_used_at = TimeAt(row, 9);
  token.uses = row.Integer(10);
  if (!row.IsNull(11)) token.most_uses = row.Integer(11);
  return token;
}

base::Result<std::optional<Token>> NextOf(SqlStatement& rows) {
  RECKON_ASSIGN(const bool found, rows.Step());
  if (!found) return std::optional<Token>();
  RECKON_ASSIGN(Token token, TokenOf(rows));
  return std::optional(std::move(token));
}

base::Error Failed(std::string message) { return {base::ErrorCode::kFailed, std::move(message)}; }

}  // namespace

base::Result<std::optional<Token>> SqlStore::ReadToken(std::string_view hash) {
  RECKON_ASSIGN(const auto find, connection_->Prepare(kByHash));
  return NextOf(find->Bind(hash));
}

base::Result<std::optional<Token>> SqlStore::SecretOf(std::string_view node) {
  RECKON_ASSIGN(const auto find, connection_->Prepare(kByNode));
  return NextOf(find->Bind(node));
}

base::Result<Token> SqlStore::ReadToken(int64_t id) {
  RECKON_ASSIGN(const auto find, connection_->Prepare(kById));
  RECKON_ASSIGN(std::optional<Token> token, NextOf(find->Bind(id)));
  if (token) return *std::move(token);
  return base::Error(base::ErrorCode::kNotFound,
                     fmt::format("no token {} in store '{}'", id, connection_->name()));
}

base::Result<Token> SqlStore::InsertToken(const Token& token) {
  RECKON_ASSIGN(const std::optional<Token> same, ReadToken(token.hash));
  if (same) return base::BadInput("a token of that hash is there already");
  {
    const bool is_node = token.scope == TokenScope::kNode;
    RECKON_ASSIGN(const auto find,
                  connection_->Prepare(is_node ? "SELECT 1 FROM token WHERE name = ?1 AND"
                                                 " scope = 'node' AND revoked_at_us IS NULL"
                                               : "SELECT 1 FROM token WHERE name = ?1 AND"
                                                 " scope <> 'node' AND revoked_at_us IS NULL"));
    RECKON_ASSIGN(const bool taken, find->Bind(token.name).Step());
    if (taken) {
      return base::BadInput(
          fmt::format("there is a token '{}' already; revoke it first, or give "
                      "this one another name",
                      token.name));
    }
  }
  RECKON_ASSIGN(const auto insert,
                connection_->Prepare("INSERT INTO token (name, scope, hash, user_name, project,"
                                     " created_at_us, expires_at_us, uses, most_uses)"
                                     " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?8) RETURNING id"));
  RECKON_ASSIGN(
      const int64_t id,
      insert
          ->Bind(token.name, core::TokenScopeName(token.scope), token.hash, token.user,
                 token.project, ToMicros(clock_.Now()), MicrosOf(token.expires_at), token.most_uses)
          .RunForNumber());
  return ReadToken(id);
}

base::Result<Token> SqlStore::AddToken(const Token& token) {
  RECKON_TRY(CheckToken(token));
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(SqlTransaction transaction, SqlTransaction::BeginWrite(*connection_));
  RECKON_ASSIGN(Token added, InsertToken(token));
  RECKON_TRY(transaction.Commit());
  return added;
}

base::Result<Token> SqlStore::JoinNode(std::string_view by, const Token& secret) {
  RECKON_TRY(CheckToken(secret));
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(SqlTransaction transaction, SqlTransaction::BeginWrite(*connection_));
  std::optional<Token> join;
  if (!by.empty()) {
    RECKON_ASSIGN(join, ReadToken(by));
    if (!join) return base::Error(base::ErrorCode::kNotFound, "no such join token");
  }
  RECKON_ASSIGN(const std::optional<Token> before, ReadToken(secret.hash));
  if (before) {
    if (before->scope != TokenScope::kNode || before->name != secret.name) {
      return Failed("this secret is another's");
    }
    if (before->revoked_at) return Failed(fmt::format("node '{}' was removed", secret.name));
    return *before;
  }
  if (join) RECKON_TRY(CheckVouches(*join, clock_.Now()));
  RECKON_ASSIGN(const std::optional<Token> taken, SecretOf(secret.name));
  if (taken) return Failed(fmt::format("node '{}' has joined already", secret.name));
  RECKON_ASSIGN(Token added, InsertToken(secret));
  if (join) {
    RECKON_ASSIGN(const auto count,
                  connection_->Prepare("UPDATE token SET uses = uses + 1, last_used_at_us = ?2"
                                       " WHERE id = ?1"));
    RECKON_TRY(count->Bind(join->id, ToMicros(clock_.Now())).Run());
  }
  RECKON_TRY(transaction.Commit());
  return added;
}

base::Result<std::optional<Token>> SqlStore::FindToken(std::string_view hash) {
  const std::scoped_lock lock(mutex_);
  return ReadToken(hash);
}

base::Result<std::vector<Token>> SqlStore::ListTokens() {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(const auto list, connection_->Prepare(kAll));
  list->Bind();
  std::vector<Token> tokens;
  for (;;) {
    RECKON_ASSIGN(std::optional<Token> token, NextOf(*list));
    if (!token) return tokens;
    tokens.push_back(*std::move(token));
  }
}

base::Result<Token> SqlStore::RevokeToken(int64_t id) {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(SqlTransaction transaction, SqlTransaction::BeginWrite(*connection_));
  RECKON_ASSIGN(const auto revoke,
                connection_->Prepare("UPDATE token SET revoked_at_us = ?2 WHERE id = ?1"
                                     " AND revoked_at_us IS NULL"));
  RECKON_TRY(revoke->Bind(id, ToMicros(clock_.Now())).Run());
  RECKON_ASSIGN(Token token, ReadToken(id));
  RECKON_TRY(transaction.Commit());
  return token;
}

base::Status SqlStore::TouchToken(int64_t id) {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(SqlTransaction transaction, SqlTransaction::BeginWrite(*connection_));
  RECKON_TRY(ReadToken(id));
  RECKON_ASSIGN(const auto touch,
                connection_->Prepare("UPDATE token SET last_used_at_us = ?2 WHERE id = ?1"));
  RECKON_TRY(touch->Bind(id, ToMicros(clock_.Now())).Run());
  return transaction.Commit();
}

base::Status SqlStore::RemoveNode(std::string_view name, std::span<const core::Event> events) {
  RECKON_TRY(CheckEvents(events));
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(SqlTransaction transaction, SqlTransaction::BeginWrite(*connection_));
  RECKON_ASSIGN(const std::optional<Token> secret, SecretOf(name));
  bool known = secret.has_value();
  {
    RECKON_ASSIGN(const auto find, connection_->Prepare("SELECT 1 FROM node WHERE name = ?1"));
    RECKON_ASSIGN(const bool found, find->Bind(name).Step());
    known |= found;
  }
  if (!known) {
    return base::Error(base::ErrorCode::kNotFound, fmt::format("no node '{}' is known", name));
  }
  RECKON_ASSIGN(const auto remove, connection_->Prepare("DELETE FROM node WHERE name = ?1"));
  RECKON_TRY(remove->Bind(name).Run());
  if (secret) {
    RECKON_ASSIGN(const auto revoke,
                  connection_->Prepare("UPDATE token SET revoked_at_us = ?2 WHERE id = ?1"));
    RECKON_TRY(revoke->Bind(secret->id, ToMicros(clock_.Now())).Run());
  }
  RECKON_TRY(InsertEvents(events));
  return transaction.Commit();
}

}  // namespace reckon::store
