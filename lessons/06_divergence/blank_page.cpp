// Reference, cases and work of the blank page.
#include "blank_page.h"

#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"
#include "grader/lesson/parallel.h"

namespace {

using ladder::Case;

constexpr std::int64_t kPrime = 2'147'483'647;  // 2^31 - 1

std::uint64_t power(std::uint64_t base, std::uint64_t exponent, std::uint64_t modulus) {
  std::uint64_t result = 1 % modulus;
  for (base %= modulus; exponent != 0; exponent >>= 1) {
    if (exponent % 2 != 0) result = result * base % modulus;
    base = base * base % modulus;
  }
  return result;
}

class PowerMod : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    const auto add = [&](std::int64_t n, std::int64_t modulus, Case::Use use = Case::Use::check) {
      cases.push_back({{{"n", n}, {"modulus", modulus}}, "", use});
    };
    for (const std::int64_t n : {0, 1, 2, 31, 32, 33, 255, 257, 1023, 1024, 1025, 4099, 20'011})
      add(n, kPrime);
    for (const std::int64_t modulus : {1L, 2L, 10L, 65'537L, 2'147'483'648L}) add(1'031, modulus);
    ladder::add_with_offsets(cases, {{{"n", 512}, {"modulus", kPrime}}, "", Case::Use::check},
                             {"out", "base", "exponent"});
    add(device == ladder::DeviceKind::gpu ? 16'777'216 : 131'072, kPrime, Case::Use::time);
    return cases;
  }

  bool valid(const Case& which) const override {
    return which["modulus"] >= 1 && which["modulus"] <= 2'147'483'648L;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t n = problem.which()["n"];
    random.uniform(problem.input<std::uint32_t>("base", {n}), 0u, 0xffffffffu);
    for (std::uint64_t& exponent : problem.input<std::uint64_t>("exponent", {n})) {
      const std::uint64_t bits = random.next();
      exponent = bits % 4 == 0 ? (bits | 1ull << 63) >> ((bits >> 2) % 8) : (bits >> 8) % 256;
    }
    problem.scalar("modulus", static_cast<double>(problem.which()["modulus"]));
    problem.output<std::uint32_t>("out", {n});
  }

  void reference(ladder::Problem& problem) const override {
    const auto base = problem.read<std::uint32_t>("base");
    const auto exponent = problem.read<std::uint64_t>("exponent");
    const auto modulus = static_cast<std::uint64_t>(problem.which()["modulus"]);
    const auto out = problem.expect("out", {});
    ladder::parallel_for(problem.which()["n"], [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        out[i] = static_cast<double>(power(base[i], exponent[i], modulus));
    });
  }

  ladder::Work work(const Case& which) const override {
    const double n = static_cast<double>(which["n"]);
    return {.bytes_read = 12 * n, .bytes_written = 4 * n, .flops = 0};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return power_mod(arguments.get<std::uint32_t>("out"), arguments.get<std::uint32_t>("base"),
                     arguments.get<std::uint64_t>("exponent"), which["n"],
                     static_cast<std::uint32_t>(which["modulus"]));
  }
};

}  // namespace

LADDER_LESSON(PowerMod)
