/* Model exchange: the host integrates q, v, the two accounts of energy and turns; here is how fast they change. Lists of
   values. */

#include <string.h>

#include "model.h"

static int right_count(Instance *instance, size_t count) {
  if (instance->states != NULL && count == state_count(instance)) return 1;
  tell(instance, 1, "'%s' has %zu states in model exchange, not %zu", instance->name, state_count(instance), count);
  return 0;
}

void set_time(Instance *instance, double time) {
  if (instance->time != time) record_of(instance)[EVALUATED] = 0.0;
  instance->time = time;
}

int set_states(Instance *instance, const double *x, size_t count) {
  if (!right_count(instance, count)) return 1;
  memcpy(instance->states, x, count * sizeof(double));
  record_of(instance)[EVALUATED] = 0.0;
  return 0;
}

int get_states(Instance *instance, double *x, size_t count) {
  if (!right_count(instance, count) || settle(instance) != 0) return 1;
  memcpy(x, instance->states, count * sizeof(double));
  return 0;
}

/* The state and its rates are those of the host's time and states. */
static int follow_host(Instance *instance) {
  if (settle(instance) != 0) return 1;
  if (!instance->exchange || record_of(instance)[EVALUATED] != 0.0) return 0;
  return evaluate_states(instance, instance->time);
}

int get_rates(Instance *instance, double *rates, size_t count) {
  if (!right_count(instance, count) || follow_host(instance) != 0) return 1;
  rates_of(instance, rates);
  return 0;
}

int read_values(Instance *instance, const uint32_t *reference, size_t count, double *value) {
  if (instance->phase != MADE && follow_host(instance) != 0) return 1;
  for (size_t k = 0; k < count; k++) {
    if (read_value(instance, reference[k], value) != 0) return 1;
    value += value_count(instance, &reference[k], 1);
  }
  return 0;
}

int write_values(Instance *instance, const uint32_t *reference, size_t count, const double *value) {
  for (size_t k = 0; k < count; k++) {
    if (write_value(instance, reference[k], value) != 0) return 1;
    value += value_count(instance, &reference[k], 1);
  }
  return 0;
}
