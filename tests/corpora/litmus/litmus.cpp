// The classic shapes against the published model.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "tests/corpora/litmus/corpus.h"

using namespace litmus_corpus;

TEST_CASE("every shape is left in the states that the published model allows, and in no other") {
  const std::vector<Shape> shapes = read_shapes(LITMUS_CORPUS);
  CHECK(shapes.size() >= 60);
  for (const Shape& shape : shapes) {
    const sim::LitmusRecord record = explore(LADDER_BINARY, LITMUS_CORPUS, shape);
    INFO(shape.file << ": " << shape.name);
    CHECK(record.refused.empty());
    const Found found = states(shape, record);
    CHECK(found.allowed == shape.allowed);
    for (const auto& [state, axiom] : shape.forbidden) {
      INFO("forbidden: " << state << " by " << axiom);
      const auto at = found.forbidden.find(state);
      REQUIRE(at != found.forbidden.end());
      CHECK((axiom == "*" || at->second.contains(axiom)));
    }
  }
}

TEST_CASE("the program's own judgement is of each state") {
  for (const Shape& shape : read_shapes(LITMUS_CORPUS)) {
    if (shape.name != "mp_relaxed" && shape.name != "mp_release_acquire") continue;
    const sim::LitmusRecord record = explore(LADDER_BINARY, LITMUS_CORPUS, shape);
    const auto failing =
        std::count_if(record.outcomes.begin(), record.outcomes.end(), [](const sim::LitmusOutcome& o) {
          return o.verdict == sim::LitmusVerdict::fails && o.said.find("r=1,0") != std::string::npos;
        });
    CHECK(failing == 1);  // also where the model forbids it
  }
}
