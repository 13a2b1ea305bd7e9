// What is drawn from the secret seed, so that whoever sees some of it learns nothing of the rest.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ladder {

/// The seed of a run. A rung's process sees much that follows from it: inputs, guard
/// bands, the order of blocks. By none of that may it find the seed, from which the
/// hidden cases follow, and the inputs of all others: each is derived by SHA-256,
/// and trying all seeds is made dear by deriving a key first in many steps.
class Secret {
 public:
  /// @param scope  two scopes with one seed have nothing in common: a lesson's name
  Secret(std::uint64_t seed, std::string_view scope);

  /// A number for one purpose, independent of those for others: the same seed gives the same one.
  /// @param purpose  "values", "guard", ...
  /// @param which    a case, or whatever else there are several of
  std::uint64_t number(std::string_view purpose, std::string_view which = {}) const;

 private:
  std::string key_;
};

}  // namespace ladder
