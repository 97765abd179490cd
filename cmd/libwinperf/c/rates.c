/*
 * Usage: rates
 *
 * Measures all processes of this machine once for each input line. Prints the process id and % Processor Time of each
 * process with a value, then "=", the time of the sample in nanoseconds and the result.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "libwinperf.h"

static winperf_item items[200000];
static uint32_t ids[200000]; /* process ids by the position of the instance */

static int32_t check(int32_t result)
{
	if (result >= 0 || result == WINPERF_ANOMALY)
		return result;
	fprintf(stderr, "rates: %d\n", (int)result);
	exit(1);
}

static int32_t cycle(winperf_handle snapshot)
{
	check(winperf_snapshot_prepare(snapshot));
	check(winperf_snapshot_sample(snapshot));
	return check(winperf_snapshot_decode(snapshot));
}

static void print(winperf_handle snapshot, int32_t result)
{
	int32_t count = sizeof items / sizeof *items;
	check(winperf_snapshot_items_get(snapshot, items, &count));
	for (int32_t i = 0; i < count; i++)
		if (items[i].request == 0 && items[i].status == 0)
			ids[items[i].instance] = items[i].value.int32;
	for (int32_t i = 0; i < count; i++)
		if (items[i].request == 1 && items[i].status == 0)
			printf("%" PRIu32 " %.17g\n", ids[items[i].instance], items[i].value.decimal);

	int64_t ns;
	check(winperf_snapshot_time(snapshot, &ns));
	printf("= %" PRId64 " %d\n", ns, (int)result);
	fflush(stdout);
}

int main(void)
{
	winperf_handle source = winperf_source_open("local:", -1);
	check(source);
	const char *names[] = {"linux.winperf/Process/ID Process", "linux.winperf/Process/% Processor Time"};
	winperf_handle snapshot = winperf_snapshot_create_sensors(source, names, 2, 0);
	check(snapshot);

	for (char line[16]; fgets(line, sizeof line, stdin);)
		print(snapshot, cycle(snapshot));
	return 0;
}
