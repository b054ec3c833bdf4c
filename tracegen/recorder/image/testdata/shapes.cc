namespace shop {
struct price { int euros; short cents[2]; };
struct item { price now; double weights[3]; item *next; };
item items[4];
static unsigned sold;

inline __attribute__((always_inline)) int twice(int n) {
	return n * 2 + items[1].now.euros; // inlined
}

__attribute__((noinline)) int total(int n) {
	static long calls;
	calls++;
	sold += twice(n); // calls it
	return sold;
}
}

int main(int argc, char **) { return shop::total(argc) == 0; }
