// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "first_program.h"

#include <algorithm>

#include "judge/device_query.h"
#include "judge/exercise.h"
#include "judge/timed.h"

// Each rung defines its own functions of the contract; those of the others are null.
[[gnu::weak]] cudaError_t hello(int*, int, int);
[[gnu::weak]] cudaError_t places(int*, int*, int, int);
[[gnu::weak]] cudaError_t reverse_static(float*, int);
[[gnu::weak]] cudaError_t reverse_dynamic(float*, int, int);

namespace {

using ladder::Arguments;
using ladder::Case;
using ladder::Problem;
using Location = ladder::Buffer::Location;

int extent(const Case& which, const char* name) { return static_cast<int>(which[name]); }

class Hello : public Exercise {
  std::vector<Extents> checked() const override {
    std::vector<Extents> all;
    // The first is small enough to read what it prints.
    for (const auto& [blocks, threads] :
         {std::pair{2, 4}, {1, 1}, {1, 33}, {5, 7}, {3, 128}, {1, 1024}, {97, 31}, {2000, 3}})
      all.push_back({{"blocks", blocks}, {"threads", threads}});
    return all;
  }
  bool valid(const Case& which) const override {
    return which["blocks"] >= 1 && which["blocks"] <= 10'000 && which["threads"] >= 1 &&
           which["threads"] <= 1024;
  }
  void declare(Problem& problem, ladder::Random&) const override {
    problem.output<int>("seen", {problem.which()["blocks"] * problem.which()["threads"]});
  }
  void reference(Problem& problem) const override {
    const auto seen = problem.expect("seen", {});
    for (std::size_t i = 0; i < seen.size(); ++i) seen[i] = static_cast<double>(i);
  }
  cudaError_t launch(const Case& which, const Arguments& arguments) const override {
    return defined(hello, "hello")(arguments.get<int>("seen"), extent(which, "blocks"),
                                   extent(which, "threads"));
  }
};

class Places : public Exercise {
  std::vector<Extents> checked() const override {
    std::vector<Extents> all;
    for (const int n : {0, 1, 31, 32, 33, 1000, 1023, 1025, 99'991})
      all.push_back({{"n", n}, {"threads", 256}});
    for (const int threads : {1, 100, 1023, 1024}) all.push_back({{"n", 5000}, {"threads", threads}});
    return all;
  }
  Extents timed(ladder::DeviceKind device) const override {
    return {{"n", device == ladder::DeviceKind::gpu ? 1 << 26 : 1 << 20}, {"threads", 256}};
  }
  bool valid(const Case& which) const override { return which["threads"] >= 1 && which["threads"] <= 1024; }
  void declare(Problem& problem, ladder::Random&) const override {
    for (const char* name : {"block_of", "thread_of"}) problem.output<int>(name, {problem.which()["n"]});
  }
  void reference(Problem& problem) const override {
    const std::int64_t threads = problem.which()["threads"];
    const auto block_of = problem.expect("block_of", {}), thread_of = problem.expect("thread_of", {});
    for (std::size_t i = 0; i < block_of.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      block_of[i] = static_cast<double>(at / threads);
      thread_of[i] = static_cast<double>(at % threads);
    }
  }
  ladder::Work work(const Case& which) const override {
    return {.bytes_written = 2.0 * static_cast<double>(which["n"]) * sizeof(int)};
  }
  cudaError_t launch(const Case& which, const Arguments& arguments) const override {
    const int n = extent(which, "n"), threads = extent(which, "threads");
    int *block_of = arguments.get<int>("block_of"), *thread_of = arguments.get<int>("thread_of");
    return defined(places, "places")(block_of, thread_of, n, threads);
  }
};

class Reverse : public Exercise {
  std::vector<Extents> checked() const override {
    std::vector<Extents> all;
    for (const int n : {0, 1, 2, 31, 33, 255, 256, 257, 1023, 1025, 99'991})
      all.push_back({{"n", n}, {"piece", 100}});
    for (const int piece : {1, 2, 32, 33, 997, 1024}) all.push_back({{"n", 5003}, {"piece", piece}});
    return all;
  }
  Extents timed(ladder::DeviceKind device) const override {
    return {{"n", device == ladder::DeviceKind::gpu ? 1 << 26 : 1 << 20}, {"piece", 1024}};
  }
  bool valid(const Case& which) const override { return which["piece"] >= 1 && which["piece"] <= 1024; }
  void declare(Problem& problem, ladder::Random& random) const override {
    random.uniform(problem.inout<float>("data", {problem.which()["n"]}), -1000.0f, 1000.0f);
  }
  void reference(Problem& problem) const override {
    const auto in = problem.read<float>("data");
    const auto out = problem.expect("data", ladder::kSameBits);
    std::copy(in.begin(), in.end(), out.begin());
    for (const std::int64_t piece : {std::int64_t{kPiece}, problem.which()["piece"]})
      for (auto first = out.begin(); first != out.end();) {
        const auto last = first + std::min<std::int64_t>(piece, out.end() - first);
        std::reverse(first, last);
        first = last;
      }
  }
  ladder::Work work(const Case& which) const override {
    const double bytes = 2.0 * static_cast<double>(which["n"]) * sizeof(float);  // of both functions
    return {.bytes_read = bytes, .bytes_written = bytes};
  }
  cudaError_t launch(const Case& which, const Arguments& arguments) const override {
    float* data = arguments.get<float>("data");
    const cudaError_t error = defined(reverse_static, "reverse_static")(data, extent(which, "n"));
    if (error != cudaSuccess) return error;
    return defined(reverse_dynamic, "reverse_dynamic")(data, extent(which, "n"), extent(which, "piece"));
  }
};

/// The exercises in the order of their rungs.
const std::vector<std::pair<std::string, const Exercise*>>& exercises() {
  static const Hello first;
  static const Places second;
  static const DeviceQuery third;
  static const Reverse fourth;
  static const Timed fifth;
  static const std::vector<std::pair<std::string, const Exercise*>> all = {
      {"hello", &first}, {"errors", &second}, {"device", &third}, {"shared", &fourth}, {"timed", &fifth}};
  return all;
}

const Exercise& of(const Case& which) {
  for (const auto& [name, exercise] : exercises())
    if (name == which.variant) return *exercise;
  throw std::logic_error("no exercise is called " + which.variant);
}

class FirstProgram : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    for (const auto& [name, exercise] : exercises()) {
      for (const Exercise::Extents& extents : exercise->checked())
        cases.push_back({extents, name, Case::Use::check});
      if (const auto extents = exercise->timed(device); !extents.empty())
        cases.push_back({extents, name, Case::Use::time});
    }
    return cases;
  }
  /// The variant is the rung's name without its number.
  bool applies(const Case& which, std::string_view rung) const override {
    return rung.substr(rung.find('_') + 1) == which.variant;
  }
  bool valid(const Case& which) const override { return of(which).valid(which); }
  void declare(Problem& problem, ladder::Random& random) const override {
    of(problem.which()).declare(problem, random);
  }
  void reference(Problem& problem) const override { of(problem.which()).reference(problem); }
  ladder::Work work(const Case& which) const override { return of(which).work(which); }
  cudaError_t launch(const Case& which, const Arguments& arguments) override {
    return of(which).launch(which, arguments);
  }
};

}  // namespace

LADDER_LESSON(FirstProgram)
