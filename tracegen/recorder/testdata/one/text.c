/* Counts words of a text that it makes. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[1 << 18];

int main(void) {
	unsigned x = 7;
	for (size_t i = 0; i < sizeof text - 1; i++) {
		x = x * 1103515245 + 12345;
		text[i] = (x >> 16) % 6 ? 'a' + (x >> 20) % 26 : ' ';
	}
	int words = 0, vowels = 0;
	for (char *w = strtok(text, " "); w; w = strtok(NULL, " "), words++)
		for (char *c = w; *c; c++) vowels += strchr("aeiou", tolower(*c)) != NULL;
	char line[64];
	int n = 0;
	for (int i = 0; i < 2000; i++) n += snprintf(line, sizeof line, "%d:%x;%s", i, i * 31, "end");
	printf("%d %d %d\n", words, vowels, n);
	return 0;
}
