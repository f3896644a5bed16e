#pragma once
// The runtime of the translated module: sandboxes with their memory, calls into them that cannot
// hurt the process, and a deadline that holds anywhere. C, because a call may be left by a jump
// from a signal handler, which must not cross a C++ frame.
//
// A sandbox belongs to one thread at a time. Calls are made only on threads that have called
// wasm_thread_begin. After any answer but WASM_DONE the sandbox must be restored before its next
// call.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct wasm_sandbox;

enum wasm_outcome {
  WASM_DONE = 0,
  WASM_DEADLINE,  // the time was over
  WASM_STACK,     // the thread's stack was
  WASM_TRAP,      // the module did what WebAssembly forbids
  WASM_REFUSED,   // the engine ran out of memory before it could say so
};

// --- threads -------------------------------------------------------------------------------------

/// Makes the calling thread, whose stack begins with `guard` bytes that cannot be touched, fit for
/// calls. 0, or errno.
int wasm_thread_begin(void* stack, size_t guard);
void wasm_thread_end(void);

/// Calls of this thread end `ns` nanoseconds from now; 0 takes the deadline away.
/// REQUIRES: the one before was taken away.
void wasm_deadline(int64_t ns);

// --- sandboxes -----------------------------------------------------------------------------------

/// A sandbox whose memory cannot grow beyond `bytes_max`; nothing (errno) when there is no address
/// space left for it.
struct wasm_sandbox* wasm_sandbox_new(size_t bytes_max);
void wasm_sandbox_free(struct wasm_sandbox* sandbox);

/// What a sandbox is made of, to be photographed.
struct wasm_image {
  uint8_t* data;
  size_t size;
  uint32_t stack_pointer;
};
struct wasm_image wasm_sandbox_image(const struct wasm_sandbox* sandbox);

/// Puts the sandbox where the photograph in `file` was taken; pages are copied when first written.
/// 0, or errno.
int wasm_sandbox_restore(struct wasm_sandbox* sandbox, int file, size_t size,
                         uint32_t stack_pointer);

/// A run of pages.
struct wasm_range {
  size_t offset;
  size_t size;
};

/// The same for a sandbox that was restored from this photograph before: of its pages those of the
/// `count` ranges, which are in order and do not touch one another, are copied from `image`, the
/// photograph's bytes; all others are given back. 0, or errno.
int wasm_sandbox_rewind(struct wasm_sandbox* sandbox, const struct wasm_range* copied, size_t count,
                        const uint8_t* image, size_t size, uint32_t stack_pointer);

/// The instant that the sandbox's clock shows from now on.
void wasm_sandbox_set_clock(struct wasm_sandbox* sandbox, uint64_t ns);

// --- calls ---------------------------------------------------------------------------------------

/// Bytes in the sandbox's memory, valid until its next call.
struct wasm_bytes {
  const uint8_t* data;
  size_t size;
};

/// What a call answers: a value kept in the sandbox, a text, or what was thrown.
struct wasm_answer {
  uint32_t handle;
  struct wasm_bytes text;   // of an exception: its message
  struct wasm_bytes stack;  // of an exception: where it was thrown
  int threw;
};

/// Starts the engine. `intrinsics` is the set of built-ins, as the module numbers them.
enum wasm_outcome wasm_engine_start(struct wasm_sandbox* sandbox, uint32_t intrinsics,
                                    uint32_t memory_bytes_max, uint32_t stack_bytes_max);

/// Compiles a script to bytecode (text), without running any of it.
enum wasm_outcome wasm_compile(struct wasm_sandbox* sandbox, const char* source, size_t size,
                               struct wasm_answer* answer);

/// Runs bytecode that wasm_compile gave; the handle is its value.
enum wasm_outcome wasm_load(struct wasm_sandbox* sandbox, const uint8_t* bytecode, size_t size,
                            struct wasm_answer* answer);

/// Calls function(script, input, high, low) and answers with the text of its value.
enum wasm_outcome wasm_run(struct wasm_sandbox* sandbox, uint32_t function, uint32_t script,
                           const char* input, size_t size, uint64_t seed,
                           struct wasm_answer* answer);

#ifdef __cplusplus
}
#endif
