// Manager: runs that answer for published models.
#include <string>

#include <fmt/format.h>

#include "act/agents/checkpoint_relay.h"
#include "app/manage/manager_impl.h"
#include "net/tcp.h"

namespace reckon::app {

base::Result<core::Run> Manager::Impl::Serve(const Serving& what, const std::string& model) {
  JobText job;
  job.source = "serving";
  // The file has the name that checkpoints have in the folders of parts.
  job.text = fmt::format(
      "name: {}.serving\n"
      "run: exec \"$RECKON_PROGRAMS/reckon-worker\" --serve {}\n",
      what.name, act::kCheckpointFile);
  return Submit(job, {.serving = &what, .model = &model});
}

std::vector<ServingRun> Manager::Impl::Servings() {
  const std::scoped_lock lock(mutex_);
  std::vector<ServingRun> servings;
  for (auto& [id, managed] : runs_) {
    if (!managed.document.serving || core::IsFinal(managed.row.state) ||
        managed.run().stop_wanted) {
      continue;
    }
    ServingRun& serving = servings.emplace_back();
    serving.run_id = id;
    serving.of = *managed.document.serving;
    const bool runs = managed.row.state == core::RunState::kRunning && managed.plan &&
                      !managed.plan->parts.empty();
    if (!runs) continue;
    const act::LaunchSpec& part = managed.plan->parts.front();
    for (const act::ProcessSpec& process : part.processes) {
      const auto host = process.env.find("MASTER_ADDR");
      const auto port = process.env.find("MASTER_PORT");
      if (host == process.env.end() || port == process.env.end()) continue;
      const net::Address address{host->second, static_cast<uint16_t>(std::stoul(port->second))};
      serving.url = "http://" + address.ToText();
    }
    serving.node = part.part;
    serving.token = part.token;
  }
  return servings;
}

}  // namespace reckon::app
