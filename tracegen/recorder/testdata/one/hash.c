/* A hash table with open addressing. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLOTS = 1 << 16 };
static uint32_t keys[SLOTS], values[SLOTS];

int main(void) {
	uint32_t x = 1, found = 0;
	for (int i = 0; i < 40000; i++) {
		x = x * 1664525 + 1013904223;
		uint32_t k = x >> 8 | 1, at = k * 2654435761u % SLOTS;
		while (keys[at] && keys[at] != k) at = (at + 1) % SLOTS;
		keys[at] = k, values[at] += i;
	}
	for (uint32_t k = 1; k < 200000; k += 2) {
		uint32_t at = k * 2654435761u % SLOTS;
		while (keys[at] && keys[at] != k) at = (at + 1) % SLOTS;
		found += keys[at] == k;
	}
	printf("%u\n", found);
	return 0;
}
