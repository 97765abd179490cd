/*
 * Usage: random URL THREADS CALLS SEED
 *
 * Makes random calls from many threads: every function, with handles of every kind and age and arrays of
 * every size, which the address sanitizer watches. Exit status 1 says that a result was none of those that
 * may be.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libwinperf.h"

enum { HANDLES = 24 };

static const char *url;
static int calls;
static uint32_t objects[2]; /* of the source, and a counter and a sensor of each */
static uint32_t counters[2];
static char sensors[2][300];
static _Atomic winperf_handle handles[HANDLES];
static atomic_int failures, cycles;

/* next is a random number below n. */
static unsigned next(unsigned long long *seed, unsigned n)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned)(*seed >> 33) % n;
}

static winperf_handle pick(unsigned long long *seed)
{
	switch (next(seed, 12)) {
	case 0:
		return (winperf_handle)next(seed, 5000) - 100;
	case 1:
		return next(seed, 2) ? INT32_MAX : INT32_MIN;
	default:
		return handles[next(seed, HANDLES)];
	}
}

/* usual checks a result of a function that is not about how a snapshot stands. */
static void usual(const char *what, int32_t result)
{
	if (result >= 0 || result == WINPERF_HANDLE || result == WINPERF_KIND || result == WINPERF_STATE ||
	    result == WINPERF_SIZE || result == WINPERF_ANOMALY || result == WINPERF_END)
		return;
	char text[400] = "";
	int32_t length = sizeof text;
	winperf_error_text(0, text, &length);
	fprintf(stderr, "%s: %d (perhaps: %s)\n", what, (int)result, text);
	failures++;
}

/* keep puts a new handle in the place of another one, whose object ends. */
static void keep(unsigned long long *seed, winperf_handle made)
{
	if (made <= 0)
		return;
	winperf_handle old = atomic_exchange(&handles[next(seed, HANDLES)], made);
	if (winperf_snapshot_destroy_safe(old) == WINPERF_KIND && winperf_source_close(old) == WINPERF_KIND)
		usual("region_end", winperf_region_end(old, NULL, 0));
}

static void create(unsigned long long *seed)
{
	winperf_request requests[] = {{objects[0], 0}, {objects[1], counters[1]}, {objects[1], 0}};
	const char *names[] = {sensors[0], sensors[1]};
	winperf_handle made;
	switch (next(seed, 5)) {
	case 2:
		made = winperf_region_begin(next(seed, 2) ? 0 : pick(seed), "region", NULL, 0);
		usual("region_begin", made);
		break;
	case 0:
		made = winperf_source_open(url, (int32_t)next(seed, 3) - 1);
		usual("open", made);
		if (made > 0)
			usual("rest", winperf_set(made, WINPERF_REST, 0));
		break;
	case 1:
		made = winperf_snapshot_create_sensors(pick(seed), names, 2, next(seed, 3));
		usual("create_sensors", made);
		break;
	default:
		made = winperf_snapshot_create(pick(seed), WINPERF_CUSTOM, requests, 1 + next(seed, 3), 0);
		usual("create", made);
	}
	keep(seed, made);
}

static void step(unsigned long long *seed)
{
	winperf_handle h = pick(seed);
	int safe = next(seed, 2);
	usual("prepare", safe ? winperf_snapshot_prepare_safe(h) : winperf_snapshot_prepare(h));
	usual("sample", safe ? winperf_snapshot_sample_safe(h) : winperf_snapshot_sample(h));
	int32_t decoded = safe ? winperf_snapshot_decode_safe(h) : winperf_snapshot_decode(h);
	usual("decode", decoded);
	if (decoded == WINPERF_OK || decoded == WINPERF_ANOMALY)
		cycles++;
}

/* guarded is memory with marks behind it, which unguarded looks for. */
enum { GUARD = 64, MARK = 0x5A };

static void *guarded(size_t size)
{
	char *memory = malloc(size + GUARD);
	if (!memory)
		abort();
	memset(memory, MARK, size + GUARD);
	return memory;
}

static void unguarded(const char *what, void *memory, size_t size)
{
	for (size_t i = 0; i < GUARD; i++)
		if (((char *)memory)[size + i] != MARK) {
			fprintf(stderr, "%s: written behind the array\n", what);
			failures++;
			break;
		}
	free(memory);
}

/* read_values reads into an array of exactly the length that it tells. */
static void read_values(unsigned long long *seed)
{
	winperf_handle h = pick(seed);
	int32_t count = (int32_t)next(seed, 2000);
	winperf_item *items = guarded(sizeof *items * count);
	int32_t told = count;
	int32_t result = winperf_snapshot_items_get_safe(h, items, &told);
	usual("items_get", result);
	if (result == WINPERF_OK && told > count) {
		fprintf(stderr, "%d items in room for %d\n", (int)told, (int)count);
		failures++;
	}
	for (int32_t i = 0; result == WINPERF_OK && i < told; i++)
		if (items[i].object != objects[0] && items[i].object != objects[1]) {
			fprintf(stderr, "an item of object %u\n", (unsigned)items[i].object);
			failures++;
		}
	unguarded("items_get", items, sizeof *items * count);
}

