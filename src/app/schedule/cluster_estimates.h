// What is known of a cluster's nodes: times from its file, or a campaign's estimators.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "app/context.h"
#include "app/model_source.h"
#include "base/result.h"
#include "core/cluster.h"
#include "decide/schedule/schedule.h"
#include "store/store.h"

namespace reckon::app {

// What nodes of one type take, in a state and with a batch of 1 or more.
class TypeEstimates {
 public:
  // Of one node while `crew` workers train.
  struct Question {
    core::NodeState state;
    int64_t batch = 1;
    size_t crew = 1;
    double server_cpu = 0;
    double parameters = 0;  // of the network; 0: not known
  };

  virtual ~TypeEstimates() = default;
  virtual double ComputePerSample(const Question& question) const = 0;
  virtual double UpdatePerStep(const Question& question) const = 0;
  virtual double AppLatency(const Question& question, const std::string& app) const = 0;
  virtual double AppLatencyBound(const Question& question, const std::string& app) const = 0;
  virtual int64_t MinBatch() const = 0;  // of which something is known
  virtual int64_t MaxBatch(const Question& question) const = 0;
  // kBadInput: of this app nothing is known.
  virtual base::Status CheckApp(const std::string& app) const = 0;
};

// Where learned estimates come from.
struct EstimateSource {
  std::function<base::Result<LoadedModel>(const std::string& name)> model;
  // Of the lab in which a campaign has measured, here or, as its samples tell, elsewhere: seconds
  // there are so many times longer.
  std::function<base::Result<double>(const std::string& campaign)> dilation;
};
// Files and the store; models of the store alone, for names that others give, which it outlives.
EstimateSource EstimatesOf(const Context& context);
EstimateSource EstimatesOf(store::Store& store);

// Asks the types, each question once: workers of the same type and state are alike. Not
// thread-safe.
class ClusterEstimates final : public decide::NodeEstimates {
 public:
  // `parameters` of the network that is trained; `memory_limit`: the share of a node's memory that
  // may be used. All times are those of nodes that are not dilated. kBadInput, kNotFound: a type of
  // which nothing is known.
  static base::Result<std::unique_ptr<ClusterEstimates>> Open(const core::Cluster& cluster,
                                                              double parameters,
                                                              double memory_limit,
                                                              const EstimateSource& source);

  double ComputePerSample(size_t worker, int64_t batch, size_t crew) const override;
  double UpdatePerStep(size_t worker, int64_t batch, size_t crew) const override;
  double AppLatency(size_t worker, size_t app, int64_t batch, size_t crew) const override;
  double AppLatencyBound(size_t worker, size_t app, int64_t batch, size_t crew) const override;
  int64_t MaxBatch(size_t worker) const override;
  // The smallest batch that estimates of all types know of.
  int64_t MinBatch() const;

 private:
  // Workers that no estimate can tell apart.
  struct Kind {
    const TypeEstimates* type = nullptr;
    core::NodeState state;
    std::vector<std::string> apps;
    // By what is asked, the batch and the crew.
    mutable std::map<std::tuple<size_t, int64_t, size_t>, double> known;
    int64_t max_batch = 0;
  };

  base::Status AddWorkers(const core::Cluster& cluster);
  TypeEstimates::Question QuestionOf(const Kind& kind, int64_t batch, size_t crew) const;
  template <typename Ask>
  double Once(size_t worker, size_t what, int64_t batch, size_t crew, Ask ask) const;

  std::map<std::string, std::unique_ptr<TypeEstimates>> types_;
  std::vector<Kind> kinds_;
  std::vector<size_t> kind_of_;  // by worker
  double server_cpu_ = 0;
  double parameters_ = 0;
};

}  // namespace reckon::app
