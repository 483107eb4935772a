/* States of an instance, saved and put back: all of its memory, from which addresses are taken out and put in again. */

#include <stdlib.h>
#include <string.h>

#include "model.h"

typedef struct {
  char magic[8], token[64];
  int64_t size, states, phase;
} SnapshotHead;

static size_t states_size(const Instance *instance) {
  return instance->states == NULL ? 0 : state_count(instance) * sizeof(double);
}

size_t snapshot_size(const Instance *instance) {
  return sizeof(SnapshotHead) + states_size(instance) + (size_t)instance->head->image.count;
}

int take_snapshot(Instance *instance, void **snapshot) {
  const Head *head = instance->head;
  if (*snapshot == NULL) *snapshot = malloc(snapshot_size(instance));
  if (*snapshot == NULL) {
    tell(instance, 1, "there is no memory for a state of '%s'", instance->name);
    return 1;
  }
  SnapshotHead *first = *snapshot;
  memset(first, 0, sizeof *first);
  memcpy(first->magic, "LWSTATE1", 8);
  strncpy(first->token, text_of(head, head->token), sizeof first->token - 1);
  first->size = head->image.count, first->states = (int64_t)states_size(instance), first->phase = instance->phase;
  char *rest = (char *)(first + 1);
  if (instance->states != NULL) memcpy(rest, instance->states, states_size(instance));
  memcpy(rest + first->states, instance->memory, (size_t)head->image.count);
  return 0;
}

int put_back(Instance *instance, const void *snapshot) {
  const SnapshotHead *first = snapshot;
  const Head *head = instance->head;
  if (first == NULL || memcmp(first->magic, "LWSTATE1", 8) != 0 || first->size != head->image.count ||
      first->states != (int64_t)states_size(instance) ||
      strncmp(first->token, text_of(head, head->token), sizeof first->token - 1) != 0) {
    tell(instance, 1, "this is no state of '%s'; give one that an instance of the same FMU has saved", instance->name);
    return 1;
  }
  const char *rest = (const char *)(first + 1);
  if (instance->states != NULL) memcpy(instance->states, rest, states_size(instance));
  memcpy(instance->memory, rest + first->states, (size_t)head->image.count);
  relocate(instance); /* it may come from another instance or process */
  instance->phase = (int)first->phase;
  return 0;
}

/* Addresses do not leave the process: they are put to zero, so that equal states are equal bytes. */
int snapshot_to_bytes(Instance *instance, const void *snapshot, char *bytes, size_t size) {
  const Head *head = instance->head;
  if (snapshot == NULL || size < snapshot_size(instance)) {
    tell(instance, 1, "a state of '%s' takes %zu bytes, not %zu", instance->name, snapshot_size(instance), size);
    return 1;
  }
  memcpy(bytes, snapshot, snapshot_size(instance));
  char *image = bytes + sizeof(SnapshotHead) + states_size(instance);
  const Relocation *each = (const Relocation *)((const char *)head + head->relocations.at);
  for (int64_t k = 0; k < head->relocations.count; k++) memset(image + each[k].slot, 0, sizeof(int64_t));
  const LawPlace *law = (const LawPlace *)((const char *)head + head->laws.at);
  for (int64_t k = 0; k < head->laws.count; k++) memset(image + law[k].place, 0, sizeof(int64_t));
  if (head->border >= 0) memset(image + head->border, 0, sizeof(int64_t));
  if (head->seal != 0) scramble(bytes + sizeof(SnapshotHead), snapshot_size(instance) - sizeof(SnapshotHead), head->seal);
  return 0;
}

int snapshot_from_bytes(Instance *instance, const char *bytes, size_t size, void **snapshot) {
  if (size != snapshot_size(instance)) {
    tell(instance, 1, "a state of '%s' takes %zu bytes, not %zu", instance->name, snapshot_size(instance), size);
    return 1;
  }
  if (*snapshot == NULL) *snapshot = malloc(size);
  if (*snapshot == NULL) {
    tell(instance, 1, "there is no memory for a state of '%s'", instance->name);
    return 1;
  }
  memcpy(*snapshot, bytes, size);
  if (instance->head->seal != 0)
    scramble((char *)*snapshot + sizeof(SnapshotHead), size - sizeof(SnapshotHead), instance->head->seal);
  return 0;
}
