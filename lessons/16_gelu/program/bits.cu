// The bits of decimal numbers in three floating-point types, as the GPU rounds to them.
//   ./ladder sim lessons/16_gelu/program/bits.cu -- 6.25 -0.1 65504      on the simulator
//   nvcc -arch=native -o bits bits.cu && ./bits 6.25 -0.1 65504         on a GPU
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "../../../common/cuda_check.h"

namespace {

/// A binary floating-point type: a sign bit, then the exponent's bits, then the fraction's.
struct Type {
  const char* name;
  int exponent_bits, fraction_bits;
};
constexpr Type kTypes[] = {{"fp32", 8, 23}, {"fp16", 5, 10}, {"bf16", 8, 7}};
constexpr int kCount = sizeof kTypes / sizeof kTypes[0];

/// One thread: a number's bits in every type, rounded to the nearest.
__global__ void bits_kernel(unsigned* bits, float x) {
  bits[0] = __float_as_uint(x);
  bits[1] = __half_as_ushort(__float2half_rn(x));
  bits[2] = __bfloat16_as_ushort(__float2bfloat16_rn(x));
}

std::string binary(unsigned value, int digits) {
  std::string text;
  for (int i = digits - 1; i >= 0; --i) text += (value >> i & 1) != 0 ? '1' : '0';
  return text;
}

void print(const Type& type, unsigned bits) {
  const int bias = (1 << (type.exponent_bits - 1)) - 1;
  const int largest = (1 << type.exponent_bits) - 1;  // the exponent of infinity and NaN
  const int exponent = static_cast<int>(bits >> type.fraction_bits) & largest;
  const unsigned fraction = bits & ((1u << type.fraction_bits) - 1);
  const unsigned sign = bits >> (type.exponent_bits + type.fraction_bits);
  const std::string text = binary(exponent, type.exponent_bits) + " " + binary(fraction, type.fraction_bits);
  std::printf("  %s  %u %-32s  ", type.name, sign, text.c_str());
  const char* const minus = sign != 0 ? "-" : "";
  // The significand is 1.fraction; 0.fraction for the smallest exponent: those numbers are subnormal.
  const double significand = (exponent != 0) + std::ldexp(fraction, -type.fraction_bits);
  const int power = (exponent != 0 ? exponent : 1) - bias;
  if (exponent == largest)
    std::printf("%s%s\n", minus, fraction != 0 ? "NaN" : "infinity");
  else
    std::printf("%s%.8g x 2^%d (%d - %d)  =  %s%.10g\n", minus, significand, power, power + bias, bias, minus,
                std::ldexp(significand, power));
}

}  // namespace

int main(int count, char** arguments) try {
  std::vector<std::string> numbers(arguments + 1, arguments + count);
  if (numbers.empty()) numbers = {"6.25", "-0.1", "65504", "65520", "3e-6"};
  unsigned* d_bits = nullptr;
  CUDA_CHECK(cudaMalloc(&d_bits, kCount * sizeof(unsigned)));
  for (const std::string& number : numbers) {
    bits_kernel<<<1, 1>>>(d_bits, std::strtof(number.c_str(), nullptr));
    CUDA_CHECK(cudaGetLastError());
    unsigned bits[kCount];
    CUDA_CHECK(cudaMemcpy(bits, d_bits, sizeof bits, cudaMemcpyDeviceToHost));
    std::printf("%s\n", number.c_str());
    for (int i = 0; i < kCount; ++i) print(kTypes[i], bits[i]);
  }
  CUDA_CHECK(cudaFree(d_bits));
} catch (const std::exception& error) {
  std::fprintf(stderr, "bits: %s\n", error.what());
  return 1;
}
