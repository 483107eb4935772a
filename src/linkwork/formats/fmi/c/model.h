/* A linkwork model inside an FMU: its memory image, and what can be done with an instance of it.

   resources/model.bin holds a head of 8-byte numbers (struct Head), lists, texts, and the image: every array and every
   block of arguments of the compiled loop in one piece of memory. An instance is a copy of the image whose addresses are
   put in (`relocations`). Places are bytes from the beginning of the image; -1 means that there is none.

   A component with a border is sealed: what follows the head is scrambled (seal.c). Where the host asks for it, such a
   component does not take forces from its inputs but asks for them at every stage of its steps (border.c). */

#ifndef LINKWORK_MODEL_H
#define LINKWORK_MODEL_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  int64_t at, count; /* first byte in the file, number of elements */
} List;

typedef struct {
  char magic[8];
  int64_t size; /* of the file, bytes */
  List image;   /* bytes */
  List relocations, variables, terms, effects, forgotten, laws, texts, dof_names, link_names, row_names, turns;
  /* texts, as bytes from the beginning of `texts` */
  int64_t name, token, sources, loop_symbol, observe_symbol, remedy;
  /* places of the two calls: their blocks, and in that of the loop its five numbers and its three results */
  int64_t loop_block, loop_numbers, loop_results, observe_block;
  /* places of the state; `rate` are the rates of q and v where the method has them */
  int64_t t, y, last, vd, rate, nq, nv;
  int64_t drift, length_unit;      /* the state's drift, and the size of the model */
  int64_t lag, shown, start_rates, rates, rate_count; /* of methods with impulses: see `settle_with_lag` */
  int64_t lost; /* of contacts that found no room, an int64 */
  int64_t record;                     /* the numbers of an instance, see below */
  int64_t balance, drift_position, drift_velocity; /* variables that the certificate follows; -1 where there are none */
  int64_t border; /* of a component: where the loop looks for the function that it calls at every stage */
  int64_t seal;   /* key of what follows the head; 0 where it is not scrambled */
  double dt;
} Head;

typedef struct {
  int64_t slot, target;
} Relocation;

/* what a variable is */
enum { INPUT_KIND, PARAMETER_KIND, VALUE_KIND, ORDER_KIND };
/* what must be done before it can be read: nothing, or an observation of the present state */
enum { FROM_STATE, FROM_OBSERVATION };

typedef struct {
  int64_t kind, needs;
  int64_t place, number; /* of an input; of inputs and parameters, among what the host has set */
  int64_t first_term, terms;
  int64_t size; /* numbers of an array, which lie side by side; 1 of others */
  int64_t tau;  /* of a force at a port: its place where the host answers stage by stage */
  double start; /* of inputs and parameters; of values a constant that is added */
  double least; /* that the host may set */
} Variable;

typedef struct {
  double factor;
  int64_t place, other; /* factor * number at place * number at other, where there is one */
  int64_t whole;        /* 1 where the number at place is an int64 */
} Term;

typedef struct {
  int64_t parameter, place;
  double slope; /* what the number at place changes by, for 1 of the parameter */
} Effect;

typedef struct {
  int64_t place;
  double value;
} Forgotten;

typedef struct {
  int64_t place, rate; /* of an angle that counts turns, or the way of a motor whose rate is given: see `state_count` */
} Turn;

typedef struct {
  int64_t place, symbol; /* of an address of a law, and the text that is its name */
} LawPlace;

/* slots of the record of an instance */
enum {
  STEPS,
  ORIGIN,
  STEP,
  INPUTS_CHANGED,
  OBSERVED,
  EVALUATED,
  LAG_WAITS,
  BEGAN, /* energy at the start, J */
  WORST_BALANCE,
  WORST_POSITION,
  WORST_VELOCITY,
  SETTLED,
  START_TIME,
  ORDER, /* what steps come next in exact coupling: begin, first, length, number */
  VALUES = ORDER + 4 /* what the host has set: inputs and parameters */
};

typedef int64_t (*Entry)(int64_t *block);
typedef struct Instance Instance;

struct Instance {
  const Head *head; /* the file, as it was read */
  char *memory;     /* the copy of the image, 64-byte aligned */
  void *allocated;
  Entry loop, observe;
  void *libraries[2];
  char *name;
  char message[1024];
  double *states; /* of model exchange: as the host has set them */
  void (*ask)(Instance *instance, double time); /* of exact coupling: the host takes D and r, and sets forces */
  /* what the functions of FMI keep */
  int phase, exchange;
  double time;                                                        /* of model exchange, s */
  void (*speak)(Instance *instance, int failed, const char *text);    /* to the host */
  void (*logger)(void);
  void (*update)(void); /* of the host, which `ask` calls */
  void *environment;
};

/* phases of an instance */
enum { MADE, INITIALISING, RUNNING, ENDED };

/* make.c */
Instance *new_instance(const char *name);
int fill_instance(Instance *instance, const char *token, const char *resources, int exchange);
void free_instance(Instance *instance);
const char *text_of(const Head *head, int64_t at);
void relocate(Instance *instance);

/* advance.c; each returns 0 where all went well, and has told the host why not */
int settle(Instance *instance);
int ready_to_step(Instance *instance);
int step_by(Instance *instance, double time, double length);
int64_t run_order(Instance *instance);
int evaluate_states(Instance *instance, double time);
void reset_instance(Instance *instance);
double *number_at(const Instance *instance, int64_t place);
double *record_of(const Instance *instance);
size_t state_count(const Instance *instance);
int64_t state_place(const Instance *instance, size_t k);
void rates_of(const Instance *instance, double *rates);

/* values.c */
int read_value(Instance *instance, uint32_t reference, double *value);
int write_value(Instance *instance, uint32_t reference, const double *value);
size_t value_count(const Instance *instance, const uint32_t *reference, size_t count);

/* exchange.c */
void set_time(Instance *instance, double time);
int set_states(Instance *instance, const double *x, size_t count);
int get_states(Instance *instance, double *x, size_t count);
int get_rates(Instance *instance, double *rates, size_t count);
int read_values(Instance *instance, const uint32_t *reference, size_t count, double *value);
int write_values(Instance *instance, const uint32_t *reference, size_t count, const double *value);

/* derivatives.c */
int directional_derivative(Instance *instance, const uint32_t *unknown, size_t unknowns, const uint32_t *known,
                           size_t knowns, const double *seed, double *result);

/* border.c */
int is_border(const Instance *instance, uint32_t reference);
void put_border(Instance *instance);
int64_t run_at_border(Instance *instance, Entry loop, int64_t *block);
int follow_order(Instance *instance);

/* seal.c */
void scramble(void *bytes, size_t size, int64_t key);

/* failures.c */
void tell(Instance *instance, int failed, const char *format, ...);
void tell_failure(Instance *instance, int64_t status);

/* snapshot.c */
size_t snapshot_size(const Instance *instance);
int take_snapshot(Instance *instance, void **snapshot);
int put_back(Instance *instance, const void *snapshot);
int snapshot_to_bytes(Instance *instance, const void *snapshot, char *bytes, size_t size);
int snapshot_from_bytes(Instance *instance, const char *bytes, size_t size, void **snapshot);

/* system.c */
extern const char *const SYSTEM, *const SUFFIX; /* as in the names of libraries: "linux-x86_64", ".so" */
int cpu_has(const char *level);
char *folder_of_this_library(void);
void *open_library(const char *path);
void *symbol_in(void *library, const char *name);
void close_library(void *library);
void *aligned_memory(size_t bytes, void **allocated);

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

#endif
