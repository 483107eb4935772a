/* A small C host for FMUs of FMI 2.0: runs one in co-simulation, prints its outputs after every communication step, and
   the seconds that the steps took.

   host BINARY TOKEN RESOURCES LENGTH STEPS INSTANCES REFERENCE... */

#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
  void (*logger)(void *, const char *, int, const char *, const char *, ...);
  void *allocate, *release, *finished, *environment;
} Callbacks;

static void logger(void *environment, const char *name, int status, const char *category, const char *text, ...) {
  va_list arguments;
  (void)environment;
  va_start(arguments, text);
  fprintf(stderr, "%s %d %s: ", name, status, category);
  vfprintf(stderr, text, arguments);
  fputc('\n', stderr);
  va_end(arguments);
}

static void *library;

static void *function(const char *name) {
  void *found = dlsym(library, name);
  if (found == NULL) fprintf(stderr, "there is no %s\n", name), exit(2);
  return found;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int count, char **given) {
  library = dlopen(given[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return fprintf(stderr, "%s\n", dlerror()), 2;
  double length = atof(given[4]), took = 0.0;
  int steps = atoi(given[5]), instances = atoi(given[6]), outputs = count - 7;
  void *(*instantiate)(const char *, int, const char *, const char *, const Callbacks *, int, int) =
      function("fmi2Instantiate");
  int (*setup)(void *, int, double, double, int, double) = function("fmi2SetupExperiment");
  int (*enter)(void *) = function("fmi2EnterInitializationMode"), (*leave)(void *) = function("fmi2ExitInitializationMode");
  int (*step)(void *, double, double, int) = function("fmi2DoStep");
  int (*get)(void *, const uint32_t[], size_t, double[]) = function("fmi2GetReal");
  int (*end)(void *) = function("fmi2Terminate");
  void (*release)(void *) = function("fmi2FreeInstance");
  Callbacks callbacks = {logger, NULL, NULL, NULL, NULL};
  uint32_t references[64];
  double values[64];
  for (int k = 0; k < outputs; k++) references[k] = (uint32_t)atoi(given[7 + k]);
  void *instance[8];
  for (int i = 0; i < instances; i++) {
    instance[i] = instantiate("host", 1, given[2], given[3], &callbacks, 0, 1);
    if (instance[i] == NULL || setup(instance[i], 0, 0.0, 0.0, 0, 0.0) || enter(instance[i]) || leave(instance[i])) return 3;
  }
  for (int n = 0; n <= steps; n++) {
    for (int i = 0; i < instances; i++) {
      double begin = now();
      if (n > 0 && step(instance[i], (n - 1) * length, length, 1) != 0) return 4;
      if (outputs > 0 && get(instance[i], references, (size_t)outputs, values) != 0) return 5;
      took += now() - begin;
      for (int k = 0; k < outputs; k++) printf("%a%c", values[k], k + 1 < outputs ? ' ' : '\n');
    }
  }
  for (int i = 0; i < instances; i++) end(instance[i]), release(instance[i]);
  fprintf(stderr, "seconds %.9f\n", took);
  return 0;
}
