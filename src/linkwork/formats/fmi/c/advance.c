/* Steps of an instance: the compiled loop, called as linkwork's own stepper calls it, so that the numbers are the same. */

#include <math.h>
#include <string.h>

#include "model.h"

#define NEVER ((int64_t)1 << 62) /* steps after which a row is kept */
#define OFF_TICK 1e-5            /* of a step: by rounding, the end of a communication step is off by less */
#define APART 1e-2               /* of a step: so far the clocks of the host and of the instance may be apart */
#define MOST_PAUSES 200
#define DONE 0
#define STUCK 2
#define PAUSED 6

double *number_at(const Instance *instance, int64_t place) { return (double *)(instance->memory + place); }

/* q, v and the two accounts of energy */
static size_t moving_count(const Instance *instance) { return (size_t)(instance->head->nq + instance->head->nv + 2); }

/* What is integrated: those, and what cannot be read off them. Poses tell an angle but for whole turns, and nothing of
   how far a motor of a given rate has come. */
size_t state_count(const Instance *instance) { return moving_count(instance) + (size_t)instance->head->turns.count; }

static const Turn *turns_of(const Instance *instance) {
  return (const Turn *)((const char *)instance->head + instance->head->turns.at);
}

/* Where state k is in the memory of the loop. */
int64_t state_place(const Instance *instance, size_t k) {
  size_t moving = moving_count(instance);
  return k < moving ? instance->head->y + (int64_t)(k * sizeof(double)) : turns_of(instance)[k - moving].place;
}

/* How fast the states change, after an evaluation. */
void rates_of(const Instance *instance, double *rates) {
  size_t moving = moving_count(instance), count = state_count(instance);
  memcpy(rates, number_at(instance, instance->head->rate), moving * sizeof(double));
  for (size_t k = moving; k < count; k++) rates[k] = *number_at(instance, turns_of(instance)[k - moving].rate);
}

double *record_of(const Instance *instance) { return number_at(instance, instance->head->record); }

/* The loop: `steps` steps of h from the step numbered `first` of a run that began at `begin`; `done` counts them. */
static int64_t run(Instance *instance, double begin, int64_t first, double h, int64_t steps, int64_t every,
                   double *done) {
  const Head *head = instance->head;
  double *numbers = number_at(instance, head->loop_numbers);
  int64_t *wholes = (int64_t *)numbers;
  const int64_t *results = (int64_t *)number_at(instance, head->loop_results);
  int64_t status = PAUSED;
  record_of(instance)[OBSERVED] = 0.0;
  for (int pauses = 0; status == PAUSED; pauses++) { /* the adaptive integrator pauses within long steps */
    if (pauses == MOST_PAUSES) return STUCK;
    numbers[0] = begin, wholes[1] = first, numbers[2] = h, wholes[3] = steps, wholes[4] = every;
    if (run_at_border(instance, instance->loop, (int64_t *)(instance->memory + head->loop_block)) != 0) return STUCK;
    status = results[2];
    first += results[0], steps -= results[0];
    if (done != NULL) *done += (double)results[0];
    if (results[0] > 0) pauses = 0;
  }
  return status;
}

/* Contacts that found no room in their table: bodies pass through each other there. */
static void warn_of_lost_contacts(Instance *instance) {
  if (instance->head->lost < 0) return;
  int64_t *lost = (int64_t *)number_at(instance, instance->head->lost);
  if (*lost > 0)
    tell(instance, 0, "%lld contacts of '%s' found no room; give fewer or simpler colliders, or export with a smaller dt",
         (long long)*lost, text_of(instance->head, instance->head->name));
  *lost = 0;
}

static void forget(Instance *instance) {
  const Head *head = instance->head;
  const Forgotten *each = (const Forgotten *)((const char *)head + head->forgotten.at);
  for (int64_t k = 0; k < head->forgotten.count; k++) *number_at(instance, each[k].place) = each[k].value;
}

/* Accelerations and forces of the present state anew: inputs have changed. */
static int64_t refresh(Instance *instance) {
  double *record = record_of(instance);
  record[INPUTS_CHANGED] = 0.0;
  forget(instance);
  return run(instance, *number_at(instance, instance->head->t), -1, record[STEP], 1, 1, NULL);
}

