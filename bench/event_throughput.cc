// How many events a second can be kept.
//
//   event_throughput [EVENTS [FOLDER [PYTHON]]]      200000, the current folder, /usr/bin/python3
//
// Into a store on FOLDER's disk, a thousand in a transaction: Store::AddEvents; SQLite's C
// interface with one prepared statement, the same table, index and durability, and none of the
// checks; Python's sqlite3 with executemany. Then the way of a run's own events: four ranks post
// reports of a hundred over HTTP to a supervisor's door, which checks them and appends them to
// events.jsonl. The median of three rounds each, in turns. Exits with 1 when AddEvents keeps fewer
// than 50,000 a second.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>
#include <unistd.h>

#include "act/local/report_door.h"
#include "base/clock.h"
#include "base/json.h"
#include "net/http_client.h"
#include "store/sqlite/sqlite_store.h"

namespace {

using namespace reckon;
namespace fs = std::filesystem;

constexpr size_t kBatch = 1'000;
constexpr size_t kRanks = 4;
constexpr size_t kReport = 100;
constexpr int kRounds = 3;
constexpr double kLeast = 50'000;

template <typename Work>
double SecondsOf(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

template <typename T>
T Need(base::Result<T> result, const char* what) {
  if (result.ok()) return std::move(result).value();
  std::fprintf(stderr, "event_throughput: %s: %s\n", what, result.error().Describe().c_str());
  std::exit(2);
}

void Need(bool well, const char* what) {
  if (well) return;
  std::fprintf(stderr, "event_throughput: %s\n", what);
  std::exit(2);
}

std::string Detail(size_t i) {
  return fmt::format(R"({{"role":"worker","index":{},"name":"loss","value":{},"epoch":{}}})", i % 8,
                     1.0 / static_cast<double>(i + 1), i / 1000);
}

double OurStore(const fs::path& folder, size_t count) {
  const base::SystemClock clock;
  const auto store = Need(store::SqliteStore::Open(folder / "ours.db", clock), "store");
  core::Run run;
  run.name = "bench";
  run.job = run.plan = "{}";
  const int64_t id = Need(store->AddRun(run), "run").id;
  std::vector<core::Event> events(kBatch);
  return SecondsOf([&] {
    for (size_t done = 0; done < count; done += kBatch) {
      for (size_t i = 0; i < kBatch; ++i) events[i] = {0, id, "metric", Detail(done + i), {}};
      Need(store->AddEvents(events).ok(), "AddEvents failed");
    }
  });
}

// What the peers' tables are like: ours, without triggers.
constexpr const char* kSchema =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
    "CREATE TABLE event (id INTEGER PRIMARY KEY AUTOINCREMENT, run_id INTEGER, kind TEXT NOT NULL,"
    " detail TEXT NOT NULL, at_us INTEGER NOT NULL) STRICT;"
    "CREATE INDEX event_run ON event (run_id, id);";

double PlainSqlite(const fs::path& folder, size_t count) {
  sqlite3* db = nullptr;
  Need(sqlite3_open((folder / "plain.db").c_str(), &db) == SQLITE_OK, "sqlite3_open failed");
  const auto execute = [&](const char* sql) {
    Need(sqlite3_exec(db, sql, nullptr, nullptr, nullptr) == SQLITE_OK, sql);
  };
  execute(kSchema);
  sqlite3_stmt* insert = nullptr;
  sqlite3_prepare_v2(db, "INSERT INTO event (run_id, kind, detail, at_us) VALUES (?1, ?2, ?3, ?4)",
                     -1, &insert, nullptr);
  const double seconds = SecondsOf([&] {
    for (size_t done = 0; done < count; done += kBatch) {
      execute("BEGIN IMMEDIATE");
      for (size_t i = done; i < done + kBatch; ++i) {
        const std::string detail = Detail(i);
        sqlite3_bind_int64(insert, 1, 1);
        sqlite3_bind_text(insert, 2, "metric", -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 3, detail.c_str(), -1, SQLITE_STATIC);
        sqlite3_bind_int64(insert, 4, static_cast<sqlite3_int64>(i));
        Need(sqlite3_step(insert) == SQLITE_DONE, "INSERT failed");
        sqlite3_reset(insert);
      }
      execute("COMMIT");
    }
  });
  sqlite3_finalize(insert);
  sqlite3_close(db);
  return seconds;
}

// It prints its own seconds, so that its start does not count; negative when it cannot run.
double Python(const fs::path& folder, size_t count, const std::string& python) {
  const std::string command = fmt::format(
      "{} -c 'import sqlite3, sys, time\n"
      "db = sqlite3.connect(sys.argv[1])\n"
      "db.executescript(sys.argv[2])\n"
      "begin = time.perf_counter()\n"
      "for done in range(0, {}, {}):\n"
      "  with db:\n"
      "    db.executemany(\"INSERT INTO event (run_id, kind, detail, at_us) VALUES (?, ?, ?, "
      "?)\",\n"
      "      [(1, \"metric\", "
      "\"{{\\\"role\\\":\\\"worker\\\",\\\"index\\\":%d,\\\"name\\\":\\\"loss\\\",\"\n"
      "        \"\\\"value\\\":%r,\\\"epoch\\\":%d}}\" % (i % 8, 1 / (i + 1), i // 1000), i)\n"
      "       for i in range(done, done + {})])\n"
      "print(time.perf_counter() - begin)' '{}' '{}'",
      python, count, kBatch, kBatch, (folder / "python.db").string(), kSchema);
  FILE* out = popen(command.c_str(), "r");
  double seconds = -1;
  if (out == nullptr || std::fscanf(out, "%lf", &seconds) != 1) seconds = -1;
  if (out != nullptr) pclose(out);
  return seconds;
}

void PostReports(const act::ReportDoor& door, const std::string& token, size_t rank, size_t count) {
  const net::Url url = Need(net::ParseUrl(door.url()), "url");
  net::HttpClient client(url.address);
  for (size_t done = 0; done < count; done += kReport) {
    base::Json report{{"rank", rank},
                      {"role", "worker"},
                      {"sender", fmt::format("rank-{}", rank)},
                      {"sequence", done / kReport}};
    base::Json& events = report["events"] = base::Json::array();
    for (size_t i = done; i < done + kReport; ++i) {
      events.push_back({{"kind", "metric"},
                        {"at", 1.76e9 + static_cast<double>(i) * 1e-3},
                        {"name", "loss"},
                        {"value", 1.0 / static_cast<double>(i + 1)},
                        {"epoch", i / 1000}});
    }
    const auto answer = Need(
        client.Post(url.target, base::DumpJsonLine(report), {{"authorization", "Bearer " + token}}),
        "report");
    Need(answer.status == 204, answer.body.c_str());
  }
}

double Door(const fs::path& folder, size_t count) {
  const base::SystemClock clock;
  base::Logger log(base::LogLevel::kWarn);
  act::LaunchSpec spec;
  spec.run_id = 1;
  spec.token = "bench";
  auto events = Need(act::EventWriter::Open(folder / "events.jsonl"), "events.jsonl");
  const auto door = Need(act::ReportDoor::Open(spec, events, clock, log), "door");
  return SecondsOf([&] {
    std::vector<std::jthread> ranks;
    for (size_t rank = 0; rank < kRanks; ++rank) {
      ranks.emplace_back([&, rank] { PostReports(*door, spec.token, rank, count / kRanks); });
    }
  });
}

}  // namespace

int main(int argc, char** argv) {
  const size_t asked = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 200'000;
  const size_t count = std::max<size_t>(1, asked / (kRanks * kBatch)) * kRanks * kBatch;
  const fs::path parent = argc > 2 ? argv[2] : ".";
  const std::string python = argc > 3 ? argv[3] : "/usr/bin/python3";
  struct Way {
    const char* name;
    std::vector<double> rates;
  };
  std::vector<Way> ways{{"Store::AddEvents", {}},
                        {"SQLite's C interface", {}},
                        {"Python's sqlite3", {}},
                        {"posted to the door", {}}};
  for (int round = 0; round < kRounds; ++round) {
    const fs::path folder = parent / fmt::format("event_throughput.{}.{}", getpid(), round);
    Need(fs::create_directory(folder), "the folder cannot be made");
    const double seconds[]{OurStore(folder, count), PlainSqlite(folder, count),
                           Python(folder, count, python), Door(folder, count)};
    for (size_t i = 0; i < ways.size(); ++i) {
      ways[i].rates.push_back(seconds[i] > 0 ? static_cast<double>(count) / seconds[i] : 0);
    }
    fs::remove_all(folder);
  }
  std::printf("%zu events, median of %d (least, most), events/s\n", count, kRounds);
  for (Way& way : ways) {
    std::sort(way.rates.begin(), way.rates.end());
    std::printf("%-22s  %9.0f  (%.0f, %.0f)\n", way.name, way.rates[kRounds / 2], way.rates.front(),
                way.rates.back());
  }
  return ways.front().rates[kRounds / 2] >= kLeast ? 0 : 1;
}
