#include <optional>
#include <utility>

#include "worker/exchange.h"
#include "worker/stopwatch.h"

namespace reckon::worker {
namespace {

class ServerExchange final : public Exchange {
 public:
  ServerExchange(Replica& replica, const train::ClientOptions& options)
      : replica_(replica), options_(options) {}

  base::Result<uint64_t> Begin() override {
    RECKON_ASSIGN(client_, train::ParameterClient::Join(options_, replica_.trained().As<float>()));
    // One that comes back, or goes on from the servers' checkpoints, begins where it was.
    return options_.in_step ? client_->server_steps() : client_->pushed_before();
  }

  base::Result<StepOutcome> Step(const StepPart& part) override {
    StepOutcome outcome;
    Stopwatch watch;
    double weight = 0;
    if (part.batch != nullptr) {
      weight = Weight(part);
      RECKON_ASSIGN(outcome.loss, replica_.Backward(*part.batch, 1, part.step, nullptr));
    }
    outcome.compute_s = watch.Lap();
    RECKON_ASSIGN(const train::ExchangeTimes times,
                  client_->PushPull(weight, replica_.gradients().As<float>(),
                                    replica_.trained().As<float>(), part.wants_end));
    outcome.push_s = times.push_s;
    outcome.update_s = times.update_s;
    outcome.pull_s = times.pull_s;
    outcome.bytes_sent = times.bytes_sent;
    outcome.bytes_received = times.bytes_received;
    outcome.ends = times.ends;
    return outcome;
  }

  bool together() const override { return options_.in_step; }

  train::SavedModel Save(uint64_t steps) const override {
    train::SavedModel model;
    const auto all = replica_.parameters().As<float>();
    model.parameters = std::vector<float>(all.begin(), all.end());
    model.steps = steps;
    return model;
  }

  void Alive() override { client_->Alive(); }

  base::Status Finish() override {
    RECKON_TRY(client_->Pull(replica_.trained().As<float>()));
    client_->Leave();
    return {};
  }

 private:
  // Images, of which a synchronous server makes shares. An asynchronous one is told how many times
  // the usual share of n workers this is: all of a step together then move the parameters as far as
  // their mean.
  double Weight(const StepPart& part) const {
    const auto images = static_cast<double>(part.batch->size());
    if (options_.in_step) return images;
    return images * static_cast<double>(options_.workers) / static_cast<double>(part.total);
  }

  Replica& replica_;
  const train::ClientOptions options_;
  std::optional<train::ParameterClient> client_;
};

}  // namespace

std::unique_ptr<Exchange> MakeServerExchange(Replica& replica,
                                             const train::ClientOptions& options) {
  return std::make_unique<ServerExchange>(replica, options);
}

}  // namespace reckon::worker
