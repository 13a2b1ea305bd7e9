// Metrics that are about accesses, with the line that they are about.
#pragma once

#include <cstdint>

#include "grader/idea/figures.h"

namespace ladder::idea {

inline double number(std::uint64_t count) { return static_cast<double>(count); }
/// 0 where there is nothing to divide by.
inline double over(double amount, double of) { return of > 0 ? amount / of : 0; }

/// Bytes a lane asks for on average; the line is the one with most requests for less than 16.
Value width(const Figures& f, sim::MemorySpace space, sim::AccessKind kind);

/// Cost over the least possible of the line whose accesses are worst; of those lines that have a twentieth of
/// what all cost.
Value excess(const Figures& f, sim::MemorySpace space, sim::AccessKind kind);

/// A value, with the line that has most requests of a kind.
Value at_busiest(const Figures& f, double value, sim::MemorySpace space, sim::AccessKind kind);

/// Lanes at work, with the line that loses most of them.
Value lanes(const Figures& f);

}  // namespace ladder::idea
