#include "act/local/supervisor.h"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/http_client.h"
#include "tests/support/run_watch.h"

namespace reckon::act {
namespace {

using support::TestRun;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(SupervisorTest, ARunThatSucceeds) {
  TestRun run;
  run.spec.setup = "echo made > made.txt; echo setting up";
  run.spec.setup_workdir = run.folder.path;
  run.Script("server", "sleep 0.2; echo served");
  run.Script("worker", "cat made.txt; echo $RANK $RECKON_RUN_ID $EXTRA; env >&2").env["EXTRA"] =
      "x";
  run.Script("worker", "test -t 0 || echo no terminal");
  ASSERT_TRUE(run.Start().ok());
  ASSERT_TRUE(run.WaitForEnd());
  EXPECT_EQ(run.States(), "starting running finished");
  EXPECT_THAT(run.Log("worker-0.log"), HasSubstr("made\n0 7 x\n"));
  EXPECT_THAT(run.Log("worker-0.log"), HasSubstr("RECKON_STATUS_URL=http://127.0.0.1:"));
  EXPECT_THAT(run.Log("worker-0.log"), HasSubstr("RECKON_TOKEN=secret-"));
  EXPECT_EQ(run.Log("worker-1.log"), "no terminal\n");
  EXPECT_EQ(run.Log("server-0.log"), "served\n");
  EXPECT_EQ(run.Log("setup-local.log"), "setting up\n");
  const auto ended = run.Events("rank.ended");
  ASSERT_EQ(ended.size(), 3U);
  EXPECT_EQ(ended.back().at("role"), "server");
  EXPECT_EQ(ended.back().at("exit_code"), 0);
  EXPECT_GE(ended.back().at("seconds").get<double>(), 0.19);
  EXPECT_EQ(run.Events("rank.usage").size(), 3U);
}

TEST(SupervisorTest, CodesAndSignalsBecomeReasons) {
  const auto reason = [](const std::string& script) {
    TestRun run;
    run.Script("worker", "sleep 100");
    run.Script("worker", script);
    EXPECT_TRUE(run.Start().ok());
    EXPECT_TRUE(run.WaitForEnd());
    EXPECT_THAT(run.States(), HasSubstr("failed"));
    EXPECT_THAT(run.Remains(), IsEmpty());
    return run.Reason();
  };
  EXPECT_EQ(reason("echo starting; echo 'no such data' >&2; exit 3"),
            "worker 1 ended with code 3: no such data");
  EXPECT_EQ(reason("kill -9 $$"), "worker 1 was killed by signal 9 (SIGKILL)");
  EXPECT_EQ(reason("kill -11 $$"), "worker 1 was killed by signal 11 (SIGSEGV)");
}

TEST(SupervisorTest, WhatCannotBeStartedIsSaid) {
  const auto reason = [](const std::function<void(ProcessSpec&)>& spoil) {
    TestRun run;
    run.Script("worker", "sleep 100");
    spoil(run.Script("worker", "true"));
    EXPECT_TRUE(run.Start().ok());
    EXPECT_TRUE(run.WaitForEnd());
    EXPECT_THAT(run.Remains(), IsEmpty());
    return run.Reason();
  };
  EXPECT_THAT(reason([](ProcessSpec& process) { process.argv = {"no-such-program"}; }),
              HasSubstr("worker 1 could not be started: cannot execute 'no-such-program': "));
  EXPECT_THAT(reason([](ProcessSpec& process) { process.workdir = "/no/folder"; }),
              HasSubstr("cannot enter the working folder /no/folder"));
  EXPECT_THAT(reason([](ProcessSpec& process) { process.place.netns = "/no/netns"; }),
              HasSubstr("cannot open the network namespace /no/netns"));
  EXPECT_THAT(reason([](ProcessSpec& process) { process.place.cgroups = {"/no/cgroup"}; }),
              HasSubstr("to /no/cgroup/cgroup.procs: No such file"));
}

TEST(SupervisorTest, AFailingSetupEndsTheRun) {
  TestRun run;
  run.spec.setup = "echo one; echo 'cannot download' >&2; exit 4";
  run.Script("worker", "echo never");
  run.Script("worker", "echo never").place.host = "other";
  ASSERT_TRUE(run.Start().ok());
  ASSERT_TRUE(run.WaitForEnd());
  EXPECT_EQ(run.States(), "starting failed");
  EXPECT_THAT(run.Reason(),
              testing::AnyOf("setup on local ended with code 4: one | cannot download",
                             "setup on other ended with code 4: one | cannot download"));
  EXPECT_THAT(run.Events("rank.started"), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(run.folder.path / "worker-0.log"));
  EXPECT_TRUE(std::filesystem::exists(run.folder.path / "setup-other.log"));
}

TEST(SupervisorTest, StopDuringSetup) {
  TestRun run;
  run.spec.setup = "exec sleep 100";
  run.spec.setup_env["RECKON_TEST_MARK"] = run.mark();
  run.Script("worker", "echo never");
  ASSERT_TRUE(run.Start().ok());
  ASSERT_TRUE(support::Within(std::chrono::seconds(10), [&] { return !run.Remains().empty(); }));
  ASSERT_TRUE(RequestStop(run.folder).ok());
  ASSERT_TRUE(run.WaitForEnd(std::chrono::seconds(10)));
  EXPECT_EQ(run.States(), "starting stopping stopped");
  EXPECT_THAT(run.Events("rank.started"), IsEmpty());
  EXPECT_THAT(run.Remains(), IsEmpty());
}

TEST(SupervisorTest, OneThatCannotStartMayBeMissed) {
  TestRun run;
  run.Script("worker", "sleep 0.3");
  ProcessSpec& missing = run.Script("worker", "");
  missing.argv = {"no-such-program"};
  missing.on_death = OnDeath::kGoOn;
  ASSERT_TRUE(run.Start().ok());
  ASSERT_TRUE(run.WaitForEnd());
  EXPECT_EQ(run.States(), "starting running finished");
}

TEST(SupervisorTest, StopGivesTimeThenKills) {
  TestRun run;
  run.Script("worker", "trap 'echo leaving; exit 0' TERM; echo up; while :; do sleep 0.05; done");
  run.Script("worker", "trap '' TERM; echo up; while :; do sleep 0.05; done");
  run.Add("worker", {RECKON_RANK_PROGRAM, "brood"});
  ASSERT_TRUE(run.Start().ok());
  ASSERT_TRUE(run.WaitForState("running"));
  ASSERT_TRUE(support::Within(std::chrono::seconds(20), [&] {
    return run.Log("worker-0.log") == "up\n" && run.Log("worker-1.log") == "up\n" &&
           run.Remains().size() >= 7;
  }));
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(RequestStop(run.folder).ok());
  ASSERT_TRUE(run.WaitForEnd(std::chrono::seconds(10)));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(950));
  EXPECT_EQ(run.States(), "starting running stopping stopped");
  EXPECT_THAT(run.Log("worker-0.log"), HasSubstr("leaving\n"));
  EXPECT_THAT(run.Remains(), IsEmpty());
  for (const base::Json& event : run.Events("rank.ended")) {
    if (event.at("index") == 1) {
      EXPECT_EQ(event.at("signal"), SIGKILL);
    }
  }
  EXPECT_EQ(RequestStop(run.folder).error().code(), base::ErrorCode::kNotFound);
}

TEST(SupervisorTest, StopComesAtAnyMoment) {
  for (int round = 0; round < 12; ++round) {
    TestRun run;
    for (int i = 0; i < 3; ++i) run.Script("worker", "exec sleep 100");
    ASSERT_TRUE(run.Start().ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(round));
    ASSERT_TRUE(RequestStop(run.folder).ok());
    ASSERT_TRUE(run.WaitForEnd(std::chrono::seconds(10))) << round;
    EXPECT_THAT(run.States(), testing::EndsWith("stopping stopped"));
    EXPECT_THAT(run.Remains(), IsEmpty());
  }
}

TEST(SupervisorTest, ServersMayEndByThemselvesAndAreStoppedThen) {
  TestRun run;
  run.Script("server", "trap 'echo told; exit 0' TERM; while :; do sleep 0.05; done");
  run.Script("worker", "sleep 0.1");
  ASSERT_TRUE(run.Start().ok());
  ASSERT_TRUE(run.WaitForEnd());
  EXPECT_EQ(run.States(), "starting running finished");
  EXPECT_THAT(run.Log("server-0.log"), HasSubstr("told\n"));
}

TEST(SupervisorTest, HalfWrittenFilesOfKilledRanksAreSwept) {
  TestRun run;
  run.Script("worker", "touch .reckon-0123abcd; echo kept > .reckon-notes");
  ASSERT_TRUE(run.Start().ok());
  ASSERT_TRUE(run.WaitForEnd());
  EXPECT_EQ(run.States(), "starting running finished");
  EXPECT_FALSE(std::filesystem::exists(run.folder.path / ".reckon-0123abcd"));
  EXPECT_EQ(run.Log(".reckon-notes"), "kept\n");
}

TEST(SupervisorTest, TheTimeLimit) {
  TestRun run;
  run.spec.time_limit_s = 0.5;
  run.Script("worker", "sleep 100");
  ASSERT_TRUE(run.Start().ok());
  ASSERT_TRUE(run.WaitForEnd(std::chrono::seconds(8)));
  EXPECT_EQ(run.Reason(), "the time limit of 0.5 s has passed");
  EXPECT_THAT(run.Remains(), IsEmpty());
}

TEST(SupervisorTest, WorkersThatMayDie) {
  for (const bool one_survives : {true, false}) {
    TestRun run;
    run.Script("worker", "exit 1").on_death = OnDeath::kGoOn;
    run.Script("worker", "sleep 0.2; kill -9 $$").on_death = OnDeath::kGoOn;
    run.Script("worker", one_survives ? "sleep 0.4" : "sleep 0.4; exit 5").on_death =
        OnDeath::kGoOn;
    ASSERT_TRUE(run.Start().ok());
    ASSERT_TRUE(run.WaitForEnd());
    EXPECT_EQ(run.States(), one_survives ? "starting running finished" : "starting running failed");
    if (!one_survives) {
      EXPECT_EQ(run.Reason(), "no worker is left; the last: worker 2 ended with code 5");
    }
  }
}

TEST(SupervisorTest, AHungWorkerThatMayDieIsGivenUpWithTheServers) {
  TestRun run;
  run.spec.stop_grace_s = 0.2;
  run.Script("server", "sleep 0.3").on_death = OnDeath::kRestart;
  run.Script("worker", "sleep 0.2").on_death = OnDeath::kGoOn;
  run.Script("worker", "kill -STOP $$; sleep 100").on_death = OnDeath::kGoOn;
  ASSERT_TRUE(run.Start().ok());
  ASSERT_TRUE(run.WaitForEnd(std::chrono::seconds(20)));
  EXPECT_EQ(run.States(), "starting running finished");
  const auto ended = run.Events("rank.ended");
  ASSERT_EQ(ended.size(), 3U);
  EXPECT_EQ(ended.back().at("signal"), SIGKILL);
  EXPECT_THAT(run.Remains(), IsEmpty());
}

TEST(SupervisorTest, AWorkerThatHangsWhileItEndsIsGivenUp) {
  for (const bool in_step : {true, false}) {
    TestRun run;
    run.spec.stop_grace_s = 0.2;
    run.spec.ends_within_s = in_step ? 0.4 : 0;
    run.Script("worker", "true");
    run.Script("worker", in_step ? "kill -STOP $$; sleep 100" : "sleep 1");
    ASSERT_TRUE(run.Start().ok());
    ASSERT_TRUE(run.WaitForEnd(std::chrono::seconds(20)));
    EXPECT_EQ(run.States(), in_step ? "starting running failed" : "starting running finished");
    EXPECT_EQ(run.Reason(), in_step ? "worker 1 hangs: another worker has ended 0.4 s ago" : "");
    EXPECT_THAT(run.Remains(), IsEmpty());
  }
}

TEST(SupervisorTest, WhoDiedIsToBlameNotWhoEndedForIt) {
  TestRun run;
  run.spec.stop_grace_s = 10;
  run.Script("server", "sleep 0.3; echo worker 0 is gone; exit 1");
  // What it leaves behind delays the news of its death.
  run.Script("worker", "trap '' TERM; sleep 100 & kill -9 $$");
  run.Script("worker", "sleep 100");
  ASSERT_TRUE(run.Start().ok());
  ASSERT_TRUE(run.WaitForEnd(std::chrono::seconds(20)));
  EXPECT_EQ(run.Events("rank.ended").front().at("role"), "server");
  EXPECT_EQ(run.Reason(), "worker 0 was killed by signal 9 (SIGKILL)");
}

TEST(SupervisorTest, AServerIsStartedAgain) {
  TestRun run;
  run.Script("server",
             // "running" may be said before the shell has begun: its own mark tells the first time.
             "echo up; if test -e again; then exec sleep 100; fi; touch again; "
             "while ! test -e go; do sleep 0.05; done; exit 1")
      .on_death = OnDeath::kRestart;
  run.Script("worker", "while ! test -e end; do sleep 0.05; done");
  ASSERT_TRUE(run.Start().ok());
  const auto reaches = [&](const std::string& states) {
    return support::Within(std::chrono::seconds(20), [&] { return run.States() == states; });
  };
  ASSERT_TRUE(reaches("starting running")) << run.States();
  ASSERT_TRUE(base::WriteFile(run.folder.path / "go", "").ok());
  ASSERT_TRUE(reaches("starting running recovering running")) << run.States();
  ASSERT_TRUE(base::WriteFile(run.folder.path / "end", "").ok());
  ASSERT_TRUE(run.WaitForEnd());
  EXPECT_EQ(run.States(), "starting running recovering running finished");
  EXPECT_EQ(run.Log("server-0.log"), "up\nup\n");
  EXPECT_EQ(run.Events("rank.started").size(), 3U);
}

TEST(SupervisorTest, BackgroundIsThereFirstAndGoesLast) {
  TestRun run;
  ProcessSpec& load =
      run.Script("background", "trap 'echo told; exit 0' TERM; while :; do sleep 0.05; done");
  load.title = "load on h0";
  load.settle_s = 0.3;
  run.spec.baseline_s = 2;
  run.Script("worker", "cat background-0.log; sleep 0.2; echo trained");
  ASSERT_TRUE(run.Start().ok());
  ASSERT_TRUE(run.WaitForEnd());
  EXPECT_EQ(run.States(), "starting running finished");
  EXPECT_THAT(run.Log("background-0.log"), HasSubstr("told\n"));
  EXPECT_EQ(run.Log("worker-0.log"), "trained\n");
  const auto settled = run.Events("background.settled");
  ASSERT_EQ(settled.size(), 1U);
  const auto started = run.Events("rank.started");
  ASSERT_EQ(started.size(), 2U);
  EXPECT_EQ(started[0].at("role"), "background");
  const auto at = [](const base::Json& event) { return event.at("at").get<double>(); };
  EXPECT_GE(at(settled[0]) - at(started[0]), 0.29);
  EXPECT_GE(at(started[1]) - at(settled[0]), 1.9);  // the hosts' state before the training
  EXPECT_THAT(run.Remains(), IsEmpty());
}

TEST(SupervisorTest, HostsAreObservedFirstAlsoWithoutBackground) {
  TestRun run;
  run.spec.baseline_s = 0.5;
  run.Script("worker", "true");
  ASSERT_TRUE(run.Start().ok());
  ASSERT_TRUE(run.WaitForEnd());
  EXPECT_EQ(run.States(), "starting running finished");
  const auto settled = run.Events("background.settled");
  const auto started = run.Events("rank.started");
  ASSERT_EQ(settled.size(), 1U);
  ASSERT_EQ(started.size(), 1U);
  EXPECT_GE(started[0].at("at").get<double>() - settled[0].at("at").get<double>(), 0.45);
}

TEST(SupervisorTest, BackgroundThatEndsOrSaysNothingFailsTheRun) {
  const auto reason = [](const std::string& script, bool reports) {
    TestRun run;
    ProcessSpec& load = run.Script("background", script);
    load.title = "sift on h0";
    load.settle_s = reports ? 0.4 : 0;
    load.reports = reports;
    run.Script("worker", "sleep 100");
    EXPECT_TRUE(run.Start().ok());
    EXPECT_TRUE(run.WaitForEnd());
    EXPECT_THAT(run.States(), HasSubstr("failed"));
    EXPECT_THAT(run.Remains(), IsEmpty());
    return run.Reason();
  };
  EXPECT_EQ(reason("echo no camera; exit 3", false), "sift on h0 ended with code 3: no camera");
  EXPECT_EQ(reason("sleep 2.5", false), "sift on h0 ended with code 0, before the training did");
  EXPECT_EQ(reason("sleep 100", true), "sift on h0 has reported nothing within 0.4 s");
}

TEST(SupervisorTest, NotForEver) {
  TestRun run;
  run.spec.most_restarts = 2;
  run.Script("server", "exit 1").on_death = OnDeath::kRestart;
  run.Script("worker", "sleep 100");
  ASSERT_TRUE(run.Start().ok());
  ASSERT_TRUE(run.WaitForEnd());
  EXPECT_EQ(run.Reason(), "server 0 ended with code 1; it was started again 2 times already");
  EXPECT_EQ(run.Events("rank.ended").size(), 4U);
}

// Where the ranks of a run report, as one of them has written it into the file "url".
net::Url DoorOf(const TestRun& run) {
  const auto file = run.folder.path / "url";
  EXPECT_TRUE(support::Within(std::chrono::seconds(10), [&] { return exists(file); }));
  std::string text = base::ReadFile(file).value();
  text.pop_back();
  return net::ParseUrl(text).value();
}

TEST(SupervisorTest, TakesReportsOfThoseWhoKnowTheToken) {
  TestRun run;
  run.Script("worker",
             "echo $RECKON_STATUS_URL > url.part; mv url.part url; "
             "while ! test -e go; do sleep 0.05; done; echo in the log; exit 1");
  ASSERT_TRUE(run.Start().ok());
  const net::Url url = DoorOf(run);
  EXPECT_EQ(url.target, "/runs/7/events");
  net::HttpClient client(url.address);
  const std::string good = R"({"rank": 0, "role": "worker", "events": [
      {"kind": "metric", "at": 1.5, "name": "accuracy", "value": 0.5},
      {"kind": "error", "at": 2.5, "message": "no image in data/"}]})";
  const auto post = [&](const std::string& target, const std::string& body,
                        const std::string& token) {
    return client.Post(target, body, {{"authorization", token}}).value().status;
  };
  const std::string right = "Bearer " + run.spec.token;
  EXPECT_EQ(post(url.target, good, "Bearer wrong"), 401);
  EXPECT_EQ(post(url.target, good, right + "x"), 401);
  EXPECT_EQ(post(url.target, good, ""), 401);
  EXPECT_EQ(post("/runs/8/events", good, right), 404);
  EXPECT_EQ(post(url.target, "{}", right), 400);
  EXPECT_THAT(run.Events("metric"), IsEmpty());
  EXPECT_EQ(post(url.target, good, right), 204);
  run.temporary.Write("go", "");
  ASSERT_TRUE(run.WaitForEnd());
  const auto metrics = run.Events("metric");
  ASSERT_EQ(metrics.size(), 1U);
  EXPECT_EQ(base::DumpJsonLine(metrics[0]), R"({"kind":"metric","at":1.5,"name":"accuracy",)"
                                            R"("value":0.5,"role":"worker","index":0})");
  EXPECT_EQ(run.Reason(), "worker 0 ended with code 1: no image in data/");
}

