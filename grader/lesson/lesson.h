// What a lesson's reference file defines: cases, inputs, expected values, and how to call the rung.
// Everything else (poison, guard bands, seeds, comparing, shrinking, timing, printing) is the harness's.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ladder {

class SharedBytes;

enum class Type { f32, f64, f16, bf16, i8, u8, i16, u16, i32, u32, i64, u64 };

/// One problem: named extents, and a variant where the contract has several functions or modes.
struct Case {
  enum class Use { check, time };
  std::vector<std::pair<std::string, std::int64_t>>
      extents;          ///< {{"rows", 33}, {"cols", 65}}; may be shrunk by the harness
  std::string variant;  ///< "sum", "max"; empty if there is one
  Use use = Use::check;
  bool blank_page = false;  ///< whether it is the blank page's, see blank_page.h; the harness sets it
  /// Extent by name. @throws std::out_of_range
  std::int64_t operator[](std::string_view name) const;
  std::string label() const;  ///< "sum, n=1023"
};

/// Uniform pseudo-random values from the case's secret seed. The n-th fill gives the same values on any
/// number of threads; large fills use all cores.
class Random {
 public:
  explicit Random(std::uint64_t seed);
  /// Fills @p out with values in [low, high]; integers include both ends.
  /// T: float, double, __half, __nv_bfloat16, or an integer of 8 to 64 bits.
  template <class T>
  void uniform(std::span<T> out, std::type_identity_t<T> low, std::type_identity_t<T> high);
  /// One 64-bit draw, for sizes and choices.
  std::uint64_t next();

 private:
  std::uint64_t state_;
};

/// A rung's answer may differ from the double reference by absolute + relative * |expected|, element-wise.
struct Tolerance {
  double absolute = 0;
  double relative = 0;
  /// Of a copy, the sign of a zero and what a NaN carries count, too, and there is no tolerance.
  bool same_bits = false;
};

/// What is moved and not computed.
inline constexpr Tolerance kSameBits = {.same_bits = true};

/// One array of the contract.
struct Buffer {
  enum class Role { input, output, inout };
  enum class Location { device, host };
  std::string name;  ///< as in the contract header
  Role role = Role::input;
  Location location = Location::device;
  Type type = Type::f32;
  std::vector<std::int64_t> shape;  ///< row-major; elements = product
  std::int64_t offset = 0;          ///< elements from a multiple of 256 bytes to its start, see offset.h
  std::span<std::byte> bytes;       ///< initial contents of inputs (owned by the Problem)
  std::vector<double> expected;     ///< of outputs, filled in by reference()
  Tolerance tolerance;
  std::shared_ptr<SharedBytes> storage;  ///< holds @ref bytes where the worker can read them; the harness's
  std::int64_t elements() const;
  std::size_t size_bytes() const;
  std::size_t offset_bytes() const;
};

/// The arrays of one case. A lesson declares them in the order of its contract; names are unique.
class Problem {
 public:
  explicit Problem(Case which);
  ~Problem();
  Problem(Problem&&) noexcept;
  const Case& which() const;
  /// Declares an input and returns its storage to fill.
  template <class T>
  std::span<T> input(std::string name, std::vector<std::int64_t> shape,
                     Buffer::Location location = Buffer::Location::device);
  /// Declares an array that the rung both reads and writes; it is restored before every run.
  template <class T>
  std::span<T> inout(std::string name, std::vector<std::int64_t> shape,
                     Buffer::Location location = Buffer::Location::device);
  /// Declares an output; it is poisoned before every run.
  template <class T>
  void output(std::string name, std::vector<std::int64_t> shape,
              Buffer::Location location = Buffer::Location::device);
  /// Notes a number that the contract's function is given beside arrays and extents, so that a failing case
  /// can be shown with all that goes into it.
  void scalar(std::string name, double value);
  const std::vector<std::pair<std::string, double>>& scalars() const;
  /// Read access to an input, for the reference.
  template <class T>
  std::span<const T> read(std::string_view name) const;
  /// Storage for the expected values of an output, in double, zeroed, and how far off a rung may be.
  /// An expected NaN wants a NaN and an expected infinity the same infinity.
  std::span<double> expect(std::string_view name, Tolerance tolerance);
  std::span<Buffer> buffers();
  std::span<const Buffer> buffers() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The arrays as the rung sees them: pointers into guarded, poisoned memory on the device (or host).
class Arguments {
 public:
  virtual ~Arguments() = default;
  template <class T>
  T* get(std::string_view name) const {
    return static_cast<T*>(pointer(name));
  }

