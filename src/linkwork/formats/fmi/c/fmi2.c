/* The functions of FMI 2.0, for co-simulation and model exchange. */

#include <stdlib.h>
#include <string.h>

#include "model.h"

typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef void (*Logger)(void *environment, const char *instance, fmi2Status status, const char *category,
                       const char *message, ...);
typedef struct {
  Logger logger;
  void *(*allocate)(size_t, size_t);
  void (*release)(void *);
  void (*finished)(void *, fmi2Status);
  void *environment;
} Callbacks;
typedef struct {
  int newDiscreteStatesNeeded, terminateSimulation, nominalsChanged, valuesChanged, nextEventTimeDefined;
  double nextEventTime;
} EventInfo;
typedef void *Component;

/* A message is a format to the host: signs of per cent are doubled. */
static void speak(Instance *instance, int failed, const char *text) {
  char safe[2 * sizeof instance->message], *to = safe;
  if (instance->logger == NULL) return;
  for (const char *from = text; *from != 0; from++) {
    if (*from == '%') *to++ = '%';
    *to++ = *from;
  }
  *to = 0;
  ((Logger)instance->logger)(instance->environment, instance->name, failed ? fmi2Error : fmi2Warning,
                             failed ? "logStatusError" : "logStatusWarning", safe);
}

static fmi2Status done(int failed) { return failed ? fmi2Error : fmi2OK; }

static fmi2Status not_offered(Component c, const char *what) {
  tell(c, 1, "'%s' has no %s", ((Instance *)c)->name, what);
  return fmi2Error;
}

EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }
EXPORT const char *fmi2GetVersion(void) { return "2.0"; }

EXPORT fmi2Status fmi2SetDebugLogging(Component c, int on, size_t count, const char *const categories[]) {
  (void)c, (void)on, (void)count, (void)categories; /* errors are always told, and nothing else is */
  return fmi2OK;
}

EXPORT Component fmi2Instantiate(const char *name, fmi2Type type, const char *token, const char *resources,
                                 const Callbacks *callbacks, int visible, int logging) {
  (void)visible, (void)logging;
  Instance *instance = new_instance(name);
  if (instance == NULL) return NULL;
  if (callbacks != NULL) {
    instance->speak = speak;
    instance->logger = (void (*)(void))callbacks->logger;
    instance->environment = callbacks->environment;
  }
  if (fill_instance(instance, token, resources, type == fmi2ModelExchange) == 0) return instance;
  free_instance(instance);
  return NULL;
}

EXPORT void fmi2FreeInstance(Component c) { free_instance(c); }

EXPORT fmi2Status fmi2SetupExperiment(Component c, int tolerant, double tolerance, double start, int stops, double stop) {
  (void)tolerant, (void)tolerance, (void)stops, (void)stop;
  Instance *instance = c;
  record_of(instance)[START_TIME] = instance->time = start;
  record_of(instance)[SETTLED] = 0.0;
  return fmi2OK;
}

EXPORT fmi2Status fmi2EnterInitializationMode(Component c) {
  ((Instance *)c)->phase = INITIALISING;
  return fmi2OK;
}

EXPORT fmi2Status fmi2ExitInitializationMode(Component c) {
  if (settle(c) != 0) return fmi2Error;
  ((Instance *)c)->phase = RUNNING;
  return fmi2OK;
}

EXPORT fmi2Status fmi2Terminate(Component c) {
  ((Instance *)c)->phase = ENDED;
  return fmi2OK;
}

EXPORT fmi2Status fmi2Reset(Component c) {
  reset_instance(c);
  ((Instance *)c)->phase = MADE;
  return fmi2OK;
}

EXPORT fmi2Status fmi2GetReal(Component c, const uint32_t reference[], size_t count, double value[]) {
  return done(read_values(c, reference, count, value));
}

EXPORT fmi2Status fmi2SetReal(Component c, const uint32_t reference[], size_t count, const double value[]) {
  return done(write_values(c, reference, count, value));
}

/* There are no variables of other types: only empty lists are read and written. */
#define NO_VARIABLES(get, set, type, what)                                                  \
  EXPORT fmi2Status get(Component c, const uint32_t reference[], size_t count, type value[]) { \
    (void)reference, (void)value;                                                           \
    return count == 0 ? fmi2OK : not_offered(c, what);                                      \
  }                                                                                         \
  EXPORT fmi2Status set(Component c, const uint32_t reference[], size_t count, const type value[]) { \
    (void)reference, (void)value;                                                           \
    return count == 0 ? fmi2OK : not_offered(c, what);                                      \
  }

NO_VARIABLES(fmi2GetInteger, fmi2SetInteger, int, "variables that are whole numbers")
NO_VARIABLES(fmi2GetBoolean, fmi2SetBoolean, int, "variables that are true or false")
typedef const char *Text;
NO_VARIABLES(fmi2GetString, fmi2SetString, Text, "variables that are texts")

/* --- states */

