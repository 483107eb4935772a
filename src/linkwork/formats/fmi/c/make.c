/* Making an instance: read resources/model.bin, load the kernels beside this library, copy the image. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

#define MAGIC "LWFMU003"

const char *text_of(const Head *head, int64_t at) { return (const char *)head + head->texts.at + at; }

void relocate(Instance *instance) {
  const Head *head = instance->head;
  const Relocation *each = (const Relocation *)((const char *)head + head->relocations.at);
  for (int64_t k = 0; k < head->relocations.count; k++)
    *(int64_t *)(instance->memory + each[k].slot) = (int64_t)(intptr_t)(instance->memory + each[k].target);
  const LawPlace *law = (const LawPlace *)((const char *)head + head->laws.at);
  for (int64_t k = 0; k < head->laws.count; k++)
    *(int64_t *)(instance->memory + law[k].place) =
        (int64_t)(intptr_t)symbol_in(instance->libraries[1], text_of(head, law[k].symbol));
  put_border(instance);
}

static char *joined(const char *folder, const char *file) {
  char *path = malloc(strlen(folder) + strlen(file) + 2);
  if (path == NULL) return NULL;
  strcpy(path, folder);
  if (*path != 0 && path[strlen(path) - 1] != '/') strcat(path, "/");
  return strcat(path, file);
}

static int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c |= 32;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The folder of a location: a path, or "file:///tmp/with%20space". */
static char *plain_path(const char *location) {
  char *path = malloc(strlen(location) + 1), *to = path;
  if (path == NULL) return NULL;
  const char *from = location;
  int encoded = strncmp(from, "file:", 5) == 0;
  if (encoded) {
    from += 5;
    if (strncmp(from, "//", 2) == 0) {
      from += 2;
      while (*from != 0 && *from != '/') from++; /* the host */
    }
#ifdef _WIN32
    if (*from == '/') from++;
#endif
  }
  while (*from != 0) {
    if (encoded && *from == '%' && digit(from[1]) >= 0 && digit(from[2]) >= 0) {
      *to++ = (char)(16 * digit(from[1]) + digit(from[2]));
      from += 3;
    } else
      *to++ = *from++;
  }
  *to = 0;
  return path;
}

static Head *read_head(const char *folder, const char *file) {
  char *path = joined(folder, file);
  FILE *stream = path == NULL ? NULL : fopen(path, "rb");
  free(path);
  if (stream == NULL) return NULL;
  Head *head = NULL;
  fseek(stream, 0, SEEK_END);
  long size = ftell(stream);
  rewind(stream);
  if (size >= (long)sizeof(Head)) head = malloc((size_t)size);
  if (head != NULL && (fread(head, 1, (size_t)size, stream) != (size_t)size || memcmp(head->magic, MAGIC, 8) != 0 ||
                       head->size != size)) {
    free(head);
    head = NULL;
  }
  fclose(stream);
  if (head != NULL && head->seal != 0) scramble(head + 1, (size_t)size - sizeof(Head), head->seal);
  return head;
}

/* The kernels for the best level that this CPU has. */
static int load_kernels(Instance *instance, const char *folder) {
  static const char *levels[] = {"x86-64-v4", "x86-64-v3", "x86-64-v2", "generic"};
  const Head *head = instance->head;
  char file[256];
  int unfit = 0;
  for (int k = 0; k < 4; k++) {
    snprintf(file, sizeof file, "linkwork_kernels-%s-%s%s", SYSTEM, levels[k], SUFFIX);
    char *path = joined(folder, file);
    FILE *there = path == NULL ? NULL : fopen(path, "rb");
    if (there != NULL) fclose(there);
    if (there == NULL || !cpu_has(levels[k])) {
      unfit |= there != NULL;
      free(path);
      continue;
    }
    void *library = open_library(path);
    free(path);
    const char *manifest = library == NULL ? NULL : symbol_in(library, "linkwork_kernels_manifest");
    if (manifest == NULL || strstr(manifest, text_of(head, head->sources)) == NULL) {
      close_library(library);
      continue;
    }
    instance->libraries[0] = library;
    *(void **)&instance->loop = symbol_in(library, text_of(head, head->loop_symbol));
    *(void **)&instance->observe = symbol_in(library, text_of(head, head->observe_symbol));
    if (instance->loop != NULL && instance->observe != NULL) return 0;
  }
  tell(instance, 1, unfit ? "'%s' has no kernels for this CPU; export it with others (levels=)"
                          : "the library of kernels beside the binary of '%s' is missing or of another version",
       instance->name);
  return 1;
}

static int load_laws(Instance *instance, const char *folder) {
  const Head *head = instance->head;
  if (head->laws.count == 0) return 0;
  char file[64];
  snprintf(file, sizeof file, "linkwork_laws%s", SUFFIX);
  char *path = joined(folder, file);
  instance->libraries[1] = path == NULL ? NULL : open_library(path);
  free(path);
  if (instance->libraries[1] != NULL) return 0;
  tell(instance, 1, "the library of laws beside the binary of '%s' is missing", instance->name);
  return 1;
}

int fill_instance(Instance *instance, const char *token, const char *resources, int exchange) {
  char *folder = folder_of_this_library(), *given = resources == NULL ? NULL : plain_path(resources);
  Head *head = given == NULL ? NULL : read_head(given, "model.bin");
  if (head == NULL && folder != NULL) head = read_head(folder, "../../resources/model.bin");
  instance->head = head;
  int failed = 1;
  if (head == NULL)
    tell(instance, 1, "resources/model.bin of '%s' cannot be read; unpack the FMU again", instance->name);
  else if (token != NULL && strcmp(token, text_of(head, head->token)) != 0)
    tell(instance, 1, "the model description of '%s' belongs to another FMU: its token is %s, not %s", instance->name, token,
         text_of(head, head->token));
  else if (folder == NULL)
    tell(instance, 1, "the folder of the binary of '%s' cannot be found", instance->name);
  else
    failed = load_kernels(instance, folder) || load_laws(instance, folder);
  free(folder);
  free(given);
  if (failed) return 1;
  instance->memory = aligned_memory((size_t)head->image.count, &instance->allocated);
  if (exchange) instance->states = calloc(state_count(instance), sizeof(double));
  instance->exchange = exchange;
  if (instance->memory == NULL || (exchange && instance->states == NULL)) {
    tell(instance, 1, "there is no memory for '%s'", instance->name);
    return 1;
  }
  reset_instance(instance);
  return 0;
}

Instance *new_instance(const char *name) {
  Instance *instance = calloc(1, sizeof *instance);
  char *copy = malloc(strlen(name == NULL ? "" : name) + 1);
  if (instance == NULL || copy == NULL) {
    free(instance);
    free(copy);
    return NULL;
  }
  instance->name = strcpy(copy, name == NULL ? "" : name);
  return instance;
}

void free_instance(Instance *instance) {
  if (instance == NULL) return;
  free(instance->allocated);
  free((void *)instance->head);
  free(instance->name);
  free(instance->states);
  close_library(instance->libraries[1]);
  close_library(instance->libraries[0]);
  free(instance);
}
