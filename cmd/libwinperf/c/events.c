/*
 * Usage: events
 *
 * Declares its events and listens for experiments. After a line on standard input it emits an event, and another event
 * within a region. Then it waits for the end of its input.
 */
#include <stdio.h>
#include <stdlib.h>

#include "libwinperf.h"

static int32_t check(const char *what, int32_t result)
{
	if (result >= 0)
		return result;
	char text[1000] = "";
	int32_t length = sizeof text;
	winperf_error_text(0, text, &length);
	fprintf(stderr, "%s: %d: %s\n", what, (int)result, text);
	exit(1);
}

int main(void)
{
	check("event_declare", winperf_event_declare("request"));
	check("event_declare", winperf_event_declare("größer"));
	winperf_handle listener = check("listen", winperf_listen("events"));
	if (getchar() == EOF)
		return 1;

	winperf_attribute attributes[] = {
		{"path", WINPERF_TEXT, {.text = "/größer"}},
		{"bytes", WINPERF_INT64, {.int64 = -42}},
		{"ratio", WINPERF_DECIMAL, {.decimal = 0.5}},
	};
	check("event", winperf_event(0, "request", attributes, 3));

	winperf_handle job = check("region_begin", winperf_region_begin(0, "job", attributes, 1));
	check("event", winperf_event(job, "request", NULL, 0));
	winperf_attribute end = {"result", WINPERF_TEXT, {.text = "ok"}};
	check("region_end", winperf_region_end(job, &end, 1));

	while (getchar() != EOF)
		;
	check("listen_end", winperf_listen_end(listener));
	return 0;
}
