/* The functions of FMI 3.0, for co-simulation and model exchange. */

#include <stdbool.h>
#include <stdlib.h>

#include "model.h"

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef void (*LogMessage)(void *environment, fmi3Status status, const char *category, const char *message);
typedef void (*IntermediateUpdate)(void *environment, double time, bool set, bool get, bool finished, bool can_return,
                                   bool *early, double *when);
typedef void *Instance3;
typedef const uint32_t *References;
typedef const char *Text;
typedef const uint8_t *Binary;

static void speak(Instance *instance, int failed, const char *text) {
  if (instance->logger != NULL)
    ((LogMessage)instance->logger)(instance->environment, failed ? fmi3Error : fmi3Warning,
                                   failed ? "logStatusError" : "logStatusWarning", text);
}

/* Exact coupling: within a step the host gets D and r of this stage, and sets the forces at the ports. */
static void ask_host(Instance *instance, double time) {
  bool early = false;
  double when = 0.0;
  ((IntermediateUpdate)instance->update)(instance->environment, time, true, true, false, false, &early, &when);
}

static fmi3Status done(int failed) { return failed ? fmi3Error : fmi3OK; }

static fmi3Status not_offered(Instance3 c, const char *what) {
  tell(c, 1, "'%s' has no %s", ((Instance *)c)->name, what);
  return fmi3Error;
}

static fmi3Status wrong_count(Instance3 c, size_t values) {
  tell(c, 1, "these variables of '%s' have other sizes than the %zu numbers given", ((Instance *)c)->name, values);
  return fmi3Error;
}

static Instance3 make(const char *name, const char *token, const char *resources, void *environment, LogMessage log,
                      int exchange) {
  Instance *instance = new_instance(name);
  if (instance == NULL) return NULL;
  instance->speak = speak;
  instance->logger = (void (*)(void))log;
  instance->environment = environment;
  if (fill_instance(instance, token, resources, exchange) == 0) return instance;
  free_instance(instance);
  return NULL;
}

EXPORT const char *fmi3GetVersion(void) { return "3.0"; }

EXPORT fmi3Status fmi3SetDebugLogging(Instance3 c, bool on, size_t count, const Text categories[]) {
  (void)c, (void)on, (void)count, (void)categories; /* errors are always told, and nothing else is */
  return fmi3OK;
}

EXPORT Instance3 fmi3InstantiateModelExchange(Text name, Text token, Text resources, bool visible, bool logging,
                                              void *environment, LogMessage log) {
  (void)visible, (void)logging;
  return make(name, token, resources, environment, log, 1);
}

EXPORT Instance3 fmi3InstantiateCoSimulation(Text name, Text token, Text resources, bool visible, bool logging,
                                             bool events, bool early, References intermediate, size_t count,
                                             void *environment, LogMessage log, IntermediateUpdate update) {
  (void)visible, (void)logging, (void)events, (void)early;
  Instance *instance = make(name, token, resources, environment, log, 0);
  for (size_t k = 0; instance != NULL && update != NULL && k < count; k++)
    if (is_border(instance, intermediate[k])) instance->ask = ask_host;
  if (instance == NULL || instance->ask == NULL) return instance;
  instance->update = (void (*)(void))update;
  put_border(instance);
  return instance;
}

EXPORT Instance3 fmi3InstantiateScheduledExecution(Text name, Text token, Text resources, bool visible, bool logging,
                                                   void *environment, LogMessage log, void (*update)(void),
                                                   void (*lock)(void), void (*unlock)(void)) {
  (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)update, (void)lock, (void)unlock;
  if (log != NULL) log(environment, fmi3Error, "logStatusError", "this FMU has no scheduled execution");
  return NULL;
}

EXPORT void fmi3FreeInstance(Instance3 c) { free_instance(c); }

