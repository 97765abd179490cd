/*
 * Usage: cost URL CYCLES SENSOR...
 *
 * Prints the median time of a cycle of the sensors, in nanoseconds: prepare, sample, decode and reading the items.
 */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "libwinperf.h"

static void check(int32_t result)
{
	if (result >= 0 || result == WINPERF_ANOMALY)
		return;
	fprintf(stderr, "cost: %d\n", (int)result);
	exit(1);
}

static long long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	long long x = *(const long long *)a, y = *(const long long *)b;
	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 1;
	winperf_handle source = winperf_source_open(argv[1], -1);
	check(source);
	check(winperf_set(source, WINPERF_REST, 0));
	check(winperf_set(source, WINPERF_RETRIES, 0));
	winperf_handle snapshot =
		winperf_snapshot_create_sensors(source, (const char *const *)argv + 3, argc - 3, 0);
	check(snapshot);

	int cycles = atoi(argv[2]);
	static winperf_item items[100000];
	long long *times = calloc(cycles, sizeof *times);
	for (int i = 0; i < cycles; i++) {
		int32_t count = sizeof items / sizeof *items;
		long long begin = now();
		check(winperf_snapshot_prepare(snapshot));
		check(winperf_snapshot_sample(snapshot));
		check(winperf_snapshot_decode(snapshot));
		check(winperf_snapshot_items_get(snapshot, items, &count));
		times[i] = now() - begin;
	}
	qsort(times, cycles, sizeof *times, compare);
	printf("%lld\n", times[cycles / 2]);
	free(times);
	return 0;
}
