// The memory consistency model of PTX: which executions it allows.
//
// Definitions and axioms are those of the PTX ISA's chapter "Memory Consistency Model", with its names. Where
// its sentences leave room, this follows the authors' formalisation: D. Lustig, S. Sahasrabuddhe, O. Giroux,
// "A Formal Analysis of the NVIDIA PTX Memory Consistency Model", ASPLOS 2019; for proxies D. Lustig,
// S. Cooksey, O. Giroux, "Mixed-Proxy Extensions for the NVIDIA PTX Memory Consistency Model", ISCA 2022.
#pragma once

#include "simulator/litmus/model/execution.h"

namespace sim::litmus {

/// In the order of the PTX ISA.
enum class Axiom : std::uint8_t {
  coherence,
  fence_sc,
  atomicity,
  no_thin_air,
  sc_per_location,
  causality,
};
inline constexpr int kAxioms = 6;

/// A set of axioms, as bits.
using Axioms = unsigned;
constexpr Axioms bit(Axiom axiom) { return 1u << unsigned(axiom); }

/// What the events say by themselves, before anybody chooses what reads return.
struct Structure {
  Structure(const std::vector<Event>& events, const std::vector<Place>& places);

  EventSet all = 0, reads = 0, writes = 0, initial = 0;
  Relation program_order;
  Relation same_location;    ///< of two operations on memory: all bytes are the same or none is
  Relation morally_strong;   ///< symmetric
  Relation dependency;       ///< of reads
  Relation release_pattern;  ///< from the first operation of a release pattern to its write
  Relation acquire_pattern;  ///< from the read of an acquire pattern to its last operation
  Relation atomics;          ///< from an atomic's read to its write
  Relation barriers;         ///< from arrivals to the waits that they set free
};

/// What follows from what the reads return and from the order of the fences, whatever the coherence order is.
struct Orders {
  Orders(const Structure& s, const Execution& e);

  Relation reads_from;   ///< from the write
  Relation observation;  ///< observation order
  Relation base;         ///< base causality order
  Relation causality;    ///< causality order, of operations on memory
};

/// The axioms that an execution breaks; 0: the model allows it.
Axioms broken_axioms(const Execution& e);
/// The same in two parts: those that no coherence order can mend, and the rest.
Axioms broken_before_coherence(const Structure& s, const Execution& e, const Orders& orders);
Axioms broken_by_coherence(const Structure& s, const Execution& e, const Orders& orders);

/// Conflicting operations that are neither morally strong nor ordered by causality, each pair once. The
/// coherence order leaves two such writes unrelated.
Relation data_races(const Structure& s, const Orders& orders);

}  // namespace sim::litmus
