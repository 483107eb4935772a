/* A small FMU of FMI 2 for the tests, written from the standard; the macro MODEL chooses what it is.

   PD   (0): force = gain * (target - u) - damping * v + i, where i is a state with di/dt = rate * (target - u)
   BALL (1): a ball that falls and bounces; outputs height and count of bounces, state events in model exchange
   STAIR (2): the output goes up by one every `rate` seconds, by time events; it counts them by division, so that at the
      planned instant itself rounding may tell it that the instant is still to come
   SLIDE (3): x' = -gain * (the sign of x at the last event) + rate: events without end where x slides along 0
   END (4): as PD, but it asks to end the run at t = rate, in co-simulation by a discarded step

   Variables by value reference: 0 u (or nothing), 1 v, 2 force (or height), 3 gain, 4 damping, 5 target, 6 rate,
   7 whole (Integer output: count), 8 on (Boolean input: force is 0 where it is false), 9 text (String parameter). */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

#ifndef MODEL
#define MODEL 0
#endif
#if MODEL == 0 || MODEL == 2 || MODEL == 4
#define STATES 1
#define INDICATORS 0
#elif MODEL == 3
#define STATES 1
#define INDICATORS 1
#else
#define STATES 2
#define INDICATORS 1
#endif
#ifndef TOKEN
#define TOKEN small
#endif
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define E __attribute__((visibility("default")))

typedef int Status;
enum { OK = 0, DISCARD = 2, ERROR = 3, FATAL = 4 };
typedef struct {
    void (*logger)(void *, const char *, Status, const char *, const char *, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, Status);
    void *environment;
} Callbacks;
typedef struct { int again, ends, nominals, values, planned; double when; } EventInfo;
typedef struct {
    double real[7], x[2], time;
    int whole, on;
} Numbers;
typedef struct { Numbers n; const Callbacks *callbacks; } Fmu;

#ifdef CRASH_AT_LOAD
__attribute__((constructor)) static void crash(void) { abort(); }
#endif

static void output(Fmu *f) {
    Numbers *n = &f->n;
#if MODEL == 2
    n->real[2] = n->whole;
#elif MODEL == 0 || MODEL == 4
    n->real[2] = n->on ? n->real[3] * (n->real[5] - n->real[0]) - n->real[4] * n->real[1] + n->x[0] : 0.0;
#else
    n->real[2] = n->x[0];
#endif
}

static void rates(Fmu *f, double *dx) {
#if MODEL == 2
    dx[0] = 0.0;
#elif MODEL == 3
    dx[0] = (f->n.whole ? -f->n.real[3] : f->n.real[3]) + f->n.real[6];
#elif MODEL == 0 || MODEL == 4
    dx[0] = f->n.real[6] * (f->n.real[5] - f->n.real[0]);
#else
    dx[0] = f->n.x[1];
    dx[1] = -9.81;
#endif
}

E const char *fmi2GetTypesPlatform(void) { return "default"; }
E const char *fmi2GetVersion(void) { return "2.0"; }
E Status fmi2SetDebugLogging(void *c, int on, size_t n, const char *const *names) { return OK; }

E void *fmi2Instantiate(const char *name, int kind, const char *guid, const char *where, const Callbacks *callbacks,
                        int visible, int logging) {
#ifdef CRASH_AT_START
    *(volatile int *)0 = 1;
#endif
#ifdef HANG_AT_START
    for (;;) ;
#endif
    if (strcmp(guid, TEXT(TOKEN)) != 0) {
        callbacks->logger(callbacks->environment, name, ERROR, "error", "the guid %s is not mine", guid);
        return NULL;
    }
    Fmu *f = calloc(1, sizeof(Fmu));
    f->callbacks = callbacks;
    f->n.real[3] = 10.0;
    f->n.real[4] = 1.0;
    f->n.on = 1;
    f->n.x[0] = MODEL == 1 || MODEL == 3;
    f->n.whole = MODEL == 3;
    return f;
}
E void fmi2FreeInstance(void *c) { free(c); }
E Status fmi2SetupExperiment(void *c, int has, double tolerance, double start, int ends, double stop) {
    ((Fmu *)c)->n.time = start;
    return OK;
}
E Status fmi2EnterInitializationMode(void *c) { return OK; }
E Status fmi2ExitInitializationMode(void *c) {
    Fmu *f = c;
    if (f->n.real[3] < 0.0) {
        f->callbacks->logger(f->callbacks->environment, "small", ERROR, "error", "gain %g is below 0", f->n.real[3]);
        return ERROR;
    }
    output(f);
    return OK;
}
E Status fmi2Terminate(void *c) { return OK; }
E Status fmi2Reset(void *c) { return OK; }

E Status fmi2GetReal(void *c, const unsigned *r, size_t n, double *v) {
    output(c);
    for (size_t k = 0; k < n; k++) v[k] = ((Fmu *)c)->n.real[r[k]];
    return OK;
}
E Status fmi2SetReal(void *c, const unsigned *r, size_t n, const double *v) {
    for (size_t k = 0; k < n; k++) ((Fmu *)c)->n.real[r[k]] = v[k];
    return OK;
}
E Status fmi2GetInteger(void *c, const unsigned *r, size_t n, int *v) {
    for (size_t k = 0; k < n; k++) v[k] = ((Fmu *)c)->n.whole;
    return OK;
}
E Status fmi2SetInteger(void *c, const unsigned *r, size_t n, const int *v) { return ERROR; }
E Status fmi2GetBoolean(void *c, const unsigned *r, size_t n, int *v) {
    for (size_t k = 0; k < n; k++) v[k] = ((Fmu *)c)->n.on;
    return OK;
}
E Status fmi2SetBoolean(void *c, const unsigned *r, size_t n, const int *v) {
    for (size_t k = 0; k < n; k++) ((Fmu *)c)->n.on = v[k];
    return OK;
}
E Status fmi2GetString(void *c, const unsigned *r, size_t n, const char **v) { return ERROR; }
E Status fmi2SetString(void *c, const unsigned *r, size_t n, const char *const *v) { return OK; }

