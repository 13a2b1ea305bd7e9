// Pointers to functions and virtual calls: what one launch or the host has stored, another one follows.
#include "../case.h"

using Operation = int (*)(int, int);

/// Device memory for n pointers.
template <class T>
struct Room {
  explicit Room(std::size_t n) { cudaMalloc(&data, n * sizeof(T)); }
  ~Room() { cudaFree(data); }
  operator T*() const { return data; }
  T* data = nullptr;
};

__device__ int add(int a, int b) { return a + b; }
__device__ int subtract(int a, int b) { return a - b; }
static __device__ int multiply(int a, int b) { return a * b; }
__device__ Operation operations[3] = {add, subtract, multiply};

__global__ void choose(Operation* table) {
  const Operation all[] = {multiply, add, subtract};
  table[threadIdx.x] = all[threadIdx.x];
}
__global__ void apply(int* out, const Operation* table) {
  const int i = threadIdx.x;
  out[i] = table[i % 3](i, 5);
}

CASE(table_stored_by_a_kernel) {
  Room<Operation> table(3);
  Buffer<int> out(96);
  choose<<<1, 3>>>(table);
  apply<<<1, 96>>>(out, table);
  finish();
  for (int i = 0; i < 96; ++i)
    CHECK_THAT(out.host()[std::size_t(i)] == (i % 3 == 0 ? i * 5 : i % 3 == 1 ? i + 5 : i - 5));
}

CASE(table_of_the_module_copied_by_the_host) {
  Operation copied[3];
  cudaMemcpyFromSymbol(copied, operations, sizeof copied);
  Room<Operation> table(3);
  cudaMemcpy(table, copied, sizeof copied, cudaMemcpyHostToDevice);
  Buffer<int> out(96);
  apply<<<1, 96>>>(out, table);
  finish();
  for (int i = 0; i < 96; ++i)
    CHECK_THAT(out.host()[std::size_t(i)] == (i % 3 == 0 ? i + 5 : i % 3 == 1 ? i - 5 : i * 5));
}

template <class F>
__device__ int twice(int a, int b) {
  return F()(F()(a, b), b);
}
struct Larger {
  __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};
__global__ void store_one(Operation* to, int which) { *to = which == 0 ? twice<Larger> : subtract; }
__global__ void use_shared(int* out, const Operation* from) {
  __shared__ Operation mine;
  if (threadIdx.x == 0) mine = *from;
  __syncthreads();
  out[threadIdx.x] = mine(int(threadIdx.x), 40);
}

CASE(pointer_handed_on_through_shared_memory) {
  Room<Operation> pointer(1);
  Buffer<int> out(64);
  for (int which = 0; which < 2; ++which) {
    store_one<<<1, 1>>>(pointer, which);
    use_shared<<<1, 64>>>(out, pointer);
    finish();
    for (int i = 0; i < 64; ++i)
      CHECK_THAT(out.host()[std::size_t(i)] == (which == 1 ? i - 40 : i > 40 ? i : 40));
  }
}

namespace {

struct Shape {
  __device__ virtual int area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  int side;
  __device__ explicit Square(int s) : side(s) {}
  __device__ int area() const override { return side * side; }
};
struct Strip : Shape {
  int length;
  __device__ explicit Strip(int l) : length(l) {}
  __device__ int area() const override { return length; }
};

__global__ void make(Shape** shapes) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  shapes[i] = i % 2 == 0 ? static_cast<Shape*>(new Square(i)) : static_cast<Shape*>(new Strip(i));
}
__global__ void measure(int* out, Shape* const* shapes) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = shapes[i]->area();
}
__global__ void destroy(Shape** shapes) { delete shapes[blockIdx.x * blockDim.x + threadIdx.x]; }

}  // namespace

CASE(objects_made_by_one_kernel_and_used_by_others) {
  Room<Shape*> shapes(64);
  Buffer<int> out(64);
  make<<<2, 32>>>(shapes);
  measure<<<2, 32>>>(out, shapes);
  destroy<<<2, 32>>>(shapes);
  finish();
  for (int i = 0; i < 64; ++i) CHECK_THAT(out.host()[std::size_t(i)] == (i % 2 == 0 ? i * i : i));
}

__global__ void make_in_place(Shape* room) { new (room) Square(7); }
__global__ void measure_one(int* out, const Shape* shape) { *out = shape->area(); }

CASE(object_made_in_memory_from_the_host) {
  Square* room = nullptr;
  cudaMalloc(&room, sizeof *room);
  Buffer<int> out(1);
  make_in_place<<<1, 1>>>(room);
  measure_one<<<1, 1>>>(out, room);
  finish();
  CHECK_THAT(out.host()[0] == 49);
  cudaFree(room);
}
