/* Values of variables: read from the state, or from an observation of it. */

#include <math.h>
#include <string.h>

#include "model.h"

#define LARGEST 1e100 /* of numbers to compute with: squares and cubes of larger ones are infinite */

static double value_of(const Instance *instance, const Variable *variable) {
  const Head *head = instance->head;
  const Term *term = (const Term *)((const char *)head + head->terms.at) + variable->first_term;
  double sum = variable->start;
  for (int64_t k = 0; k < variable->terms; k++) {
    double *place = number_at(instance, term[k].place);
    double number = term[k].whole ? (double)*(int64_t *)place : *place;
    if (term[k].other >= 0) number *= *number_at(instance, term[k].other);
    sum += term[k].factor * number;
  }
  return sum;
}

static double *array_of(const Instance *instance, const Variable *variable) {
  const Term *term = (const Term *)((const char *)instance->head + instance->head->terms.at) + variable->first_term;
  return number_at(instance, term->place);
}

static void keep_worst(const Instance *instance, int64_t reference, double *worst) {
  const Variable *variable = (const Variable *)((const char *)instance->head + instance->head->variables.at);
  if (reference >= 0) *worst = fmax(*worst, fabs(value_of(instance, &variable[reference])));
}

/* Poses, reactions, energies and drift of the present state. */
static void look(Instance *instance) {
  const Head *head = instance->head;
  double *record = record_of(instance);
  if (record[OBSERVED] != 0.0) return;
  instance->observe((int64_t *)(instance->memory + head->observe_block));
  record[OBSERVED] = 1.0;
  keep_worst(instance, head->balance, &record[WORST_BALANCE]);
  keep_worst(instance, head->drift_position, &record[WORST_POSITION]);
  keep_worst(instance, head->drift_velocity, &record[WORST_VELOCITY]);
}

int read_value(Instance *instance, uint32_t reference, double *value) {
  const Head *head = instance->head;
  const Variable *variable = (const Variable *)((const char *)head + head->variables.at) + reference;
  if (reference >= (uint64_t)head->variables.count) {
    tell(instance, 1, "'%s' has no variable %u", instance->name, reference);
    return 1;
  }
  if (variable->kind == INPUT_KIND || variable->kind == PARAMETER_KIND) {
    *value = record_of(instance)[VALUES + variable->number];
    return 0;
  }
  if (variable->needs == FROM_OBSERVATION && instance->ask != NULL) {
    tell(instance, 1, "variable %u of '%s' is not computed in exact coupling", reference, instance->name);
    return 1;
  }
  if (variable->needs == FROM_OBSERVATION) look(instance);
  if (variable->size > 1)
    memcpy(value, array_of(instance, variable), (size_t)variable->size * sizeof(double));
  else
    *value = value_of(instance, variable);
  return 0;
}

/* Numbers of these variables in all. */
size_t value_count(const Instance *instance, const uint32_t *reference, size_t count) {
  const Head *head = instance->head;
  const Variable *variable = (const Variable *)((const char *)head + head->variables.at);
  size_t sum = 0;
  for (size_t k = 0; k < count; k++)
    sum += reference[k] < (uint64_t)head->variables.count ? (size_t)variable[reference[k]].size : 1;
  return sum;
}

int write_value(Instance *instance, uint32_t reference, const double *given) {
  double value = *given;
  const Head *head = instance->head;
  const Variable *variable = (const Variable *)((const char *)head + head->variables.at) + reference;
  double *record = record_of(instance);
  if (reference >= (uint64_t)head->variables.count || variable->kind == VALUE_KIND) {
    tell(instance, 1, "variable %u of '%s' is no input and no parameter; it cannot be set", reference, instance->name);
    return 1;
  }
  if (variable->kind == ORDER_KIND) {
    memcpy(array_of(instance, variable), given, (size_t)variable->size * sizeof(double));
    return 0;
  }
  if (instance->ask != NULL && variable->tau >= 0) { /* the answer to a stage */
    *number_at(instance, variable->tau) = value;
    return 0;
  }
  if (!(fabs(value) < LARGEST) || value < variable->least) {
    tell(instance, 1, "variable %u of '%s' cannot be %g; give a number below %g that its model description allows", reference,
         instance->name, value, LARGEST);
    return 1;
  }
  double *kept = &record[VALUES + variable->number];
  if (*kept == value) return 0;
  if (instance->phase == RUNNING && variable->kind == PARAMETER_KIND) {
    tell(instance, 1, "parameter %u of '%s' can be set before the initialisation only", reference, instance->name);
    return 1;
  }
  *kept = value;
  if (instance->phase != RUNNING) {
    record[SETTLED] = 0.0;
    return 0;
  }
  *number_at(instance, variable->place) = value;
  record[INPUTS_CHANGED] = 1.0;
  record[EVALUATED] = 0.0;
  return 0;
}
