// How a call is kept from hurting the process:
//
// - A sandbox's memory is the beginning of a reservation that is larger than any address the module
//   can form (a 32-bit base and a 32-bit offset). What it may not touch cannot be touched: the
//   processor says so, and the handler of SIGSEGV leaves the call by a jump.
// - The same handler sees the end of the thread's stack, on a stack of its own.
// - The deadline is a timer of the thread, whose signal leaves the call by the same jump.
// - No code jumps out of anything but translated code: `inside` is set only around it, and the one
//   function here that asks the kernel for something clears it meanwhile.
#include "adapters/script/wasm_runtime.h"

#include <errno.h>
#include <pthread.h>
#include <quickjs.h>  // what wasm2c writes
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// 4 GiB of base, 4 GiB of offset, and the widest access behind both.
#define RESERVATION_BYTES ((size_t)0x200000000 + 0x10000)
#define PAGE_BYTES 65536u
#define SIGNAL_STACK_BYTES 65536u
#define WASI_BADF 8u

#define DEADLINE_SIGNAL (SIGRTMIN + 5)

struct wasm_sandbox {
  Z_quickjs_instance_t instance;
  uint8_t* reservation;
  uint32_t pages_max;
  uint64_t clock_ns;
  // What the last answer points to, given back when the next one is asked for.
  uint32_t kept_value;
  uint32_t kept_text;
};

// --- one thread ----------------------------------------------------------------------------------

static _Thread_local struct {
  sigjmp_buf leave;
  volatile sig_atomic_t inside;  // translated code is running
  volatile sig_atomic_t late;    // the deadline passed while it was not
  uint8_t* memory;               // the reservation of the sandbox that is running
  uint8_t* guard;                // where the stack ends
  size_t guard_bytes;
  timer_t timer;
  void* signal_stack;
  stack_t former_stack;
} here;

static struct sigaction former_segv;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool is_within(const uint8_t* at, const uint8_t* from, size_t bytes) {
  return at >= from && at < from + bytes;
}

static _Noreturn void leave(enum wasm_outcome outcome) {
  here.inside = 0;
  siglongjmp(here.leave, (int)outcome);
}

static void on_deadline(int number, siginfo_t* info, void* context) {
  (void)number;
  (void)info;
  (void)context;
  if (here.inside) leave(WASM_DEADLINE);
  here.late = 1;
}

static void on_fault(int number, siginfo_t* info, void* context) {
  (void)context;
  const uint8_t* at = info->si_addr;
  if (here.inside && is_within(at, here.memory, RESERVATION_BYTES)) leave(WASM_TRAP);
  if (here.inside && is_within(at, here.guard, here.guard_bytes)) leave(WASM_STACK);
  // Not ours. The access is made again, and the previous handler gets the signal.
  sigaction(number, &former_segv, NULL);
}

static void install(void) {
  struct sigaction action = {0};
  // Without SA_NODEFER a jump out of the handler would leave its signal blocked.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  action.sa_sigaction = on_fault;
  sigaction(SIGSEGV, &action, &former_segv);
  action.sa_flags |= SA_RESTART;
  action.sa_sigaction = on_deadline;
  sigaction(DEADLINE_SIGNAL, &action, NULL);
  Z_quickjs_init_module();
}

int wasm_thread_begin(void* stack, size_t guard) {
  pthread_once(&once, install);
  here.guard = stack;
  here.guard_bytes = guard;
  here.signal_stack =
      mmap(NULL, SIGNAL_STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (here.signal_stack == MAP_FAILED) return errno;
  stack_t alternate = {.ss_sp = here.signal_stack, .ss_size = SIGNAL_STACK_BYTES};
  if (sigaltstack(&alternate, &here.former_stack) != 0) return errno;
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = DEADLINE_SIGNAL};
  event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
  if (timer_create(CLOCK_MONOTONIC, &event, &here.timer) != 0) return errno;
  sigset_t ours;
  sigemptyset(&ours);
  sigaddset(&ours, DEADLINE_SIGNAL);
  return pthread_sigmask(SIG_UNBLOCK, &ours, NULL);
}

