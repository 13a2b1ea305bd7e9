#include "grader/lesson/shared_bytes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010  // Linux 5.1
#endif

namespace ladder {
namespace {
[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }
}  // namespace

SharedBytes::SharedBytes(std::size_t size) : size_(size) {
  fd_.reset(memfd_create("ladder", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd_ || ftruncate(fd(), static_cast<off_t>(size)) != 0) fail("memory shared with the rung's process");
  // A file that shrinks under its reader would kill the judge with SIGBUS.
  if (fcntl(fd(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) fail("sealing shared memory");
  map(true);
}

SharedBytes::SharedBytes(UniqueFd fd, std::size_t size, bool writable) : fd_(std::move(fd)), size_(size) {
  map(writable);
}

SharedBytes::~SharedBytes() {
  if (data_ != nullptr) munmap(data_, size_);
}

SharedBytes::SharedBytes(SharedBytes&& other) noexcept { *this = std::move(other); }

SharedBytes& SharedBytes::operator=(SharedBytes&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

void SharedBytes::map(bool writable) {
  if (size_ == 0) return;  // nothing to map; an empty span is right
  void* at = mmap(nullptr, size_, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd(), 0);
  if (at == MAP_FAILED) fail("mapping shared memory");
  data_ = static_cast<std::byte*>(at);
}

void SharedBytes::seal_against_writing() {
  // Kernels before 5.1 lack this seal. Then a rung could change its input unseen by others, but not by the
  // judge, which keeps a hash of what it handed out.
  (void)fcntl(fd(), F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SEAL);
}

}  // namespace ladder
