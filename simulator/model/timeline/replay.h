// Runs the recorded steps of the blocks of one SM side by side.
#pragma once

#include <array>
#include <map>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "simulator/model/timeline/clocks.h"
#include "simulator/report/timeline.h"

namespace sim::model {

/// Something that serves one request after the other.
class Server {
 public:
  /// @return when a request that comes @p now has been served
  double serve(double now, double clocks) { return free_ = std::max(now, free_) + clocks; }

 private:
  double free_ = 0;
};

class Replay {
 public:
  /// @param clusters  copies of the recorded one that run beside each other, each block of it on an SM of its
  /// own
  Replay(const exec::ClusterRecording& recording, const StepClocks& clocks, std::uint32_t clusters);
  Timeline run();

 private:
  struct Multiprocessor {
    Server loads, stores;
    std::array<Server, kPartitions> tensor_cores;
  };

  /// A barrier of one cluster.
  struct Barrier {
    struct Phase {
      std::size_t missing = 0;  ///< arrivals and copies that count in it and have not come
      double latest = 0;        ///< moment of the latest that has
    };
    std::vector<Phase> phases;
    std::vector<double> ends;          ///< of those that have ended
    std::vector<std::size_t> waiting;  ///< actors
  };

  /// What a warp has started on one unit.
  struct Groups {
    std::vector<double> ends;  ///< of closed groups, none before the one before it
    double open_end = 0;       ///< of what the open one has
    double open_begin = -1;    ///< below 0: it has nothing that is still to be drawn
    std::uint32_t offset = 0;  ///< where its first copy goes
    std::uint32_t line = 0;
  };

  /// A warp.
  struct Actor {
    const std::vector<exec::Step>* steps = nullptr;
    std::size_t cluster = 0;
    std::uint32_t rank = 0, warp = 0;
    std::size_t next = 0;
    bool worked = false;       ///< the next step's work is done
    bool let_through = false;  ///< the next wait, although its phase has not ended
    double now = 0;
    double waits_since = -1;  ///< below 0: it does not wait
    std::array<Groups, exec::kAsyncUnits> groups;
    std::map<std::uint32_t, std::int32_t> stages;  ///< of cp.async, by the place that a group begins at
  };

  void advance(std::size_t actor);
  bool take(Actor& a, const exec::Step& s, std::size_t actor);
  void load(Actor& a, const exec::Step& s);
  void start(Actor& a, const exec::Step& s);
  void commit(Actor& a, const exec::Step& s);
  void wait_group(Actor& a, const exec::Step& s);
  void arrive_behind(Actor& a, const exec::Step& s);
  void multiply(Actor& a, const exec::Step& s);
  bool wait(Actor& a, const exec::Step& s, std::size_t actor);
  void contribute(std::size_t cluster, const exec::Step& s, double when);
  bool release_one();

  bool shown(const Actor& a) const { return a.cluster == 0 && a.rank == recording_.rank; }
  void add(const Actor& a, TimelineSpan::Kind kind, double begin, double end, std::uint32_t line,
           std::int32_t stage = -1);
  std::int32_t stage_named(const std::string& name);
  std::int32_t stage_of(const exec::RecordedBarrier& b);

  const exec::ClusterRecording& recording_;
  const StepClocks& clocks_;
  std::vector<Multiprocessor> sms_;             ///< by rank in the cluster
  std::vector<std::vector<Barrier>> barriers_;  ///< by cluster
  std::vector<Actor> actors_;
  using Moment = std::pair<double, std::size_t>;  ///< and actor
  std::priority_queue<Moment, std::vector<Moment>, std::greater<>> ready_;
  Timeline out_;
};

}  // namespace sim::model