void wasm_thread_end(void) {
  timer_delete(here.timer);
  sigaltstack(&here.former_stack, NULL);
  munmap(here.signal_stack, SIGNAL_STACK_BYTES);
}

void wasm_deadline(int64_t ns) {
  // Before the timer is set, or a short deadline would be forgotten. One that was taken away has
  // sent its signal, if any, before the call that took it away was over.
  here.late = 0;
  struct itimerspec at = {0};
  at.it_value.tv_sec = ns / 1000000000;
  at.it_value.tv_nsec = ns % 1000000000;
  timer_settime(here.timer, 0, &at, NULL);
}

// --- what the translated code calls --------------------------------------------------------------

bool wasm_rt_is_initialized(void) { return true; }

void wasm_rt_trap(wasm_rt_trap_t why) {
  leave(why == WASM_RT_TRAP_EXHAUSTION ? WASM_STACK : WASM_TRAP);
}

#define SIGNATURES_MAX 256
#define SIGNATURE_BYTES 32

/// Equal types get equal numbers, which is what an indirect call compares. Called once, in order.
uint32_t wasm_rt_register_func_type(uint32_t params, uint32_t results, ...) {
  static uint8_t known[SIGNATURES_MAX][SIGNATURE_BYTES];
  static uint32_t count = 0;
  uint8_t mine[SIGNATURE_BYTES] = {(uint8_t)params, (uint8_t)results};
  if (params + results + 2 > SIGNATURE_BYTES || count == SIGNATURES_MAX) abort();
  va_list types;
  va_start(types, results);
  for (uint32_t i = 0; i < params + results; ++i) mine[i + 2] = (uint8_t)va_arg(types, int);
  va_end(types);
  for (uint32_t i = 0; i < count; ++i) {
    if (memcmp(known[i], mine, SIGNATURE_BYTES) == 0) return i + 1;
  }
  memcpy(known[count], mine, SIGNATURE_BYTES);
  return ++count;
}

static struct wasm_sandbox* owner_of(wasm_rt_memory_t* memory) {
  return (struct wasm_sandbox*)((char*)memory - offsetof(struct wasm_sandbox, instance.w2c_memory));
}

void wasm_rt_allocate_memory(wasm_rt_memory_t* memory, uint32_t pages, uint32_t pages_max) {
  struct wasm_sandbox* sandbox = owner_of(memory);
  (void)pages_max;
  memory->data = sandbox->reservation;
  memory->pages = pages;
  memory->max_pages = sandbox->pages_max;
  memory->size = pages * PAGE_BYTES;
  if (mprotect(memory->data, memory->size, PROT_READ | PROT_WRITE) != 0) abort();
}

uint32_t wasm_rt_grow_memory(wasm_rt_memory_t* memory, uint32_t delta) {
  const uint32_t before = memory->pages;
  if (delta > memory->max_pages - before) return UINT32_MAX;
  // Left half-way, the memory would be larger than it knows.
  here.inside = 0;
  const int refused = delta == 0 ? 0
                                 : mprotect(memory->data + memory->size, (size_t)delta * PAGE_BYTES,
                                            PROT_READ | PROT_WRITE);
  if (refused == 0) {
    memory->pages = before + delta;
    memory->size = memory->pages * PAGE_BYTES;
  }
  here.inside = 1;
  if (here.late) leave(WASM_DEADLINE);
  return refused == 0 ? before : UINT32_MAX;
}

void wasm_rt_free_memory(wasm_rt_memory_t* memory) { memory->data = NULL; }

void wasm_rt_allocate_funcref_table(wasm_rt_funcref_table_t* table, uint32_t size,
                                    uint32_t size_max) {
  table->data = calloc(size, sizeof *table->data);
  if (table->data == NULL) abort();
  table->size = size;
  table->max_size = size_max;
}

void wasm_rt_free_funcref_table(wasm_rt_funcref_table_t* table) { free(table->data); }

