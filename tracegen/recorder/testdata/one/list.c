/* A linked list that is reversed and searched. */
#include <stdio.h>
#include <stdlib.h>

struct node { struct node *next; long key, pad[5]; };

int main(void) {
	struct node *head = NULL;
	for (long i = 0; i < 20000; i++) {
		struct node *n = malloc(sizeof *n);
		n->key = i * 7919 % 20011, n->next = head, head = n;
	}
	long sum = 0;
	for (int r = 0; r < 10; r++) {
		struct node *back = NULL;
		while (head) {
			struct node *n = head;
			head = n->next, n->next = back, back = n;
		}
		head = back;
		for (struct node *n = head; n; n = n->next) sum += n->key > 10000;
	}
	printf("%ld\n", sum);
	return 0;
}