E Status fmi2GetFMUstate(void *c, void **state) {
    if (*state == NULL) *state = malloc(sizeof(Numbers));
    memcpy(*state, &((Fmu *)c)->n, sizeof(Numbers));
    return OK;
}
E Status fmi2SetFMUstate(void *c, void *state) {
    memcpy(&((Fmu *)c)->n, state, sizeof(Numbers));
    return OK;
}
E Status fmi2FreeFMUstate(void *c, void **state) {
    free(*state);
    *state = NULL;
    return OK;
}
E Status fmi2SerializedFMUstateSize(void *c, void *state, size_t *size) {
    *size = sizeof(Numbers);
    return OK;
}
E Status fmi2SerializeFMUstate(void *c, void *state, char *bytes, size_t size) {
    memcpy(bytes, state, size);
    return OK;
}
E Status fmi2DeSerializeFMUstate(void *c, const char *bytes, size_t size, void **state) {
    if (size != sizeof(Numbers)) return ERROR;
    *state = malloc(size);
    memcpy(*state, bytes, size);
    return OK;
}
E Status fmi2GetDirectionalDerivative(void *c, const unsigned *a, size_t n, const unsigned *b, size_t m,
                                      const double *u, double *v) {
    return ERROR;
}

/* co-simulation */
E Status fmi2SetRealInputDerivatives(void *c, const unsigned *r, size_t n, const int *o, const double *v) { return ERROR; }
E Status fmi2GetRealOutputDerivatives(void *c, const unsigned *r, size_t n, const int *o, double *v) { return ERROR; }
E Status fmi2DoStep(void *c, double time, double h, int final) {
    Fmu *f = c;
    double dx[2];
    if (fabs(time - f->n.time) > 1e-9) return ERROR;
    if (f->n.real[0] > 1e6) {
        f->callbacks->logger(f->callbacks->environment, "small", ERROR, "error", "u is %g", f->n.real[0]);
        return ERROR;
    }
#if MODEL == 4
    if (time + h > f->n.real[6]) return DISCARD;
#endif
    rates(f, dx);
    for (int k = 0; k < STATES; k++) f->n.x[k] += h * dx[k];
    f->n.time = time + h;
    f->n.whole++;
    return OK;
}
E Status fmi2CancelStep(void *c) { return ERROR; }
E Status fmi2GetStatus(void *c, int k, Status *v) { return DISCARD; }
E Status fmi2GetRealStatus(void *c, int k, double *v) { return DISCARD; }
E Status fmi2GetIntegerStatus(void *c, int k, int *v) { return DISCARD; }
E Status fmi2GetBooleanStatus(void *c, int k, int *v) {
    *v = MODEL == 4 && k == 3; /* fmi2Terminated */
    return OK;
}
E Status fmi2GetStringStatus(void *c, int k, const char **v) { return DISCARD; }

/* model exchange */
E Status fmi2EnterEventMode(void *c) { return OK; }
E Status fmi2NewDiscreteStates(void *c, EventInfo *info) {
    Fmu *f = c;
    memset(info, 0, sizeof(EventInfo));
#if MODEL == 1
    if (f->n.x[0] <= 0.0 && f->n.x[1] < 0.0) {
        f->n.x[0] = 0.0;
        f->n.x[1] *= -0.5;
        f->n.whole++;
        info->values = 1;
    }
#elif MODEL == 2
    f->n.whole = (int)(f->n.time / f->n.real[6]);
    info->planned = 1;
    info->when = (f->n.whole + 1) * f->n.real[6];
#elif MODEL == 3
    f->n.whole = f->n.x[0] > 0.0;
#elif MODEL == 4
    info->ends = f->n.time >= f->n.real[6];
#endif
    return OK;
}
E Status fmi2EnterContinuousTimeMode(void *c) { return OK; }
E Status fmi2CompletedIntegratorStep(void *c, int final, int *event, int *ends) {
    *event = *ends = 0;
    return OK;
}
E Status fmi2SetTime(void *c, double time) {
    ((Fmu *)c)->n.time = time;
    return OK;
}
E Status fmi2SetContinuousStates(void *c, const double *x, size_t n) {
    memcpy(((Fmu *)c)->n.x, x, n * sizeof(double));
    return OK;
}
E Status fmi2GetDerivatives(void *c, double *dx, size_t n) {
    rates(c, dx);
    return OK;
}
E Status fmi2GetEventIndicators(void *c, double *z, size_t n) {
    if (n) z[0] = ((Fmu *)c)->n.x[0];
    return OK;
}
E Status fmi2GetContinuousStates(void *c, double *x, size_t n) {
    memcpy(x, ((Fmu *)c)->n.x, n * sizeof(double));
    return OK;
}
E Status fmi2GetNominalsOfContinuousStates(void *c, double *x, size_t n) {
    for (size_t k = 0; k < n; k++) x[k] = 1.0;
    return OK;
}
