#include "tests/unit/store/writers.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/open.h"
#include "tests/unit/store/support.h"

namespace reckon::store::testing {
namespace {

constexpr int kRounds = 25;
constexpr const char* kStoreVariable = "RECKON_TEST_STORE";
constexpr const char* kWriterVariable = "RECKON_TEST_WRITER";

// Not a test by itself: the other process of StartWriter, this same program started anew (a plain
// fork would take threads' locks and the sanitizers by surprise).
TEST(StoreWriterProcess, DISABLED_Writer) {
  const char* const address = std::getenv(kStoreVariable);
  const char* const writer = std::getenv(kWriterVariable);
  ASSERT_TRUE(address != nullptr && writer != nullptr);
  const base::SystemClock clock;
  const auto store = Open(StoreAddress(address), clock, kPatient);
  ASSERT_TRUE(store.ok()) << store.error().Describe();
  Write(**store, writer);
}

}  // namespace

void Write(Store& store, const std::string& writer) {
  base::NoProgress progress;
  for (int i = 0; i < kRounds; ++i) {
    const auto event = store.AddEvent({.id = 0,
                                       .run_id = {},
                                       .kind = writer,
                                       .detail = fmt::format(R"({{"i":{}}})", i),
                                       .at = {}});
    ASSERT_TRUE(event.ok()) << event.error().Describe();
    if (i % 5 != 0) continue;
    const std::string name = fmt::format("{} {}", writer, i);
    const auto set = store.AddSampleSet(name, name, MakeTable(40), {}, progress);
    ASSERT_TRUE(set.ok()) << set.error().Describe();
  }
}

void ExpectNothingLost(const StoreAddress& address, const std::set<std::string>& writers) {
  const base::SystemClock clock;
  const auto store = Open(address, clock);
  ASSERT_TRUE(store.ok());
  std::map<std::string, int> next;
  const auto events = (*store)->ListEvents({}, 0, SIZE_MAX);
  ASSERT_TRUE(events.ok());
  for (const core::Event& event : *events) {
    EXPECT_EQ(event.detail, fmt::format(R"({{"i":{}}})", next[event.kind]++)) << event.kind;
  }
  for (const std::string& writer : writers) EXPECT_EQ(next[writer], kRounds) << writer;
  const auto sets = (*store)->ListSampleSets();
  EXPECT_EQ(sets->size(), writers.size() * kRounds / 5);
  for (const core::SampleSet& set : *sets) {
    const auto table = (*store)->LoadSamples(set.name);
    ASSERT_TRUE(table.ok()) << table.error().Describe();
    EXPECT_EQ(Difference(*table, MakeTable(40)), "");
  }
}

pid_t StartWriter(const StoreAddress& address, const std::string& writer) {
  std::vector<std::string> words{"/proc/self/exe",
                                 "--gtest_filter=StoreWriterProcess.DISABLED_Writer",
                                 "--gtest_also_run_disabled_tests", "--gtest_brief=1"};
  std::vector<std::string> variables{fmt::format("{}={}", kStoreVariable, address.text()),
                                     fmt::format("{}={}", kWriterVariable, writer)};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    // The harness may tell the test program where to report or which part to run.
    if (!std::string_view(*variable).starts_with("GTEST_")) variables.emplace_back(*variable);
  }
  const auto pointers = [](std::vector<std::string>& strings) {
    std::vector<char*> list;
    for (std::string& string : strings) list.push_back(string.data());
    list.push_back(nullptr);
    return list;
  };
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  pid_t child = -1;
  EXPECT_EQ(posix_spawn(&child, program.c_str(), nullptr, nullptr, pointers(words).data(),
                        pointers(variables).data()),
            0);
  return child;
}

void ExpectEndedWell(pid_t child) {
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

void WriteFromEverywhere(const StoreAddress& address) {
  const pid_t children[] = {StartWriter(address, "process-0"), StartWriter(address, "process-1")};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        const base::SystemClock clock;
        const auto own = Open(address, clock, kPatient);
        ASSERT_TRUE(own.ok()) << own.error().Describe();
        Write(**own, fmt::format("thread-{}", i));
      });
    }
  }
  for (const pid_t child : children) ExpectEndedWell(child);
  ExpectNothingLost(address,
                    {"thread-0", "thread-1", "thread-2", "thread-3", "process-0", "process-1"});
}

}  // namespace reckon::store::testing
