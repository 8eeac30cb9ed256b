#include <stdio.h>
#define LIMIT 10
#define SWAP(a, b) do { \
    int t = a; a = b; b = t; \
  } while (0)

/* A point. */
typedef struct point { int x, y; } point;
static int add(int a, int b);

static int add(int a, int b)
{
    /* why */
    struct local { int z; };
    return a + b;
}

#ifdef A
int only(void) { return compute(1); }
#endif
int (*table[])(int) = { f, g };
