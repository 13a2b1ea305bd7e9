// What a GPU showed in a stress run, against the model.
#include <catch2/catch_test_macros.hpp>

#include "tests/corpora/litmus/corpus.h"

using namespace litmus_corpus;

TEST_CASE("no state that a GPU was seen in is forbidden by the model") {
  const Recording recording = read_recording(LITMUS_CORPUS);
  int shapes = 0, weak = 0;
  for (const Shape& shape : read_shapes(LITMUS_CORPUS)) {
    const auto counts = recording.counts(shape);
    if (counts.empty()) continue;
    ++shapes;
    std::uint64_t runs = 0;
    for (const auto& [state, count] : counts) {
      INFO(shape.name << ": " << state << " was seen " << count << " times");
      CHECK(shape.allowed.contains(state));
      runs += count;
    }
    CHECK(runs >= 1'000'000);
    weak += counts.size() > 1;
  }
  CHECK(shapes >= 55);
  CHECK(weak >= 40);  // else the run has not shaken anything
}
