// A model update: a run that a data store asks for, on images that only the store has (Deep-Edge,
// section IV). What is known of it beside the run itself, and the document that the store keeps.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "act/agents/beat.h"
#include "base/json.h"
#include "base/result.h"

namespace reckon::app {

// What a data store asks for.
struct UpdateAsk {
  std::string data_store;
  std::string reason;  // what made it ask, in words
  int64_t images = 0;  // to train on
  int64_t validation_images = 0;
  std::string source = "idx";  // what the files will be: "idx" or "cifar10"
  std::string print;           // of all images together
  bool base_model = false;     // it has one to begin with
  std::string policy = "reckon";
  // A campaign whose estimators tell what nodes take; empty: shards go by processors.
  std::string estimators;
  std::vector<std::string> servers;  // nodes of parameter servers; empty: any
};

// What a node shall train on.
struct WorkerShare {
  std::string node;
  int64_t images = 0;
  int64_t batch = 0;
};

// Who shares in an attempt, and what that should take.
struct UpdatePlan {
  std::vector<std::string> servers;             // nodes
  std::vector<WorkerShare> shares;              // by rank
  std::map<std::string, std::string> left_out;  // nodes, and why
  std::optional<double> epoch_s;                // expected
};

// Where the nodes of an attempt get their files.
struct UpdateOffer {
  std::string source;
  std::string secret;
  std::map<std::string, std::vector<act::DataWish::File>> files;  // by node
};

struct DataUpdate {
  UpdateAsk ask;
  int64_t asked = 1;  // the attempt that the data store asks for
  // Of the newest attempt.
  UpdatePlan plan;
  std::optional<UpdateOffer> offer;
};

// What the data store has to do next.
enum class UpdateAsks {
  kNothing,  // it is on its way, or over
  kOffer,    // its nodes are chosen: offer them their files
  kTask,     // they have them: say what they shall do
  kAgain,    // it has failed on these nodes: ask again
};
const char* UpdateAsksName(UpdateAsks asks);

base::Json ToJson(const UpdateAsk& ask);
base::Json ToJson(const UpdatePlan& plan);
base::Json ToJson(const DataUpdate& update);
// kBadInput with the path of what is wrong.
base::Result<UpdateAsk> UpdateAskFromJson(const base::Json& json, const std::string& path);
base::Result<UpdatePlan> UpdatePlanFromJson(const base::Json& json, const std::string& path);
base::Result<UpdateOffer> UpdateOfferFromJson(const base::Json& json, const std::string& path);
base::Json ToJson(const UpdateOffer& offer);
base::Result<DataUpdate> DataUpdateFromJson(const base::Json& json, const std::string& path);

// Names of files in the folders of parts.
std::vector<std::string> TrainFilesOf(const UpdateAsk& ask);  // "{rank}" for the worker's number
std::vector<std::string> ValidationFilesOf(const UpdateAsk& ask);
inline constexpr const char* kBaseModelFile = "base.model";

}  // namespace reckon::app