/* Numbers of the image as the parameters have them. */
static void apply_parameters(Instance *instance) {
  const Head *head = instance->head;
  const Effect *effect = (const Effect *)((const char *)head + head->effects.at);
  const Variable *variable = (const Variable *)((const char *)head + head->variables.at);
  const double *values = record_of(instance) + VALUES;
  for (int64_t k = 0; k < head->effects.count; k++) {
    const Variable *parameter = &variable[effect[k].parameter];
    double change = values[parameter->number] - parameter->start;
    if (change != 0.0) *number_at(instance, effect[k].place) += effect[k].slope * change;
  }
}

/* The image as it was made, but with the parameters and the start time of the host. */
static void begin_anew(Instance *instance) {
  const Head *head = instance->head;
  double *record = record_of(instance);
  memcpy(instance->memory, (const char *)head + head->image.at, (size_t)head->record); /* the record is the last */
  relocate(instance);
  apply_parameters(instance);
  *number_at(instance, head->t) = record[START_TIME];
  record[STEPS] = 0.0, record[ORIGIN] = record[START_TIME], record[STEP] = head->dt, record[BEGAN] = 0.0;
  record[INPUTS_CHANGED] = record[OBSERVED] = record[EVALUATED] = record[LAG_WAITS] = 0.0;
}

/* Energies are counted from here on. */
static void begin_certificate(Instance *instance) {
  double *record = record_of(instance), value;
  if (instance->head->balance < 0 || read_value(instance, (uint32_t)instance->head->balance, &value) != 0) return;
  record[BEGAN] = value;
  record[WORST_BALANCE] = record[WORST_POSITION] = record[WORST_VELOCITY] = record[OBSERVED] = 0.0;
}

/* The first evaluation of a method with impulses: with the velocities before a step, to which its loads belong. */
static int64_t settle_with_lag(Instance *instance) {
  const Head *head = instance->head;
  double *record = record_of(instance), *v = number_at(instance, head->y) + head->nq;
  const double *lag = number_at(instance, head->lag);
  double *shown = number_at(instance, head->shown);
  for (int64_t k = 0; k < head->nv; k++) {
    shown[k] = v[k];
    v[k] += lag[k] * head->dt;
    if (lag[k] != 0.0) record[LAG_WAITS] = 1.0;
  }
  int64_t status = run(instance, record[START_TIME], -1, head->dt, 1, 1, NULL);
  memcpy(v, shown, (size_t)head->nv * sizeof(double));
  memcpy(number_at(instance, head->rates), number_at(instance, head->start_rates),
         (size_t)head->rate_count * sizeof(double));
  return status;
}

/* Inputs that differ from those of the model. */
static void apply_inputs(Instance *instance) {
  const Head *head = instance->head;
  const Variable *variable = (const Variable *)((const char *)head + head->variables.at);
  double *record = record_of(instance);
  for (int64_t k = 0; k < head->variables.count; k++) {
    if (variable[k].kind != INPUT_KIND) continue;
    double *input = number_at(instance, variable[k].place), wanted = record[VALUES + variable[k].number];
    if (*input != wanted) *input = wanted, record[INPUTS_CHANGED] = 1.0;
  }
}

/* Stand at the start: the first evaluation, with the numbers that the host has set. */
int settle(Instance *instance) {
  double *record = record_of(instance);
  if (record[SETTLED] != 0.0) return 0;
  begin_anew(instance);
  if (instance->ask != NULL) { /* the first evaluation is the first order */
    record[SETTLED] = 1.0;
    return 0;
  }
  int64_t status = instance->head->lag >= 0
                       ? settle_with_lag(instance)
                       : run(instance, record[START_TIME], -1, instance->head->dt, 1, 1, NULL);
  apply_inputs(instance); /* as in a run: by another evaluation */
  if (status == DONE && record[INPUTS_CHANGED] != 0.0) status = refresh(instance);
  if (status != DONE) {
    tell_failure(instance, status);
    return 1;
  }
  record[SETTLED] = 1.0;
  for (size_t k = 0; instance->states != NULL && k < state_count(instance); k++)
    instance->states[k] = *number_at(instance, state_place(instance, k));
  begin_certificate(instance);
  return 0;
}

