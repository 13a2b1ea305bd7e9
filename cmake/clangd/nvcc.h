// For clangd alone, which is clang and not nvcc: see Clangd.cmake. Nothing is compiled with this.
#pragma once

// Before the macro below, for what they do with the keyword.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

// nvcc takes alignas() behind __shared__, clang takes a GNU attribute there.
#define alignas(bytes) __attribute__((aligned(bytes)))

// Loads and stores with hints that clang's own headers lack.
template <class T>
__device__ T __ldcs(const T* from);
template <class T>
__device__ T __ldcg(const T* from);
template <class T>
__device__ T __ldca(const T* from);
template <class T>
__device__ T __ldlu(const T* from);
template <class T>
__device__ T __ldcv(const T* from);
template <class T>
__device__ void __stcs(T* to, T value);
template <class T>
__device__ void __stcg(T* to, T value);
template <class T>
__device__ void __stwb(T* to, T value);
template <class T>
__device__ void __stwt(T* to, T value);
