/* The seal of a component: numbers and names in its file cannot be read as they are. The key lies beside them: this keeps
   out a look into the file, not somebody who runs the program and watches its memory. */

#include <string.h>

#include "model.h"

/* Scrambled bytes become plain ones and the reverse: they are added to a stream of numbers (splitmix64). */
void scramble(void *bytes, size_t size, int64_t key) {
  uint64_t state = (uint64_t)key;
  char *at = bytes;
  for (size_t done = 0; done < size; done += 8) {
    uint64_t z = (state += 0x9e3779b97f4a7c15u), word = 0;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    size_t part = size - done < 8 ? size - done : 8;
    memcpy(&word, at + done, part);
    word ^= z;
    memcpy(at + done, &word, part);
  }
}
