// How a manager bears many: agents that beat once a second, people who follow the stream of events,
// people who ask.
//
//   service_load URL [--agents 1000] [--streams 100] [--requests 200] [--seconds 60] [--pid PID]
//
// Against a `reckon serve` on this machine, which bench/service_load.py starts on a core of its
// own. Prints the latencies of beats and of requests (the list of runs, one run, health, now and
// then all nodes), events that the streams were told, and the memory of process PID at the
// beginning, after a fifth of the time and at the end. Exits with 1 when a call fails.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "net/http_client.h"
#include "net/tcp.h"

namespace {

using namespace reckon;
using Clock = std::chrono::steady_clock;
using std::chrono::duration;

struct Options {
  net::Url url;
  size_t agents = 1000;
  size_t streams = 100;
  double requests = 200;
  double seconds = 60;
  std::string pid;
};

// Thread-safe.
class Latencies {
 public:
  void Add(double seconds) {
    const std::scoped_lock lock(mutex_);
    all_.push_back(seconds);
  }
  void Print(const char* name) {
    const std::scoped_lock lock(mutex_);
    std::sort(all_.begin(), all_.end());
    if (all_.empty()) return;
    const auto at = [&](double share) {
      return 1e3 * all_[std::min(all_.size() - 1,
                                 static_cast<size_t>(share * static_cast<double>(all_.size())))];
    };
    std::puts(
        fmt::format("{}: {} calls, p50 {:.2f} ms, p99 {:.2f} ms, p99.9 {:.2f} ms, most {:.2f} ms",
                    name, all_.size(), at(0.5), at(0.99), at(0.999), 1e3 * all_.back())
            .c_str());
  }

 private:
  std::mutex mutex_;
  std::vector<double> all_;
};

std::atomic<size_t> failures{0};

void Fail(const std::string& what) {
  if (failures++ < 5) std::fprintf(stderr, "%s\n", what.c_str());
}

// Does `call` for every one of `count` at its moment of every period, until the end.
template <typename Call>
void Beat(size_t first, size_t step, size_t count, double period_s, Clock::time_point begin,
          Clock::time_point end, Call call) {
  for (size_t round = 0;; ++round) {
    for (size_t i = first; i < count; i += step) {
      const double at =
          (static_cast<double>(round) + static_cast<double>(i) / static_cast<double>(count)) *
          period_s;
      const auto due = begin + std::chrono::duration_cast<Clock::duration>(duration<double>(at));
      if (due >= end) return;
      std::this_thread::sleep_until(due);
      call(i);
    }
  }
}

double Timed(net::HttpClient& client, const net::HttpRequest& request,
             net::HttpResponse& response) {
  const auto begin = Clock::now();
  auto answer = client.Call(request);
  const double took = duration<double>(Clock::now() - begin).count();
  if (!answer.ok()) {
    Fail(request.target + ": " + answer.error().Describe());
  } else if (answer->status >= 300) {
    Fail(fmt::format("{}: {} {}", request.target, answer->status, answer->body.substr(0, 200)));
  } else {
    response = *std::move(answer);
  }
  return took;
}

std::string BeatOf(size_t agent, uint64_t number, const std::string& manager) {
  const base::Json json{{"node",
                         {{"name", fmt::format("n-{}", agent)},
                          {"cpus", 4},
                          {"memory_bytes", 1U << 30},
                          {"address", "10.1.0.1"}}},
                        {"instance", fmt::format("i{}", agent)},
                        {"number", number},
                        {"manager", manager},
                        {"now", {{"cpu", 0.3}, {"memory", 0.5}}},
                        {"parts", base::Json::array()}};
  return base::DumpJsonLine(json);
}

// Resident, in MB; 0: unknown.
double MemoryOf(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmRSS:"))
      return base::ParseNumber(base::Trim(line.substr(6, line.size() - 9))).value_or(0) / 1024;
  }
  return 0;
}

class Load {
 public:
  explicit Load(const Options& options)
      : options_(options), numbers_(options.agents, 0), managers_(options.agents) {
    for (size_t i = 0; i < options.agents; ++i) agents_.emplace_back(options.url.address);
  }