EXPORT fmi3Status fmi3EnterInitializationMode(Instance3 c, bool tolerant, double tolerance, double start, bool stops,
                                              double stop) {
  (void)tolerant, (void)tolerance, (void)stops, (void)stop;
  Instance *instance = c;
  record_of(instance)[START_TIME] = instance->time = start;
  record_of(instance)[SETTLED] = 0.0;
  instance->phase = INITIALISING;
  return fmi3OK;
}

EXPORT fmi3Status fmi3ExitInitializationMode(Instance3 c) {
  if (settle(c) != 0) return fmi3Error;
  ((Instance *)c)->phase = RUNNING;
  return fmi3OK;
}

EXPORT fmi3Status fmi3EnterEventMode(Instance3 c) {
  (void)c;
  return fmi3OK;
}

EXPORT fmi3Status fmi3Terminate(Instance3 c) {
  ((Instance *)c)->phase = ENDED;
  return fmi3OK;
}

EXPORT fmi3Status fmi3Reset(Instance3 c) {
  reset_instance(c);
  ((Instance *)c)->phase = MADE;
  return fmi3OK;
}

EXPORT fmi3Status fmi3GetFloat64(Instance3 c, References reference, size_t count, double value[], size_t values) {
  return value_count(c, reference, count) == values ? done(read_values(c, reference, count, value)) : wrong_count(c, values);
}

EXPORT fmi3Status fmi3SetFloat64(Instance3 c, References reference, size_t count, const double value[], size_t values) {
  return value_count(c, reference, count) == values ? done(write_values(c, reference, count, value)) : wrong_count(c, values);
}

