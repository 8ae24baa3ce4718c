// What agents and their manager say to each other, every second: the agent tells how its node is
// and which parts of runs it has, the manager what is wanted of them. Nothing is an order to be
// carried out once: who missed a message, or was started anew, learns all of it from the next one.
// docs/service.md has the protocol.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "act/launch.h"
#include "act/local/node_watch.h"
#include "base/json.h"
#include "base/result.h"

namespace reckon::act {

// What a node is. Does not change while its agent lives.
struct NodeInfo {
  std::string name;
  std::string type;  // "nano"
  double cpus = 0;
  uint64_t memory_bytes = 0;
  int64_t gpus = 0;
  std::string address;        // at which other nodes reach its processes
  std::string device = "lo";  // of the network, with that address
  double price_per_hour = 0;  // dollars
  double dilation = 1;        // of a lab's host: how many times slower its time runs
  std::string version;        // of the program
  // Apps that must keep answering in time beside what trains there: their deadlines, in seconds.
  std::map<std::string, double> apps = {};
  bool runs_sent_code = false;  // it has what keeps such code apart, or needs none

  friend bool operator==(const NodeInfo&, const NodeInfo&) = default;
};

// How quickly an app has answered lately.
struct AppNow {
  uint64_t answers = 0;
  double mean_s = 0;
  double p95_s = 0;
  uint64_t missed = 0;  // answers that took longer than the app's deadline

  friend bool operator==(const AppNow&, const AppNow&) = default;
};

// How it was in the last second. Shares of what it has, 0 to 1.
struct NodeNow {
  double cpu = 0;
  double memory = 0;
  std::optional<double> gpu = {};
  std::map<std::string, AppNow> apps = {};  // those that have told
};

// Which part: there is one of a run's attempt on a node at most.
struct PartKey {
  int64_t run = 0;
  int64_t attempt = 0;

  friend auto operator<=>(const PartKey&, const PartKey&) = default;
  std::string ToText() const;  // "7.1"
  static std::optional<PartKey> Parse(const std::string& text);
};

// Which content a file has.
struct FilePrint {
  std::string print;  // base::Fingerprint
  uint64_t bytes = 0;

  friend bool operator==(const FilePrint&, const FilePrint&) = default;
};

// Files that a part trains on, where the data store that has them offers them.
struct DataWish {
  struct File {
    std::string name;  // of the part's folder
    FilePrint print;

    friend bool operator==(const File&, const File&) = default;
  };
  std::string source;  // URL, before the names
  std::string secret;  // that the store asks for
  std::vector<File> files;

  friend bool operator==(const DataWish&, const DataWish&) = default;
};

// A part as the agent finds it.
struct PartFacts {
  PartKey key;
  bool ready = false;   // all its files are there
  bool began = false;   // its supervisor was started, or tried to
  bool lives = false;   // and is at work
  std::string trouble;  // why something that was wanted could not be done
  // Sizes of what it has written so far: its events and logs. Only whole lines count.
  std::map<std::string, uint64_t> files;
  std::optional<FilePrint> checkpoint = {};  // the newest one here
  // The model that it has trained, once nothing of it runs any more.
  std::optional<FilePrint> result = {};
  bool has_data = false;          // all files of its data wish are there
  std::string data_trouble = {};  // why they are not yet; it is tried again
};

struct Beat {
  NodeInfo node;
  std::string instance;  // differs for every start of an agent
  uint64_t number = 0;   // grows from beat to beat: one that comes late is known by it
  std::string manager;   // whose parts are told; empty: the agent has not heard of any yet
  NodeNow now;
  std::vector<PartFacts> parts;
};

// What is wanted of a part.
struct PartWish {
  PartKey key;
  std::string want;                      // a name of watch::Want
  std::string ending = {};               // why it shall end after this epoch; empty: it goes on
  std::optional<Stretch> training = {};  // with "release": while all workers trained
  // Of a part that the agent does not have: what to make it from.
  std::optional<LaunchSpec> spec = {};
  std::map<std::string, std::string> contents = {};  // files beside the spec, by name
  // Of a part that the agent does not have yet: to be fetched, before there is a spec too.
  std::optional<DataWish> data = {};
  // With a spec: what this part begins with, to be fetched before it is made.
  std::optional<FilePrint> checkpoint = {};
  // Of a part whose code was sent: a folder in one file, to be fetched from the manager and
  // unpacked before it is made.
  std::optional<FilePrint> bundle = {};
  std::string have_checkpoint = {};  // the print of the run's newest one that the manager has
  std::string have_result = {};      // of this part's
  // How much of its files the manager has.
  std::map<std::string, uint64_t> have = {};
};

struct BeatAnswer {
  std::string manager;  // whose parts these are: an agent leaves those of another manager alone
  double beat_s = 1;    // until the next beat
  std::vector<PartWish> parts;
};

base::Json ToJson(const NodeInfo& node);
base::Json ToJson(const NodeNow& now);
base::Json ToJson(const DataWish& wish);
base::Result<DataWish> DataWishFromJson(const base::Json& json, const std::string& path);
base::Json ToJson(const Beat& beat);
base::Json ToJson(const BeatAnswer& answer);
// kBadInput with the path of what is wrong.
base::Result<NodeInfo> NodeInfoFromJson(const base::Json& json, const std::string& path);
base::Result<Beat> BeatFromJson(const base::Json& json);
base::Result<BeatAnswer> BeatAnswerFromJson(const base::Json& json);

// Files that a part's processes and its supervisor write, and that go up to the manager. A job may
// make logs of its own with whatever names; those that are not plain stay on the node.
bool GoesUp(const std::string& file_name);

}  // namespace reckon::act
