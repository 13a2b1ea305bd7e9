// The system calls that a compiler and a rung have a use for.
#pragma once

namespace ladder::confine {

/// Leaves these to this process and all it will start; every other one fails with EPERM, or with ENOSYS where
/// the C library then takes an older call that is allowed. Not among them is what looks into other processes,
/// makes namespaces or mounts, takes the kernel's rarely travelled roads (bpf, io_uring, userfaultfd, keys,
/// modules), leaves the core or the session that a cell was given, or holds memory that no process is seen to
/// hold: shared memory that outlives its maker, pages lent to pipes.
/// @param driver  allow what a GPU's driver may want and a program on the simulator does not: memory files,
/// sockets,
///                waiting for many files at once, locks on files, shared memory without a file. Each can hold
///                memory that is not seen in the process.
/// @return false, with errno, where the kernel refuses the filter
bool allow_system_calls(bool driver);

}  // namespace ladder::confine