  void Run() {
    const auto begin = Clock::now() + std::chrono::milliseconds(200);
    const auto end =
        begin + std::chrono::duration_cast<Clock::duration>(duration<double>(options_.seconds));
    std::vector<std::jthread> threads;
    constexpr size_t kAgentThreads = 8;
    for (size_t t = 0; t < kAgentThreads; ++t) {
      threads.emplace_back([=, this] {
        Beat(t, kAgentThreads, options_.agents, 1, begin, end, [this](size_t i) { BeatOnce(i); });
      });
    }
    constexpr size_t kPeople = 8;
    const auto a_second = static_cast<size_t>(options_.requests);
    for (size_t t = 0; t < kPeople; ++t) {
      threads.emplace_back([=, this] {
        net::HttpClient client(options_.url.address);
        size_t asked = t;
        Beat(t, kPeople, a_second, 1, begin, end, [&](size_t) { Ask(client, asked += 7); });
      });
    }
    for (size_t i = 0; i < options_.streams; ++i) {
      threads.emplace_back([=, this](const std::stop_token& stop) { Listen(end, stop); });
    }
    std::puts(fmt::format("memory at the beginning {:.1f} MB", MemoryOf(options_.pid)).c_str());
    std::this_thread::sleep_until(begin + (end - begin) / 5);
    std::puts(fmt::format("memory after a fifth {:.1f} MB", MemoryOf(options_.pid)).c_str());
    std::fflush(stdout);
    std::this_thread::sleep_until(end);
    std::puts(fmt::format("memory at the end {:.1f} MB", MemoryOf(options_.pid)).c_str());
    threads.clear();
    beats_.Print("beats");
    asked_.Print("requests");
    std::puts(fmt::format("streams: {} open, {} bytes heard; failures: {}", options_.streams,
                          heard_.load(), failures.load())
                  .c_str());
  }

 private:
  void BeatOnce(size_t i) {
    net::HttpRequest request{"POST",
                             fmt::format("/api/v1/agents/n-{}/beat", i),
                             {{"content-type", "application/json"}},
                             BeatOf(i, ++numbers_[i], managers_[i])};
    net::HttpResponse response;
    beats_.Add(Timed(agents_[i], request, response));
    if (managers_[i].empty() && !response.body.empty()) {
      managers_[i] = base::Json::parse(response.body).value("manager", "");
    }
  }

  void Ask(net::HttpClient& client, size_t number) {
    const char* target = "/api/v1/runs?limit=50";
    if (number % 4 == 1) target = "/healthz";
    if (number % 4 == 2) target = "/api/v1/runs/1";
    if (number % 200 == 3) target = "/api/v1/nodes";
    net::HttpResponse response;
    asked_.Add(Timed(client, {"GET", target, {}, ""}, response));
  }

  void Listen(Clock::time_point end, const std::stop_token& stop) {
    auto stream = net::Stream::Connect(options_.url.address, std::chrono::seconds(10));
    if (!stream.ok()) return Fail("stream: " + stream.error().Describe());
    const std::string head = "GET /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    if (!stream->Write(std::as_bytes(std::span(head))).ok()) return Fail("stream: it is closed");
    stream->set_patience(std::chrono::milliseconds(250));
    std::byte byte{};
    while (Clock::now() < end && !stop.stop_requested()) {
      const base::Status read = stream->Read(std::span(&byte, 1));
      if (read.ok()) {
        ++heard_;
      } else if (read.error().code() == base::ErrorCode::kUnavailable) {
        return Fail("stream: " + read.error().Describe());
      }
    }
  }

  const Options options_;
  std::vector<net::HttpClient> agents_;
  std::vector<uint64_t> numbers_;
  std::vector<std::string> managers_;
  Latencies beats_;
  Latencies asked_;
  std::atomic<size_t> heard_{0};
};

}  // namespace

int main(int argc, char** argv) {
  Options options;
  const auto url =
      argc > 1 ? net::ParseUrl(argv[1]) : base::Result<net::Url>(base::BadInput("no URL"));
  if (!url.ok()) {
    std::fprintf(stderr,
                 "usage: service_load URL [--agents N] [--streams N] [--requests N] [--seconds S] "
                 "[--pid PID]\n");
    return 2;
  }
  options.url = *url;
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const double value = base::ParseNumber(argv[i + 1]).value_or(0);
    if (name == "--agents") options.agents = static_cast<size_t>(value);
    if (name == "--streams") options.streams = static_cast<size_t>(value);
    if (name == "--requests") options.requests = value;
    if (name == "--seconds") options.seconds = value;
    if (name == "--pid") options.pid = argv[i + 1];
  }
  Load(options).Run();
  return failures == 0 ? 0 : 1;
}
