// What a data store has and offers, and agents that fetch it over real connections.
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "act/agents/checkpoint_relay.h"
#include "act/agents/data_fetch.h"
#include "app/data_store/data_store_state.h"
#include "app/data_store/image_pool.h"
#include "app/data_store/offers.h"
#include "app/manage/data_store_book.h"
#include "base/file.h"
#include "net/http_client.h"
#include "tests/support/temp_folder.h"
#include "train/data/generated_images.h"
#include "train/data/image_files.h"

namespace reckon::app {
namespace {

using base::ErrorCode;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class DataStoreTest : public testing::Test {
 protected:
  DataStoreTest() { std::filesystem::create_directory(folder_ / "train"); }

  void AddPiece(const std::string& name, size_t count, uint64_t seed) {
    const auto images = train::GenerateImages(train::kMnistShape, seed, {0, count});
    for (const NamedBytes& file : FilesOf(images, "idx", name, 0, count)) {
      ASSERT_TRUE(base::WriteFile(folder_ / "train" / file.name, file.bytes).ok());
    }
  }
  ImagePool Pool(const std::string& source = "idx") {
    return ImagePool::Open(folder_ / "train", source).value();
  }
  std::unique_ptr<Offers> Open() {
    return Offers::Open({folder_ / "offers", {"127.0.0.1", 0}, {}}).value();
  }
  base::MonotonicTime Soon() const { return clock_.Monotonic() + seconds(60); }

  const support::TempFolder folder_;
  const base::SystemClock clock_;
};

TEST_F(DataStoreTest, PiecesAreThereOnceAllTheirFilesAre) {
  EXPECT_THAT(Pool().Pieces().value(), IsEmpty());
  AddPiece("b", 20, 1);
  AddPiece("a", 5, 2);
  ASSERT_TRUE(base::WriteFile(folder_ / "train/c.images", "half").ok());
  const ImagePool pool = Pool();
  EXPECT_THAT(pool.Pieces().value(), ElementsAre("a", "b"));
  EXPECT_EQ(pool.Count({"a", "b"}).value(), 25);
  const train::ImageSet all = pool.Load({"a", "b"}).value();
  ASSERT_EQ(all.size(), 25U);
  // Cut and read again, they are the same images.
  const auto files = FilesOf(all, "idx", "cut", 3, 10);
  for (const NamedBytes& file : files) {
    ASSERT_TRUE(base::WriteFile(folder_ / file.name, file.bytes).ok());
  }
  const auto cut = train::ReadIdx(folder_ / "cut.images", folder_ / "cut.labels").value();
  ASSERT_EQ(cut.size(), 10U);
  EXPECT_TRUE(std::ranges::equal(cut.Image(9), all.Image(12)));
  EXPECT_EQ(cut.labels[0], all.labels[3]);
  EXPECT_NE(PrintOf(cut), PrintOf(all));
  EXPECT_EQ(PrintOf(pool.Load({"a", "b"}).value()), PrintOf(all));
}

TEST_F(DataStoreTest, CifarRecordsComeBack) {
  const auto images = train::GenerateImages(train::kCifarShape, 1, {0, 7});
  for (const NamedBytes& file : FilesOf(images, "cifar10", "x", 0, 7)) {
    ASSERT_TRUE(base::WriteFile(folder_ / "train" / file.name, file.bytes).ok());
  }
  const ImagePool pool = Pool("cifar10");
  EXPECT_EQ(pool.Count({"x"}).value(), 7);
  EXPECT_EQ(PrintOf(pool.Load({"x"}).value()), PrintOf(images));
}

TEST_F(DataStoreTest, BrokenPiecesSayWhatIsWrong) {
  EXPECT_EQ(ImagePool::Open(folder_ / "nowhere", "idx").error().code(), ErrorCode::kNotFound);
  ASSERT_TRUE(base::WriteFile(folder_ / "train/c.images", "half").ok());
  ASSERT_TRUE(base::WriteFile(folder_ / "train/c.labels", "half").ok());
  EXPECT_THAT(Pool().Count({"c"}).error().Describe(), HasSubstr("c.labels"));
  EXPECT_THAT(Pool().Load({"c"}).error().Describe(), HasSubstr("c.images"));
}

TEST_F(DataStoreTest, WhatIsOfferedIsFetchedWholeFromWhereverTheFetchWas) {
  const auto offers = Open();
  ASSERT_TRUE(offers->Begin("7.1").ok());
  act::DataWish wish;
  const std::string large(3 * act::kOfferedPiece + 17, 'x');
  wish.files.push_back(offers->Add({"shard-0.images", large}).value());
  wish.files.push_back(offers->Add({"empty", ""}).value());
  wish.source = offers->source();
  wish.secret = offers->secret();
  const auto to = folder_ / "7.1.data";
  act::DataFetch fetch(clock_, nullptr);
  // No time: nothing is done, and it is no error.
  EXPECT_FALSE(fetch.Fetch(to, wish, clock_.Monotonic()).value());
  // Another agent has fetched a part of it.
  ASSERT_TRUE(base::WriteFile(to / "shard-0.images.half", large.substr(0, 1000)).ok());
  EXPECT_TRUE(fetch.Fetch(to, wish, Soon()).value());
  EXPECT_EQ(base::ReadFile(to / "shard-0.images").value(), large);
  EXPECT_EQ(base::ReadFile(to / "empty").value(), "");
  EXPECT_TRUE(fetch.Fetch(to, wish, clock_.Monotonic()).value()) << "it is there";
  EXPECT_EQ(act::PrintOfFile(to / "shard-0.images").value(), act::PrintOf(large));
}

TEST_F(DataStoreTest, OtherContentIsFetchedAnew) {
  const auto offers = Open();
  ASSERT_TRUE(offers->Begin("7.1").ok());
  act::DataWish wish;
  wish.files.push_back(offers->Add({"a", "what is offered"}).value());
  wish.source = offers->source();
  wish.secret = offers->secret();
  const auto to = folder_ / "7.1.data";
  std::filesystem::create_directory(to);
  ASSERT_TRUE(base::WriteFile(to / "a.half", "WHAT").ok());
  act::DataFetch fetch(clock_, nullptr);
  EXPECT_EQ(fetch.Fetch(to, wish, Soon()).error().code(), ErrorCode::kCorrupt);
  EXPECT_TRUE(fetch.Fetch(to, wish, Soon()).value());
  EXPECT_EQ(base::ReadFile(to / "a").value(), "what is offered");
}

TEST_F(DataStoreTest, OnlyWhoKnowsTheSecretOfTheOfferGetsAnything) {
  const auto offers = Open();
  EXPECT_EQ(offers->source(), "");
  ASSERT_TRUE(offers->Begin("7.1").ok());
  ASSERT_TRUE(offers->Add({"a", "text"}).ok());
  const std::string old_secret = offers->secret();
  const auto url = net::ParseUrl(offers->source()).value();
  net::HttpClient client(url.address);
  const auto ask = [&](const std::string& target, const std::string& secret) {
    return client.Call({"GET", target, {{"authorization", "Bearer " + secret}}, ""})->status;
  };
  EXPECT_EQ(ask("/7.1/a?from=0", old_secret), 200);
  EXPECT_EQ(ask("/7.1/a", old_secret), 200);
  for (const char* target : {"/7.1/b", "/7.2/a", "/7.1/../7.1/a", "/7.1/%2e%2e", "/7.1", "/",
                             "/7.1/", "/7.1/a?from=x", "/7.1/a?from=-1", "//a"}) {
    EXPECT_EQ(ask(target, old_secret), 404) << target;
  }
  EXPECT_EQ(ask("/7.1/a?from=5", old_secret), 400);
  EXPECT_EQ(ask("/7.1/a", ""), 401);
  EXPECT_EQ(ask("/7.1/a", old_secret + "x"), 401);
  ASSERT_TRUE(offers->Begin("7.2").ok());
  EXPECT_EQ(ask("/7.2/a", old_secret), 401);
  EXPECT_EQ(ask("/7.1/a", offers->secret()), 404) << "the last offer is over";
  offers->End();
  EXPECT_EQ(ask("/7.2/a", ""), 401);
}

TEST_F(DataStoreTest, WhoIsAwayIsTriedAgainLater) {
  act::DataFetch fetch(clock_, nullptr);
  act::DataWish wish{"http://127.0.0.1:1/7.1", "s", {{"a", act::PrintOf("text")}}};
  EXPECT_EQ(fetch.Fetch(folder_ / "d", wish, Soon()).error().code(), ErrorCode::kUnavailable);
  const auto offers = Open();
  ASSERT_TRUE(offers->Begin("7.1").ok());
  ASSERT_TRUE(offers->Add({"a", "text"}).ok());
  wish.source = offers->source();
  EXPECT_THAT(fetch.Fetch(folder_ / "d", wish, Soon()).error().Describe(), HasSubstr("401"));
  wish.secret = offers->secret();
  EXPECT_TRUE(fetch.Fetch(folder_ / "d", wish, Soon()).value());
}

TEST_F(DataStoreTest, ItsStateComesBackAndDamageIsSaid) {
  const auto file = folder_ / "state.json";
  EXPECT_EQ(ReadDataStoreState(file)->run, std::nullopt);
  DataStoreState state;
  state.run = 7;
  state.pieces = {"a", "b"};
  state.trained = {"a"};
  state.last_at = 12.5;
  ASSERT_TRUE(WriteDataStoreState(state, file).ok());
  const auto read = ReadDataStoreState(file);
  ASSERT_TRUE(read.ok()) << read.error().Describe();
  EXPECT_EQ(read->run, 7);
  EXPECT_EQ(read->pieces, state.pieces);
  EXPECT_EQ(read->trained, state.trained);
  EXPECT_EQ(read->last_at, 12.5);
  EXPECT_EQ(read->failed_at, std::nullopt);
  ASSERT_TRUE(base::WriteFile(file, R"({"run": "x"})").ok());
  EXPECT_EQ(ReadDataStoreState(file).error().code(), ErrorCode::kCorrupt);
}

TEST_F(DataStoreTest, WishesForUpdatesOutliveTheManager) {
  const auto file = folder_ / "data-stores.json";
  {
    DataStoreBook book = DataStoreBook::Open(file, 100).value();
    EXPECT_EQ(book.Want("camera", "drift").error().code(), ErrorCode::kNotFound);
    ASSERT_TRUE(book.Hear("camera", 10, 4, 101).ok());
    ASSERT_TRUE(book.Want("camera", "drift").ok());
  }
  DataStoreBook book = DataStoreBook::Open(file, 200).value();
  ASSERT_NE(book.Find("camera"), nullptr);
  EXPECT_EQ(book.Find("camera")->wanted, "drift");
  EXPECT_EQ(book.Find("camera")->heard_at, 200) << "nobody is silent before he could be heard";
  ASSERT_TRUE(book.Fulfil("camera").ok());
  EXPECT_EQ(DataStoreBook::Open(file, 300)->Find("camera")->wanted, "");
  ASSERT_TRUE(base::WriteFile(file, "[]").ok());
  EXPECT_EQ(DataStoreBook::Open(file, 1).error().code(), ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace reckon::app
