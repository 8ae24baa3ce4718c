#include "spec/campaign_file.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "spec/fields.h"
#include "spec/lab_file.h"

namespace reckon::spec {
namespace {

using base::Result;
using base::Status;
using Keys = std::vector<std::string>;

Result<FactorRange> ReadRange(const Yaml& node) {
  RECKON_TRY(node.AllowKeys(Keys{"from", "to", "scale", "whole"}));
  FactorRange range;
  RECKON_ASSIGN(range.from, node["from"].Number());
  RECKON_ASSIGN(range.to, node["to"].Number());
  if (range.to <= range.from) return node["to"].Wrong("more than 'from'");
  const Fields fields(node);
  std::string scale = "linear";
  RECKON_TRY(fields.Text("scale", scale));
  if (scale != "linear" && scale != "log") return node["scale"].Wrong("linear or log");
  range.logarithmic = scale == "log";
  if (range.logarithmic && range.from <= 0) return node["from"].Wrong("more than 0 for scale: log");
  RECKON_TRY(fields.Flag("whole", range.whole));
  return range;
}

Result<Factor> ReadFactor(const std::string& words, const Yaml& node) {
  Factor factor;
  factor.place = node;
  for (const std::string_view word : base::Split(words, ',')) {
    factor.keys.emplace_back(base::Trim(word));
    if (factor.keys.back().empty()) return node.Wrong("keys separated by commas");
  }
  if (node.IsMap()) {
    if (factor.keys.size() > 1) return node.Wrong("a list: several keys have no range");
    RECKON_ASSIGN(factor.range, ReadRange(node));
    return factor;
  }
  if (!node.IsList() || node.items().empty()) {
    return node.Wrong("a list of values, or {from: ..., to: ...}");
  }
  for (const Yaml& item : node.items()) {
    if (factor.keys.size() == 1) {
      factor.levels.push_back({item});
      continue;
    }
    if (!item.IsList() || item.items().size() != factor.keys.size()) {
      return item.Wrong(fmt::format("a list of {} values, one for each key", factor.keys.size()));
    }
    factor.levels.push_back(item.items());
  }
  return factor;
}

// A job written here, or the name of a file with one.
Status ReadJobSource(const Yaml& node, const std::filesystem::path& campaign,
                     CampaignBlock& block) {
  if (!node) return {};
  if (node.IsMap()) {
    block.job = node;
    block.job_path = campaign;
    return {};
  }
  RECKON_ASSIGN(const std::string text, node.Text());
  block.job_path = campaign.parent_path() / text;
  auto job = Yaml::ReadFile(block.job_path);
  if (!job.ok()) return std::move(job).error().Wrap(node.Place());
  block.job = *job;
  return {};
}

// What a block says comes on top of what the campaign says for all of them.
Status ReadBlock(const Yaml& node, const std::filesystem::path& campaign, CampaignBlock& block) {
  RECKON_TRY(ReadJobSource(node["job"], campaign, block));
  if (const Yaml set = node["set"]) {
    if (!set.IsMap()) return set.Wrong("keys of the job and their values");
    for (const auto& entry : set.entries()) block.set.push_back(entry);
  }
  const Yaml vary = node["vary"];
  if (!vary) return {};
  if (!vary.IsMap()) return vary.Wrong("keys of the job and lists of their values");
  for (const auto& [keys, levels] : vary.entries()) {
    RECKON_ASSIGN(Factor factor, ReadFactor(keys, levels));
    for (const Factor& other : block.factors) {
      for (const std::string& key : factor.keys) {
        if (std::find(other.keys.begin(), other.keys.end(), key) == other.keys.end()) continue;
        return levels.Wrong(fmt::format("each key once; '{}' varies already", key));
      }
    }
    block.factors.push_back(std::move(factor));
  }
  return {};
}

Status ReadBlocks(const Yaml& root, const std::filesystem::path& path, CampaignFile& file) {
  CampaignBlock common;
  RECKON_TRY(ReadBlock(root, path, common));
  const Yaml blocks = root["blocks"];
  if (blocks && (!blocks.IsList() || blocks.items().empty())) return blocks.Wrong("a list");
  if (!blocks) file.blocks.push_back(std::move(common));
  for (const Yaml& entry : blocks.items()) {
    RECKON_TRY(entry.AllowKeys(Keys{"name", "job", "set", "vary"}));
    CampaignBlock block = common;
    RECKON_TRY(Fields(entry).Text("name", block.name));
    RECKON_TRY(ReadBlock(entry, path, block));
    file.blocks.push_back(std::move(block));
  }
  for (const CampaignBlock& block : file.blocks) {
    if (block.job.IsMissing()) return root["job"].Wrong("a job, or the name of a job file");
  }
  return {};
}

Status ReadPools(const Yaml& node, CampaignFile& file) {
  if (!node) return {};
  if (!file.lab) return node.Wrong("none: pools are hosts of a lab");
  if (!node.IsMap()) return node.Wrong("names and the hosts of each");
  for (const auto& [name, entry] : node.entries()) {
    Pool pool;
    pool.name = name;
    RECKON_TRY(entry.AllowKeys(Keys{"hosts", "price"}));
    RECKON_ASSIGN(const std::vector<std::string> words, entry["hosts"].Texts());
    for (const std::string& word : words) {
      const size_t before = pool.hosts.size();
      for (const core::LabHost& host : file.lab->hosts) {
        const bool meant = word.ends_with('*')
                               ? host.name.starts_with(word.substr(0, word.size() - 1))
                               : host.name == word;
        if (meant) pool.hosts.push_back(host.name);
      }
      if (pool.hosts.size() == before) {
        return entry["hosts"].Wrong(
            fmt::format("hosts of lab '{}'; it has no '{}'", file.lab->name, word));
      }
    }
    RECKON_TRY(Fields(entry).Number("price", 0, 1e6, pool.price_per_hour));
    file.pools.push_back(std::move(pool));
  }
  return {};
}

Status ReadRepeats(const Yaml& node, CampaignFile& file) {
  if (!node) return {};
  if (node.IsScalar()) {
    RECKON_ASSIGN(file.least_repeats, node.Whole(1, 1000));
    file.most_repeats = file.least_repeats;
    return {};
  }
  RECKON_TRY(node.AllowKeys(Keys{"least", "most", "within", "again"}));
  const Fields fields(node);
  if (const Yaml again = node["again"]) {
    if (node.entries().size() > 1) return again.Wrong("'again' alone: every other point once");
    return fields.Whole("again", 1, 1'000'000, file.again);
  }
  file.least_repeats = 2;
  RECKON_TRY(fields.Whole("least", 1, 1000, file.least_repeats));
  file.most_repeats = std::max<int64_t>(5, file.least_repeats);
  RECKON_TRY(fields.Whole("most", file.least_repeats, 1000, file.most_repeats));
  return fields.Percent("within", 1, file.within);
}

Status ReadLimits(const Yaml& node, CampaignFile& file) {
  if (!node) return {};
  RECKON_TRY(node.AllowKeys(Keys{"time", "cost", "error"}));
  const Fields fields(node);
  if (node["time"]) RECKON_TRY(fields.Duration("time", file.max_time_s.emplace()));
  if (node["cost"]) RECKON_TRY(fields.Number("cost", 0, 1e9, file.max_cost.emplace()));
  return node["error"] ? fields.Percent("error", 10, file.until_error.emplace()) : Status();
}

Status ReadQuiet(const Yaml& node, CampaignFile& file) {
  if (!node) return {};
  RECKON_TRY(node.AllowKeys(Keys{"foreign", "steal", "pace", "retries"}));
  const Fields fields(node);
  RECKON_TRY(fields.Percent("foreign", 10, file.most_foreign));
  RECKON_TRY(fields.Percent("steal", 10, file.most_steal));
  RECKON_TRY(fields.Percent("pace", 10, file.most_pace));
  return fields.Whole("retries", 0, 1000, file.retries);
}

Status ReadWord(const Yaml& node, const Keys& words, std::string& out) {
  if (!node) return {};
  RECKON_ASSIGN(out, node.Text());
  if (std::find(words.begin(), words.end(), out) != words.end()) return {};
  return node.Wrong("one of " + base::Join(words, ", "));
}

Status ReadLab(const Yaml& node, const std::filesystem::path& campaign, CampaignFile& file) {
  if (!node) return {};
  if (node.IsMap()) {
    RECKON_ASSIGN(file.lab, LabFromYaml(node));
    return {};
  }
  RECKON_ASSIGN(const std::string text, node.Text());
  auto lab = ReadLabFile(campaign.parent_path() / text);
  if (!lab.ok()) return std::move(lab).error().Wrap(node.Place());
  file.lab = *std::move(lab);
  return {};
}

}  // namespace

Result<CampaignFile> ReadCampaignFile(const std::filesystem::path& path) {
  CampaignFile file;
  RECKON_ASSIGN(file.yaml, Yaml::ReadFile(path));
  const Yaml& root = file.yaml;
  if (!root.IsMap()) return root.Wrong("a campaign: keys and values");
  RECKON_TRY(root.AllowKeys(Keys{"name", "job", "lab", "pools", "design", "criterion", "trials",
                                 "repeats", "seed", "order", "target", "limits", "quiet",
                                 "attempts", "set", "vary", "blocks"}));
  const std::filesystem::path own = std::filesystem::absolute(path);
  const Fields fields(root, own.parent_path());
  file.name = path.stem().string();
  RECKON_TRY(fields.Text("name", file.name));
  if (file.name.empty() || file.name.find('/') != std::string::npos) {
    return root["name"].Wrong("a name without '/'");
  }
  RECKON_TRY(ReadLab(root["lab"], own, file));
  RECKON_TRY(ReadPools(root["pools"], file));
  RECKON_TRY(ReadWord(root["design"], {"grid", "random", "optimal"}, file.design));
  RECKON_TRY(ReadWord(root["criterion"], {"a", "d"}, file.criterion));
  RECKON_TRY(fields.Whole("trials", 1, 1'000'000, file.trials));
  RECKON_TRY(ReadRepeats(root["repeats"], file));
  int64_t seed = 1;
  RECKON_TRY(fields.Whole("seed", 0, Yaml::kMost, seed));
  file.seed = static_cast<uint64_t>(seed);
  std::string order = "shuffled";
  RECKON_TRY(ReadWord(root["order"], {"shuffled", "written"}, order));
  file.shuffle = order == "shuffled";
  RECKON_TRY(fields.Text("target", file.target));
  RECKON_TRY(ReadLimits(root["limits"], file));
  RECKON_TRY(ReadQuiet(root["quiet"], file));
  RECKON_TRY(fields.Whole("attempts", 1, 1000, file.attempts));
  RECKON_TRY(ReadBlocks(root, own, file));
  return file;
}

}  // namespace reckon::spec
