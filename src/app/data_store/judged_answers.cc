#include "app/data_store/judged_answers.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/publish/recent_inputs.h"
#include "base/json.h"
#include "net/http_client.h"

namespace reckon::app {

using base::ErrorCode;
using base::Json;
using base::Status;

Status JudgedAnswers::Look(watch::TriggerFacts& facts) {
  if (name_.empty()) return {};
  const auto shown = remote_.Published(name_);
  if (!shown.ok()) {
    const bool none_yet = shown.error().code() == ErrorCode::kNotFound;
    return none_yet ? Status() : Status(shown.error());
  }
  const Json judged = shown->value("judged", Json::object());
  facts.judged = judged.value("count", int64_t{0});
  const auto accuracy = judged.find("accuracy");
  if (accuracy != judged.end() && accuracy->is_number()) facts.accuracy = accuracy->get<double>();
  return Fetch();
}

// Many together: a piece is two files.
Status JudgedAnswers::Fetch() {
  constexpr size_t kLeastPiece = 20;
  RECKON_ASSIGN(const Json answer,
                remote_.Ask("GET",
                            fmt::format("/published/{}/labelled?after={}&limit=500",
                                        net::UrlPart(name_), state_.fetched),
                            {}));
  const Json list = answer.value("images", Json::array());
  if (list.size() < kLeastPiece) return {};
  train::ImageSet images;
  images.shape = pool_.source() == "idx" ? train::kMnistShape : train::kCifarShape;
  const int64_t first = list.front().value("id", int64_t{0});
  int64_t last = state_.fetched;
  for (const Json& one : list) {
    last = one.value("id", last);
    const auto pixels = BytesOfHex(one.value("pixels", ""));
    const int64_t label = one.value("label", int64_t{-1});
    const bool usable =
        pixels && pixels->size() == images.shape.pixels() && label >= 0 && label < images.classes;
    if (!usable) continue;  // of another model's answers: nothing to train this one on
    images.pixels.insert(images.pixels.end(), pixels->begin(), pixels->end());
    images.labels.push_back(static_cast<uint8_t>(label));
  }
  // The same again after a crash: the piece has the name of its first answer.
  if (images.size() > 0) RECKON_TRY(pool_.Add(fmt::format("answers-{:09d}", first), images));
  state_.fetched = last;
  return {};
}

}  // namespace reckon::app
