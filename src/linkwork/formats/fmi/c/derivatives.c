/* Directional derivatives of model exchange: how rates and outputs change with states and inputs along a direction.

   Four evaluations beside the present one, and differences of order 4: with f smooth the error is some 1e-12 of f. */

#include <math.h>
#include <stdlib.h>

#include "model.h"

#define STRIDE 1e-3 /* of the size of a state or input: how far the nearest evaluations are */

static const double PLACE[4] = {1.0, -1.0, 2.0, -2.0};
static const double WEIGHT[4] = {8.0 / 12.0, -8.0 / 12.0, -1.0 / 12.0, 1.0 / 12.0};

/* The number that a variable sets: an input, or a state of the host; NULL where it is neither. */
static double *known_number(const Instance *instance, uint32_t reference) {
  const Head *head = instance->head;
  if (reference >= (uint64_t)head->variables.count) return NULL;
  const Variable *variable = (const Variable *)((const char *)head + head->variables.at) + reference;
  if (variable->kind == INPUT_KIND) return number_at(instance, variable->place);
  const Term *term = (const Term *)((const char *)head + head->terms.at) + variable->first_term;
  int plain = variable->kind == VALUE_KIND && variable->terms == 1 && term->other < 0 && term->factor == 1.0;
  if (!plain || variable->start != 0.0 || term->whole) return NULL;
  for (size_t k = 0; k < state_count(instance); k++)
    if (state_place(instance, k) == term->place) return &instance->states[k];
  return NULL;
}

/* How far along the direction an evaluation is made; 0 where the direction is none. */
static double stride(const Instance *instance, const uint32_t *known, size_t knowns, const double *seed) {
  const Head *head = instance->head;
  const Variable *variable = (const Variable *)((const char *)head + head->variables.at);
  double most = 0.0, unit = head->length_unit >= 0 ? fmin(1.0, *number_at(instance, head->length_unit)) : 1.0;
  for (size_t k = 0; k < knowns; k++) {
    double least = variable[known[k]].kind == INPUT_KIND ? 1.0 : unit;
    most = fmax(most, fabs(seed[k]) / fmax(fabs(*known_number(instance, known[k])), least));
  }
  return most > 0.0 ? STRIDE / most : 0.0;
}

int directional_derivative(Instance *instance, const uint32_t *unknown, size_t unknowns, const uint32_t *known,
                           size_t knowns, const double *seed, double *result) {
  if (instance->phase != RUNNING || !instance->exchange || instance->states == NULL) {
    tell(instance, 1, "'%s' has directional derivatives in model exchange only, after its initialisation", instance->name);
    return 1;
  }
  for (size_t k = 0; k < knowns; k++)
    if (known_number(instance, known[k]) == NULL || !isfinite(seed[k])) {
      tell(instance, 1, "variable %u of '%s' is no state and no input; derivatives by it are not known", known[k],
           instance->name);
      return 1;
    }
  void *here = NULL;
  double *found = malloc((unknowns + 1) * sizeof(double));
  if (found == NULL || take_snapshot(instance, &here) != 0) {
    free(found);
    return 1;
  }
  for (size_t i = 0; i < unknowns; i++) result[i] = 0.0;
  double h = stride(instance, known, knowns, seed);
  int failed = 0;
  for (int s = 0; s < 4 && h > 0.0 && !failed; s++) {
    put_back(instance, here);
    for (size_t k = 0; k < knowns; k++) *known_number(instance, known[k]) += PLACE[s] * h * seed[k];
    record_of(instance)[EVALUATED] = 0.0;
    failed = read_values(instance, unknown, unknowns, found);
    for (size_t i = 0; i < unknowns; i++) result[i] += WEIGHT[s] * found[i] / h;
  }
  put_back(instance, here); /* nothing of this is to be seen */
  free(here);
  free(found);
  return failed;
}
