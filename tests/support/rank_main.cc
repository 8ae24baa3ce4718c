// What ranks of tests do:
//   brood                   forks a family that is hard to get rid of, then sleeps
//   burn SECONDS            a grandchild uses so much CPU, then all end
//   abandon SECONDS         a child uses so much CPU, and nobody waits for it
//   receive FILE BYTES      listens, writes its port to FILE, reads so many bytes, ends
//   send FILE BYTES         waits for FILE, sends so many bytes to that port, ends at once
//   hold BYTES SECONDS      keeps so much memory for so long
#include <chrono>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "net/tcp.h"

namespace reckon::support {
namespace {

using std::chrono::milliseconds;

constexpr unsigned kLong = 120;  // seconds: longer than any test, not for ever if one fails

[[noreturn]] void SleepOn() {
  while (sleep(kLong) != 0) {
  }
  _exit(0);
}

// A child, a grandchild in a session of its own that ignores SIGTERM and whose parent is gone, and
// one that goes on forking.
int Brood() {
  if (fork() == 0) SleepOn();
  if (fork() == 0) {
    (void)signal(SIGTERM, SIG_IGN);
    setsid();
    if (fork() == 0) {
      setsid();
      SleepOn();
    }
    _exit(0);
  }
  if (fork() == 0) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kLong);
    while (std::chrono::steady_clock::now() < end) {
      if (fork() == 0) {
        std::this_thread::sleep_for(milliseconds(30));
        _exit(0);
      }
      std::this_thread::sleep_for(milliseconds(10));
      while (waitpid(-1, nullptr, WNOHANG) > 0) {
      }
    }
    _exit(0);
  }
  SleepOn();
}

[[noreturn]] void UseCpu(double seconds) {
  const auto end = static_cast<clock_t>(seconds * CLOCKS_PER_SEC);
  while (clock() < end) {
  }
  _exit(0);
}

int Burn(double seconds) {
  if (fork() == 0) {
    if (fork() == 0) UseCpu(seconds);
    wait(nullptr);
    _exit(0);
  }
  wait(nullptr);
  return 0;
}

int Abandon(double seconds) {
  (void)signal(SIGCHLD, SIG_IGN);
  if (fork() == 0) UseCpu(seconds);
  wait(nullptr);  // until there is none: they are not waited for, only waited out
  return 0;
}

int Receive(const std::filesystem::path& file, size_t bytes) {
  auto listener = net::Listener::Bind({"127.0.0.1", 0}).value();
  base::WriteFile(file, std::to_string(listener.port())).value();
  auto stream = listener.Accept().value();
  std::vector<std::byte> buffer(bytes);
  return stream.Read(buffer).ok() ? 0 : 1;
}

int Send(const std::filesystem::path& file, size_t bytes) {
  for (int i = 0; i < 1000 && !std::filesystem::exists(file); ++i) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  const auto port = base::ParseInteger(base::ReadFile(file).value()).value();
  const std::vector<std::byte> buffer(bytes);
  auto stream =
      net::Stream::Connect({"127.0.0.1", static_cast<uint16_t>(port)}, milliseconds(5000)).value();
  return stream.Write(buffer).ok() ? 0 : 1;
}

int Hold(size_t bytes, double seconds) {
  std::vector<char> memory(bytes, 1);
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  return memory[bytes / 2] == 1 ? 0 : 1;
}

int Main(const std::vector<std::string>& words) {
  const std::string what = words.empty() ? "" : words[0];
  if (what == "brood") return Brood();
  if (what == "burn") return Burn(std::stod(words.at(1)));
  if (what == "abandon") return Abandon(std::stod(words.at(1)));
  if (what == "receive") return Receive(words.at(1), std::stoul(words.at(2)));
  if (what == "send") return Send(words.at(1), std::stoul(words.at(2)));
  if (what == "hold") return Hold(std::stoul(words.at(1)), std::stod(words.at(2)));
  return 2;
}

}  // namespace
}  // namespace reckon::support

int main(int argc, char** argv) { return reckon::support::Main({argv + 1, argv + argc}); }
