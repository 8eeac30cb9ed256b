"""Functions, types and macros of C."""

from outlines.sample import Sample

_SOURCE = r"""\
#include <stdio.h>
#include "shop.h"

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define LIMIT 10

/*
 * What somebody wants.
 */
struct order {
    int key;
    struct { char *name; } owner;
};

typedef struct node {
    struct node *next;
} Node;

typedef enum { OPEN, CLOSED } State;
union bits { int a; float b; };

int declared(int a);
static struct order *find(struct order *orders, int key);

/* Finds one. */
static struct order *
find(struct order *orders, int key)
{
    for (int i = 0; i < LIMIT; i++) {
        if (orders[i].key == key)
            return &orders[i]; // "found"
    }
    fprintf(stderr, "no order %d /* here */\n", key);
    return NULL;
}

// One of many.
void (*handler(int kind))(int)
{
    return shop->handlers->get(kind);
}

#ifdef WINDOWS
int wait(int seconds) { return Sleep(seconds); }
#else
int wait(int seconds)
{
    return sleep(seconds);
}
#endif

int main(int argc, char *argv[]) {
    return find(load(argv[1]), MAX(1, argc)) == NULL;
}
""".removeprefix("\\\n")

SAMPLE = Sample(
    "c",
    _SOURCE,
    [
        ("function", "MAX", 4, 4),
        ("class", "order", 7, 13),
        ("class", "Node", 15, 17),
        ("class", "State", 19, 19),
        ("class", "bits", 20, 20),
        ("function", "find", 25, 35),
        ("function", "handler", 37, 41),
        ("function", "wait", 44, 44),
        ("function", "wait", 46, 49),
        ("function", "main", 52, 54),
    ],
    details={"MAX": "macro", "order": "struct", "Node": "struct", "State": "enum", "bits": "union", "find": "function"},
    bases={"order": ()},
    signatures={
        "find": "static struct order * find(struct order *orders, int key)",
        "main": "int main(int argc, char *argv[])",
    },
    docstrings={"find": "Finds one.", "order": "What somebody wants."},
    references=[
        ("import", "stdio.h", "", 1, ""),
        ("import", "shop.h", "", 2, ""),
        ("call", "fprintf", "", 33, "find"),
        ("call", "shop.handlers.get", "", 40, "handler"),
        ("call", "Sleep", "", 44, "wait"),
        ("call", "sleep", "", 48, "wait"),
        ("call", "find", "", 53, "main"),
        ("call", "load", "", 53, "main"),
        ("call", "MAX", "", 53, "main"),
    ],
    zones=[("comment", '// "found"'), ("string", "no order %d /* here */")],
    no_zones=("fprintf",),
)
