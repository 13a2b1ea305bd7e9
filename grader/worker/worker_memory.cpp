#include "grader/worker/worker_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "grader/lesson/element.h"
#include "grader/worker/device/device.h"
#include "grader/worker/guard.h"
#include "language/catalogue.h"

namespace ladder {
namespace {
constexpr std::size_t kAlignment = 4096;

/// As the contract writes it: "array 'in', float [3][24]".
std::string in_words(const Buffer& buffer) {
  std::string words = tr("array '{}', {} ", buffer.name, name_of(buffer.type));
  for (const std::int64_t extent : buffer.shape) words += fmt::format("[{}]", extent);
  return words;
}
}  // namespace

CudaFailure::CudaFailure(cudaError_t e, const char* call)
    : std::runtime_error(std::string(call) + ": " + cudaGetErrorString(e)), error(e) {}

void require(cudaError_t error, const char* call) {
  if (error != cudaSuccess) throw CudaFailure(error, call);
}

CudaStatus status_of(cudaError_t error) {
  if (error == cudaSuccess) return {};
  return {static_cast<int>(error), cudaGetErrorName(error), cudaGetErrorString(error)};
}

GuardedArray::GuardedArray(const Buffer& buffer, std::span<const std::byte> pattern)
    : buffer_(buffer),
      guard_(guard_bytes(buffer.location)),
      offset_(buffer.offset_bytes()),
      bytes_(buffer.size_bytes()) {
  pattern_.assign(pattern.begin(), pattern.begin() + static_cast<std::ptrdiff_t>(guard_));
  const std::size_t total = guarded_bytes(buffer);
  if (on_device()) {
    void* base = nullptr;
    require(cudaMalloc(&base, total), "cudaMalloc");
    base_ = static_cast<std::byte*>(base);
    device().name_memory(base, in_words(buffer), buffer);
  } else {
    base_ = static_cast<std::byte*>(
        std::aligned_alloc(kAlignment, (total + kAlignment - 1) / kAlignment * kAlignment));
    if (base_ == nullptr) throw std::bad_alloc();
  }
}

GuardedArray::GuardedArray(const Buffer& buffer, void* elsewhere)
    : buffer_(buffer),
      bytes_(buffer.size_bytes()),
      base_(static_cast<std::byte*>(elsewhere)),
      elsewhere_(true) {}

GuardedArray::~GuardedArray() {
  if (elsewhere_) return;
  if (on_device()) {
    (void)cudaFree(base_);
    (void)cudaFree(pristine_);
  } else {
    std::free(base_);
  }
}

void GuardedArray::fill_guards() {
  const auto fill = [&](std::byte* band, std::span<const std::byte> bytes) {
    if (bytes.empty()) return;
    if (on_device())
      require(cudaMemcpy(band, bytes.data(), bytes.size(), cudaMemcpyHostToDevice), "filling guard bands");
    else
      std::memcpy(band, bytes.data(), bytes.size());
  };
  fill(base_, pattern_);
  fill(base_ + guard_, std::vector<std::byte>(offset_, kBeforeOffset));
  fill(base_ + guard_ + offset_ + bytes_, pattern_);
}

void GuardedArray::reset(std::span<const std::byte> initial, int poison) {
  fill_guards();
  if (bytes_ == 0) return;
  if (buffer_.role == Buffer::Role::output) {
    if (on_device())
      require(cudaMemsetAsync(data(), poison, bytes_, nullptr), "poisoning outputs");
    else
      std::memset(data(), poison, bytes_);
  } else if (on_device()) {
    require(cudaMemcpy(data(), initial.data(), bytes_, cudaMemcpyHostToDevice), "uploading inputs");
  } else {
    std::memcpy(data(), initial.data(), bytes_);
  }
}

void GuardedArray::reset_quickly(std::span<const std::byte> initial, int poison) {
  if (bytes_ == 0 || buffer_.role == Buffer::Role::input) return;
  if (buffer_.role == Buffer::Role::output || !on_device()) {
    if (on_device())
      require(cudaMemsetAsync(data(), poison, bytes_, nullptr), "poisoning outputs");
    else if (buffer_.role == Buffer::Role::output)
      std::memset(data(), poison, bytes_);
    else
      std::memcpy(data(), initial.data(), bytes_);
    return;
  }
  if (pristine_ == nullptr) {
    void* copy = nullptr;
    require(cudaMalloc(&copy, bytes_), "cudaMalloc");
    pristine_ = static_cast<std::byte*>(copy);
    require(cudaMemcpy(pristine_, initial.data(), bytes_, cudaMemcpyHostToDevice), "uploading inputs");
  }
  require(cudaMemcpyAsync(data(), pristine_, bytes_, cudaMemcpyDeviceToDevice, nullptr), "restoring inputs");
}

void GuardedArray::reset_pages(std::span<const std::byte> initial, std::span<const sim::ByteRange> pages) {
  for (const auto& [first, bytes] : pages) {
    std::byte* const at = static_cast<std::byte*>(data()) + first;
    if (buffer_.role == Buffer::Role::output)
      require(cudaMemset(at, 0xFF, bytes), "poisoning outputs");
    else
      require(cudaMemcpy(at, initial.data() + first, bytes, cudaMemcpyHostToDevice), "uploading inputs");
  }
}

void GuardedArray::download_pages(std::span<std::byte> into, const sim::ByteRange& range) const {
  require(cudaMemcpy(into.data() + range.first, static_cast<std::byte*>(data()) + range.first, range.bytes,
                     cudaMemcpyDeviceToHost),
          "downloading results");
}

void GuardedArray::download(std::span<std::byte> into) const {
  const std::size_t total = guarded_bytes(buffer_);
  if (into.size() != total) throw std::logic_error("the result's memory has another size than the array");
  if (total == 0) return;
  if (on_device())
    require(cudaMemcpy(into.data(), base_, total, cudaMemcpyDeviceToHost), "downloading results");
  else
    std::memcpy(into.data(), base_, total);
}

ArgumentSet::ArgumentSet(const std::vector<Buffer>& buffers, std::span<const std::byte> pattern,
                         std::span<void* const> elsewhere) {
  for (const Buffer& buffer : buffers) {
    if (buffer.location != Buffer::Location::device || elsewhere.empty()) {
      arrays_.push_back(std::make_unique<GuardedArray>(buffer, pattern));
      continue;
    }
    arrays_.push_back(std::make_unique<GuardedArray>(buffer, elsewhere.front()));
    elsewhere = elsewhere.subspan(1);
  }
}

void* ArgumentSet::pointer(std::string_view name) const {
  for (const auto& array : arrays_)
    if (array->buffer().name == name) return array->data();
  throw std::out_of_range("the lesson asks for a buffer '" + std::string(name) + "' that it did not declare");
}

}  // namespace ladder
