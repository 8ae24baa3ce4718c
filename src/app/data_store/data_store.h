// reckon data: a data store, which has images and asks a manager to have a model updated on them
// (Deep-Edge: "data store"; docs/service.md#model-updates).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/context.h"
#include "app/manage/managed_json.h"
#include "app/manage/remote.h"
#include "base/json.h"
#include "base/result.h"
#include "watch/update_trigger.h"

namespace reckon::app {

struct DataStoreRequest {
  std::string folder;  // with train/ and validation/
  std::string name;    // empty: the folder's
  RemoteRequest manager;
  JobText job;
  std::string listen;  // where nodes fetch files; empty: as the manager is reached, any port
  std::string tls_cert;
  std::string tls_key;
  std::string source = "idx";
  // The model: updates begin with it where it is there, and replace it when they have made it no
  // worse. Empty: every update begins anew, and the model stays with the manager.
  std::string model;
  // What updates have trained is published under this name, and images that its answers were judged
  // by come back as pieces; empty: neither.
  std::string publish;
  std::string policy = "reckon";
  std::string estimators;
  std::vector<std::string> servers;          // nodes of parameter servers; empty: any
  std::vector<spec::Override> task_changes;  // of the job, told with the task
  watch::TriggerPolicy triggers;
  bool once = false;  // asks at once, and ends with the update
};

// Until `context.stop`, or the end of the update with `once`: then what it came to, as the service
// shows it. kBadInput: files or settings that are wrong, or a job that the manager refuses from the
// start. kFailed: the update of `once` has failed.
base::Result<base::Json> RunDataStore(const DataStoreRequest& request, const Context& context);

}  // namespace reckon::app
