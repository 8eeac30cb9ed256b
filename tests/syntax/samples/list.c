#include <stdio.h>
#include "list.h"
#define MAX(a, b) \
    ((a) > (b) ? (a) : (b))
#define LIMIT 3

/* A node. */
typedef struct node {
    int value;
    struct node *next;
} node_t, *node_p;

typedef enum { RED, GREEN } color_t;

struct list {
    node_t *head;
    union { int a; float b; } u;
};

int prototype(int a);

// Pushes.
static inline int
push(struct list *l, void (*callback)(int))
{
    l->head->next = make(1);
    return MAX(1, 2);
}

void (*signal(int sig, void (*func)(int)))(int)
{
    return 0;
}

char *const name(void) { return "text"; }

static FORCE_INLINE void bar (int a) ATTRIBUTE {
}

EXPORT int API old OF((int a))
{
    return 1;
}