/* There are no variables of other types: only empty lists are read and written. */
#define NO_VARIABLES(kind, type)                                                                              \
  EXPORT fmi3Status fmi3Get##kind(Instance3 c, References reference, size_t count, type value[], size_t values) { \
    (void)reference, (void)value, (void)values;                                                               \
    return count == 0 ? fmi3OK : not_offered(c, "variables of type " #kind);                                  \
  }                                                                                                           \
  EXPORT fmi3Status fmi3Set##kind(Instance3 c, References reference, size_t count, const type value[],         \
                                  size_t values) {                                                            \
    (void)reference, (void)value, (void)values;                                                               \
    return count == 0 ? fmi3OK : not_offered(c, "variables of type " #kind);                                  \
  }

NO_VARIABLES(Float32, float)
NO_VARIABLES(Int8, int8_t)
NO_VARIABLES(UInt8, uint8_t)
NO_VARIABLES(Int16, int16_t)
NO_VARIABLES(UInt16, uint16_t)
NO_VARIABLES(Int32, int32_t)
NO_VARIABLES(UInt32, uint32_t)
NO_VARIABLES(Int64, int64_t)
NO_VARIABLES(UInt64, uint64_t)
NO_VARIABLES(Boolean, bool)
NO_VARIABLES(String, Text)

EXPORT fmi3Status fmi3GetBinary(Instance3 c, References reference, size_t count, size_t sizes[], Binary value[],
                                size_t values) {
  (void)reference, (void)sizes, (void)value, (void)values;
  return count == 0 ? fmi3OK : not_offered(c, "variables of type Binary");
}

EXPORT fmi3Status fmi3SetBinary(Instance3 c, References reference, size_t count, const size_t sizes[],
                                const Binary value[], size_t values) {
  (void)reference, (void)sizes, (void)value, (void)values;
  return count == 0 ? fmi3OK : not_offered(c, "variables of type Binary");
}

/* --- states */

EXPORT fmi3Status fmi3GetFMUState(Instance3 c, void **state) { return done(take_snapshot(c, state)); }
EXPORT fmi3Status fmi3SetFMUState(Instance3 c, void *state) { return done(put_back(c, state)); }

EXPORT fmi3Status fmi3FreeFMUState(Instance3 c, void **state) {
  (void)c;
  if (state != NULL) free(*state), *state = NULL;
  return fmi3OK;
}

EXPORT fmi3Status fmi3SerializedFMUStateSize(Instance3 c, void *state, size_t *size) {
  (void)state;
  *size = snapshot_size(c);
  return fmi3OK;
}

EXPORT fmi3Status fmi3SerializeFMUState(Instance3 c, void *state, uint8_t bytes[], size_t size) {
  return done(snapshot_to_bytes(c, state, (char *)bytes, size));
}

EXPORT fmi3Status fmi3DeserializeFMUState(Instance3 c, const uint8_t bytes[], size_t size, void **state) {
  return done(snapshot_from_bytes(c, (const char *)bytes, size, state));
}

/* --- what is not offered: derivatives by direction, structural parameters, clocks */

EXPORT fmi3Status fmi3GetDirectionalDerivative(Instance3 c, References unknown, size_t unknowns, References known,
                                               size_t knowns, const double seed[], size_t seeds, double result[],
                                               size_t results) {
  if (seeds != knowns || results != unknowns) return not_offered(c, "directional derivatives of arrays");
  return done(directional_derivative(c, unknown, unknowns, known, knowns, seed, result));
}

EXPORT fmi3Status fmi3GetAdjointDerivative(Instance3 c, References unknown, size_t unknowns, References known,
                                           size_t knowns, const double seed[], size_t seeds, double result[],
                                           size_t results) {
  (void)unknown, (void)unknowns, (void)known, (void)knowns, (void)seed, (void)seeds, (void)result, (void)results;
  return not_offered(c, "adjoint derivatives");
}

EXPORT fmi3Status fmi3GetNumberOfVariableDependencies(Instance3 c, uint32_t reference, size_t *count) {
  (void)reference;
  *count = 0;
  return not_offered(c, "dependencies of array elements");
}

EXPORT fmi3Status fmi3GetVariableDependencies(Instance3 c, uint32_t dependent, size_t elements[], uint32_t independents[],
                                              size_t others[], int kinds[], size_t count) {
  (void)dependent, (void)elements, (void)independents, (void)others, (void)kinds, (void)count;
  return not_offered(c, "dependencies of array elements");
}

EXPORT fmi3Status fmi3EnterConfigurationMode(Instance3 c) { return not_offered(c, "structural parameters"); }
EXPORT fmi3Status fmi3ExitConfigurationMode(Instance3 c) { return not_offered(c, "structural parameters"); }

EXPORT fmi3Status fmi3GetClock(Instance3 c, References reference, size_t count, bool value[]) {
  (void)reference, (void)value;
  return count == 0 ? fmi3OK : not_offered(c, "clocks");
}

EXPORT fmi3Status fmi3SetClock(Instance3 c, References reference, size_t count, const bool value[]) {
  (void)reference, (void)value;
  return count == 0 ? fmi3OK : not_offered(c, "clocks");
}

EXPORT fmi3Status fmi3GetIntervalDecimal(Instance3 c, References r, size_t count, double interval[], int qualifier[]) {
  (void)r, (void)count, (void)interval, (void)qualifier;
  return not_offered(c, "clocks");
}

EXPORT fmi3Status fmi3GetIntervalFraction(Instance3 c, References r, size_t count, uint64_t counter[],
                                          uint64_t resolution[], int qualifier[]) {
  (void)r, (void)count, (void)counter, (void)resolution, (void)qualifier;
  return not_offered(c, "clocks");
}

EXPORT fmi3Status fmi3GetShiftDecimal(Instance3 c, References r, size_t count, double shift[]) {
  (void)r, (void)count, (void)shift;
  return not_offered(c, "clocks");
}

EXPORT fmi3Status fmi3GetShiftFraction(Instance3 c, References r, size_t count, uint64_t counter[],
                                       uint64_t resolution[]) {
  (void)r, (void)count, (void)counter, (void)resolution;
  return not_offered(c, "clocks");
}

EXPORT fmi3Status fmi3SetIntervalDecimal(Instance3 c, References r, size_t count, const double interval[]) {
  (void)r, (void)count, (void)interval;
  return not_offered(c, "clocks");
}

EXPORT fmi3Status fmi3SetIntervalFraction(Instance3 c, References r, size_t count, const uint64_t counter[],
                                          const uint64_t resolution[]) {
  (void)r, (void)count, (void)counter, (void)resolution;
  return not_offered(c, "clocks");
}

EXPORT fmi3Status fmi3SetShiftDecimal(Instance3 c, References r, size_t count, const double shift[]) {
  (void)r, (void)count, (void)shift;
  return not_offered(c, "clocks");
}

EXPORT fmi3Status fmi3SetShiftFraction(Instance3 c, References r, size_t count, const uint64_t counter[],
                                       const uint64_t resolution[]) {
  (void)r, (void)count, (void)counter, (void)resolution;
  return not_offered(c, "clocks");
}

EXPORT fmi3Status fmi3ActivateModelPartition(Instance3 c, uint32_t clock, double time) {
  (void)clock, (void)time;
  return not_offered(c, "scheduled execution");
}

EXPORT fmi3Status fmi3EvaluateDiscreteStates(Instance3 c) {
  (void)c;
  return fmi3OK;
}

EXPORT fmi3Status fmi3UpdateDiscreteStates(Instance3 c, bool *again, bool *terminate, bool *nominals, bool *values,
                                           bool *defined, double *next) {
  (void)c;
  *again = *terminate = *nominals = *values = *defined = false;
  *next = 0.0;
  return fmi3OK;
}

/* --- model exchange */

EXPORT fmi3Status fmi3EnterContinuousTimeMode(Instance3 c) {
  (void)c;
  return fmi3OK;
}

EXPORT fmi3Status fmi3CompletedIntegratorStep(Instance3 c, bool forward, bool *event, bool *terminate) {
  (void)c, (void)forward;
  *event = *terminate = false;
  return fmi3OK;
}

EXPORT fmi3Status fmi3SetTime(Instance3 c, double time) {
  set_time(c, time);
  return fmi3OK;
}

EXPORT fmi3Status fmi3SetContinuousStates(Instance3 c, const double x[], size_t count) {
  return done(set_states(c, x, count));
}

EXPORT fmi3Status fmi3GetContinuousStateDerivatives(Instance3 c, double rates[], size_t count) {
  return done(get_rates(c, rates, count));
}

EXPORT fmi3Status fmi3GetEventIndicators(Instance3 c, double indicators[], size_t count) {
  (void)indicators;
  return count == 0 ? fmi3OK : not_offered(c, "event indicators");
}

EXPORT fmi3Status fmi3GetContinuousStates(Instance3 c, double x[], size_t count) {
  return done(get_states(c, x, count));
}

EXPORT fmi3Status fmi3GetNominalsOfContinuousStates(Instance3 c, double nominal[], size_t count) {
  (void)c;
  for (size_t k = 0; k < count; k++) nominal[k] = 1.0;
  return fmi3OK;
}

EXPORT fmi3Status fmi3GetNumberOfEventIndicators(Instance3 c, size_t *count) {
  (void)c;
  *count = 0;
  return fmi3OK;
}

EXPORT fmi3Status fmi3GetNumberOfContinuousStates(Instance3 c, size_t *count) {
  *count = state_count(c);
  return fmi3OK;
}

/* --- co-simulation */

EXPORT fmi3Status fmi3EnterStepMode(Instance3 c) {
  (void)c;
  return fmi3OK;
}

EXPORT fmi3Status fmi3GetOutputDerivatives(Instance3 c, References reference, size_t count, const int32_t order[],
                                           double value[], size_t values) {
  (void)reference, (void)order, (void)value, (void)values;
  return count == 0 ? fmi3OK : not_offered(c, "derivatives of outputs");
}

EXPORT fmi3Status fmi3DoStep(Instance3 c, double time, double length, bool forward, bool *event, bool *terminate,
                             bool *early, double *last) {
  (void)forward;
  Instance *instance = c;
  *event = *terminate = *early = false;
  int failed = ready_to_step(instance) ||
               (instance->ask == NULL ? step_by(instance, time, length) : follow_order(instance));
  *last = *number_at(instance, instance->head->t);
  return done(failed);
}