// --- what the module imports
// ---------------------------------------------------------------------- The sandbox stands for
// both import modules. Addresses come from the module: a wrong one lies in the reservation all the
// same and is a fault like any other.

static struct wasm_sandbox* of_env(struct Z_env_instance_t* env) {
  return (struct wasm_sandbox*)env;
}
static struct wasm_sandbox* of_wasi(struct Z_wasi_snapshot_preview1_instance_t* wasi) {
  return (struct wasm_sandbox*)wasi;
}
static void store(struct wasm_sandbox* sandbox, uint32_t at, const void* bytes, size_t size) {
  memcpy(sandbox->reservation + at, bytes, size);
}

uint32_t Z_wasi_snapshot_preview1Z_clock_time_get(struct Z_wasi_snapshot_preview1_instance_t* wasi,
                                                  uint32_t clock, uint64_t precision, uint32_t at) {
  (void)clock;
  (void)precision;
  store(of_wasi(wasi), at, &of_wasi(wasi)->clock_ns, sizeof(uint64_t));
  return 0;
}

/// Asked once, when the engine starts. Chance comes from the seed of an evaluation, in prelude.js.
uint32_t Z_wasi_snapshot_preview1Z_random_get(struct Z_wasi_snapshot_preview1_instance_t* wasi,
                                              uint32_t at, uint32_t size) {
  memset(of_wasi(wasi)->reservation + at, 0, size);
  return 0;
}

// There are no files.
uint32_t Z_wasi_snapshot_preview1Z_fd_close(struct Z_wasi_snapshot_preview1_instance_t* wasi,
                                            uint32_t file) {
  (void)wasi;
  (void)file;
  return WASI_BADF;
}
uint32_t Z_wasi_snapshot_preview1Z_fd_fdstat_get(struct Z_wasi_snapshot_preview1_instance_t* wasi,
                                                 uint32_t file, uint32_t at) {
  (void)wasi;
  (void)file;
  (void)at;
  return WASI_BADF;
}
uint32_t Z_wasi_snapshot_preview1Z_fd_seek(struct Z_wasi_snapshot_preview1_instance_t* wasi,
                                           uint32_t file, uint64_t offset, uint32_t whence,
                                           uint32_t at) {
  (void)wasi;
  (void)file;
  (void)offset;
  (void)whence;
  (void)at;
  return WASI_BADF;
}
uint32_t Z_wasi_snapshot_preview1Z_fd_write(struct Z_wasi_snapshot_preview1_instance_t* wasi,
                                            uint32_t file, uint32_t pieces, uint32_t count,
                                            uint32_t at) {
  (void)wasi;
  (void)file;
  (void)pieces;
  (void)count;
  (void)at;
  return WASI_BADF;
}

// Local time is UTC; no module is ever found; no function of ours can be called.
uint32_t Z_envZ_host_get_timezone_offset(struct Z_env_instance_t* env, uint32_t high,
                                         uint32_t low) {
  (void)env;
  (void)high;
  (void)low;
  return 0;
}
uint32_t Z_envZ_host_interrupt(struct Z_env_instance_t* env) {
  (void)env;
  return 0;
}
void Z_envZ_host_promise_rejection(struct Z_env_instance_t* env, uint32_t promise, uint32_t reason,
                                   uint32_t is_handled) {
  (void)env;
  (void)promise;
  (void)reason;
  (void)is_handled;
}
uint32_t Z_envZ_host_module_normalize(struct Z_env_instance_t* env, uint32_t base, uint32_t name) {
  (void)env;
  (void)base;
  (void)name;
  return 0;
}
uint32_t Z_envZ_host_module_load(struct Z_env_instance_t* env, uint32_t name, uint32_t size) {
  (void)env;
  (void)name;
  (void)size;
  return 0;
}
uint32_t Z_envZ_host_call(struct Z_env_instance_t* env, uint32_t name, uint32_t size, uint32_t self,
                          uint32_t count, uint32_t values) {
  (void)of_env(env);
  (void)name;
  (void)size;
  (void)self;
  (void)count;
  (void)values;
  return 0;
}

