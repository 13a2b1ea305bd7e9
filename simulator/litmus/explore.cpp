#include "simulator/litmus/explore.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "simulator/litmus/orientations.h"

namespace sim::litmus {
namespace {

constexpr std::size_t kMostOrders = 1 << 14;  ///< of the writes, and of the fences, of one combination

/// The executions of one combination of traces.
class Combination {
 public:
  Combination(const Program& program, const std::vector<const Trace*>& traces) : program_(program) {
    put_together(traces);
  }
  /// Calls @p visit(structure, orders, execution, broken) with each candidate.
  template <class Visit>
  void each_candidate(Visit visit) {
    std::vector<std::vector<int>> sources;
    for (int i = 0; i < int(execution_.events.size()); ++i) {
      if (!event(i).reads()) continue;
      reads_.push_back(i);
      sources.push_back(sources_of(i));
      if (sources.back().empty()) return;
    }
    const Structure structure(execution_.events, execution_.places);
    EventSet fences = 0;
    for (int i = 0; i < int(execution_.events.size()); ++i)
      if (event(i).fences() && event(i).sc) fences |= only(i);
    const auto writes = structure.writes & ~structure.initial;
    const auto fence_orders = free_orders(structure.morally_strong.between(fences, fences));
    const auto write_orders =
        free_orders(structure.morally_strong.between(writes, writes) & structure.same_location);
    execution_.reads_from.assign(execution_.events.size(), -1);
    choose(sources, 0, [&] {
      for (const Relation& fence_order : fence_orders) {
        execution_.fence_sc = fence_order;
        const Orders orders(structure, execution_);
        const Axioms before = broken_before_coherence(structure, execution_, orders);
        const Relation demanded = orders.causality.between(structure.writes, structure.writes);
        for (const Relation& write_order : write_orders) {
          execution_.coherence = (write_order | demanded).closure();
          if (!execution_.coherence.irreflexive())  // what was chosen contradicts causality
            execution_.coherence =
                (write_order | demanded.between(structure.initial, structure.writes)).closure();
          visit(structure, orders, execution_, before | broken_by_coherence(structure, execution_, orders));
        }
      }
    });
  }

 private:
  const Event& event(int i) const { return execution_.events[std::size_t(i)]; }

  /// The first writes of the locations, then the threads one after another.
  void put_together(const std::vector<const Trace*>& traces) {
    auto& events = execution_.events;
    for (int location = 0; location < int(program_.locations.size()); ++location) {
      const bool touched = std::any_of(traces.begin(), traces.end(), [&](const Trace* trace) {
        return std::any_of(trace->events.begin(), trace->events.end(),
                           [&](const Event& e) { return e.location == location; });
      });
      if (!touched) continue;
      Event first{.kind = Event::Kind::write, .location = location};
      first.value = program_.locations[std::size_t(location)].initial;
      events.push_back(first);
    }
    for (std::size_t thread = 0; thread < traces.size(); ++thread) {
      execution_.places.push_back(program_.threads[thread].place);
      const int before = int(events.size());
      for (Event e : traces[thread]->events) {
        e.thread = int(thread);
        if (e.rmw >= 0) e.rmw += before;
        e.depends = before < kMostEvents ? e.depends << before : 0;
        events.push_back(e);
      }
    }
    if (events.size() > std::size_t(kMostEvents))
      throw TooMuch("more than " + std::to_string(kMostEvents) + " operations on memory in one execution");
  }

  std::vector<int> sources_of(int read) const {
    std::vector<int> found;
    for (int w = 0; w < int(execution_.events.size()); ++w)
      if (event(w).writes() && event(w).location == event(read).location &&
          event(w).value == event(read).value && w != event(read).rmw)
        found.push_back(w);
    return found;
  }

  static std::vector<Relation> free_orders(const Relation& pairs) {
    std::vector<Relation> orders = orientations(pairs, kMostOrders);
    if (orders.size() > kMostOrders) throw TooMuch("too many orders of strong writes or of fences");
    return orders;
  }

