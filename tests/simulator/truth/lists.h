// What the lists of cases are written with.
#pragma once

#include "tests/simulator/truth/cases.h"

namespace sim::truth {

using Kinds = std::vector<Kind>;

/// "name %d0, %a0, %a1, ...;"
inline std::string plain_body(const std::string& name, std::size_t sources, const std::string& tail = "") {
  std::string body = name + " %d0";
  for (std::size_t k = 0; k < sources; ++k) body += ", %a" + std::to_string(k);
  return body + tail + ";";
}

/// Every form of a pattern, with one result and register operands only.
inline void add(std::vector<Case>& all, const std::string& pattern, Kind out, const Kinds& in, int rows = 96,
                double relative = 0, double absolute = 0) {
  for (const std::string& name : expand(pattern))
    all.push_back({name, plain_body(name, in.size()), {out}, in, rows, relative, absolute});
}

/// Every form of a pattern that gives a predicate.
inline void add_predicate(std::vector<Case>& all, const std::string& pattern, const Kinds& in,
                          int rows = 96) {
  for (const std::string& name : expand(pattern)) {
    std::string body = name + " %p0";
    for (std::size_t k = 0; k < in.size(); ++k) body += ", %a" + std::to_string(k);
    all.push_back({name, body + "; selp.u32 %d0, 1, 0, %p0;", {Kind::b32}, in, rows});
  }
}

/// A case with a body of its own.
inline void add_body(std::vector<Case>& all, const std::string& name, const std::string& body,
                     const Kinds& out, const Kinds& in, int rows = 64) {
  all.push_back({name, body, out, in, rows});
}

/// Rows for functions whose whole range matters.
inline constexpr int kMany = 512;

#define TRUTH_FLOAT_COMPARE "(.eq,.ne,.lt,.le,.gt,.ge,.equ,.neu,.ltu,.leu,.gtu,.geu,.num,.nan)"

}  // namespace sim::truth
