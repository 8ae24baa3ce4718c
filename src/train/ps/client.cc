#include "train/ps/client.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "train/ps/protocol.h"

namespace reckon::train {
namespace {

using Clock = std::chrono::steady_clock;
using base::Error;
using base::ErrorCode;

constexpr std::chrono::milliseconds kRetry{100};

double Seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

// The head of the message that is expected next, or why the server refuses. A server that waits for
// other workers says so as long as it does.
base::Result<MessageHead> Expect(net::Stream& stream, MessageKind kind) {
  MessageHead head;
  do {
    RECKON_ASSIGN(head, ReadHead(stream));
  } while (head.kind == MessageKind::kWait);
  if (head.kind == kind) return head;
  if (head.kind == MessageKind::kRefused) {
    RECKON_ASSIGN(const std::string why, ReadText(stream, head));
    return Error(ErrorCode::kFailed, "the parameter server refused: " + why);
  }
  return base::Corrupt("the parameter server answered something else");
}

base::Result<net::Stream> Reach(const net::Address& server, Clock::time_point deadline) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    auto stream = net::Stream::Connect(server, std::max(left, kRetry));
    if (stream.ok() || Clock::now() + kRetry >= deadline) return stream;
    std::this_thread::sleep_for(kRetry);
  }
}

// Does it again until the deadline when the server goes away meanwhile: it may come back.
template <typename Attempt>
auto TryUntil(Clock::time_point deadline, Attempt attempt) -> decltype(attempt()) {
  while (true) {
    auto done = attempt();
    const bool gone = !done.ok() && done.error().code() == ErrorCode::kUnavailable;
    if (!gone || Clock::now() + kRetry >= deadline) return done;
    std::this_thread::sleep_for(kRetry);
  }
}

struct Greeted {
  net::Stream stream;
  uint64_t pushed = 0;           // gradients that the server has of this worker
  std::vector<uint64_t> offers;  // steps it can go on from
};

// Says hello; brings `values` where there are none yet.
base::Result<Greeted> Greet(const ClientOptions& options, const net::Address& server,
                            std::span<const float> values, Clock::time_point deadline) {
  RECKON_ASSIGN(net::Stream stream, Reach(server, deadline));
  // Sooner than the other servers give up this worker, which says nothing to them meanwhile: the
  // one that stands still is to be named. Later than servers give up others: they tell whom.
  stream.set_patience(options.patience * 3 / 2);
  base::Json hello;
  hello["worker"] = options.worker;
  hello["workers"] = options.workers;
  hello["size"] = values.size();
  hello["token"] = options.token;
  RECKON_TRY(SendText(stream, MessageKind::kHello, base::DumpJsonLine(hello)));
  RECKON_ASSIGN(const MessageHead head, Expect(stream, MessageKind::kWelcome));
  RECKON_ASSIGN(const std::string text, ReadText(stream, head));
  RECKON_ASSIGN(const base::Json welcome, base::ParseJson(text, "welcome"));
  if (!welcome.is_object() || !welcome.value("initialised", base::Json()).is_boolean()) {
    return base::Corrupt("the parameter server's welcome cannot be read");
  }
  if (!welcome["initialised"].get<bool>()) {
    RECKON_TRY(SendFloats(stream, MessageKind::kInitial, values));
  }
  const base::Json offers = welcome.value("offers", base::Json::array());
  const auto whole = [](const base::Json& step) { return step.is_number_unsigned(); };
  if (!offers.is_array() || !std::all_of(offers.begin(), offers.end(), whole)) {
    return base::Corrupt("the parameter server's offers cannot be read");
  }
  return Greeted{std::move(stream), base::WholeAt(welcome, "pushed").value_or(0),
                 offers.get<std::vector<uint64_t>>()};
}

