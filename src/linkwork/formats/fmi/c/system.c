/* What differs between systems: libraries, memory, and what the CPU can do. */

#ifndef _WIN32
#define _GNU_SOURCE
#endif

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

#if defined(_WIN32)
#define OS "win32"
const char *const SUFFIX = ".dll";
#elif defined(__APPLE__)
#define OS "darwin"
const char *const SUFFIX = ".dylib";
#else
#define OS "linux"
const char *const SUFFIX = ".so";
#endif

#if defined(__x86_64__) || defined(_M_X64)
#include <cpuid.h>

const char *const SYSTEM = OS "-x86_64";

/* Which registers the system saves: bits 1 and 2 those of AVX, bits 5 to 7 those of AVX-512. */
static unsigned saved_registers(void) {
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

int cpu_has(const char *level) {
  unsigned a, b = 0, c = 0, d, b7 = 0, c7, d7, cx = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return 0;
  __get_cpuid_count(7, 0, &a, &b7, &c7, &d7);
  __get_cpuid(0x80000001u, &a, &b, &cx, &d);
  int v2 = (c & bit_SSE4_2) && (c & bit_POPCNT) && (c & bit_SSSE3);
  unsigned saved = (c & bit_OSXSAVE) ? saved_registers() : 0;
  int v3 = v2 && (saved & 0x6) == 0x6 && (c & bit_AVX) && (c & bit_FMA) && (c & bit_F16C) && (c & bit_MOVBE) &&
           (b7 & bit_AVX2) && (b7 & bit_BMI) && (b7 & bit_BMI2) && (cx & (1u << 5)); /* lzcnt */
  int v4 = v3 && (saved & 0xe0) == 0xe0 && (b7 & bit_AVX512F) && (b7 & bit_AVX512BW) && (b7 & bit_AVX512CD) &&
           (b7 & bit_AVX512DQ) && (b7 & bit_AVX512VL);
  if (strcmp(level, "x86-64-v4") == 0) return v4;
  if (strcmp(level, "x86-64-v3") == 0) return v3;
  return strcmp(level, "x86-64-v2") == 0 && v2;
}
#else
const char *const SYSTEM = OS "-aarch64";

int cpu_has(const char *level) { return strcmp(level, "generic") == 0; }
#endif

/* The folder that this very library lies in, with its last slash; NULL where the system does not tell. */
char *folder_of_this_library(void) {
#ifdef _WIN32
  char path[4096];
  HMODULE module;
  if (!GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                          (LPCSTR)(void *)folder_of_this_library, &module) ||
      GetModuleFileNameA(module, path, sizeof path) == 0)
    return NULL;
  for (char *each = path; *each; each++)
    if (*each == '\\') *each = '/';
#else
  Dl_info found;
  static int here; /* something of this library that has an address */
  if (dladdr(&here, &found) == 0 || found.dli_fname == NULL) return NULL;
  const char *path = found.dli_fname;
#endif
  const char *slash = strrchr(path, '/');
  if (slash == NULL) return NULL;
  size_t length = (size_t)(slash - path) + 1;
  char *folder = malloc(length + 1);
  if (folder != NULL) memcpy(folder, path, length), folder[length] = 0;
  return folder;
}

void *open_library(const char *path) {
#ifdef _WIN32
  return (void *)LoadLibraryExA(path, NULL, LOAD_WITH_ALTERED_SEARCH_PATH);
#else
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
#endif
}

void *symbol_in(void *library, const char *name) {
#ifdef _WIN32
  return (void *)GetProcAddress((HMODULE)library, name);
#else
  return dlsym(library, name);
#endif
}

void close_library(void *library) {
  if (library == NULL) return;
#ifdef _WIN32
  FreeLibrary((HMODULE)library);
#else
  dlclose(library);
#endif
}

void *aligned_memory(size_t bytes, void **allocated) {
  *allocated = calloc(1, bytes + 64);
  if (*allocated == NULL) return NULL;
  return (void *)(((uintptr_t)*allocated + 63) & ~(uintptr_t)63);
}
