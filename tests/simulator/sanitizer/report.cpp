// Findings as data: operands survive the way through JSON, and what is alike is folded.
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "simulator/report/fold.h"
#include "simulator/report/json.h"
#include "simulator/report/wording/words.h"

using namespace sim;

namespace {

Finding saying(Message message) {
  Finding finding;
  finding.kind = FindingKind::memcpy;
  finding.message = std::move(message);
  return finding;
}

}  // namespace

TEST_CASE("a message's operands come through JSON as they were") {
  AllocationName memory{.origin = "cudaMalloc #3", .base = 4096, .size = 16, .host_frames = {"a.out+0x10"}};
  Finding finding = saying(Message("{}: byte {} of {}, which {} ({}) frees at {}", ApiCall{"cudaMemcpy"}, -2,
                                   memory, std::string("somebody"), OtherThread{}, OtherLine{}));
  finding.other = OtherParty{sim::AccessKind::write, 9, {}, {1, 0, 0}, {}, {}};
  finding.null_pointer = true;
  const nlohmann::json json = finding;
  CHECK(json.at("message") ==
        "cudaMemcpy: byte -2 of cudaMalloc #3, which somebody ((1,0,0)) frees at line 9.");
  const auto read = json.get<Finding>();
  CHECK(nlohmann::json(read) == json);
  CHECK(first_operand<ApiCall>(read.message)->name == "cudaMemcpy");
  CHECK(first_operand<AllocationName>(read.message)->host_frames == memory.host_frames);
  CHECK(first_operand<OtherThread>(read.message) != nullptr);
  CHECK(read.null_pointer);
}

TEST_CASE("a message of words alone is its sentence") {
  const nlohmann::json json = saying("It is so");
  CHECK(json.at("message") == "It is so.");
  CHECK_FALSE(json.contains("operands"));
  CHECK(sentence(json.get<Finding>()) == "It is so.");
  CHECK(sentence(saying("Is it so?")) == "Is it so?");
  CHECK(sentence(saying({})).empty());
}

TEST_CASE("operands that make no sense are refused") {
  for (const char* operands :
       {"[{}]", "[{\"allocation\": 1}]", "[[1]]", "[null]", "[{\"allocation\": {\"size\": \"x\"}}]"}) {
    INFO(operands);
    nlohmann::json json = saying("words");
    json["operands"] = nlohmann::json::parse(operands);
    CHECK_THROWS_AS(json.get<Finding>(), nlohmann::json::exception);
  }
}

TEST_CASE("findings without a line are alike where only numbers and buffers differ") {
  const auto refused = [](std::int64_t bytes, const char* origin, const char* what) {
    return saying(
        Message("{}: {} bytes do not fit into {}", ApiCall{what}, bytes, AllocationName{.origin = origin}));
  };
  const auto folded =
      fold({refused(8, "cudaMalloc #1", "cudaMemcpy"), refused(9, "cudaMalloc #2", "cudaMemcpy"),
            refused(9, "cudaMalloc #2", "cudaMemset"), refused(9, "cudaMallocHost #4", "cudaMemset")});
  REQUIRE(folded.size() == 3);
  CHECK(folded[0].count == 2);
  CHECK(sentence(folded[0]).find("8 bytes") != std::string::npos);
}

TEST_CASE("every cure has a text of its own, by which it comes through JSON with its operands") {
  for (int i = 0; i <= Cure::give_back_in_function; ++i) {
    INFO(i);
    Finding finding = saying("words");
    finding.cure = Cure::Kind(i);
    const std::string places = to_string(finding.cure);
    for (std::size_t at = places.find("%s"); at != std::string::npos; at = places.find("%s", at + 2))
      finding.cure.operands.push_back("operand " + std::to_string(at));
    const nlohmann::json json = finding;
    CHECK(json.contains("cure") == (i != Cure::none));
    const Cure read = json.get<Finding>().cure;
    CHECK(read.kind == finding.cure.kind);
    CHECK(read.operands == finding.cure.operands);
    CHECK(to_string(read).find("%s") == std::string::npos);
  }
  CHECK(cure_named("whatever somebody says").kind == Cure::none);
}

TEST_CASE("the cure is told with the words that say what it is, and its operands in their places") {
  Finding finding = saying("words");
  CHECK(finding_cure(finding).empty());
  finding.cure = {Cure::enable_peer_access, {"1", "0"}};
  CHECK(finding_cure(finding) == "Usual cure: cudaDeviceEnablePeerAccess(1, 0) on device 0.");
}