// The latest step of which every server has a checkpoint; nothing when they begin anew.
base::Result<std::optional<uint64_t>> CommonStep(
    const std::vector<std::vector<uint64_t>>& by_server) {
  std::optional<uint64_t> common;
  bool any = false;
  for (const auto& offers : by_server) any |= !offers.empty();
  for (const uint64_t step : by_server[0]) {
    const bool everywhere = std::all_of(by_server.begin(), by_server.end(), [&](const auto& own) {
      return std::find(own.begin(), own.end(), step) != own.end();
    });
    if (everywhere) common = std::max(common.value_or(0), step);
  }
  if (common || !any) return common;
  std::vector<std::string> words;
  for (size_t i = 0; i < by_server.size(); ++i) {
    words.push_back(by_server[i].empty() ? fmt::format("server {} has none", i)
                                         : fmt::format("server {} has step {}", i,
                                                       fmt::join(by_server[i], " and ")));
  }
  return base::BadInput(
      fmt::format("the servers' checkpoints do not belong together ({}); remove them to begin anew",
                  fmt::join(words, ", ")));
}

}  // namespace

ParameterClient::ParameterClient(ClientOptions options, std::vector<Part> parts)
    : options_(std::move(options)), parts_(std::move(parts)) {}

base::Result<ParameterClient> ParameterClient::Join(const ClientOptions& options,
                                                    std::span<float> parameters) {
  const size_t servers = options.servers.size();
  if (servers == 0 || parameters.size() < servers) {
    return base::BadInput(
        fmt::format("{} servers for {} parameters; expected at least one, and no more than "
                    "parameters",
                    servers, parameters.size()));
  }
  std::vector<Part> parts;
  std::vector<std::vector<uint64_t>> offers;
  uint64_t pushed = 0;
  size_t begin = 0;
  for (size_t i = 0; i < servers; ++i) {
    const size_t size = PartSize(parameters.size(), servers, i);
    const auto deadline = Clock::now() + options.patience;
    const auto greet = [&] {
      return Greet(options, options.servers[i], parameters.subspan(begin, size), deadline);
    };
    auto greeted = options.in_step ? greet() : TryUntil(deadline, greet);
    if (!greeted.ok()) {
      return std::move(greeted).error().Wrap("parameter server " + options.servers[i].ToText());
    }
    pushed = std::max(pushed, greeted->pushed);
    parts.push_back({std::move(greeted->stream), begin, size});
    offers.push_back(std::move(greeted->offers));
    begin += size;
  }
  RECKON_ASSIGN(const auto resume, CommonStep(offers));
  for (Part& part : parts) {
    if (resume) RECKON_TRY(SendHead(part.stream, MessageKind::kResume, *resume, 0));
  }
  ParameterClient client(options, std::move(parts));
  client.pushed_before_ = pushed;
  RECKON_TRY(client.Pull(parameters));
  return client;
}

base::Status ParameterClient::PullPart(Part& part, std::span<float> parameters) {
  RECKON_TRY(SendHead(part.stream, MessageKind::kPull, 0, 0));
  RECKON_ASSIGN(const MessageHead head, Expect(part.stream, MessageKind::kParameters));
  const std::span<float> own = parameters.subspan(part.begin, part.size);
  if (head.bytes != own.size_bytes()) {
    return base::Corrupt(
        fmt::format("{} bytes of parameters; expected {}", head.bytes, own.size_bytes()));
  }
  server_steps_ = std::max(server_steps_, head.number & ~kEnds);
  return part.stream.Read(std::as_writable_bytes(own));
}

base::Status ParameterClient::Pull(std::span<float> parameters) {
  for (size_t i = 0; i < parts_.size(); ++i) {
    base::Status pulled = PullPart(parts_[i], parameters);
    if (!pulled.ok()) RECKON_TRY(Return(std::move(pulled).error(), i, parameters));
  }
  spoke_ = Clock::now();
  return {};
}

void ParameterClient::Alive() {
  if (Clock::now() - spoke_ < options_.patience / 4) return;
  for (Part& part : parts_) {
    // The next push finds out about a server that is gone.
    (void)SendHead(part.stream, MessageKind::kAlive, 0, 0);
  }
  spoke_ = Clock::now();
}

