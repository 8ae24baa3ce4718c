// What PostgreSQL says when things go wrong that a test cannot bring about, or not in all versions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/postgres/errors.h"

namespace reckon::store::testing {
namespace {

using base::ErrorCode;

TEST(PostgresStatesTest, EveryStateSaysWhatTheCallerCanDo) {
  const std::pair<const char*, ErrorCode> cases[] = {
      {"", ErrorCode::kUnavailable},       // the connection broke
      {"08006", ErrorCode::kUnavailable},  // so says the server
      {"57P01", ErrorCode::kUnavailable},  // it is being stopped
      {"57P02", ErrorCode::kUnavailable},  // it crashed
      {"57P03", ErrorCode::kUnavailable},  // it is starting
      {"53300", ErrorCode::kUnavailable},  // too many connections
      {"55P03", ErrorCode::kUnavailable},  // locked
      {"40P01", ErrorCode::kUnavailable},  // deadlock
      {"53100", ErrorCode::kIo},           // disk full
      {"58030", ErrorCode::kIo},           // a read failed
      {"42501", ErrorCode::kIo},           // not permitted
      {"25006", ErrorCode::kIo},           // read-only
      {"XX001", ErrorCode::kCorrupt},      // a damaged page
      {"XX002", ErrorCode::kCorrupt},      // a damaged index
      {"42P01", ErrorCode::kCorrupt},      // no such table
      {"3D000", ErrorCode::kNotFound},     // no such database
      {"28P01", ErrorCode::kBadInput},     // wrong password
      {"22021", ErrorCode::kBadInput},     // no UTF-8
      {"P0001", ErrorCode::kFailed},       // raised by a trigger
      {"XX000", ErrorCode::kFailed},
  };
  for (const auto& [state, code] : cases) {
    const base::Error error = PostgresError({state, "why"}, "postgresql://h/db", {});
    EXPECT_EQ(error.code(), code) << state;
    EXPECT_THAT(error.message(), ::testing::HasSubstr("store 'postgresql://h/db'")) << state;
  }
  EXPECT_EQ(PostgresError({"53100", "could not extend file"}, "db", {}).message(),
            "store 'db': the disk is full; nothing was written");
}

TEST(PostgresStatesTest, ReasonsOfConnectionsAreTakenApart) {
  const PostgresFailure refused = FailureOfConnecting(
      "connection to server at \"h\" (1.2.3.4), port 5432 failed: FATAL:  3D000: database \"x\" "
      "does "
      "not exist\nLOCATION:  InitPostgres, postinit.c:1034\n");
  EXPECT_EQ(refused.sqlstate, "3D000");
  EXPECT_EQ(
      refused.message,
      "connection to server at \"h\" (1.2.3.4), port 5432 failed: FATAL:  database \"x\" does "
      "not exist");
  const PostgresFailure away = FailureOfConnecting(
      "connection to server at \"h\", port 1 failed: Connection refused\n"
      "\tIs the server running on that host and accepting TCP/IP connections?\n");
  EXPECT_EQ(away.sqlstate, "");
  EXPECT_THAT(away.message, ::testing::EndsWith("accepting TCP/IP connections?"));
  EXPECT_FALSE(FailureOfConnecting("").message.empty());
}

}  // namespace
}  // namespace reckon::store::testing
