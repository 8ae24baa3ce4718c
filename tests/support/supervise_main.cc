// The supervisor as a program for tests: RUN_FOLDER, or --keep.
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "act/local/keeper.h"
#include "act/local/supervisor.h"
#include "base/interrupt.h"

int main(int argc, char** argv) {
  using namespace reckon;  // NOLINT(google-build-using-namespace): a program of one function
  const base::SystemClock clock;
  if (argc == 2 && std::string(argv[1]) == act::kKeeperOption) {
    return act::RunKeeper(act::kKeeperDescriptor, clock);
  }
  if (argc != 2) return 2;
  const base::InterruptWatch interrupt(base::InterruptWatch::Second::kIgnored);
  base::Logger log(base::LogLevel::kInfo);
  const act::RunFolder folder{std::filesystem::path(argv[1])};
  const auto spec = act::ReadLaunchSpec(folder);
  if (!spec.ok()) {
    fmt::print(stderr, "{}\n", spec.error().Describe());
    return 2;
  }
  const auto outcome =
      act::Supervise(*spec, {folder, std::filesystem::read_symlink("/proc/self/exe")}, clock, log,
                     interrupt.token());
  if (!outcome.ok()) fmt::print(stderr, "{}\n", outcome.error().Describe());
  return outcome.ok() && outcome->state == core::RunState::kFinished ? 0 : 1;
}
