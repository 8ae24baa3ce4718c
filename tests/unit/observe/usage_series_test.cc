#include "observe/probes/usage_series.h"

#include <array>
#include <chrono>
#include <ctime>
#include <thread>

#include <gtest/gtest.h>

#include "observe/probes/core_pace.h"
#include "observe/probes/spread_meter.h"

namespace reckon::observe {
namespace {

NodeCounters ReadingAt(double at_s, double cpu_s, uint64_t memory_bytes = 100) {
  NodeCounters reading;
  reading.at_s = at_s;
  reading.cpu_s = cpu_s;
  reading.memory_bytes = memory_bytes;
  return reading;
}

TEST(SpreadMeterTest, MeanAndPercentileByTime) {
  SpreadMeter meter;
  EXPECT_EQ(meter.Mean(), 0);
  EXPECT_EQ(meter.P95(), 0);
  meter.Add(1, 90);
  meter.Add(5, 6);
  meter.Add(100, 4);
  meter.Add(7, 0);  // no time, no weight
  EXPECT_DOUBLE_EQ(meter.Mean(), (90 + 30 + 400) / 100.0);
  EXPECT_EQ(meter.P95(), 5);
}

TEST(SpreadMeterTest, ALongTimeIsKnownInLessDetail) {
  SpreadMeter meter;
  for (int i = 0; i < 100'000; ++i) meter.Add(i, 0.5);
  EXPECT_NEAR(meter.Mean(), 49'999.5, 1e-6);
  EXPECT_NEAR(meter.P95(), 95'000, 200);
}

TEST(CorePaceTest, IsMeasuredAllTheTimeAndCostsLittle) {
  const auto now = [] {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
        .count();
  };
  const double begin = now();
  const std::clock_t cpu_begin = std::clock();
  const CorePace pace;
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  const double cpu_s = static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC;
  const auto us = pace.MeanUs(begin, now());
  ASSERT_TRUE(us);
  EXPECT_GT(*us, 1);
  EXPECT_LT(*us, 10'000);
  EXPECT_FALSE(pace.MeanUs(begin - 100, begin - 50));
  EXPECT_FALSE(pace.MeanUs(begin + 100, begin + 150));
  // Sanitizers make it some times dearer.
  EXPECT_LT(cpu_s / 0.6 / std::thread::hardware_concurrency(), 0.1);
}

TEST(UsageSeriesTest, RatesOfEveryQuantity) {
  UsageSeries series(4, 1000);
  NodeCounters reading = ReadingAt(10, 5, 200);
  reading.steal_s = 1;
  reading.interrupt_s = 2;
  reading.disk_read_bytes = 10;
  reading.disk_written_bytes = 20;
  reading.net_sent_bytes = 30;
  reading.net_received_bytes = 40;
  reading.gpu = 0.1;
  reading.gpu_memory_bytes = 7;
  series.Add(reading);
  reading.at_s = 12;
  reading.cpu_s = 7;
  reading.memory_bytes = 300;
  *reading.steal_s += 0.2;
  *reading.interrupt_s += 0.4;
  *reading.disk_read_bytes += 100;
  *reading.disk_written_bytes += 200;
  *reading.net_sent_bytes += 300;
  *reading.net_received_bytes += 400;
  reading.gpu = 0.5;
  reading.gpu_memory_bytes = 9;
  series.Add(reading);
  const UsageSummary summary = series.Summary(10, 12).value();
  EXPECT_DOUBLE_EQ(summary.covered_s, 2);
  EXPECT_DOUBLE_EQ(summary.cpu_s, 2);
  EXPECT_DOUBLE_EQ(summary.cpu.mean, 0.25);
  EXPECT_DOUBLE_EQ(summary.cpu.p95, 0.25);
  EXPECT_DOUBLE_EQ(summary.memory.mean, 0.3);
  EXPECT_DOUBLE_EQ(summary.memory_bytes.p95, 300);
  EXPECT_DOUBLE_EQ(summary.steal_cores->mean, 0.1);
  EXPECT_DOUBLE_EQ(summary.interrupt_cores->mean, 0.2);
  EXPECT_DOUBLE_EQ(summary.disk_read_bytes_s->mean, 50);
  EXPECT_DOUBLE_EQ(summary.disk_written_bytes_s->mean, 100);
  EXPECT_DOUBLE_EQ(summary.net_sent_bytes_s->mean, 150);
  EXPECT_DOUBLE_EQ(summary.net_received_bytes_s->mean, 200);
  EXPECT_DOUBLE_EQ(summary.gpu->mean, 0.5);
  EXPECT_DOUBLE_EQ(summary.gpu_memory_bytes->mean, 9);
}

TEST(UsageSeriesTest, WhatIsNotMeasuredIsMissing) {
  UsageSeries series(1, 1000);
  series.Add(ReadingAt(0, 0));
  series.Add(ReadingAt(1, 1));
  const UsageSummary summary = series.Summary(0, 1).value();
  EXPECT_FALSE(summary.steal_cores);
  EXPECT_FALSE(summary.disk_read_bytes_s);
  EXPECT_FALSE(summary.net_sent_bytes_s);
  EXPECT_FALSE(summary.gpu);
}

TEST(UsageSeriesTest, EdgesOfAStretchCountInPart) {
  UsageSeries series(1, 1000);
  series.Add(ReadingAt(0, 0));
  series.Add(ReadingAt(2, 2));  // one core
  series.Add(ReadingAt(4, 2));  // none
  series.Add(ReadingAt(6, 4));  // one again
  const UsageSummary summary = series.Summary(1, 5).value();
  EXPECT_DOUBLE_EQ(summary.covered_s, 4);
  EXPECT_DOUBLE_EQ(summary.cpu_s, 2);
  EXPECT_DOUBLE_EQ(summary.cpu.mean, 0.5);
  // Beyond the readings nothing is known.
  EXPECT_DOUBLE_EQ(series.Summary(5, 100)->covered_s, 1);
  EXPECT_DOUBLE_EQ(series.Summary(5, 100)->cpu.mean, 1);
  EXPECT_DOUBLE_EQ(series.Summary(-100, 100)->covered_s, 6);
  EXPECT_FALSE(series.Summary(6, 100));
  EXPECT_FALSE(series.Summary(-5, 0));
  EXPECT_FALSE(series.Summary(3, 3));
  EXPECT_FALSE(UsageSeries(1, 1000).Summary(0, 100));
  // A part has all that is needed, and no more.
  const UsageSeries part = series.Part(2.5, 3.5);
  EXPECT_EQ(part.size(), 2U);
  EXPECT_DOUBLE_EQ(part.Summary(2.5, 3.5)->covered_s, 1);
  EXPECT_EQ(part.Summary(2.5, 3.5)->cpu.mean, 0);
}

// 5 % of the time at a full core: the 95th percentile is the rest; a little more, and it is not.
TEST(UsageSeriesTest, PercentileIsOfTimeNotOfReadings) {
  const auto p95 = [](double busy_s) {
    UsageSeries series(1, 1000);
    series.Add(ReadingAt(0, 0));
    double at_s = 0;
    // Many short readings of idling, one long one of work.
    while (at_s < 100 - busy_s - 1e-9) series.Add(ReadingAt(at_s += 0.5, 0));
    series.Add(ReadingAt(at_s + busy_s, busy_s));
    return series.Summary(0, 100)->cpu.p95;
  };
  EXPECT_EQ(p95(4.5), 0);
  EXPECT_EQ(p95(5.5), 1);
}

TEST(UsageSeriesTest, CountersThatGoBackSayNothing) {
  UsageSeries series(1, 1000);
  const auto add = [&](double at_s, uint64_t sent) {
    NodeCounters reading = ReadingAt(at_s, 0);
    reading.net_sent_bytes = sent;
    series.Add(reading);
  };
  add(0, 100);
  add(1, 200);
  add(2, 50);
  add(3, 350);
  EXPECT_DOUBLE_EQ(series.Summary(0, 3)->net_sent_bytes_s->mean, 200);
  EXPECT_FALSE(series.Summary(1, 2)->net_sent_bytes_s);
  add(3, 999);  // the same moment again
  EXPECT_EQ(series.size(), 4U);
}

TEST(UsageSeriesTest, OldReadingsThinOutAndTotalsStay) {
  constexpr size_t kMost = 100;
  UsageSeries series(1, 1000, kMost);
  double cpu_s = 0;
  for (int i = 0; i <= 10'000; ++i) {
    series.Add(ReadingAt(i, cpu_s));
    cpu_s += i % 4 == 0 ? 1 : 0;
    ASSERT_LE(series.size(), kMost);
  }
  EXPECT_DOUBLE_EQ(series.Summary(0, 10'000)->covered_s, 10'000);
  EXPECT_DOUBLE_EQ(series.Summary(0, 10'000)->cpu_s, 2'500);
  // The last ones are there one by one.
  EXPECT_EQ(series.Part(9'990, 10'000).size(), 11U);
}

TEST(ForeignCoresTest, IsWhatIsLeftOfTheMachine) {
  const std::array<double, 2> ours{3, 4};
  EXPECT_DOUBLE_EQ(ForeignCores(12, ours, 10), 0.5);
  EXPECT_DOUBLE_EQ(ForeignCores(6.9, ours, 10), 0);  // ticks
  EXPECT_DOUBLE_EQ(ForeignCores(12, {}, 10), 1.2);
  EXPECT_DOUBLE_EQ(ForeignCores(ReadingAt(5, 100), ReadingAt(15, 112), ours), 0.5);
}

}  // namespace
}  // namespace reckon::observe
