// Orders that an execution may choose freely: all ways to order pairs of events.
#pragma once

#include <cstddef>
#include <vector>

#include "simulator/litmus/model/relation.h"

namespace sim::litmus {

/// All transitive orders in which one event of each pair comes before the other.
/// @param pairs  symmetric
/// @param most   how many orders; more are not returned than one beyond it
std::vector<Relation> orientations(const Relation& pairs, std::size_t most);

}  // namespace sim::litmus
