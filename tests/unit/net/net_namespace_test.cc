#include "net/net_namespace.h"

#include <csignal>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace reckon::net {
namespace {

ino_t NamespaceOf(const std::string& path) {
  struct stat found {};
  return stat(path.c_str(), &found) == 0 ? found.st_ino : 0;
}
constexpr const char* kOfThisThread = "/proc/thread-self/ns/net";

TEST(NetNamespaceTest, WorksInsideAndStaysOutside) {
  int told[2];
  ASSERT_EQ(pipe(told), 0);
  const pid_t child = fork();
  if (child == 0) {
    const char made = unshare(CLONE_NEWNET) == 0 ? 'y' : 'n';
    (void)!write(told[1], &made, 1);
    pause();
    _exit(0);
  }
  char made = 0;
  ASSERT_EQ(read(told[0], &made, 1), 1);
  const std::string path = fmt::format("/proc/{}/ns/net", child);
  const ino_t home = NamespaceOf(kOfThisThread);
  if (made == 'y') {
    ino_t inside = 0;
    const auto look = [&]() -> base::Status {
      inside = NamespaceOf(kOfThisThread);
      return base::BadInput("what the work says");
    };
    const base::Status status = InNamespace(path, look);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().message(), "what the work says");
    EXPECT_EQ(inside, NamespaceOf(path));
    EXPECT_NE(inside, home);
    EXPECT_EQ(NamespaceOf(kOfThisThread), home);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(told[0]);
  close(told[1]);
  if (made != 'y') GTEST_SKIP() << "may not make network namespaces";
}

TEST(NetNamespaceTest, WithoutOneNothingIsDone) {
  bool worked = false;
  const auto work = [&]() -> base::Status {
    worked = true;
    return {};
  };
  const base::Status missing = InNamespace("/no/netns", work);
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().Describe(),
              testing::HasSubstr("cannot open the network namespace /no/netns: No such file"));
  const base::Status no_namespace = InNamespace("/dev/null", work);
  ASSERT_FALSE(no_namespace.ok());
  EXPECT_THAT(no_namespace.error().Describe(),
              testing::HasSubstr("cannot enter the network namespace /dev/null: "));
  EXPECT_FALSE(worked);
}

}  // namespace
}  // namespace reckon::net
