#include "worker/serving.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdio>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "net/http_server.h"
#include "train/data/prefetch.h"
#include "train/saved_model.h"
#include "worker/rank_environment.h"
#include "worker/training.h"

namespace reckon::worker {
namespace {

using base::Json;
using base::Result;

constexpr int kClassesServed = 10;
constexpr size_t kMostImagesServed = 4096;  // a request

net::HttpResponse Said(int status, const Json& json) {
  return {status, "application/json", base::DumpJsonLine(json)};
}

// {"images": [[0, 255, ...], ...]}
Result<std::vector<uint8_t>> PixelsOfJson(const std::string& body, size_t pixels) {
  RECKON_ASSIGN(const Json json, base::ParseJson(body, "the request"));
  const auto images = json.is_object() ? json.find("images") : json.end();
  if (images == json.end() || !images->is_array()) {
    return base::BadInput("images is missing: expected a list of lists of pixels");
  }
  std::vector<uint8_t> all;
  for (size_t i = 0; i < images->size(); ++i) {
    const Json& image = (*images)[i];
    const auto wrong = [&] {
      return base::BadInput(
          fmt::format("images[{}]: expected {} whole numbers from 0 to 255", i, pixels));
    };
    if (!image.is_array() || image.size() != pixels) return wrong();
    for (const Json& pixel : image) {
      if (!pixel.is_number_unsigned() || pixel.get<uint64_t>() > UINT8_MAX) return wrong();
      all.push_back(pixel.get<uint8_t>());
    }
  }
  return all;
}

Result<std::vector<uint8_t>> PixelsOf(const net::HttpRequest& request, size_t pixels) {
  const auto type = request.headers.find("content-type");
  if (type != request.headers.end() && type->second.starts_with("application/octet-stream")) {
    return std::vector<uint8_t>(request.body.begin(), request.body.end());
  }
  return PixelsOfJson(request.body, pixels);
}

Json PredictionsOf(const std::vector<float>& probabilities, size_t classes) {
  Json predictions = Json::array();
  for (size_t begin = 0; begin < probabilities.size(); begin += classes) {
    const auto first = probabilities.begin() + static_cast<ptrdiff_t>(begin);
    const auto last = first + static_cast<ptrdiff_t>(classes);
    const auto best = std::max_element(first, last);
    predictions.push_back({{"label", best - first},
                           {"probability", *best},
                           {"probabilities", std::vector<float>(first, last)}});
  }
  return predictions;
}

net::HttpResponse Respond(Predictor& predictor, const std::string& token,
                          const net::HttpRequest& request) {
  if (request.target == "/healthz" && request.method == "GET") {
    return Said(200, {{"status", "ok"},
                      {"network", predictor.network()},
                      {"pixels", predictor.pixels()},
                      {"classes", predictor.classes()}});
  }
  const auto shown = request.headers.find("authorization");
  const bool known = token.empty() || (shown != request.headers.end() &&
                                       base::SameSecret(shown->second, "Bearer " + token));
  if (!known) return Said(401, {{"error", "expected the token of this run"}});
  if (request.target != "/predict") return Said(404, {{"error", "there is only /predict here"}});
  if (request.method != "POST") return Said(405, {{"error", "images are posted"}});
  const auto pixels = PixelsOf(request, predictor.pixels());
  if (!pixels.ok()) return Said(400, {{"error", pixels.error().Describe()}});
  if (pixels->size() > kMostImagesServed * predictor.pixels()) {
    return Said(413, {{"error", fmt::format("more than {} images", kMostImagesServed)}});
  }
  const auto told = predictor.Predict(*pixels);
  if (!told.ok()) {
    const bool bad = told.error().code() == base::ErrorCode::kBadInput;
    return Said(bad ? 400 : 503, {{"error", told.error().Describe()}});
  }
  return Said(200, {{"predictions", PredictionsOf(*told, predictor.classes())}});
}

}  // namespace

Result<std::unique_ptr<Predictor>> Predictor::Load(const std::filesystem::path& model,
                                                   int threads) {
  RECKON_ASSIGN(const train::SavedModel saved, train::ReadModel(model));
  std::unique_ptr<Predictor> predictor(new Predictor);
  // The file tells the network, and how many parameters it has which images it is for.
  for (const train::ImageShape& shape : {train::kMnistShape, train::kCifarShape}) {
    RECKON_ASSIGN(const train::Network network,
                  train::BuildNetwork(saved.network, saved.knobs, shape, kClassesServed));
    if (network.parameters() != train::SizeOf(saved.parameters)) continue;
    ReplicaOptions options;
    options.float64 = std::holds_alternative<std::vector<double>>(saved.parameters);
    options.threads = threads;
    RECKON_ASSIGN(predictor->replica_, Replica::Make(network, shape, options));
    CopyParameters(saved, predictor->replica_->parameters());
    predictor->network_ = saved.network;
    predictor->shape_ = shape;
    predictor->classes_ = kClassesServed;
    return predictor;
  }
  return base::BadInput(
      fmt::format("{}: {} with {} parameters, for images of a size we do not know", model.string(),
                  saved.network, train::SizeOf(saved.parameters)));
}

Result<std::vector<float>> Predictor::Predict(std::span<const uint8_t> images) {
  if (images.size() % pixels() != 0) {
    return base::BadInput(fmt::format("{} bytes; an image has {}", images.size(), pixels()));
  }
  if (images.empty()) return std::vector<float>();
  train::Batch batch;
  train::AppendPixels(images, batch.pixels);
  batch.labels.resize(images.size() / pixels());
  const std::scoped_lock lock(mutex_);
  return replica_->Probabilities(batch);
}

base::Status ServeModel(const std::filesystem::path& model, const std::stop_token& stop) {
  RECKON_ASSIGN(const RankEnvironment environment, ReadRankEnvironment());
  RECKON_ASSIGN(const auto predictor, Predictor::Load(model, environment.threads));
  net::HttpServerOptions options;
  options.listen = environment.meeting;
  options.most_body_bytes = kMostImagesServed * train::kCifarShape.pixels() * 4;
  RECKON_ASSIGN(const auto server,
                net::HttpServer::Start(options, [&](const net::HttpRequest& request) {
                  return Respond(*predictor, environment.token, request);
                }));
  std::printf("%s answers at %s\n", predictor->network().c_str(),
              net::Address{options.listen.host, server->port()}.ToText().c_str());
  std::fflush(stdout);
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait(lock, stop, [] { return false; });
  return {};
}

}  // namespace reckon::worker
