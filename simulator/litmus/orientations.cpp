#include "simulator/litmus/orientations.h"

#include <utility>

namespace sim::litmus {

std::vector<Relation> orientations(const Relation& pairs, std::size_t most) {
  std::vector<Relation> orders{Relation{}};
  for (int a = 0; a < kMostEvents; ++a)
    for_each(pairs[a], [&](int b) {
      if (b <= a) return;
      std::vector<Relation> longer;
      for (const Relation& order : orders) {
        for (const auto& [first, second] : {std::pair(a, b), std::pair(b, a)}) {
          if (order.holds(second, first) || longer.size() > most) continue;
          Relation next = order;
          next.add(first, second);
          longer.push_back(next.closure());
        }
      }
      orders = std::move(longer);
    });
  return orders;
}

}  // namespace sim::litmus