static void read_structure(unsigned long long *seed)
{
	winperf_handle h = pick(seed);
	int32_t length = (int32_t)next(seed, 60), count = (int32_t)next(seed, 6);
	size_t names_size = length, rest_size = count * sizeof(winperf_instance);
	char *names = guarded(names_size);
	winperf_instance *rest = guarded(rest_size);
	int32_t result = winperf_snapshot_instances_get_safe(h, objects[0], names, &length, rest, &count);
	if (result != WINPERF_NOT_FOUND)
		usual("instances_get", result);
	if (result == WINPERF_OK && (names[length - 1] || names[length - 2])) {
		fprintf(stderr, "a list without an end\n");
		failures++;
	}
	unguarded("names", names, names_size);
	unguarded("instances", rest, rest_size);

	winperf_counter some[20];
	count = 20;
	result = winperf_snapshot_counters_get(h, objects[0], some, &count);
	if (result != WINPERF_NOT_FOUND)
		usual("counters_get", result);
}

/* refused makes calls with pointers and lengths that cannot be meant. */
static void refused(unsigned long long *seed)
{
	winperf_handle h = pick(seed);
	int32_t negative = -1, one = 1;
	winperf_attribute attribute = {"key", WINPERF_TEXT, {0}}, untyped = {"key", 0, {0}};
	char *none[] = {NULL};
	int32_t results[] = {
		winperf_source_open(NULL, 0),
		winperf_snapshot_create(h, WINPERF_CUSTOM, NULL, 3, 0),
		winperf_snapshot_create(h, WINPERF_CUSTOM, NULL, -3, 0),
		winperf_snapshot_create_sensors(h, (const char *const *)none, 1, 0),
		winperf_snapshot_items_get(h, NULL, NULL),
		winperf_snapshot_items_get(h, NULL, &one),
		winperf_snapshot_items_get(h, NULL, &negative),
		winperf_snapshot_time(h, NULL),
		winperf_object_find(h, "Process", NULL),
		winperf_sensor_find(h, sensors[0], NULL),
		winperf_names_get(h, NULL, &one, NULL, &one),
		winperf_event(h, NULL, NULL, 0),
		winperf_event(h, "event", NULL, 1),
		winperf_event(h, "event", &attribute, 1),
		winperf_region_begin(h, "region", &untyped, 1),
		winperf_region_end(h, &untyped, -1),
	};
	for (size_t i = 0; i < sizeof results / sizeof *results; i++)
		if (results[i] != WINPERF_ARGUMENT) {
			fprintf(stderr, "call %d that cannot be meant: %d\n", (int)i, (int)results[i]);
			failures++;
		}
}

static void names(unsigned long long *seed)
{
	winperf_handle h = pick(seed);
	size_t size = next(seed, 40);
	char *text = guarded(size);
	int32_t length = (int32_t)size;
	usual("name_get", winperf_name_get(h, objects[0], text, &length));
	winperf_sensor found;
	usual("sensor_find", winperf_sensor_find(h, sensors[1], &found));
	length = (int32_t)size;
	usual("error_text", winperf_error_text(h, text, &length));
	unguarded("text", text, size);
	usual("state", winperf_snapshot_state(h));
	winperf_attribute attribute = {"key", WINPERF_INT64, {.int64 = length}};
	usual("event", winperf_event(next(seed, 2) ? 0 : h, "event", &attribute, 1));
}

static void *call(void *given)
{
	unsigned long long seed = (unsigned long long)(size_t)given;
	for (int i = 0; i < calls; i++) {
		switch (next(&seed, 10)) {
		case 0:
			create(&seed);
			break;
		case 1:
			read_structure(&seed);
			break;
		case 2:
			names(&seed);
			break;
		case 3:
			refused(&seed);
			break;
		case 4:
		case 5:
			read_values(&seed);
			break;
		default:
			step(&seed);
		}
	}
	return NULL;
}

/* choose finds sensors of two objects of the source. */
static void choose(void)
{
	winperf_handle source = winperf_source_open(url, 0);
	int32_t length = winperf_sensors_length(source), count = winperf_sensors_count(source);
	if (length <= 0 || count <= 0)
		exit(1);
	char *names = malloc(length), *at = names;
	winperf_sensor *all = malloc(sizeof *all * count);
	if (winperf_sensors_get(source, names, &length, all, &count) != WINPERF_OK)
		exit(1);

	for (int i = 0, n = 0; i < count && n < 2; i++, at += strlen(at) + 1)
		if (!all[i].costly && all[i].instances && (n == 0 || all[i].object != objects[0])) {
			objects[n] = all[i].object;
			counters[n] = all[i].counter;
			snprintf(sensors[n++], sizeof sensors[0], "%s", at);
		}
	free(names);
	free(all);
	usual("close", winperf_source_close(source));
}

int main(int argc, char **argv)
{
	if (argc != 5) {
		fprintf(stderr, "usage: random URL THREADS CALLS SEED\n");
		return 1;
	}
	url = argv[1];
	choose();
	calls = atoi(argv[3]);
	int count = atoi(argv[2]);
	pthread_t *threads = calloc(count, sizeof *threads);
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, call, (void *)(size_t)(atoi(argv[4]) * 1000 + i)))
			return 1;
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	free(threads);

	printf("%d cycles\n", (int)cycles);
	return failures != 0 || cycles == 0;
}
