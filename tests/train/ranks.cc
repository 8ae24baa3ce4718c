#include "tests/train/ranks.h"

#include <csignal>
#include <cstdio>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "net/tcp.h"
#include "train/going_on.h"

namespace reckon::tests {
namespace {

int EndOf(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status); }

worker::ReplicaOptions OptionsOf(const core::TrainerJob& job, size_t rank) {
  return {job.float64, job.seed, rank, static_cast<size_t>(job.fine_tune), 1};
}

}  // namespace

std::vector<int> RunRanks(size_t count, const std::function<int(size_t)>& work,
                          std::chrono::seconds limit) {
  std::fflush(nullptr);
  std::vector<pid_t> children;
  for (size_t rank = 0; rank < count; ++rank) {
    const pid_t child = fork();
    if (child == 0) {
      const int result = work(rank);
      std::fflush(nullptr);
      _exit(result);
    }
    children.push_back(child);
  }
  std::vector<int> ends(count, 0);
  const auto deadline = std::chrono::steady_clock::now() + limit;
  for (size_t rank = 0; rank < count; ++rank) {
    int status = 0;
    while (waitpid(children[rank], &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > deadline) kill(children[rank], SIGKILL);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ends[rank] = EndOf(status);
  }
  return ends;
}

uint16_t FreePort() { return net::Listener::Bind({"127.0.0.1", 0}).value().port(); }

RankTraining::RankTraining(const core::TrainerJob& job, const worker::RankEnvironment& environment,
                           size_t bucket_bytes)
    : job_(job),
      data_(train::LoadData(job.data, job.seed).value()),
      checked_(train::CheckSettings(job, environment.workers, data_.train.size(),
                                    data_.validation.size(), data_.train.shape, data_.train.classes)
                   .value()),
      replica_(
          worker::Replica::Make(checked_.network, checked_.image, OptionsOf(job, environment.rank))
              .value()),
      training_{job_, checked_, data_, environment.rank,
                train::CourseOf(job_, checked_, data_.train)},
      exchange_(worker::MakeExchange(training_, environment, *replica_, bucket_bytes).value()) {}

RankTraining::RankTraining(const core::TrainerJob& job, size_t rank, size_t workers, uint16_t port,
                           size_t bucket_bytes)
    : RankTraining(job, {rank, workers, {"127.0.0.1", port}, {}, "127.0.0.1"}, bucket_bytes) {}

base::Status RankTraining::Run(worker::TrainingListener& listener, const std::stop_token& stop) {
  return worker::RunTraining(training_, *replica_, *exchange_, listener, stop);
}

std::vector<double> FinalParameters(core::TrainerJob job, size_t workers, const std::string& folder,
                                    size_t bucket_bytes) {
  job.save = folder + "/model";
  const uint16_t port = FreePort();
  const auto ends = RunRanks(workers, [&](size_t rank) {
    SilentListener listener;
    const base::Status done = RankTraining(job, rank, workers, port, bucket_bytes).Run(listener);
    if (!done.ok()) std::fprintf(stderr, "rank %zu: %s\n", rank, done.error().Describe().c_str());
    return done.ok() ? 0 : 1;
  });
  for (const int end : ends) {
    if (end != 0) return {};
  }
  const train::SavedModel model = train::ReadModel(job.save).value();
  if (const auto* doubles = std::get_if<std::vector<double>>(&model.parameters)) return *doubles;
  const auto& floats = std::get<std::vector<float>>(model.parameters);
  return {floats.begin(), floats.end()};
}

core::TrainerJob SmallJob(size_t workers, int64_t batch) {
  core::TrainerJob job;
  job.network = "lenet5";
  job.float64 = true;
  job.data.images = 50 * batch * static_cast<int64_t>(workers);
  job.data.validation_images = 20;
  job.batches = {batch};
  job.optimiser.rate = 0.1;
  job.patience_s = 20;
  return job;
}

}  // namespace reckon::tests
