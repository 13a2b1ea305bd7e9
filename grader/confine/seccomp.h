// System calls that neither a compiler nor a rung has any use for.
#pragma once

namespace ladder::confine {

/// Forbids them to this process and all it will start: they then fail with EPERM. Among them are looking into
/// other processes, new namespaces and mounts, the kernel's rarely travelled roads (bpf, io_uring,
/// userfaultfd, keys, modules), and shared memory that outlives its maker.
/// @param memfd  allow memory files, which a GPU's driver may want; they escape the limits on memory
/// @return false, with errno, where the kernel refuses the filter
bool forbid_system_calls(bool memfd);

}  // namespace ladder::confine