// --- sandboxes -----------------------------------------------------------------------------------

struct wasm_sandbox* wasm_sandbox_new(size_t bytes_max) {
  pthread_once(&once, install);
  struct wasm_sandbox* sandbox = calloc(1, sizeof *sandbox);
  if (sandbox == NULL) return NULL;
  void* reserved =
      mmap(NULL, RESERVATION_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) {
    free(sandbox);
    return NULL;
  }
  sandbox->reservation = reserved;
  sandbox->pages_max = (uint32_t)(bytes_max / PAGE_BYTES);
  Z_quickjs_instantiate(&sandbox->instance, (struct Z_env_instance_t*)sandbox,
                        (struct Z_wasi_snapshot_preview1_instance_t*)sandbox);
  return sandbox;
}

void wasm_sandbox_free(struct wasm_sandbox* sandbox) {
  Z_quickjs_free(&sandbox->instance);
  munmap(sandbox->reservation, RESERVATION_BYTES);
  free(sandbox);
}

struct wasm_image wasm_sandbox_image(const struct wasm_sandbox* sandbox) {
  const struct wasm_image image = {sandbox->reservation, sandbox->instance.w2c_memory.size,
                                   sandbox->instance.w2c___stack_pointer};
  return image;
}

/// What was written goes back by a call that lets other threads of the process go on with their
/// memory. Mapping over it would keep them waiting, for milliseconds after a large script.
static int give_back(uint8_t* from, uint8_t* to) {
  if (from == to) return 0;
  return madvise(from, (size_t)(to - from), MADV_DONTNEED) == 0 ? 0 : errno;
}

