// data and data-stores: images that ask for model updates, and who has them.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/data_store/data_store.h"
#include "app/manage/remote.h"
#include "base/json.h"
#include "cli/amounts.h"
#include "cli/command.h"
#include "cli/commands/all.h"
#include "cli/overrides.h"
#include "cli/server_options.h"
#include "cli/text_table.h"

namespace reckon::cli {
namespace {

using base::Json;

std::string UpdateText(const Json& update) {
  const Json plan = update.value("plan", Json::object());
  TextTable table;
  table.AddColumn("node", TextTable::Align::kLeft);
  table.AddColumn("images", TextTable::Align::kRight);
  table.AddColumn("batch", TextTable::Align::kRight);
  for (const Json& share : plan.value("shares", Json::array())) {
    table.AddRow({share.value("node", ""), std::to_string(share.value("images", int64_t{0})),
                  std::to_string(share.value("batch", int64_t{0}))});
  }
  std::string text =
      fmt::format("run {}: {}, attempt {}\n{}", update.value("id", int64_t{0}),
                  update.value("state", ""), update.value("attempt", int64_t{0}), table.Render());
  const Json left_out = plan.value("left_out", Json::object());
  for (const auto& [node, why] : left_out.items()) {
    text += fmt::format("{} is left out: {}\n", node, why.get<std::string>());
  }
  return text;
}

class DataCommand final : public Command {
 public:
  std::string name() const override { return "data"; }
  std::string summary() const override {
    return "a folder of labelled images that has a model updated on them";
  }
  std::string details() const override {
    return "Examples:\n"
           "  reckon data camera --job update.yaml --server 10.0.0.1:4180 --new-images 1000\n"
           "  reckon data camera --job update.yaml --server 10.0.0.1:4180 --once\n"
           "FOLDER has train/ and validation/ with NAME.images and NAME.labels (IDX, 28x28) or, "
           "with\n"
           "--source cifar10, NAME.bin; new ones may come at any time. The manager chooses nodes "
           "and\n"
           "shares, and each node fetches its own from here (docs/service.md). Ctrl-C ends the "
           "store,\n"
           "not the update.\n";
  }

  void Declare(OptionSet& options) override {
    options.Positional("folder", &request_.folder, "with train/ and validation/");
    options.Text("--job", &job_file_, "what is trained: a job with a trainer (docs/job-file.md)");
    options.Texts("--set", &sets_, "KEY=VALUE in place of the job's; may be repeated");
    options.Texts("--task", &tasks_,
                  "KEY=VALUE told when nodes have their files: stress, training, logs");
    options.Text("--name", &request_.name, "of this store (default: the folder's)");
    options.Text("--source", &request_.source, "idx (default) or cifar10");
    options.Text("--model", &request_.model,
                 "model file: updates begin with it, and replace it when it is no worse after");
    options.Text("--publish", &request_.publish,
                 "name under which what updates have trained answers (reckon publish)");
    options.Share("--accuracy-below", &request_.triggers.accuracy_below,
                  "an update when its judged answers are right less often");
    options.OptionalWhole("--judged", &judged_, 1,
                          "so many of them before that counts (default 50)");
    options.Text("--policy", &request_.policy, "reckon (default), deep-edge, fair or exact");
    options.Text("--estimators", &request_.estimators,
                 "campaign whose estimators tell what nodes take (default: shares by processors)");
    options.Names("--server-node", &request_.servers,
                  "nodes of parameter servers (default: the slowest)");
    options.Text("--every", &every_, "an update so often, like 1d");
    options.OptionalWhole("--new-images", &new_images_, 1, "an update for so many new images");
    options.Flag("--once", &request_.once, "ask for one update at once, and end with it");
    options.Text("--listen", &request_.listen,
                 "HOST:PORT at which nodes fetch files (default: any port)");
    options.Text("--tls-cert", &request_.tls_cert, "PEM, for nodes that fetch");
    options.Text("--tls-key", &request_.tls_key, "PEM, without a password");
    DeclareServer(options, request_.manager);
  }

  base::Result<Output> Run(const app::Context& context) override {
    if (request_.folder.empty()) return base::BadInput("no folder of images");
    if (job_file_.empty()) return base::BadInput("no job to train (--job JOB.yaml)");
    RECKON_ASSIGN(auto changes, ReadOverrides(sets_));
    RECKON_ASSIGN(request_.task_changes, ReadOverrides(tasks_, "--task"));
    RECKON_ASSIGN(app::JobToSend sent,
                  app::ReadJobToSend(job_file_, std::move(changes), context.stop));
    request_.job = std::move(sent.job);
    RECKON_ASSIGN(request_.triggers.every_s, DurationOf(every_, "--every"));
    if (judged_) request_.triggers.least_judged = static_cast<int64_t>(*judged_);
    if (request_.triggers.accuracy_below && request_.publish.empty()) {
      return base::BadInput(
          "--accuracy-below is for answers of a published model (--publish NAME)");
    }
    if (new_images_) request_.triggers.new_images = static_cast<int64_t>(*new_images_);
    RECKON_ASSIGN(const Json update, app::RunDataStore(request_, context));
    Output output;
    output.json = base::DumpJson(update);
    if (!update.empty()) output.text = UpdateText(update);
    return output;
  }

 private:
  app::DataStoreRequest request_;
  std::string job_file_;
  std::vector<std::string> sets_;
  std::vector<std::string> tasks_;
  std::string every_;
  std::optional<size_t> new_images_;
  std::optional<size_t> judged_;
};

class DataStoresCommand final : public Command {
 public:
  std::string name() const override { return "data-stores"; }
  std::string summary() const override { return "the data stores that a manager knows"; }
  std::string details() const override {
    return "Examples:\n"
           "  reckon data-stores --server 10.0.0.1:4180\n"
           "  reckon data-stores --server 10.0.0.1:4180 --update camera\n";
  }
  void Declare(OptionSet& options) override {
    options.Text("--update", &update_, "this one shall ask for an update now");
    DeclareServer(options, remote_);
  }

  base::Result<Output> Run(const app::Context&) override {
    if (remote_.server.empty()) return base::BadInput("no manager to ask (--server HOST:PORT)");
    RECKON_ASSIGN(app::Remote remote, app::Remote::Open(remote_));
    if (!update_.empty()) RECKON_TRY(remote.WantUpdate(update_));
    RECKON_ASSIGN(const Json stores, remote.DataStores());
    TextTable table;
    table.AddColumn("data store", TextTable::Align::kLeft);
    table.AddColumn("images", TextTable::Align::kRight);
    table.AddColumn("new", TextTable::Align::kRight);
    table.AddColumn("heard", TextTable::Align::kLeft);
    table.AddColumn("wanted", TextTable::Align::kLeft);
    for (const Json& store : stores.value("data_stores", Json::array())) {
      table.AddRow({store.value("name", ""), std::to_string(store.value("images", int64_t{0})),
                    std::to_string(store.value("new_images", int64_t{0})),
                    store.value("heard_at", ""), store.value("wanted", "")});
    }
    Output output;
    output.text = table.Render();
    output.json = base::DumpJson(stores);
    return output;
  }

 private:
  app::RemoteRequest remote_;
  std::string update_;
};

}  // namespace

std::unique_ptr<Command> MakeDataCommand() { return std::make_unique<DataCommand>(); }
std::unique_ptr<Command> MakeDataStoresCommand() { return std::make_unique<DataStoresCommand>(); }

}  // namespace reckon::cli
