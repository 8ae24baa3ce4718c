// Manager: what people say about nodes.
#include <utility>

#include <fmt/format.h>

#include "app/manage/manager_impl.h"

namespace reckon::app {

using base::Error;
using base::ErrorCode;
using base::Status;

Status Manager::Impl::ForgiveNode(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  if (nodes_.Find(name) == nullptr) {
    return Error(ErrorCode::kNotFound, fmt::format("no node '{}' is known", name));
  }
  NodeNews news = nodes_.Forgive(name);
  if (!news.empty()) SaveNews(std::move(news));
  Wake();
  return {};
}

Status Manager::Impl::RemoveNode(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  for (auto& [id, managed] : runs_) {
    const watch::Part* part = managed.PartOn(name);
    if (part != nullptr && !part->gone && !part->lost) {
      return Error(ErrorCode::kFailed,
                   fmt::format("node '{}' works for run {}; stop that first", name, id));
    }
  }
  const core::Event removed = NodeEvent(name, "node.removed", "");
  RECKON_TRY(store_.RemoveNode(name, {&removed, 1}));
  nodes_.Remove(name);
  std::erase_if(unsaved_.records,
                [&name](const core::NodeRecord& record) { return record.name == name; });
  log_.Info(fmt::format("{} {}", removed.kind, removed.detail));
  Wake();
  return {};
}

}  // namespace reckon::app