base::Status ParameterClient::Exchange(Part& part, double weight, std::span<const float> gradients,
                                       std::span<float> parameters, bool wants_end,
                                       ExchangeTimes& times) {
  const std::span<const float> own = gradients.subspan(part.begin, part.size);
  const auto begin = Clock::now();
  RECKON_TRY(SendPush(part.stream, weight, own, wants_end));
  RECKON_ASSIGN(const MessageHead received, Expect(part.stream, MessageKind::kReceived));
  const auto pushed = Clock::now();
  RECKON_ASSIGN(const MessageHead head, Expect(part.stream, MessageKind::kParameters));
  const auto updated = Clock::now();
  const std::span<float> out = parameters.subspan(part.begin, part.size);
  if (head.bytes != out.size_bytes()) return base::Corrupt("parameters of another size");
  times.server_steps = head.number & ~kEnds;
  times.ends = (head.number & kEnds) != 0;
  RECKON_TRY(part.stream.Read(std::as_writable_bytes(out)));
  // An asynchronous server updates while it receives, and says how much of the time that took.
  const double overlapped = static_cast<double>(received.number) * 1e-6;
  times.push_s = std::max(times.push_s, std::max(0.0, Seconds(pushed - begin) - overlapped));
  times.update_s = std::max(times.update_s, Seconds(updated - pushed) + overlapped);
  times.pull_s = std::max(times.pull_s, Seconds(Clock::now() - updated));
  times.bytes_sent += own.size_bytes();
  times.bytes_received += out.size_bytes();
  return {};
}

base::Result<ExchangeTimes> ParameterClient::PushPull(double weight,
                                                      std::span<const float> gradients,
                                                      std::span<float> parameters, bool wants_end) {
  const auto begin = Clock::now();
  std::vector<ExchangeTimes> times(parts_.size());
  std::vector<base::Status> done(parts_.size());
  {
    // One thread a server, so that none waits for another's bytes; the first is this one.
    std::vector<std::jthread> others;
    for (size_t i = 1; i < parts_.size(); ++i) {
      others.emplace_back([&, i] {
        done[i] = Exchange(parts_[i], weight, gradients, parameters, wants_end, times[i]);
      });
    }
    done[0] = Exchange(parts_[0], weight, gradients, parameters, wants_end, times[0]);
  }
  ExchangeTimes all;
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (!done[i].ok()) {
      RECKON_TRY(Return(std::move(done[i]).error(), i, parameters));
      times[i].push_s = Seconds(Clock::now() - begin);
    }
    server_steps_ = std::max(server_steps_, times[i].server_steps);
    all.push_s = std::max(all.push_s, times[i].push_s);
    all.update_s = std::max(all.update_s, times[i].update_s);
    all.pull_s = std::max(all.pull_s, times[i].pull_s);
    all.bytes_sent += times[i].bytes_sent;
    all.bytes_received += times[i].bytes_received;
    all.ends |= times[i].ends;
  }
  all.server_steps = server_steps_;
  spoke_ = Clock::now();
  return all;
}

// A server that was restarted has its checkpoint, or takes what this worker has. Any other error
// than that it went away is the end.
base::Status ParameterClient::Return(base::Error why, size_t index, std::span<float> parameters) {
  const std::string server = "parameter server " + options_.servers[index].ToText();
  if (why.code() != ErrorCode::kUnavailable || options_.in_step) return std::move(why).Wrap(server);
  Part& part = parts_[index];
  const auto deadline = Clock::now() + options_.patience;
  base::Status back = TryUntil(deadline, [&]() -> base::Status {
    RECKON_ASSIGN(Greeted greeted, Greet(options_, options_.servers[index],
                                         parameters.subspan(part.begin, part.size), deadline));
    part.stream = std::move(greeted.stream);
    return PullPart(part, parameters);
  });
  if (!back.ok()) return std::move(back).error().Wrap(server + " went away");
  ++reconnections_;
  return back;
}

void ParameterClient::Leave() {
  for (Part& part : parts_) {
    // A server that is gone needs no goodbye.
    (void)SendHead(part.stream, MessageKind::kLeave, 0, 0);
  }
}

}  // namespace reckon::train
