// Counts words in a trie, in one thread: it makes a text of words with unequal frequencies, and walks the trie for each.
//
//	trie 1 WORDS DISTINCT
#include <stdio.h>
#include <stdlib.h>

struct node { int count; struct node *child[26]; };

static long nodes;

static struct node *node(void) { return nodes++, calloc(1, sizeof(struct node)); }

static void count(struct node *n, const char *word) {
	for (; *word; word++) {
		struct node **c = &n->child[*word - 'a'];
		if (!*c) *c = node();
		n = *c;
	}
	n->count++;
}

static int most(const struct node *n) {
	int best = n->count;
	for (int i = 0; i < 26; i++)
		if (n->child[i] && most(n->child[i]) > best) best = most(n->child[i]);
	return best;
}

int main(int argc, char **argv) {
	if (argc != 4) return fprintf(stderr, "trie: give 1 WORDS DISTINCT\n"), 2;
	int words = atoi(argv[2]), distinct = atoi(argv[3]);
	struct node *root = node();
	unsigned s = 17;
	char word[16];
	for (int i = 0; i < words; i++) {
		s = s * 1664525u + 1013904223u;
		unsigned rank = (s >> 8) % distinct, w;
		rank = rank * (unsigned long)rank / distinct; // small ranks are frequent
		w = rank * 2654435761u;
		int letters = 3 + w % 6;
		for (int k = 0; k < letters; k++, w = w / 13 + rank) word[k] = 'a' + w % 26;
		word[letters] = 0;
		count(root, word);
	}
	printf("%ld %d\n", nodes, most(root));
	return 0;
}
