// The contract of the lesson: five functions, of which a rung defines one. What they compute is arithmetic of
// 32-bit words, modulo 2^32, and little of it; how it gets from thread to thread is the matter. Arrays do not
// overlap, start at multiples of 16 bytes and have less than 2^31 elements.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

constexpr int kChunk = 256;  ///< words that a block hands on at a time, in rungs 1 and 2
constexpr int kSlots = 64;   ///< slots of the queue
constexpr int kTile = 2048;  ///< words that a block copies at a time, in rung 8

/// What is done to a word at a stage. The order of stages matters.
__host__ __device__ inline unsigned step(unsigned x, unsigned key) { return (x ^ key) * 0x9E3779B1u; }

/// Sends each word through all stages: `x = step(x, keys[s])` for s = 0, 1, ..., stages - 1.
///
/// @param[out]    out       device, [n]
/// @param[in,out] messages  device, [stages][n], anything
/// @param[in,out] flags     device, [stages][n], 0 when the function is called
/// @param[in]     in        device, [n]
/// @param[in]     keys      device, [stages]
/// @param         n         >= 0
/// @param         stages    1 to 64: a block each is fewer than run at once on any GPU that is meant here
/// @return cudaSuccess, or the launch error; nothing is launched where n is 0
cudaError_t relay(unsigned* out, unsigned* messages, unsigned* flags, const unsigned* in,
                  const unsigned* keys, int n, int stages);  // rungs 1 to 3

/// What is known of the values of a key.
struct Record {
  unsigned count, sum;
  unsigned first, second;  ///< the two largest of them, with repetition; 0 where there is none
};

/// Enters each value into the record of its key.
///
/// @param[out]    records  device, [buckets]
/// @param[in,out] locks    device, [buckets], 0 when the function is called, and left so
/// @param[in]     keys     device, [n], less than buckets
/// @param[in]     values   device, [n]
/// @param         n        >= 0
/// @param         buckets  >= 1
/// @return cudaSuccess, or the launch error
cudaError_t tally(Record* records, unsigned* locks, const unsigned* keys, const unsigned* values, int n,
                  int buckets);  // rung 4

/// A place for a task, of one sector.
struct alignas(32) Slot {
  unsigned turn;          ///< 2 * r: empty, for the task of round r; 2 * r + 1: that task is in it
  unsigned index, value;  ///< the task
};

/// A ring of slots.
struct Queue {
  Slot* slots;      ///< device, [kSlots]
  unsigned* put;    ///< device: the next task to be put has this number
  unsigned* taken;  ///< device: the next one to be taken
  unsigned* drawn;  ///< device: the next word to be made a task
};

/// `out[i] = step(in[i], i)`; but each word is read by a thread that only puts tasks, and stored by one that
/// only takes them.
///
/// @param[out]    out    device, [n]
/// @param[in,out] queue  all of it 0 when the function is called
/// @param[in]     in     device, [n]
/// @param         n      >= 0
/// @return cudaSuccess, or the launch error
cudaError_t through_queue(unsigned* out, const Queue& queue, const unsigned* in, int n);  // rung 5

/// What blocks know of each other at a barrier of the grid; 0 before the first call.
struct Barrier {
  unsigned arrived;  ///< blocks, at the present barrier
  unsigned epoch;    ///< barriers that are complete
};

/// Replaces each word, `rounds` times, by twice itself plus both neighbours; beyond the ends there are zeros.
///
/// @param[out]    out      device, [n]
/// @param[in,out] work     device, [2][n], anything
/// @param[in,out] barrier  as the call before this one has left it
/// @param[in]     in       device, [n]
/// @param         n        >= 0
/// @param         rounds   >= 1
/// @return cudaSuccess, or the launch error; nothing is launched where n is 0
cudaError_t smooth(unsigned* out, unsigned* work, Barrier* barrier, const unsigned* in, int n,
                   int rounds);  // rungs 6 and 7

/// Turns each tile of kTile words around, and the shorter one at the end: its word j becomes
/// `step(in word length - 1 - j, key)`.
///
/// @param[out] out  device, [n]
/// @param[in]  in   device, [n]
/// @param      n    >= 0, a multiple of 4
/// @param      key  of the step
/// @return cudaSuccess, or the launch error; nothing is launched where n is 0
cudaError_t turn_tiles(unsigned* out, const unsigned* in, int n, unsigned key);  // rung 8
