// arch: 90
// Blocks of a cluster hand over through one block's shared memory, with the cluster's scope, or by its
// barrier.
__device__ int seen[2];

__global__ void __cluster_dims__(2) kernel() {
  __shared__ int message, flag;
  unsigned remote_message, remote_flag, rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  const unsigned at = unsigned(__cvta_generic_to_shared(&message)),
                 at_flag = unsigned(__cvta_generic_to_shared(&flag));
  asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(remote_message) : "r"(at));
  asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(remote_flag) : "r"(at_flag));
  if (rank == 0)
    asm volatile("st.shared.u32 [%0], 0; st.shared.u32 [%1], 0;" ::"r"(at), "r"(at_flag) : "memory");
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
  if (rank == 1) {
    asm volatile("st.shared::cluster.u32 [%0], 1; st." WRITES
                 ".shared::cluster.u32 [%1], 1;" ::"r"(remote_message),
                 "r"(remote_flag)
                 : "memory");
  } else {
    int set, what;
    asm volatile("ld.acquire.cluster.shared::cta.u32 %0, [%2]; ld.shared.u32 %1, [%3];"
                 : "=r"(set), "=r"(what)
                 : "r"(at_flag), "r"(at)
                 : "memory");
    seen[0] = set;
    seen[1] = what;
  }
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

int main() {
  kernel<<<2, 1>>>();
  int host[2];
  cudaMemcpyFromSymbol(host, seen, sizeof host);
  return host[0] == 1 && host[1] == 0 ? 1 : 0;
}
