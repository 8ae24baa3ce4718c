// Measures a lab from inside: bandwidth, CPU share, and steps of computing and communicating.
//
//   lab_probe sink ADDRESS:PORT                 takes one transfer, prints Mbit/s
//   lab_probe source ADDRESS:PORT BYTES         gives it
//   lab_probe compute ROUNDS                    a fixed computation, prints seconds and CPU seconds
//   lab_probe ping ADDRESS:PORT COUNT           round trips of 64 bytes, prints median and worst ms
//   lab_probe echo ADDRESS:PORT                 answers them until the other side closes
//   lab_probe ring RANK PORT STEPS ROUNDS FLOATS ADDRESS...
//       steps of computing and summing FLOATS numbers over a ring of hosts, as data-parallel
//       training does; prints the median step in ms
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "net/tcp.h"

namespace reckon {
namespace {

using std::chrono::steady_clock;

double Since(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

template <typename T>
T Take(base::Result<T> result) {
  if (result.ok()) return std::move(result).value();
  std::fprintf(stderr, "lab_probe: %s\n", result.error().Describe().c_str());
  std::exit(1);
}

void Take(const base::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "lab_probe: %s\n", status.error().Describe().c_str());
  std::exit(1);
}

std::span<std::byte> Bytes(std::span<float> numbers) { return std::as_writable_bytes(numbers); }

// The other side may not listen yet.
net::Stream Join(const net::Address& address) {
  const auto start = steady_clock::now();
  for (;;) {
    auto stream = net::Stream::Connect(address, std::chrono::seconds(5));
    if (stream.ok() || Since(start) > 15) return Take(std::move(stream));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

// Small enough for the first cache, so that hosts do not disturb each other there.
double Compute(long rounds) {
  std::vector<double> values(512);
  for (size_t i = 0; i < values.size(); ++i) values[i] = 1.0 + static_cast<double>(i) * 1e-3;
  double sum = 0;
  for (long round = 0; round < rounds; ++round) {
    for (double& value : values) value = value * 0.999 + 0.001;
    sum += values[static_cast<size_t>(round) % values.size()];
  }
  return sum;
}

int Sink(const std::string& where) {
  net::Listener listener = Take(net::Listener::Bind(Take(net::ParseAddress(where))));
  net::Stream stream = Take(listener.Accept());
  uint64_t size = 0;
  Take(stream.Read(std::as_writable_bytes(std::span(&size, 1))));
  const auto start = steady_clock::now();
  std::vector<std::byte> buffer(1 << 16);
  for (uint64_t left = size; left > 0;) {
    const uint64_t part = std::min<uint64_t>(left, buffer.size());
    Take(stream.Read(std::span(buffer).first(part)));
    left -= part;
  }
  std::printf("%.3f\n", static_cast<double>(size) * 8e-6 / Since(start));
  return 0;
}

int Source(const std::string& where, uint64_t size) {
  net::Stream stream = Join(Take(net::ParseAddress(where)));
  Take(stream.Write(std::as_bytes(std::span(&size, 1))));
  std::vector<std::byte> buffer(1 << 16);
  for (uint64_t left = size; left > 0;) {
    const uint64_t part = std::min<uint64_t>(left, buffer.size());
    Take(stream.Write(std::span(buffer).first(part)));
    left -= part;
  }
  std::byte end{};
  (void)stream.Read(std::span(&end, 1)).ok();  // until the sink has it all and closes
  return 0;
}

int Echo(const std::string& where) {
  net::Listener listener = Take(net::Listener::Bind(Take(net::ParseAddress(where))));
  net::Stream stream = Take(listener.Accept());
  std::vector<std::byte> buffer(64);
  while (stream.Read(buffer).ok() && stream.Write(buffer).ok()) {
  }
  return 0;
}

int Ping(const std::string& where, long count) {
  net::Stream stream = Join(Take(net::ParseAddress(where)));
  std::vector<std::byte> buffer(64);
  std::vector<double> times;
  for (long i = 0; i < count; ++i) {
    const auto start = steady_clock::now();
    Take(stream.Write(buffer));
    Take(stream.Read(buffer));
    times.push_back(Since(start) * 1e3);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::sort(times.begin(), times.end());
  std::printf("%.3f %.3f\n", times[times.size() / 2], times.back());
  return 0;
}

int Ring(size_t rank, uint16_t port, long steps, long rounds, size_t floats,
         const std::vector<std::string>& addresses) {
  const size_t count = addresses.size();
  net::Listener listener = Take(net::Listener::Bind({addresses[rank], port}));
  net::Stream next = Join({addresses[(rank + 1) % count], port});
  net::Stream previous = Take(listener.Accept());
  std::vector<float> numbers(floats, 1.0F);
  std::vector<float> received(floats / count + 1);
  const auto chunk = [&](size_t index) {
    index %= count;
    const size_t begin = floats * index / count;
    return std::span(numbers).subspan(begin, floats * (index + 1) / count - begin);
  };
  std::vector<double> times;
  double sum = 0;
  for (long step = 0; step < steps; ++step) {
    const auto start = steady_clock::now();
    sum += Compute(rounds);
    // Reduce-scatter, then gather.
    for (size_t turn = 0; turn + 1 < 2 * count - 1; ++turn) {
      const bool reducing = turn + 1 < count;
      const std::span<float> out = chunk(rank + 2 * count - turn);
      const std::span<float> in = chunk(rank + 2 * count - turn - 1);
      std::jthread sender([&] { Take(next.Write(std::as_bytes(out))); });
      const std::span<float> into = reducing ? std::span(received).first(in.size()) : in;
      Take(previous.Read(Bytes(into)));
      sender.join();
      if (!reducing) continue;
      for (size_t i = 0; i < in.size(); ++i) in[i] = (in[i] + into[i]) * 0.5F;
    }
    if (step >= 3) times.push_back(Since(start) * 1e3);
  }
  std::sort(times.begin(), times.end());
  if (rank == 0) std::printf("%.3f\n", times[times.size() / 2] + (sum < 0 ? 1 : 0));
  return 0;
}

int Usage() {
  std::fprintf(stderr, "lab_probe: see the top of lab_probe.cc\n");
  return 2;
}

int Main(const std::vector<std::string>& words) {
  const std::string action = words.empty() ? "" : words[0];
  const auto number = [&](size_t index) { return std::strtol(words[index].c_str(), nullptr, 10); };
  if (action == "sink" && words.size() == 2) return Sink(words[1]);
  if (action == "source" && words.size() == 3) {
    return Source(words[1], static_cast<uint64_t>(number(2)));
  }
  if (action == "echo" && words.size() == 2) return Echo(words[1]);
  if (action == "ping" && words.size() == 3) return Ping(words[1], number(2));
  if (action == "compute" && words.size() == 2) {
    const auto start = steady_clock::now();
    const double sum = Compute(number(1));
    const double wall = Since(start) + (sum < 0 ? 1 : 0);
    std::printf("%.4f %.4f\n", wall, static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
    return 0;
  }
  if (action == "ring" && words.size() > 7) {
    return Ring(static_cast<size_t>(number(1)), static_cast<uint16_t>(number(2)), number(3),
                number(4), static_cast<size_t>(number(5)), {words.begin() + 6, words.end()});
  }
  return Usage();
}

}  // namespace
}  // namespace reckon

int main(int argc, char** argv) { return reckon::Main({argv + 1, argv + argc}); }