 protected:
  virtual void* pointer(std::string_view name) const = 0;
};

/// What computes, for the peak that operations have.
enum class Unit {
  fp32,       ///< single precision, and whatever else the ordinary units do
  fp64,       ///< double precision
  tensor,     ///< half precision on tensor cores, by wmma
  warpgroup,  ///< 16 bits on tensor cores, by wgmma: compute capability 9.0
};

/// Useful work of one case, for bandwidth and speed of light. Bytes as the contract defines them, not as a
/// rung moves them.
struct Work {
  double bytes_read = 0;
  double bytes_written = 0;
  double flops = 0;
  Unit unit = Unit::fp32;  ///< of the flops
};

/// What a time covers.
enum class TimingScope {
  device,      ///< CUDA events around launch(): kernels only
  end_to_end,  ///< host clock around launch(): copies and synchronisation too
};

/// What a rung runs on; the simulator wants smaller cases.
enum class DeviceKind { gpu, simulator };

/// What a lesson's own check objects to, thrown where it calls the rung: a student reads these words, and not
/// that an exception has left a function.
class Objection : public std::runtime_error {
 public:
  /// @param reported  whether the rung itself has said that something failed, as a program does by what
  /// main() returns: where the grader has made a call fail, that is as it should be
  explicit Objection(const std::string& words, bool reported = false)
      : std::runtime_error(words), reported_(reported) {}
  bool reported() const { return reported_; }

 private:
  bool reported_;
};

class Lesson {
 public:
  virtual ~Lesson() = default;

  // In the judge, which the student's code never enters.
  virtual std::vector<Case> cases(DeviceKind device) const = 0;
  /// Whether the contract allows these extents; asked before a failing case is tried at a smaller size.
  virtual bool valid(const Case&) const { return true; }
  /// Whether a rung is held to this case, for lessons whose rungs do different things: some in float, some in
  /// half precision. Of the timed cases a rung gets the first that applies.
  /// @param rung  its name, "3_float4", or "cub_half"
  virtual bool applies(const Case&, std::string_view rung) const { return !rung.empty(); }
  /// Declares the buffers of the problem and fills its inputs.
  virtual void declare(Problem& problem, Random& random) const = 0;
  /// Fills the expected values from the inputs, in double.
  virtual void reference(Problem& problem) const = 0;
  virtual Work work(const Case& which) const = 0;
  virtual TimingScope timing_scope() const { return TimingScope::device; }
  /// GPUs that the contract's functions work on together, at most. A machine with fewer does not run the
  /// lesson; the simulator has as many.
  virtual int devices(DeviceKind) const { return 1; }

  // In the worker process, beside the student's code.
  /// Untimed, before each run; for lessons whose rungs choose where data lives.
  virtual cudaError_t prepare(const Case&, const Arguments&) { return cudaSuccess; }
  /// Calls the contract's function. This is what is timed.
  virtual cudaError_t launch(const Case& which, const Arguments& arguments) = 0;
  /// Right behind a launch() that went well, before anybody waits for the device; not where the simulator is
  /// another process, which knows by itself what is under way.
  virtual void returned(const Case&) {}
  /// Untimed, in the default stream, before the outputs are taken: brings one that may be right in several
  /// ways, such as in any order, into the form that the reference has.
  virtual cudaError_t arrange(const Case&, const Arguments&) { return cudaSuccess; }
  /// Untimed, after each run, when the outputs on the device have been taken.
  virtual cudaError_t finish(const Case&, const Arguments&) { return cudaSuccess; }
};

}  // namespace ladder

/// Names the lesson's class; stands once at the end of its reference file.
#define LADDER_LESSON(Class)                                                                 \
  extern "C" __attribute__((visibility("default"))) ::ladder::Lesson* ladder_make_lesson() { \
    return new Class;                                                                        \
  }