  template <class Then>
  void choose(const std::vector<std::vector<int>>& sources, std::size_t nth, const Then& then) {
    if (nth == reads_.size()) return then();
    for (const int source : sources[nth]) {
      execution_.reads_from[std::size_t(reads_[nth])] = source;
      choose(sources, nth + 1, then);
    }
  }

  const Program& program_;
  Execution execution_;
  std::vector<int> reads_;
};

/// Gathers outcomes of all combinations.
class Search {
 public:
  Search(const Program& program, std::uint64_t most) : program_(program), most_(most) {}

  Exploration run() {
    std::vector<const Trace*> chosen;
    combine(chosen);
    for (auto& [key, outcome] : outcomes_) found_.outcomes.push_back(std::move(outcome));
    return std::move(found_);
  }

 private:
  void combine(std::vector<const Trace*>& chosen) {
    if (chosen.size() < program_.threads.size()) {
      for (const Trace& trace : program_.threads[chosen.size()].traces) {
        chosen.push_back(&trace);
        combine(chosen);
        chosen.pop_back();
      }
      return;
    }
    if (++combinations_ > most_)
      throw TooMuch("more than " + std::to_string(most_) + " ways to run the threads");
    std::string failure;
    for (const Trace* trace : chosen)
      if (failure.empty()) failure = trace->failure;
    Combination(program_, chosen)
        .each_candidate([&](const Structure& s, const Orders& orders, const Execution& e, Axioms broken) {
          if (++found_.candidates > most_)
            throw TooMuch("more than " + std::to_string(most_) + " candidate executions");
          if (broken == 0) note_races(s, orders, e);
          note(s, e, broken, failure);
        });
  }

  /// Each final state: of writes that no other one follows in coherence order, any may be the last.
  void note(const Structure& s, const Execution& e, Axioms broken, const std::string& failure) {
    std::vector<std::vector<std::uint64_t>> states(1);
    for (std::size_t l = 0; l < program_.locations.size(); ++l) {
      const std::vector<std::uint64_t> last = last_values(s, e, int(l));
      std::vector<std::vector<std::uint64_t>> longer;
      for (const auto& state : states)
        for (const std::uint64_t value : last) {
          longer.push_back(state);
          longer.back().push_back(value);
        }
      states = std::move(longer);
    }
    for (auto& state : states) {
      Outcome& outcome = outcomes_[{failure, state}];
      const bool first = outcome.allowed + outcome.forbidden == 0;
      if (broken == 0 ? outcome.allowed == 0
                      : first || (outcome.allowed == 0 && less_broken(broken, outcome.broken))) {
        outcome.example = e;
        outcome.broken = broken;
        outcome.memory = state;
        outcome.failure = failure;
      }
      ++(broken == 0 ? outcome.allowed : outcome.forbidden);
    }
  }

  std::vector<std::uint64_t> last_values(const Structure& s, const Execution& e, int location) const {
    const Location& l = program_.locations[std::size_t(location)];
    std::set<std::uint64_t> values;
    if (!l.shared)
      for_each(s.writes, [&](int w) {
        const Event& write = e.events[std::size_t(w)];
        if (write.location == location && (e.coherence[w] & ~only(w)) == 0) values.insert(write.value);
      });
    if (values.empty()) values.insert(l.initial);
    return {values.begin(), values.end()};
  }

  void note_races(const Structure& s, const Orders& orders, const Execution& e) {
    const Relation races = data_races(s, orders);
    for_each(s.all, [&](int a) {
      for_each(races[a], [&](int b) {
        const Event &one = e.events[std::size_t(a)], &other = e.events[std::size_t(b)];
        found_.races.insert({one.location, std::min(one.statement, other.statement),
                             std::max(one.statement, other.statement)});
      });
    });
  }

  static bool less_broken(Axioms a, Axioms b) {
    return std::pair(std::popcount(a), a) < std::pair(std::popcount(b), b);
  }

  const Program& program_;
  const std::uint64_t most_;
  std::uint64_t combinations_ = 0;
  Exploration found_;
  std::map<std::pair<std::string, std::vector<std::uint64_t>>, Outcome> outcomes_;
};

}  // namespace

Exploration explore(const Program& program, std::uint64_t most_candidates) {
  return Search(program, most_candidates).run();
}

}  // namespace sim::litmus
