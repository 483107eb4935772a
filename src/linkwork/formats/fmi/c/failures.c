/* What went wrong, in words: when, which part, and what to try. */

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "model.h"

enum { DONE, NOT_FINITE, STUCK, NOT_CONVERGED, SINGULAR_POSITION, TORN, PAUSED, OFF_GUIDE, FLAT, SINGULAR = 16 };

void tell(Instance *instance, int failed, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(instance->message, sizeof instance->message, format, arguments);
  va_end(arguments);
  if (instance->speak != NULL) instance->speak(instance, failed, instance->message);
}

static const char *name_in(const Head *head, List names, int64_t k) {
  const int64_t *text = (const int64_t *)((const char *)head + names.at);
  return k >= 0 && k < names.count ? text_of(head, text[k]) : "?";
}

/* The degree of freedom that accelerates most, or whose numbers are none. */
static int64_t worst_dof(const Instance *instance) {
  const Head *head = instance->head;
  const double *v = number_at(instance, head->y) + head->nq, *vd = number_at(instance, head->vd);
  int64_t worst = 0;
  for (int64_t k = 0; k < head->nv; k++) {
    if (!isfinite(v[k]) || !isfinite(vd[k])) return k;
    if (fabs(vd[k]) > fabs(vd[worst])) worst = k;
  }
  return worst;
}

void tell_failure(Instance *instance, int64_t status) {
  const Head *head = instance->head;
  const char *dof = name_in(head, head->dof_names, worst_dof(instance));
  const char *row = name_in(head, head->row_names, (int64_t)number_at(instance, head->drift)[2]);
  double gap = number_at(instance, head->drift)[0], *record = record_of(instance);
  const char *finer = instance->exchange ? "let the host take smaller steps" : "export with a smaller dt";
  char what[640];
  if (status >= SINGULAR)
    snprintf(what, sizeof what, "what joint '%s' moves has no inertia in this position; give the bodies beyond it an inertia",
             name_in(head, head->link_names, status - SINGULAR));
  else if (status == NOT_CONVERGED)
    snprintf(what, sizeof what, "the iteration did not converge, with '%s' moving most; %s", dof, finer);
  else if (status == SINGULAR_POSITION)
    snprintf(what, sizeof what, "it came to a singular position; export with method='hybrid', which passes such positions");
  else if (status == TORN)
    snprintf(what, sizeof what, "joint '%s' was torn apart, by %.3g of the size of the model or rad; %s", row, gap,
             finer);
  else if (status == OFF_GUIDE)
    snprintf(what, sizeof what, "a point is beyond the end of its curve or the edge of its surface; make it longer");
  else if (status == FLAT)
    snprintf(what, sizeof what, "the disc of '%s' comes to lie flat; end the run before that", row);
  else if (status == STUCK)
    snprintf(what, sizeof what, "its steps became too small, with '%s' accelerating most; loosen rtol and atol", dof);
  else
    snprintf(what, sizeof what, "the velocity of '%s' grew beyond all bounds; %s%s", dof, finer,
             instance->exchange ? "" : text_of(head, head->remedy));
  if (instance->exchange) {
    tell(instance, 1, "the rates of '%s' at t = %.6g s are not to be had: %s.", text_of(head, head->name), instance->time, what);
    return;
  }
  double time = record[ORIGIN] + record[STEPS] * record[STEP];
  tell(instance, 1, "the run of '%s' stopped at t = %.6g s (step %.0f): %s.", text_of(head, head->name), time,
       record[STEPS] + 1.0, what);
}
