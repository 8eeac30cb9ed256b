"""A small web server; the issue names a header field and quotes what the log says."""

from languages.repository import Repository, files_of, minified

_FILES = r"""
=== src/main.c
#include "server.h"
#include "settings.h"

int main(int argc, char **argv)
{
    struct settings settings;
    settings_read(&settings, argc > 1 ? argv[1] : "pony.conf");
    return server_run(&settings);
}

=== src/settings.h
#ifndef SETTINGS_H
#define SETTINGS_H

struct settings {
    char root[256];
    int port;
    long max_body;
};

void settings_read(struct settings *settings, const char *path);

#endif

=== src/settings.c
#include "settings.h"

#include <stdio.h>
#include <string.h>

void settings_read(struct settings *settings, const char *path)
{
    char key[64], value[256];
    FILE *file = fopen(path, "r");

    strcpy(settings->root, ".");
    settings->port = 8080;
    settings->max_body = 1L << 20;
    while (file && fscanf(file, "%63s %255s", key, value) == 2) {
        if (!strcmp(key, "root"))
            strcpy(settings->root, value);
        else if (!strcmp(key, "port"))
            sscanf(value, "%d", &settings->port);
    }
    if (file)
        fclose(file);
}

=== src/server.h
#ifndef SERVER_H
#define SERVER_H

struct settings;

int server_run(const struct settings *settings);

#endif

=== src/server.c
#include "server.h"
#include "answer.h"
#include "log.h"
#include "request.h"
#include "settings.h"

#include <netinet/in.h>
#include <unistd.h>

static int listen_on(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    int handle = socket(AF_INET, SOCK_STREAM, 0);

    if (bind(handle, (struct sockaddr *)&address, sizeof address) || listen(handle, 16))
        return -1;
    return handle;
}

int server_run(const struct settings *settings)
{
    int handle = listen_on(settings->port);

    for (;;) {
        struct request request;
        int peer = accept(handle, 0, 0);
        if (request_read(&request, peer) == 0)
            answer_request(&request, settings, peer);
        close(peer);
    }
}

=== src/request.h
#ifndef REQUEST_H
#define REQUEST_H

struct request {
    char method[8];
    char path[512];
    long first;
    long last;
};

int request_read(struct request *request, int peer);
int header_line(struct request *request, char *line);

#endif

=== src/request.c
#include "request.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int request_read(struct request *request, int peer)
{
    char buffer[8192];
    ssize_t size = read(peer, buffer, sizeof buffer - 1);
    char *line, *rest = buffer;

    if (size <= 0)
        return -1;
    buffer[size] = 0;
    request->first = request->last = -1;
    sscanf(strsep(&rest, "\n"), "%7s %511s", request->method, request->path);
    while ((line = strsep(&rest, "\n")) && *line != '\r')
        header_line(request, line);
    return 0;
}

=== src/header.c
#include "log.h"
#include "request.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static char *trim(char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    text[strcspn(text, "\r\n")] = 0;
    return text;
}

static int parse_span(struct request *request, const char *text)
{
    char *end;

    if (strncmp(text, "bytes=", 6)) {
        log_line("unit of the span is unknown, field dropped: %s", text);
        return -1;
    }
    request->first = strtol(text + 6, &end, 10);
    request->last = *end == '-' ? strtol(end + 1, 0, 10) : request->first;
    if (request->first > request->last) {
        log_line("span ends before it begins, field dropped: %s", text);
        request->first = request->last = -1;
        return -1;
    }
    return 0;
}

int header_line(struct request *request, char *line)
{
    char *colon = strchr(line, ':');

    if (!colon)
        return -1;
    *colon = 0;
    if (!strcasecmp(line, "Range"))
        return parse_span(request, trim(colon + 1));
    return 0;
}

=== src/answer.h
#ifndef ANSWER_H
#define ANSWER_H

struct request;
struct settings;

void answer_request(const struct request *request, const struct settings *settings, int peer);
const char *media_type(const char *path);

#endif

=== src/answer.c
#include "answer.h"
#include "request.h"
#include "settings.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void status_line(int peer, int code, const char *reason)
{
    char text[128];

    snprintf(text, sizeof text, "HTTP/1.1 %d %s\r\n", code, reason);
    write(peer, text, strlen(text));
}

void answer_request(const struct request *request, const struct settings *settings, int peer)
{
    char path[1024];
    int file;

    snprintf(path, sizeof path, "%s%s", settings->root, request->path);
    file = open(path, O_RDONLY);
    if (file < 0) {
        status_line(peer, 404, "Not Found");
        return;
    }
    status_line(peer, request->first >= 0 ? 206 : 200, "OK");
    close(file);
}

=== src/media.c
#include "answer.h"

#include <string.h>

static const char *const TYPES[][2] = {{".html", "text/html"}, {".mp4", "video/mp4"}, {".css", "text/css"}};

const char *media_type(const char *path)
{
    const char *dot = strrchr(path, '.');
    unsigned at;

    for (at = 0; dot && at < sizeof TYPES / sizeof *TYPES; at++)
        if (!strcmp(dot, TYPES[at][0]))
            return TYPES[at][1];
    return "application/octet-stream";
}

=== src/log.h
#ifndef LOG_H
#define LOG_H

void log_line(const char *format, ...);

#endif

=== src/log.c
#include "log.h"

#include <stdarg.h>
#include <stdio.h>

void log_line(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

=== src/video/player.c
/* A visitor jumps to the middle: the browser asks the server for the rest, the log has it each time. */

#include "player.h"

/* The page that shows it. */
const char *player_page(const char *video, long middle)
{
    static char page[512];

    snprintf(page, sizeof page, "<video src=%s#t=%ld>The browser cannot play it</video>", video, middle);
    return page;
}

/* Jumps there. */
const char *player_script(void)
{
    return "player.currentTime = player.dataset.middle";
}

=== src/video/seen.c
/* A visitor resumes a video: it starts again where the browser ends, each time. */

#include "player.h"

/* Seconds from the start. */
long seconds_seen(const struct visitor *visitor, const char *video)
{
    int at;

    for (at = 0; at < visitor->count; at++)
        if (!strcmp(visitor->videos[at].name, video))
            return visitor->videos[at].rest;
    return 0;
}

/* Forget the rest; the status is asked for anew. */
void forget_seen(struct visitor *visitor, int at)
{
    visitor->videos[at].rest = 0;
}

=== src/video/playlist.c
/* From one video to another: when the rest of it ends, the browser asks the server for the next. */

#include "player.h"

/* Another follows, if any. */
int playlist_next(const struct visitor *visitor)
{
    int at = visitor->current + 1;

    return at < visitor->count ? at : -1;
}

/* Whether it starts again: the server resumes in the middle. */
int playlist_repeats(const struct visitor *visitor, int at)
{
    return visitor->videos[at].rest == 0 && at < visitor->current;
}

=== src/video/player.h
#ifndef PLAYER_H
#define PLAYER_H

#include <stdio.h>
#include <string.h>

struct visitor {
    int count, current;
    struct { char name[64]; long rest; } videos[32];
};

const char *player_page(const char *video, long middle);
long seconds_seen(const struct visitor *visitor, const char *video);

#endif

=== tests/test_header.c
/* A visitor who resumes a video in the browser: Range: bytes=1000- and the video plays from the middle */
int main(void) { return header_line(&request, "Range: bytes=1000-"); }

=== third_party/range/range.c
/* span ends before it begins, field dropped: the browser resumes the video from the middle */
int range_parse(const char *range) { return 0; }
"""

REPOSITORY = Repository(
    language="c",
    files=files_of(_FILES) | {"www/player.min.js": minified("video visitor browser resume middle start server rest")},
    issue="""Range header is dropped when the browser resumes a video

A visitor who jumps to the middle of a video sees the video from the start again. The browser of the visitor asks the
server for the rest of the video with a header `Range: bytes=1048576-`, and each time the log has

    WARN span ends before it begins, field dropped: bytes=1048576-

With `bytes=1048576-2097151` the status is 206.
""",
    path="src/header.c",
    name="parse_span",
    first="static int parse_span(struct request *request, const char *text)",
    last="}",
    decoys=("src/video/player.c", "src/video/seen.c", "src/video/playlist.c"),
    never=("tests/test_header.c", "third_party/range/range.c", "www/player.min.js"),
)
