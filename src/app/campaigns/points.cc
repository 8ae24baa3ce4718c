#include "app/campaigns/points.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/runs/job_json.h"
#include "base/fingerprint.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/text.h"

namespace reckon::app {
namespace {

using base::Result;
using spec::CampaignBlock;
using spec::CampaignFile;
using spec::Factor;
using spec::Yaml;

constexpr size_t kMostPoints = 100'000;
constexpr const char* kPoolKey = "pool";

using Values = std::vector<std::pair<std::string, Yaml>>;

Result<std::string> TextOf(const Yaml& value) {
  if (!value.IsList()) return value.Text();
  RECKON_ASSIGN(const std::vector<std::string> texts, value.Texts());
  return "[" + base::Join(texts, ", ") + "]";
}

Result<const spec::Pool*> FindPool(const CampaignFile& file, const Yaml& value) {
  RECKON_ASSIGN(const std::string name, value.Text());
  std::vector<std::string> known;
  for (const spec::Pool& pool : file.pools) {
    if (pool.name == name) return &pool;
    known.push_back(pool.name);
  }
  return value.Wrong(fmt::format("the name of a pool ({})",
                                 known.empty() ? "there are none" : base::Join(known, ", ")));
}

std::string EngineOf(const CampaignFile& file, const spec::Pool* pool) {
  if (!file.lab) return "local";
  const std::string lab = "lab:" + file.lab->name;
  return pool == nullptr ? lab : lab + "/" + base::Join(pool->hosts, ",");
}

std::string KeyOf(const CampaignPoint& point) {
  base::Json job = ToJson(point.file.job);
  // What is known of a job changes nothing of what it does.
  for (const char* key : {"name", "known"}) job.erase(key);
  base::Fingerprint fingerprint;
  fingerprint.Add(base::DumpJsonLine(job));
  fingerprint.Add(point.engine);
  return fingerprint.Hex();
}

// How many hosts the job's processes come to be on.
size_t HostsUsed(const core::Job& job, size_t hosts) {
  return std::min(hosts, static_cast<size_t>(job.workers + job.servers));
}

Result<CampaignPoint> MakePoint(const CampaignFile& file, const CampaignBlock& block,
                                const Values& values) {
  CampaignPoint point;
  point.block = block.name;
  const spec::Pool* pool = nullptr;
  Yaml job = block.job;
  const auto apply = [&](const std::string& key, const Yaml& value) -> base::Status {
    if (key == kPoolKey) {
      RECKON_ASSIGN(pool, FindPool(file, value));
      return {};
    }
    RECKON_ASSIGN(job, job.With(key, value));
    return {};
  };
  for (const auto& [key, value] : block.set) RECKON_TRY(apply(key, value));
  for (const auto& [key, value] : values) {
    RECKON_TRY(apply(key, value));
    RECKON_ASSIGN(std::string text, TextOf(value));
    point.values.emplace_back(key, std::move(text));
  }
  RECKON_ASSIGN(point.file, spec::ReadJob(job, block.job_path));
  point.file.job.name = file.name;
  point.engine = EngineOf(file, pool);
  if (pool != nullptr) {
    point.pool = pool->name;
    point.price_per_hour =
        pool->price_per_hour * static_cast<double>(HostsUsed(point.file.job, pool->hosts.size()));
  }
  point.key = KeyOf(point);
  return point;
}

Values LevelsAt(const CampaignBlock& block, const std::vector<size_t>& indices) {
  Values values;
  for (size_t f = 0; f < block.factors.size(); ++f) {
    const Factor& factor = block.factors[f];
    for (size_t k = 0; k < factor.keys.size(); ++k) {
      values.emplace_back(factor.keys[k], factor.levels[indices[f]][k]);
    }
  }
  return values;
}

// The last factor changes fastest.
bool Step(const CampaignBlock& block, std::vector<size_t>& indices) {
  for (size_t f = indices.size(); f-- > 0;) {
    if (++indices[f] < block.factors[f].levels.size()) return true;
    indices[f] = 0;
  }
  return false;
}

double Draw(const spec::FactorRange& range, base::Rng& rng) {
  // A whole number stands for the stretch around it, so that the ends are as likely as others.
  const double half = range.whole ? 0.5 : 0;
  double from = range.from - half;
  const double to = range.to + half;
  if (range.logarithmic) from = std::max(from, range.from / 2);
  const double share = rng.Uniform();
  double value = range.logarithmic ? std::exp(std::log(from) + share * std::log(to / from))
                                   : from + share * (to - from);
  if (range.whole) value = std::round(value);
  // Four digits are enough to measure, and can be read.
  if (!range.whole) value = *base::ParseNumber(fmt::format("{:.4g}", value));
  return std::clamp(value, range.from, range.to);
}

Result<Values> DrawAll(const CampaignBlock& block, base::Rng& rng) {
  Values values;
  for (const Factor& factor : block.factors) {
    if (factor.range) {
      RECKON_ASSIGN(Yaml value,
                    Yaml::Value(base::RoundTrip(Draw(*factor.range, rng)), factor.place.Place()));
      values.emplace_back(factor.keys[0], std::move(value));
      continue;
    }
    const auto& level = factor.levels[rng.Below(factor.levels.size())];
    for (size_t k = 0; k < factor.keys.size(); ++k) values.emplace_back(factor.keys[k], level[k]);
  }
  return values;
}

bool HasRange(const CampaignBlock& block) {
  return std::any_of(block.factors.begin(), block.factors.end(),
                     [](const Factor& factor) { return factor.range.has_value(); });
}

class PointMaker {
 public:
  explicit PointMaker(const CampaignFile& file) : file_(file) {}

