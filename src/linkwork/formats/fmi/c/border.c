/* Exact coupling of a component: at every stage of its steps the loop calls a function with what the component reports
   (poses and velocities of its ports, D and r) and waits for the forces there. That function asks the host. */

#include <math.h>

#include "model.h"

#if defined(_MSC_VER) && !defined(__clang__)
#define OF_THREAD __declspec(thread)
#else
#define OF_THREAD _Thread_local
#endif

#define MOST 9007199254740992.0 /* whole numbers below are exact */

static OF_THREAD Instance *running; /* the loop knows addresses of numbers only */

/* The forces have been set by the host when it returns: they are written where the loop reads them. */
static void ask(double time, const double *report, double *forces) {
  (void)report, (void)forces;
  Instance *instance = running;
  instance->ask(instance, time);
  running = instance; /* the host may have stepped another one meanwhile */
}

int is_border(const Instance *instance, uint32_t reference) {
  const Head *head = instance->head;
  const Variable *variable = (const Variable *)((const char *)head + head->variables.at);
  return head->border >= 0 && reference < (uint64_t)head->variables.count && variable[reference].tau >= 0;
}

/* The address of the function in the tables of the loop: nothing where forces are inputs. */
void put_border(Instance *instance) {
  if (instance->head->border < 0) return;
  int64_t *place = (int64_t *)(instance->memory + instance->head->border);
  *place = instance->ask == NULL ? 0 : (int64_t)(intptr_t)&ask;
}

int64_t run_at_border(Instance *instance, Entry loop, int64_t *block) {
  Instance *before = running;
  running = instance;
  int64_t status = loop(block);
  running = before;
  return status;
}

/* A communication step in exact coupling: what was ordered, whatever its length. */
int follow_order(Instance *instance) {
  const double *order = record_of(instance) + ORDER;
  int whole = order[1] == floor(order[1]) && order[3] == floor(order[3]);
  if (!isfinite(order[0]) || !(order[2] > 0.0) || !isfinite(order[2]) || !whole || !(order[1] >= -1.0) ||
      !(order[1] < MOST) || !(order[3] >= 0.0) || !(order[3] < MOST)) {
    tell(instance, 1, "'%s' cannot follow the order of steps %g %g %g %g; give begin, first, length and number",
         instance->name, order[0], order[1], order[2], order[3]);
    return 1;
  }
  int64_t status = run_order(instance);
  if (status != 0) tell_failure(instance, status);
  return status != 0;
}
