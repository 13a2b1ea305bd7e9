// What a picture of a finding shows, before it is drawn.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "simulator/lens/text.h"
#include "simulator/report/finding.h"

namespace sim::lens {

/// Somebody who does something somewhere.
struct Party {
  std::string who;   ///< "thread (1,0,0)"
  std::string what;  ///< "line 19 writes"
  std::string code;  ///< the line without what it is indented by; empty where it is not known
};

/// Two accesses to one word that nothing orders.
struct Meeting {
  Party first, second;
  std::string word;
  std::string missing;  ///< "no __syncthreads() between lines 19 and 28"; empty where no barrier would do
};

/// A place past one of the ends of an array, in one direction of it.
struct Edge {
  std::string name;         ///< "in[1][0], first index"
  std::string what;         ///< "line 7 writes 1024; the last one is 1023"
  std::int64_t index = 0;   ///< where the access goes
  std::int64_t first = 0;   ///< elements, or bytes, that there are and are shown
  std::int64_t last = -1;   ///< the last of them; less than first: there are none
  bool cut_before = false;  ///< there are more before the first
  bool cut_behind = false;  ///< and behind the last
};

/// Two threads, of which one waits where the other does not come.
struct Apart {
  Party waiting, elsewhere;
};

/// Who waits for what, and who has left: the block cannot go on.
struct Deadlock {
  struct Group {
    Party party;
    std::string wanted;  ///< "barrier 0"; empty: it waits for nothing
  };
  std::vector<Group> groups;
};

/// Somebody reads what nobody has written.
struct Unwritten {
  std::string name;
  Party reader;
};

using Scene = std::variant<std::monostate, Meeting, Edge, Apart, Deadlock, Unwritten>;

/// std::monostate where the finding tells too little for a picture.
/// @param sources  as they were when it was found
Scene scene_of(const Finding& finding, const Sources& sources = {});

}  // namespace sim::lens
