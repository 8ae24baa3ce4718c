#include "app/campaigns/next_point.h"

#include <numeric>

#include <nlohmann/json.hpp>

#include "app/campaigns/standing.h"
#include "base/rng.h"

namespace reckon::app {
namespace {

// Every point in turn, and again for every repeat: what changes in the machine over hours then
// meets all points alike.
class InTurn final : public NextPoint {
 public:
  InTurn(const spec::CampaignFile& file, size_t points) : file_(file), order_(points) {
    std::iota(order_.begin(), order_.end(), size_t{0});
    if (file.shuffle) base::Rng(file.seed).Fork(kOrderStream).Shuffle(std::span(order_));
  }

  base::Result<std::optional<size_t>> Choose(const std::vector<PointReport>& points) override {
    std::optional<size_t> best;
    size_t fewest = 0;
    for (const size_t index : order_) {
      const PointReport& point = points[index];
      if (point.state != "waiting" && point.state != "measuring") continue;
      const Standing standing = StandingOf(point.attempts);
      const size_t tried = standing.measured + standing.disturbed + standing.failed;
      if (best && tried >= fewest) continue;
      best = index;
      fewest = tried;
    }
    return best;
  }

 private:
  static constexpr uint64_t kOrderStream = 1'000'003;
  const spec::CampaignFile& file_;
  std::vector<size_t> order_;
};

}  // namespace

base::Result<std::unique_ptr<NextPoint>> MakeNextPoint(const spec::CampaignFile& file,
                                                       const std::vector<base::Json>& plans) {
  return std::unique_ptr<NextPoint>(std::make_unique<InTurn>(file, plans.size()));
}

}  // namespace reckon::app
