// Graphs: building, instantiating, capturing.
#include "misuse.h"

static void host_function(void*) {}

static cudaKernelNodeParams kernel_parameters() {
  static int* argument = nullptr;
  static void* arguments[] = {&argument};
  cudaKernelNodeParams p{};
  p.func = reinterpret_cast<void*>(plain_kernel);
  p.gridDim = p.blockDim = 1;
  p.kernelParams = arguments;
  return p;
}

MISUSE(graph_build) {
  cudaGraph_t g = nullptr, h = nullptr;
  cudaGraphNode_t a = nullptr, b = nullptr, c = nullptr, foreign = nullptr;
  size_t n = 0;
  tell("create null", cudaGraphCreate(nullptr, 0));
  tell("create flags 1", cudaGraphCreate(&g, 1));
  tell("create", cudaGraphCreate(&g, 0));
  cudaGraphCreate(&h, 0);
  tell("add to null", cudaGraphAddEmptyNode(&a, nullptr, nullptr, 0));
  tell("add null", cudaGraphAddEmptyNode(nullptr, g, nullptr, 0));
  tell("add", cudaGraphAddEmptyNode(&a, g, nullptr, 0));
  tell("add after", cudaGraphAddEmptyNode(&b, g, &a, 1));
  tell("add after nothing", cudaGraphAddEmptyNode(&c, g, nullptr, 1));
  cudaGraphAddEmptyNode(&foreign, h, nullptr, 0);
  tell("add after another graph's", cudaGraphAddEmptyNode(&c, g, &foreign, 1));
  tell("add after null node", [&] {
    cudaGraphNode_t none = nullptr;
    return cudaGraphAddEmptyNode(&c, g, &none, 1);
  }());
  tell("kernel null", cudaGraphAddKernelNode(&c, g, nullptr, 0, nullptr));
  cudaKernelNodeParams p = kernel_parameters();
  p.func = nullptr;
  tell("kernel without function", cudaGraphAddKernelNode(&c, g, nullptr, 0, &p));
  p.func = reinterpret_cast<void*>(host_function);
  tell("kernel of host function", cudaGraphAddKernelNode(&c, g, nullptr, 0, &p));
  p = kernel_parameters();
  p.gridDim = 0;
  tell("kernel grid 0", cudaGraphAddKernelNode(&c, g, nullptr, 0, &p));
  p.gridDim = 1;
  p.blockDim = 2048;
  tell("kernel block 2048", cudaGraphAddKernelNode(&c, g, nullptr, 0, &p));
  tell("copy null", cudaGraphAddMemcpyNode(&c, g, nullptr, 0, nullptr));
  tell("fill null", cudaGraphAddMemsetNode(&c, g, nullptr, 0, nullptr));
  cudaMemsetParams fill{};
  fill.dst = nullptr;
  fill.elementSize = 3;
  fill.width = fill.height = 1;
  tell("fill of 3 bytes", cudaGraphAddMemsetNode(&c, g, nullptr, 0, &fill));
  tell("host null", cudaGraphAddHostNode(&c, g, nullptr, 0, nullptr));
  cudaHostNodeParams call{};
  tell("host without function", cudaGraphAddHostNode(&c, g, nullptr, 0, &call));
  tell("child null", cudaGraphAddChildGraphNode(&c, g, nullptr, 0, nullptr));
  tell("event null", cudaGraphAddEventRecordNode(&c, g, nullptr, 0, nullptr));
  tell("edge", cudaGraphAddDependencies(g, &a, &b, nullptr, 1));
  tell("edge to itself", cudaGraphAddDependencies(g, &a, &a, nullptr, 1));
  tell("edge to another graph", cudaGraphAddDependencies(g, &a, &foreign, nullptr, 1));
  tell("edges null", cudaGraphAddDependencies(g, nullptr, nullptr, nullptr, 1));
  tell("no edges", cudaGraphAddDependencies(g, nullptr, nullptr, nullptr, 0));
  tell("remove edge that is not", cudaGraphRemoveDependencies(g, &b, &a, nullptr, 1));
  tell("nodes null", cudaGraphGetNodes(g, nullptr, nullptr));
  tell("nodes", cudaGraphGetNodes(g, nullptr, &n));
  show("nodes", static_cast<long long>(n));
  tell("nodes of null", cudaGraphGetNodes(nullptr, nullptr, &n));
  cudaGraphNodeType type;
  tell("type null", cudaGraphNodeGetType(a, nullptr));
  tell("type of null", cudaGraphNodeGetType(nullptr, &type));
  tell("kernel parameters of empty", cudaGraphKernelNodeGetParams(a, &p));
  tell("set kernel parameters of empty", cudaGraphKernelNodeSetParams(a, &p));
  tell("destroy node null", cudaGraphDestroyNode(nullptr));
  tell("destroy node", cudaGraphDestroyNode(b));
  tell("destroy null", cudaGraphDestroy(nullptr));
  tell("destroy", cudaGraphDestroy(g));
}

MISUSE(graph_in_itself) {
  cudaGraph_t g;
  cudaGraphNode_t node;
  cudaGraphCreate(&g, 0);
  tell("child itself", cudaGraphAddChildGraphNode(&node, g, nullptr, 0, g));
}

MISUSE(graph_run) {
  cudaGraph_t g, other;
  cudaGraphExec_t e = nullptr;
  cudaGraphNode_t a, b, k;
  cudaGraphCreate(&g, 0);
  cudaGraphCreate(&other, 0);
  cudaGraphAddEmptyNode(&a, g, nullptr, 0);
  cudaGraphAddEmptyNode(&b, g, &a, 1);
  cudaKernelNodeParams p = kernel_parameters();
  cudaGraphAddKernelNode(&k, g, nullptr, 0, &p);
  tell("instantiate null", cudaGraphInstantiate(nullptr, g, 0));
  tell("instantiate of null", cudaGraphInstantiate(&e, nullptr, 0));
  tell("instantiate flags", cudaGraphInstantiate(&e, g, 0x1000));
  tell("cycle", cudaGraphAddDependencies(g, &b, &a, nullptr, 1));
  tell("instantiate cycle", cudaGraphInstantiate(&e, g, 0));
  cudaGraphRemoveDependencies(g, &b, &a, nullptr, 1);
  cudaGetLastError();
  tell("instantiate", cudaGraphInstantiate(&e, g, 0));
  tell("launch null", cudaGraphLaunch(nullptr, 0));
  tell("launch", cudaGraphLaunch(e, 0));
  cudaGraphExecUpdateResultInfo info{};
  tell("update to another shape", cudaGraphExecUpdate(e, other, &info));
  show("update's result", info.result);
  tell("update null", cudaGraphExecUpdate(e, nullptr, &info));
  tell("update", cudaGraphExecUpdate(e, g, &info));
  show("update's result too", info.result);
  p.gridDim = 2;
  tell("new parameters", cudaGraphExecKernelNodeSetParams(e, k, &p));
  tell("new parameters of empty", cudaGraphExecKernelNodeSetParams(e, a, &p));
  p.blockDim = 4096;
  tell("new parameters, block 4096", cudaGraphExecKernelNodeSetParams(e, k, &p));
  tell("upload null", cudaGraphUpload(nullptr, 0));
  tell("destroy exec null", cudaGraphExecDestroy(nullptr));
  tell("destroy exec", cudaGraphExecDestroy(e));
  tell("after all", cudaDeviceSynchronize());
  tell("instantiate empty", cudaGraphInstantiate(&e, other, 0));
  tell("launch empty", cudaGraphLaunch(e, 0));
}
