// The litmus tests of this folder: what each is expected to allow, and what `ladder litmus` says of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simulator/report/litmus_record.h"

namespace litmus_corpus {

/// Values of some locations, as in the table: "1 0".
using State = std::string;

/// One SHAPE of a file. Comments before it say which locations its table is about, which states they may be
/// left in ("any of 0 1": any combination of these values that is not forbidden), and by which axiom others
/// are forbidden: `*` by any.
struct Shape {
  std::string file, name;
  std::string architecture;  ///< that the file needs, such as "90"; mostly empty
  std::vector<std::string> locations;
  std::set<State> allowed;
  std::map<State, std::string> forbidden;
};

/// All shapes of a folder, by file and by place in it.
/// @throws std::runtime_error naming the shape, where its table is incomplete
std::vector<Shape> read_shapes(const std::filesystem::path& folder);

/// Runs `ladder litmus` on a file. @throws std::runtime_error where it leaves no record
sim::LitmusRecord explore(const std::filesystem::path& ladder, const std::filesystem::path& file,
                          const std::vector<std::string>& options);
/// The same on a shape.
sim::LitmusRecord explore(const std::filesystem::path& ladder, const std::filesystem::path& folder,
                          const Shape& shape);

/// The states of the shape's locations that some execution leaves, and those that none may, with the axioms.
struct Found {
  std::set<State> allowed;
  std::map<State, std::set<std::string>> forbidden;
};
Found states(const Shape& shape, const sim::LitmusRecord& record);

/// What a stress run on a GPU was left in.
class Recording {
 public:
  std::string date, gpu;
  /// How often each state of a shape's locations was seen; empty where the shape was not run.
  std::map<State, std::uint64_t> counts(const Shape& shape) const;

 private:
  friend Recording read_recording(const std::filesystem::path& folder);
  using Values = std::map<std::string, std::string>;                             ///< by location
  std::map<std::string, std::vector<std::pair<Values, std::uint64_t>>> states_;  ///< by shape
};

/// That of recorded.json.
Recording read_recording(const std::filesystem::path& folder);

}  // namespace litmus_corpus