TEST(SupervisorTest, WhoToldFirstIsTheReason) {
  TestRun run;
  run.Script("worker", "echo $RECKON_STATUS_URL > url.part; mv url.part url; sleep 100");
  run.Script("worker", "while ! test -e go; do sleep 0.05; done; exit 1").index = 1;
  ASSERT_TRUE(run.Start().ok());
  const net::Url url = DoorOf(run);
  const std::string told = R"({"rank": 0, "role": "worker", "events": [
      {"kind": "error", "at": 2.5, "message": "its server hangs"}]})";
  net::HttpClient client(url.address);
  const auto answer =
      client.Post(url.target, told, {{"authorization", "Bearer " + run.spec.token}});
  ASSERT_EQ(answer.value().status, 204);
  ASSERT_TRUE(base::WriteFile(run.folder.path / "go", "").ok());
  ASSERT_TRUE(run.WaitForEnd());
  EXPECT_EQ(run.Reason(), "worker 0: its server hangs");
}

TEST(SupervisorTest, OneAtATimeAndReasonsForNone) {
  TestRun run;
  run.Script("worker", "sleep 100");
  EXPECT_FALSE(SupervisorLives(run.folder).value());
  ASSERT_TRUE(run.Start().ok());
  EXPECT_TRUE(SupervisorLives(run.folder).value());
  EXPECT_EQ(run.Start().error().code(), base::ErrorCode::kUnavailable);
  EXPECT_EQ(RunLock::Take(run.folder).error().code(), base::ErrorCode::kUnavailable);
  TestRun wrong;
  EXPECT_THAT(wrong.Start().error().Describe(), HasSubstr("processes is not a list with a worker"));
  EXPECT_THAT(StartSupervisor("/no/program", wrong.folder).error().Describe(),
              HasSubstr("cannot start /no/program: No such file"));
}

}  // namespace
}  // namespace reckon::act
