// System calls that neither a compiler nor a rung has any use for.
#pragma once

namespace ladder::confine {

/// Forbids them to this process and all it will start: they then fail with EPERM. Among them are looking into
/// other processes, new namespaces and mounts, the kernel's rarely travelled roads (bpf, io_uring,
/// userfaultfd, keys, modules), leaving the core or the session that a cell was given, and what holds memory
/// that no process is seen to hold: shared memory that outlives its maker, pages lent to pipes.
/// @param driver  allow what a GPU's driver may want and a program on the simulator does not: memory files,
///                sockets, waiting for many files at once, locks on files, shared memory without a file.
///                Each can hold memory that is not seen in the process.
/// @return false, with errno, where the kernel refuses the filter
bool forbid_system_calls(bool driver);

}  // namespace ladder::confine