/* Velocities before the first step of a method with impulses are behind those shown. */
static void apply_lag(Instance *instance, double h) {
  const Head *head = instance->head;
  double *record = record_of(instance);
  if (head->lag < 0 || record[LAG_WAITS] == 0.0) return;
  double *v = number_at(instance, head->y) + head->nq;
  const double *lag = number_at(instance, head->lag);
  for (int64_t k = 0; k < head->nv; k++) v[k] += lag[k] * h;
  record[LAG_WAITS] = 0.0;
}

static void set_step(Instance *instance, double h) {
  double *record = record_of(instance);
  if (h == record[STEP]) return;
  record[ORIGIN] = *number_at(instance, instance->head->t) - record[STEPS] * h;
  record[STEP] = h;
  forget(instance);
}

/* Whether steps may be taken now. */
int ready_to_step(Instance *instance) {
  if (instance->phase == RUNNING && !instance->exchange) return 0;
  tell(instance, 1, "'%s' cannot step before its initialisation, after its end, or in model exchange", instance->name);
  return 1;
}

/* A communication step of `length` from `time`: steps of dt, or where they do not end there equal ones below dt.

   The clocks of the host and of the instance may differ by rounding: the end counts, so that they stay together. */
int step_by(Instance *instance, double time, double length) {
  const Head *head = instance->head;
  double *record = record_of(instance), now = *number_at(instance, head->t);
  if (!(length >= 0.0) || !isfinite(length) || !(fabs(time - now) <= APART * head->dt + 1e-9 * fabs(now))) {
    tell(instance, 1,
         "a step of %.9g s from t = %.9g s was asked for, but '%s' is at t = %.9g s; let steps follow each other", length,
         time, instance->name, now);
    return 1;
  }
  if (length == 0.0) return 0;
  double parts = (time + length - now) / head->dt, count = round(parts), h = head->dt;
  if (fabs(parts - count) > OFF_TICK || count < 1.0) {
    if (head->lag >= 0) {
      tell(instance, 1,
           "a communication step of %.9g s is no multiple of dt = %.9g s, the step of this method with impulses; take a "
           "multiple",
           length, head->dt);
      return 1;
    }
    count = fmax(ceil(parts - OFF_TICK), 1.0);
    h = (time + length - now) / count;
  }
  set_step(instance, h);
  apply_lag(instance, h);
  int64_t status = DONE;
  if (record[INPUTS_CHANGED] != 0.0) status = refresh(instance);
  if (status == DONE) status = run(instance, record[ORIGIN], (int64_t)record[STEPS], h, (int64_t)count, NEVER, &record[STEPS]);
  warn_of_lost_contacts(instance);
  if (status != DONE) {
    tell_failure(instance, status);
    return 1;
  }
  return 0;
}

/* The steps that the host of an exact coupling has ordered; a negative first one evaluates the present state. */
int64_t run_order(Instance *instance) {
  double *record = record_of(instance), done = 0.0, first = record[ORDER + 1];
  if (first < 0.0) forget(instance);
  record[ORIGIN] = record[ORDER], record[STEP] = record[ORDER + 2];
  int64_t status = run(instance, record[ORDER], (int64_t)first, record[ORDER + 2], (int64_t)record[ORDER + 3], NEVER, &done);
  record[STEPS] = fmax(record[STEPS], first + done);
  return status;
}

/* Model exchange: the rates of the states that the host has set, at its time. */
int evaluate_states(Instance *instance, double time) {
  const Head *head = instance->head;
  double *record = record_of(instance);
  for (size_t k = 0; k < state_count(instance); k++)
    *number_at(instance, state_place(instance, k)) = instance->states[k];
  *number_at(instance, head->t) = time;
  record[EVALUATED] = 1.0, record[INPUTS_CHANGED] = 0.0;
  int64_t status = run(instance, time, -1, head->dt, 1, 1, NULL);
  if (status != DONE) {
    tell_failure(instance, status);
    return 1;
  }
  /* methods move their states onto the loops after an evaluation; outputs, and how far loops are open, are of the host's */
  memcpy(number_at(instance, head->y), instance->states, moving_count(instance) * sizeof(double));
  return 0;
}

/* As newly made: parameters and inputs are those of the model again. */
void reset_instance(Instance *instance) {
  memcpy(instance->memory, (const char *)instance->head + instance->head->image.at, (size_t)instance->head->image.count);
  relocate(instance);
}
