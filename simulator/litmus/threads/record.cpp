#include "simulator/litmus/threads/record.h"

#include <fmt/format.h>

#include <algorithm>

#include "simulator/decode/program.h"
#include "simulator/engine/grid/selection.h"
#include "simulator/litmus/explore.h"
#include "simulator/litmus/threads/thread_recorder.h"

namespace sim::litmus {
namespace {

constexpr std::uint64_t kInstructions = 100'000;  ///< of one run of a thread, before it counts as endless

/// The next script in depth-first order. @return whether there is one
bool advance(ThreadRecorder::Script& script) {
  while (!script.empty() && script.back().chosen + 1 >= script.back().among) script.pop_back();
  if (script.empty()) return false;
  ++script.back().chosen;
  return true;
}

/// Whether nobody can tell that the thread has run.
bool is_idle(const Trace& t) {
  return t.failure.empty() &&
         std::none_of(t.events.begin(), t.events.end(), [](const Event& e) { return e.in_memory(); });
}

class Recording {
 public:
  Recording(const exec::LoadedModule::Program& kernel, const exec::Launch& what, memory::AddressSpace& space,
            const RecordLimits& limits)
      : kernel_(kernel), what_(what), space_(space), limits_(limits) {
    what_.host_threads = 1;
    what_.schedule_seed = 0;
    what_.instruction_limit = kInstructions;
    what_.may_wait = what_.trace = false;
  }

  /// A value that one thread writes may make others write more: again and again, until nobody does. No value
  /// takes more rounds than there are writes in an execution.
  Program run() {
    if (what_.cooperative) throw Unexplorable("a cooperative launch, whose blocks meet at grid.sync()");
    const auto per_block = std::uint64_t(what_.block[0]) * what_.block[1] * what_.block[2];
    const auto blocks = std::uint64_t(what_.grid[0]) * what_.grid[1] * what_.grid[2];
    if (blocks * per_block > std::uint64_t(limits_.launched))
      throw TooMuch(
          fmt::format("a launch of {} threads; at most {} can be explored, of which {} touch memory "
                      "that some thread writes",
                      blocks * per_block, limits_.launched, limits_.threads));
    for (int round = 0; round <= kMostEvents; ++round) {
      const std::size_t before = values_.count();
      program_ = {};
      traces_ = 0;
      for (std::uint64_t block = 0; block < blocks; ++block)
        for (unsigned thread = 0; thread < per_block; ++thread) record(block, thread);
      if (values_.count() == before || round >= most_writes()) break;
    }
    leave_out_what_nobody_writes();
    return std::move(program_);
  }

 private:
  void record(std::uint64_t block, unsigned block_thread) {
    Thread thread{.place = {block, 0}, .block_thread = block_thread, .traces = {}};
    ThreadRecorder::Script script;
    do {
      if (++traces_ > limits_.traces)
        throw TooMuch(fmt::format("more than {} ways to run the threads by themselves", limits_.traces));
      for (ThreadRecorder::Choice& choice : script) choice.among = std::max(choice.among, choice.chosen + 1);
      ThreadRecorder recorder(*kernel_.code, block, block_thread, values_, statements_, limits_, script);
      run_once(block, recorder);
      thread.place.cluster = recorder.cluster;
      if (recorder.end == ThreadRecorder::End::stopped) std::rethrow_exception(recorder.why);
      if (recorder.end == ThreadRecorder::End::given_up)
        ++program_.given_up;
      else
        thread.traces.push_back(std::move(recorder.trace));
    } while (advance(script));
    const bool idle = std::all_of(thread.traces.begin(), thread.traces.end(), is_idle);
    if (!idle || thread.traces.empty()) program_.threads.push_back(std::move(thread));
  }

  void run_once(std::uint64_t block, ThreadRecorder& recorder) {
    exec::Launch watched = what_;
    watched.observer = &recorder;
    const std::uint64_t chosen[] = {block};
    const exec::ScopedBlockSelection alone({.chosen = chosen});
    try {
      exec::launch(kernel_, watched, space_);
    } catch (const exec::Fault& fault) {
      if (recorder.end != ThreadRecorder::End::ended) return;
      const Finding& f = fault.finding;
      if (f.kind == FindingKind::unsupported || f.kind == FindingKind::launch)
        throw Unexplorable(fault.what());
      recorder.trace.failure = fmt::format("line {}: {}", f.line, fault.what());
    }
  }

  /// In one execution, as far as is known: a thread that has not come to its end yet may write more.
  int most_writes() const {
    int all = 0;
    for (const Thread& thread : program_.threads) {
      if (thread.traces.empty()) return kMostEvents;
      long most = 0;
      for (const Trace& t : thread.traces)
        most = std::max(most, long(std::count_if(t.events.begin(), t.events.end(),
                                                 [](const Event& e) { return e.writes(); })));
      all += int(most);
    }
    return all;
  }

  /// Reads of what keeps its first value tell nothing, and need not be looked at.
  void leave_out_what_nobody_writes() {
    for (Thread& thread : program_.threads)
      for (Trace& trace : thread.traces) leave_out(trace);
    std::erase_if(program_.threads, [](const Thread& thread) {
      return !thread.traces.empty() && std::all_of(thread.traces.begin(), thread.traces.end(), is_idle);
    });
    if (int(program_.threads.size()) > limits_.threads)
      throw TooMuch(
          fmt::format("more than {} threads that touch memory which some thread writes", limits_.threads));
    for (const Location& l : values_.locations())
      if (l.written && l.read_only)
        throw Unexplorable(
            "a thread reads by ld.global.nc what another one writes: the model does not cover the read-only "
            "path");
    program_.locations = values_.locations();
    program_.statements = statements_;
  }

  void leave_out(Trace& trace) {
    std::vector<int> place(trace.events.size(), -1);
    std::vector<Event> kept;
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
      const Event& e = trace.events[i];
      if (e.in_memory() && !values_[e.location].written) continue;
      place[i] = int(kept.size());
      kept.push_back(e);
    }
    for (Event& e : kept) {
      if (e.rmw >= 0) e.rmw = place[std::size_t(e.rmw)];
      EventSet depends = 0;
      for_each(e.depends, [&](int i) {
        if (place[std::size_t(i)] >= 0) depends |= only(place[std::size_t(i)]);
      });
      e.depends = depends;
    }
    trace.events = std::move(kept);
  }

  const exec::LoadedModule::Program& kernel_;
  exec::Launch what_;
  memory::AddressSpace& space_;
  const RecordLimits& limits_;
  MemoryValues values_;
  std::vector<Statement> statements_;
  Program program_;
  std::size_t traces_ = 0;
};

}  // namespace

Program record_threads(const exec::LoadedModule::Program& kernel, const exec::Launch& what,
                       memory::AddressSpace& space, const RecordLimits& limits) {
  return Recording(kernel, what, space, limits).run();
}

}  // namespace sim::litmus
