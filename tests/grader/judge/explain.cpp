// The words of what goes wrong before values are compared.
#include "grader/judge/explain/explain.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

using namespace ladder;

namespace {

/// As the judge gets it from a worker that did not look at a launch's error.
WorkerReply reply_with(const sim::Finding& finding) {
  WorkerReply reply;
  reply.findings = {finding};
  reply.left_behind = {9, "cudaErrorInvalidConfiguration", "invalid configuration argument"};
  return nlohmann::json(reply).get<WorkerReply>();
}

}  // namespace

TEST_CASE("the headline of a refused launch says what was refused, and its detail also why") {
  sim::Finding finding;
  finding.kind = sim::FindingKind::launch;
  finding.claim = sim::Message("k cannot be launched with {} blocks", 0);
  finding.message = sim::Message("{}: {}", finding.claim, "a grid has at least 1");
  const Explanation words = explain_reply(reply_with(finding));
  CHECK(words.outcome == Outcome::launch_failed);
  CHECK(words.headline == "launch failed: k cannot be launched with 0 blocks");
  CHECK(
      words.detail.starts_with("A grid has at least 1.\n"
                               "invalid configuration argument (cudaErrorInvalidConfiguration)."));
}

TEST_CASE("a refused launch that gives no reason apart is told whole") {
  sim::Finding finding;
  finding.kind = sim::FindingKind::launch;
  finding.message = "k asks for more shared memory than there is: 1 MiB";
  CHECK(explain_reply(reply_with(finding)).headline ==
        "launch failed: k asks for more shared memory than there is: 1 MiB.");
}

TEST_CASE("an error that the rung's function makes itself is no failed launch") {
  WorkerReply reply;
  reply.returned = {1, "cudaErrorInvalidValue", "invalid argument"};
  const Explanation words = explain_reply(reply);
  CHECK(words.outcome == Outcome::launch_failed);
  CHECK(words.headline == "your function returned an error: invalid argument (cudaErrorInvalidValue)");
  reply.returned = {9, "cudaErrorInvalidConfiguration", "invalid configuration argument"};
  CHECK(explain_reply(reply).headline.starts_with("launch failed: invalid configuration argument"));
}
