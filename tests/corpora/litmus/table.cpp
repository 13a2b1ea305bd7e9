// The states that the model allows, beside how often a GPU was left in them.
#include <cstdio>

#include "tests/corpora/litmus/corpus.h"

using namespace litmus_corpus;

int main() {
  const Recording recording = read_recording(LITMUS_CORPUS);
  std::printf("%s, %s\n\n| shape | %-20s | model | seen |\n|---|---|---|---|\n", recording.gpu.c_str(),
              recording.date.c_str(), "state");
  for (const Shape& shape : read_shapes(LITMUS_CORPUS)) {
    const auto counts = recording.counts(shape);
    std::set<State> all = shape.allowed;
    for (const auto& [state, axiom] : shape.forbidden) all.insert(state);
    for (const auto& [state, count] : counts) all.insert(state);
    for (const State& state : all) {
      const bool allowed = shape.allowed.contains(state);
      const auto seen = counts.find(state);
      std::printf("| %s | %s | %s | %s |\n", shape.name.c_str(), state.c_str(),
                  allowed ? "allowed" : "forbidden",
                  seen != counts.end() ? std::to_string(seen->second).c_str()
                  : counts.empty()     ? "-"
                                       : "0");
    }
  }
}
