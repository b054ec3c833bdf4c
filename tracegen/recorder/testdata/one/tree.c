/* A binary tree that is filled and walked. Its nodes do not come from malloc: how those lie in lines depends on what was allocated
 * before main, which differs between QEMU and valgrind. */
#include <stdio.h>

struct node { struct node *left, *right; unsigned key; };
static _Alignas(64) struct node pool[8000];
static int used;

static struct node *insert(struct node *n, unsigned key) {
	if (!n) {
		n = &pool[used++];
		n->key = key;
	} else if (key < n->key) n->left = insert(n->left, key);
	else n->right = insert(n->right, key);
	return n;
}

static unsigned walk(struct node *n) { return n ? walk(n->left) * 31 + n->key + walk(n->right) : 1; }

int main(void) {
	struct node *root = NULL;
	unsigned x = 5;
	for (int i = 0; i < 8000; i++) root = insert(root, x = x * 1664525 + 1013904223);
	printf("%u\n", walk(root));
	return 0;
}