EXPORT fmi2Status fmi2GetFMUstate(Component c, void **state) { return done(take_snapshot(c, state)); }
EXPORT fmi2Status fmi2SetFMUstate(Component c, void *state) { return done(put_back(c, state)); }

EXPORT fmi2Status fmi2FreeFMUstate(Component c, void **state) {
  (void)c;
  if (state != NULL) free(*state), *state = NULL;
  return fmi2OK;
}

EXPORT fmi2Status fmi2SerializedFMUstateSize(Component c, void *state, size_t *size) {
  (void)state;
  *size = snapshot_size(c);
  return fmi2OK;
}

EXPORT fmi2Status fmi2SerializeFMUstate(Component c, void *state, char bytes[], size_t size) {
  return done(snapshot_to_bytes(c, state, bytes, size));
}

EXPORT fmi2Status fmi2DeSerializeFMUstate(Component c, const char bytes[], size_t size, void **state) {
  return done(snapshot_from_bytes(c, bytes, size, state));
}

EXPORT fmi2Status fmi2GetDirectionalDerivative(Component c, const uint32_t unknown[], size_t unknowns,
                                               const uint32_t known[], size_t knowns, const double seed[],
                                               double result[]) {
  return done(directional_derivative(c, unknown, unknowns, known, knowns, seed, result));
}

/* --- co-simulation */

EXPORT fmi2Status fmi2DoStep(Component c, double time, double length, int forward) {
  (void)forward;
  return done(ready_to_step(c) || step_by(c, time, length));
}

EXPORT fmi2Status fmi2CancelStep(Component c) { return not_offered(c, "steps that could be cancelled"); }

EXPORT fmi2Status fmi2SetRealInputDerivatives(Component c, const uint32_t reference[], size_t count, const int order[],
                                              const double value[]) {
  (void)reference, (void)order, (void)value;
  return count == 0 ? fmi2OK : not_offered(c, "interpolated inputs");
}

EXPORT fmi2Status fmi2GetRealOutputDerivatives(Component c, const uint32_t reference[], size_t count, const int order[],
                                               double value[]) {
  (void)reference, (void)order, (void)value;
  return count == 0 ? fmi2OK : not_offered(c, "derivatives of outputs");
}

EXPORT fmi2Status fmi2GetStatus(Component c, int kind, fmi2Status *value) {
  (void)c, (void)kind;
  *value = fmi2OK;
  return fmi2OK;
}

EXPORT fmi2Status fmi2GetRealStatus(Component c, int kind, double *value) {
  (void)kind; /* the last successful time is the only one */
  *value = *number_at(c, ((Instance *)c)->head->t);
  return fmi2OK;
}

EXPORT fmi2Status fmi2GetIntegerStatus(Component c, int kind, int *value) {
  (void)c, (void)kind;
  *value = 0;
  return fmi2Discard;
}

EXPORT fmi2Status fmi2GetBooleanStatus(Component c, int kind, int *value) {
  (void)kind; /* whether it wants to end */
  *value = ((Instance *)c)->phase == ENDED;
  return fmi2OK;
}

EXPORT fmi2Status fmi2GetStringStatus(Component c, int kind, const char **value) {
  (void)kind;
  *value = ((Instance *)c)->message;
  return fmi2OK;
}

/* --- model exchange */

EXPORT fmi2Status fmi2EnterEventMode(Component c) {
  (void)c;
  return fmi2OK;
}

EXPORT fmi2Status fmi2NewDiscreteStates(Component c, EventInfo *info) {
  (void)c;
  memset(info, 0, sizeof *info);
  return fmi2OK;
}

EXPORT fmi2Status fmi2EnterContinuousTimeMode(Component c) {
  (void)c;
  return fmi2OK;
}

EXPORT fmi2Status fmi2CompletedIntegratorStep(Component c, int forward, int *event, int *terminate) {
  (void)c, (void)forward;
  *event = *terminate = 0;
  return fmi2OK;
}

EXPORT fmi2Status fmi2SetTime(Component c, double time) {
  set_time(c, time);
  return fmi2OK;
}

EXPORT fmi2Status fmi2SetContinuousStates(Component c, const double x[], size_t count) {
  return done(set_states(c, x, count));
}

EXPORT fmi2Status fmi2GetDerivatives(Component c, double rates[], size_t count) {
  return done(get_rates(c, rates, count));
}

EXPORT fmi2Status fmi2GetEventIndicators(Component c, double indicators[], size_t count) {
  (void)indicators;
  return count == 0 ? fmi2OK : not_offered(c, "event indicators");
}

EXPORT fmi2Status fmi2GetContinuousStates(Component c, double x[], size_t count) {
  return done(get_states(c, x, count));
}

EXPORT fmi2Status fmi2GetNominalsOfContinuousStates(Component c, double nominal[], size_t count) {
  (void)c;
  for (size_t k = 0; k < count; k++) nominal[k] = 1.0;
  return fmi2OK;
}
