// Memory that judge and worker both see, by file descriptor,
// with the worker unable to shrink or (for inputs) write it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "grader/platform/process/unique_fd.h"

namespace ladder {

/// An anonymous memory file mapped into this process; unmapped and closed on destruction.
class SharedBytes {
 public:
  SharedBytes() = default;
  /// Makes a zeroed file of @p size bytes, mapped for reading and writing, whose size is sealed.
  /// @throws std::system_error when the machine has no memory or descriptors left
  explicit SharedBytes(std::size_t size);
  /// Takes over a descriptor that came from another process and maps it.
  /// @param writable  false maps it for reading only
  /// @throws std::system_error
  SharedBytes(UniqueFd fd, std::size_t size, bool writable);
  ~SharedBytes();
  SharedBytes(SharedBytes&& other) noexcept;
  SharedBytes& operator=(SharedBytes&& other) noexcept;

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::span<std::byte> span() { return {data_, size_}; }
  std::span<const std::byte> span() const { return {data_, size_}; }
  int fd() const { return fd_.get(); }  ///< -1 when empty

  /// From now on no other process can map the file for writing; existing mappings keep their rights.
  void seal_against_writing();

 private:
  void map(bool writable);
  UniqueFd fd_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace ladder
