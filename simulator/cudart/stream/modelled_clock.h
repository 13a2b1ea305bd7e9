// The modelled clock: when the host, the streams and the engines of the device are
// busy. Nanoseconds since start.
#pragma once

#include <array>
#include <deque>
#include <vector>

namespace sim::cudart {

/// What a stream's operation needs besides its stream.
enum class Engine { none, to_device, to_host, compute };

/// The time line of one stream.
struct Timeline {
  double ready = 0;      ///< when all work given to it so far is done
  bool blocking = true;  ///< waits for the legacy default stream, and that one for it
};

/// Work is executed when it is submitted; this says when a GPU would have done it. Copies of one direction
/// share an engine; kernels run at the same time while together they fill no more than the GPU.
class ModelledClock {
 public:
  /// @param legacy the default stream
  /// @param host    the host's time, which all devices share
  ModelledClock(Timeline& legacy, double& host) : host_(host), legacy_(legacy) { add(&legacy); }
  ModelledClock(const ModelledClock&) = delete;

  double host() const { return host_; }
  void host_spends(double ns) { host_ += ns; }
  void host_waits_until(double ns) { host_ = ns > host_ ? ns : host_; }

  void add(Timeline* stream) { streams_.push_back(stream); }
  void remove(Timeline* stream);

  /// Puts an operation on a stream.
  /// @param demand share of the GPU's compute that it fills, 0 to 1; of interest for Engine::compute only
  /// @return when it ends
  double run(Timeline& stream, Engine engine, double duration_ns, double demand = 1);
  /// When work given to a stream now could start, by the streams it must wait for.
  double earliest(const Timeline& stream) const;
  /// When everything given to the device is done.
  double all_done() const;

 private:
  double fits_from(double start, double demand);

  double& host_;
  double removed_done_ = 0;  ///< the latest end of work on streams destroyed since
  Timeline& legacy_;
  std::vector<Timeline*> streams_;
  std::array<double, 2> copy_engine_free_{};
  struct Running {
    double start, end, demand;
  };
  std::deque<Running>::iterator ends_after(double moment);  ///< the first that does
  std::deque<Running> running_;  ///< by end: a program may be many thousand launches ahead of the GPU
};

}  // namespace sim::cudart