  base::Status AddGrid(const CampaignBlock& block) {
    std::vector<size_t> indices(block.factors.size(), 0);
    do {
      RECKON_TRY(Add(block, LevelsAt(block, indices)));
    } while (Step(block, indices));
    return {};
  }

  // Draws that were drawn before are drawn again; a small space may not have enough.
  base::Status AddDraws(const CampaignBlock& block, size_t index, size_t trials) {
    const base::Rng source = base::Rng(file_.seed).Fork(index);
    const size_t wanted = points_.size() + trials;
    for (size_t i = 0; points_.size() < wanted && i < 20 * trials; ++i) {
      base::Rng rng = source.Fork(i);
      RECKON_ASSIGN(const Values values, DrawAll(block, rng));
      RECKON_TRY(Add(block, values));
    }
    return {};
  }

  std::vector<CampaignPoint> Finish() && { return std::move(points_); }

 private:
  base::Status Add(const CampaignBlock& block, const Values& values) {
    RECKON_ASSIGN(CampaignPoint point, MakePoint(file_, block, values));
    if (!keys_.insert(point.key).second) return {};
    if (points_.size() == kMostPoints) {
      return base::BadInput(
          fmt::format("{}: more than {} points", file_.yaml.Origin(), kMostPoints));
    }
    points_.push_back(std::move(point));
    return {};
  }

  const CampaignFile& file_;
  std::vector<CampaignPoint> points_;
  std::set<std::string> keys_;
};

}  // namespace

namespace {

// The last words of a dotted key, as few as tell it from the other keys of the point.
std::string ShortKey(const std::string& key, const CampaignPoint& point) {
  size_t dot = key.rfind('.');
  while (dot != std::string::npos) {
    const std::string tail = key.substr(dot);
    const bool alone = std::none_of(
        point.values.begin(), point.values.end(),
        [&](const auto& other) { return other.first != key && other.first.ends_with(tail); });
    if (alone) return tail.substr(1);
    dot = dot == 0 ? std::string::npos : key.rfind('.', dot - 1);
  }
  return key;
}

}  // namespace

std::string ValuesText(const CampaignPoint& point) {
  std::vector<std::string> parts;
  if (!point.block.empty()) parts.push_back(point.block);
  for (const auto& [key, value] : point.values) {
    parts.push_back(ShortKey(key, point) + "=" + value);
  }
  return parts.empty() ? "the job" : base::Join(parts, " ");
}

std::map<std::string, std::string> UntoldValues(const CampaignPoint& point) {
  std::map<std::string, std::string> untold;
  for (const auto& [key, value] : point.values) {
    const bool beside = key.starts_with("background.") && key.find(".stress") == std::string::npos;
    if (beside || (point.file.job.trainer && key.starts_with("envs."))) untold[key] = value;
  }
  return untold;
}

Result<std::vector<CampaignPoint>> PointsOf(const CampaignFile& file) {
  PointMaker maker(file);
  for (size_t i = 0; i < file.blocks.size(); ++i) {
    const CampaignBlock& block = file.blocks[i];
    if (file.design == "grid" && HasRange(block)) {
      const auto ranged = std::find_if(block.factors.begin(), block.factors.end(),
                                       [](const Factor& factor) { return factor.range; });
      return ranged->place.Wrong("a list of values: a grid has no ranges");
    }
    if (file.design == "random" || HasRange(block)) {
      const size_t blocks = file.blocks.size();
      const auto trials = static_cast<size_t>(file.trials);
      RECKON_TRY(maker.AddDraws(block, i, trials / blocks + (i < trials % blocks ? 1 : 0)));
    } else {
      RECKON_TRY(maker.AddGrid(block));
    }
  }
  return std::move(maker).Finish();
}

}  // namespace reckon::app