/// Back to the size of the photograph, with nothing left of a call.
static int shrink(struct wasm_sandbox* sandbox, size_t size, uint32_t stack_pointer) {
  wasm_rt_memory_t* memory = &sandbox->instance.w2c_memory;
  if (memory->size > size) {
    give_back(memory->data + size, memory->data + memory->size);
    if (mmap(memory->data + size, memory->size - size, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED) {
      return errno;
    }
  }
  memory->size = (uint32_t)size;
  memory->pages = memory->size / PAGE_BYTES;
  sandbox->instance.w2c___stack_pointer = stack_pointer;
  sandbox->kept_value = 0;
  sandbox->kept_text = 0;
  return 0;
}

int wasm_sandbox_restore(struct wasm_sandbox* sandbox, int file, size_t size,
                         uint32_t stack_pointer) {
  uint8_t* data = sandbox->instance.w2c_memory.data;
  if (mmap(data, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0) == MAP_FAILED) {
    return errno;
  }
  return shrink(sandbox, size, stack_pointer);
}

int wasm_sandbox_rewind(struct wasm_sandbox* sandbox, const struct wasm_range* copied, size_t count,
                        const uint8_t* image, size_t size, uint32_t stack_pointer) {
  uint8_t* data = sandbox->instance.w2c_memory.data;
  size_t at = 0;
  for (size_t i = 0; i < count; ++i) {
    const int refused = give_back(data + at, data + copied[i].offset);
    if (refused != 0) return refused;
    memcpy(data + copied[i].offset, image + copied[i].offset, copied[i].size);
    at = copied[i].offset + copied[i].size;
  }
  const int refused = give_back(data + at, data + size);
  if (refused != 0) return refused;
  return shrink(sandbox, size, stack_pointer);
}

void wasm_sandbox_set_clock(struct wasm_sandbox* sandbox, uint64_t ns) { sandbox->clock_ns = ns; }

// --- calls ---------------------------------------------------------------------------------------

/// One call: what goes in and what comes out, so that a body needs no other argument.
struct call {
  struct wasm_sandbox* sandbox;
  Z_quickjs_instance_t* engine;
  const void* bytes;
  size_t size;
  uint32_t numbers[3];
  uint64_t seed;
  struct wasm_answer* answer;
  uint32_t scratch;  // a few bytes on the stack of the module
};

#define SCRATCH_BYTES 64u

static enum wasm_outcome guarded(struct call* call, void (*body)(struct call*)) {
  call->engine = &call->sandbox->instance;
  if (call->answer != NULL) memset(call->answer, 0, sizeof *call->answer);
  here.memory = call->sandbox->reservation;
  const int left = sigsetjmp(here.leave, 0);
  if (left != 0) return (enum wasm_outcome)left;
  here.inside = 1;
  if (here.late) leave(WASM_DEADLINE);
  call->scratch = call->engine->w2c___stack_pointer - SCRATCH_BYTES;
  call->engine->w2c___stack_pointer = call->scratch;
  body(call);
  call->engine->w2c___stack_pointer = call->scratch + SCRATCH_BYTES;
  here.inside = 0;
  return WASM_DONE;
}

static uint32_t load(const struct call* call, uint32_t at) {
  uint32_t value;
  memcpy(&value, call->sandbox->reservation + at, sizeof value);
  return value;
}

static uint32_t room(struct call* call, size_t size) {
  const uint32_t at = Z_quickjsZ_wasm_malloc(call->engine, (uint32_t)size);
  if (at == 0) leave(WASM_REFUSED);
  return at;
}

/// The bytes with a zero behind them, in the sandbox.
static uint32_t copied(struct call* call, const void* bytes, size_t size) {
  const uint32_t at = room(call, size + 1);
  store(call->sandbox, at, bytes, size);
  store(call->sandbox, (uint32_t)(at + size), "", 1);
  return at;
}

static struct wasm_bytes bytes_at(const struct call* call, uint32_t at, uint32_t size) {
  // The module is not believed: what is read later, outside of the call, must be its own memory.
  if ((uint64_t)at + size > call->engine->w2c_memory.size) leave(WASM_TRAP);
  const struct wasm_bytes bytes = {call->sandbox->reservation + at, size};
  return bytes;
}

static struct wasm_bytes text_of(struct call* call, uint32_t handle) {
  const uint32_t text = Z_quickjsZ_qjs_get_string_len(call->engine, handle, call->scratch);
  if (text == 0) leave(WASM_REFUSED);
  call->sandbox->kept_text = text;
  return bytes_at(call, text, load(call, call->scratch));
}

/// Empty when there is none, or when asking for it threw in turn.
static struct wasm_bytes property_of(struct call* call, uint32_t handle, const char* name) {
  const struct wasm_bytes none = {NULL, 0};
  const uint32_t key = copied(call, name, strlen(name));
  const uint32_t value = Z_quickjsZ_qjs_get_prop_string(call->engine, handle, key);
  if (value == 0 || Z_quickjsZ_qjs_is_exception(call->engine, value)) return none;
  const uint32_t text = Z_quickjsZ_qjs_get_string_len(call->engine, value, call->scratch);
  return text == 0 ? none : bytes_at(call, text, load(call, call->scratch));
}

static void threw(struct call* call) {
  const uint32_t exception = Z_quickjsZ_qjs_get_exception(call->engine);
  if (exception == 0) leave(WASM_REFUSED);
  call->answer->threw = 1;
  call->answer->text = property_of(call, exception, "message");
  call->answer->stack = property_of(call, exception, "stack");
}

static void start_body(struct call* call) {
  Z_quickjsZ__initialize(call->engine);
  if (Z_quickjsZ_qjs_init2(call->engine, call->numbers[0]) != 0) leave(WASM_REFUSED);
  Z_quickjsZ_qjs_set_memory_limit(call->engine, call->numbers[1]);
  Z_quickjsZ_qjs_set_max_stack_size(call->engine, call->numbers[2]);
}

enum wasm_outcome wasm_engine_start(struct wasm_sandbox* sandbox, uint32_t intrinsics,
                                    uint32_t memory_bytes_max, uint32_t stack_bytes_max) {
  struct call call = {.sandbox = sandbox,
                      .numbers = {intrinsics, memory_bytes_max, stack_bytes_max}};
  return guarded(&call, start_body);
}

static void compile_body(struct call* call) {
  const uint32_t source = copied(call, call->bytes, call->size);
  const uint32_t name = copied(call, "script", 6);
  const uint32_t code =
      Z_quickjsZ_qjs_compile(call->engine, source, (uint32_t)call->size, name, 0, 0, call->scratch);
  if (code == 0) {
    threw(call);
  } else {
    call->answer->text = bytes_at(call, code, load(call, call->scratch));
  }
}

enum wasm_outcome wasm_compile(struct wasm_sandbox* sandbox, const char* source, size_t size,
                               struct wasm_answer* answer) {
  struct call call = {.sandbox = sandbox, .bytes = source, .size = size, .answer = answer};
  return guarded(&call, compile_body);
}

static void load_body(struct call* call) {
  const uint32_t code = copied(call, call->bytes, call->size);
  const uint32_t value = Z_quickjsZ_qjs_eval_bytecode(call->engine, code, (uint32_t)call->size);
  if (value == 0) leave(WASM_REFUSED);
  Z_quickjsZ_wasm_free(call->engine, code);
  if (Z_quickjsZ_qjs_is_exception(call->engine, value)) {
    threw(call);
  } else {
    call->answer->handle = value;
  }
}

enum wasm_outcome wasm_load(struct wasm_sandbox* sandbox, const uint8_t* bytecode, size_t size,
                            struct wasm_answer* answer) {
  struct call call = {.sandbox = sandbox, .bytes = bytecode, .size = size, .answer = answer};
  return guarded(&call, load_body);
}

static void give_back_last(struct call* call) {
  struct wasm_sandbox* sandbox = call->sandbox;
  if (sandbox->kept_text != 0) Z_quickjsZ_qjs_free_cstring(call->engine, sandbox->kept_text);
  if (sandbox->kept_value != 0) Z_quickjsZ_qjs_free_value(call->engine, sandbox->kept_value);
  sandbox->kept_text = 0;
  sandbox->kept_value = 0;
}

static void run_body(struct call* call) {
  Z_quickjs_instance_t* engine = call->engine;
  give_back_last(call);
  const uint32_t input = copied(call, call->bytes, call->size);
  const uint32_t values[4] = {
      call->numbers[1], Z_quickjsZ_qjs_new_string(engine, input, (uint32_t)call->size),
      Z_quickjsZ_qjs_new_number(engine, (double)(uint32_t)(call->seed >> 32)),
      Z_quickjsZ_qjs_new_number(engine, (double)(uint32_t)call->seed)};
  const uint32_t self = Z_quickjsZ_qjs_get_undefined(engine);
  if (values[1] == 0 || values[2] == 0 || values[3] == 0 || self == 0) leave(WASM_REFUSED);
  Z_quickjsZ_wasm_free(engine, input);
  store(call->sandbox, call->scratch, values, sizeof values);
  const uint32_t result = Z_quickjsZ_qjs_call(engine, call->numbers[0], self, 4, call->scratch);
  if (result == 0) leave(WASM_REFUSED);
  for (int i = 1; i < 4; ++i) Z_quickjsZ_qjs_free_value(engine, values[i]);
  Z_quickjsZ_qjs_free_value(engine, self);
  call->sandbox->kept_value = result;
  if (Z_quickjsZ_qjs_is_exception(engine, result)) {
    threw(call);
  } else {
    call->answer->text = text_of(call, result);
  }
}

enum wasm_outcome wasm_run(struct wasm_sandbox* sandbox, uint32_t function, uint32_t script,
                           const char* input, size_t size, uint64_t seed,
                           struct wasm_answer* answer) {
  struct call call = {.sandbox = sandbox,
                      .bytes = input,
                      .size = size,
                      .numbers = {function, script},
                      .seed = seed,
                      .answer = answer};
  return guarded(&call, run_body);
}
