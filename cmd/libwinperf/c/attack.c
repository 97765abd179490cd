/*
 * Usage: attack URL
 *
 * Calls every function as no caller should: with handles of all wrong kinds, with pointers that are NULL and
 * arrays that are too small, overlap or end behind memory. The URL is that of a record of two samples. Exit status
 * 1 says that a call had a result that it must not have.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libwinperf.h"

static int failures;
static winperf_handle source, snapshot;
static uint32_t object, counter; /* an object with instances, and a counter of it */
static char sensor[300];         /* the name of that */

static void expect(const char *what, const char *how, int32_t result, int32_t want)
{
	if (result == want)
		return;
	fprintf(stderr, "%s, %s: %d, want %d\n", what, how, (int)result, (int)want);
	failures++;
}

/* Functions of a handle, and what else they need to be called with it alone. */
#define TRY(name, ...) \
	static int32_t try_##name(winperf_handle h) \
	{ \
		return name(h, __VA_ARGS__); \
	}
#define TRY_BOTH(name, ...) \
	TRY(name, __VA_ARGS__) \
	TRY(name##_safe, __VA_ARGS__)
static uint32_t found;
static winperf_sensor found_sensor;
static int64_t ns;
static int32_t none, more; /* lengths of arrays that are NULL */
static const char *const names[] = {sensor};
static winperf_request request;
TRY(winperf_set, WINPERF_RETRIES, 1)
TRY(winperf_error_text, NULL, &none)
TRY(winperf_names_get, NULL, &none, NULL, &more)
TRY(winperf_name_length, object)
TRY(winperf_name_get, object, NULL, &none)
TRY(winperf_object_find, "Process", &found)
TRY(winperf_counter_find, object, "ID Process", &found)
TRY(winperf_sensors_get, NULL, &none, NULL, &more)
TRY(winperf_sensor_find, sensor, &found_sensor)
TRY(winperf_snapshot_create, WINPERF_CUSTOM, &request, 1, 0)
TRY(winperf_snapshot_create_sensors, names, 1, 0)
TRY_BOTH(winperf_snapshot_objects_get, NULL, &none)
TRY_BOTH(winperf_snapshot_counters_count, object)
TRY_BOTH(winperf_snapshot_counters_get, object, NULL, &none)
TRY_BOTH(winperf_snapshot_instances_count, object)
TRY_BOTH(winperf_snapshot_instances_length, object)
TRY_BOTH(winperf_snapshot_instances_get, object, NULL, &none, NULL, &more)
TRY_BOTH(winperf_snapshot_items_get, NULL, &none)
TRY_BOTH(winperf_snapshot_text_length, 0)
TRY_BOTH(winperf_snapshot_text_get, 0, NULL, &none)
TRY_BOTH(winperf_snapshot_time, &ns)
TRY_BOTH(winperf_snapshot_anomalies_get, NULL, &none)
TRY(winperf_event, "event", NULL, 0)
TRY(winperf_region_begin, "region", NULL, 0)
TRY(winperf_region_end, NULL, 0)

enum { SOURCE = 1, SNAPSHOT = 2, REGION = 4, LISTENER = 8, LIBRARY = 16 };

#define ONE(name) #name, name
#define BOTH(kinds, name) {ONE(name), kinds}, {ONE(name##_safe), kinds}
#define TRIED(name) #name, try_##name
#define BOTH_TRIED(kinds, name) {TRIED(name), kinds}, {TRIED(name##_safe), kinds}

static const struct function {
	const char *name;
	int32_t (*call)(winperf_handle);
	int kinds; /* of objects that it takes; LIBRARY is handle 0 */
} functions[] = {
	{ONE(winperf_error_length), SOURCE | SNAPSHOT | REGION | LISTENER | LIBRARY},
	{TRIED(winperf_error_text), SOURCE | SNAPSHOT | REGION | LISTENER | LIBRARY},
	{TRIED(winperf_set), SOURCE | SNAPSHOT},
	{ONE(winperf_source_close), SOURCE},
	{ONE(winperf_source_refresh), SOURCE},
	{ONE(winperf_names_count), SOURCE},
	{ONE(winperf_names_length), SOURCE},
	{TRIED(winperf_names_get), SOURCE},
	{TRIED(winperf_name_length), SOURCE},
	{TRIED(winperf_name_get), SOURCE},
	{TRIED(winperf_object_find), SOURCE},
	{TRIED(winperf_counter_find), SOURCE},
	{ONE(winperf_sensors_count), SOURCE},
	{ONE(winperf_sensors_length), SOURCE},
	{TRIED(winperf_sensors_get), SOURCE},
	{TRIED(winperf_sensor_find), SOURCE},
	{TRIED(winperf_snapshot_create), SOURCE},
	{TRIED(winperf_snapshot_create_sensors), SOURCE},
	{ONE(winperf_snapshot_state), SNAPSHOT},
	BOTH(SNAPSHOT, winperf_snapshot_destroy),
	BOTH(SNAPSHOT, winperf_snapshot_prepare),
	BOTH(SNAPSHOT, winperf_snapshot_sample),
	BOTH(SNAPSHOT, winperf_snapshot_decode),
	BOTH(SNAPSHOT, winperf_snapshot_objects_count),
	BOTH_TRIED(SNAPSHOT, winperf_snapshot_objects_get),
	BOTH_TRIED(SNAPSHOT, winperf_snapshot_counters_count),
	BOTH_TRIED(SNAPSHOT, winperf_snapshot_counters_get),
	BOTH_TRIED(SNAPSHOT, winperf_snapshot_instances_count),
	BOTH_TRIED(SNAPSHOT, winperf_snapshot_instances_length),
	BOTH_TRIED(SNAPSHOT, winperf_snapshot_instances_get),
	BOTH(SNAPSHOT, winperf_snapshot_items_count),
	BOTH_TRIED(SNAPSHOT, winperf_snapshot_items_get),
	BOTH_TRIED(SNAPSHOT, winperf_snapshot_text_length),
	BOTH_TRIED(SNAPSHOT, winperf_snapshot_text_get),
	BOTH_TRIED(SNAPSHOT, winperf_snapshot_time),
	BOTH(SNAPSHOT, winperf_snapshot_anomalies_count),
	BOTH(SNAPSHOT, winperf_snapshot_anomalies_length),
	BOTH_TRIED(SNAPSHOT, winperf_snapshot_anomalies_get),
	{TRIED(winperf_event), REGION | LIBRARY},
	{TRIED(winperf_region_begin), REGION | LIBRARY},
	{TRIED(winperf_region_end), REGION},
	{ONE(winperf_listen_end), LISTENER},
};

/* call_all calls the functions that do not take objects of a kind with a handle. */
static void call_all(const char *how, winperf_handle h, int kind, int32_t want)
{
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (!(functions[i].kinds & kind))
			expect(functions[i].name, how, functions[i].call(h), want);
}

/* wrong_handles calls every function with handles that were never there, are closed or of another kind. */
static void wrong_handles(const char *url)
{
	winperf_handle closed = winperf_source_open(url, 0);
	winperf_handle destroyed = winperf_snapshot_create(closed, WINPERF_GLOBAL, NULL, 0, 0);
	expect("destroy", "first", winperf_snapshot_destroy(destroyed), WINPERF_OK);
	expect("close", "first", winperf_source_close(closed), WINPERF_OK);
	call_all("a closed source", closed, 0, WINPERF_HANDLE);
	call_all("a snapshot that was destroyed", destroyed, 0, WINPERF_HANDLE);

	call_all("handle 0", 0, LIBRARY, WINPERF_HANDLE);
	call_all("handle -1", -1, 0, WINPERF_HANDLE);
	call_all("the highest handle", INT32_MAX, 0, WINPERF_HANDLE);
	call_all("the lowest handle", INT32_MIN, 0, WINPERF_HANDLE);

	call_all("a source", source, SOURCE, WINPERF_KIND);
	call_all("a snapshot", snapshot, SNAPSHOT, WINPERF_KIND);
	winperf_handle region = winperf_region_begin(0, "region", NULL, 0);
	call_all("a region", region, REGION, WINPERF_KIND);
	expect("region_end", "first", winperf_region_end(region, NULL, 0), WINPERF_OK);
	call_all("a region that has ended", region, 0, WINPERF_HANDLE);
}

/* Functions that fill one or two arrays: of a and *n elements, and of b and *m. */
#define ARRAYS void *a, int32_t *n, void *b, int32_t *m
#define FILL(name, ...) \
	static int32_t fill_##name(ARRAYS) \
	{ \
		(void)b, (void)m; \
		return name(__VA_ARGS__); \
	}
FILL(winperf_version_text, a, n)
FILL(winperf_code_text, WINPERF_ANOMALY, a, n)
FILL(winperf_status_text, 1, a, n)
FILL(winperf_error_text, source, a, n)
FILL(winperf_name_get, source, object, a, n)
FILL(winperf_names_get, source, a, n, b, m)
FILL(winperf_sensors_get, source, a, n, b, m)
FILL(winperf_snapshot_objects_get, snapshot, a, n)
FILL(winperf_snapshot_counters_get, snapshot, object, a, n)
FILL(winperf_snapshot_instances_get, snapshot, object, a, n, b, m)
FILL(winperf_snapshot_items_get, snapshot, a, n)
FILL(winperf_snapshot_anomalies_get, snapshot, a, n)

#define FILLS(name) #name, fill_##name
static const struct filler {
	const char *name;
	int32_t (*fill)(ARRAYS);
	size_t first, second; /* sizes of elements; 0: there is no such array */
} fillers[] = {
	{FILLS(winperf_version_text), 1, 0},
	{FILLS(winperf_code_text), 1, 0},
	{FILLS(winperf_status_text), 1, 0},
	{FILLS(winperf_error_text), 1, 0},
	{FILLS(winperf_name_get), 1, 0},
	{FILLS(winperf_names_get), 1, sizeof(uint32_t)},
	{FILLS(winperf_sensors_get), 1, sizeof(winperf_sensor)},
	{FILLS(winperf_snapshot_objects_get), sizeof(uint32_t), 0},
	{FILLS(winperf_snapshot_counters_get), sizeof(winperf_counter), 0},
	{FILLS(winperf_snapshot_instances_get), 1, sizeof(winperf_instance)},
	{FILLS(winperf_snapshot_items_get), sizeof(winperf_item), 0},
	{FILLS(winperf_snapshot_anomalies_get), 1, 0},
};

/* Memory with marks in it and behind it, as the sanitizer does not see what the library writes. */
enum { MARK = 0x5A, GUARD = 64 };

static char *marked(size_t size)
{
	char *memory = malloc(size + GUARD);
	if (!memory)
		abort();
	return memset(memory, MARK, size + GUARD);
}

/* unmarked reports whether something was written at a place or behind it. */
static int unmarked(const char *memory, size_t from, size_t size)
{
	for (size_t i = from; i < size + GUARD; i++)
		if (memory[i] != MARK)
			return 1;
	return 0;
}

/* fill calls a function with arrays of some lengths, and looks what was written. */
static void fill(const struct filler *f, int32_t n, int32_t m, int32_t need, int32_t need_second)
{
	size_t first = f->first * (size_t)n, second = f->second * (size_t)m;
	char *a = marked(first), *b = marked(second);
	int fits = n >= need && m >= need_second;
	int32_t told = n, told_second = m;
	int32_t result = f->fill(a, &told, b, &told_second);

	expect(f->name, "with arrays", result, fits ? WINPERF_OK : WINPERF_SIZE);
	expect(f->name, "what is told of the first array", told, need);
	expect(f->name, "what is told of the second array", told_second, f->second ? need_second : m);
	if (unmarked(a, fits ? f->first * (size_t)need : 0, first) ||
	    unmarked(b, fits ? f->second * (size_t)need_second : 0, second))
		expect(f->name, "written where nothing may be, for a length of", n, -1);
	free(a);
	free(b);
}

/* lengths calls what fills arrays with every length around the one that is needed. */
static void lengths(const struct filler *f)
{
	int32_t need = 0, need_second = 0;
	int32_t result = f->fill(NULL, &need, NULL, &need_second);
	expect(f->name, "without arrays", result, need > 0 ? WINPERF_SIZE : WINPERF_OK);
	for (int32_t n = 0; n < need; n += 1 + need / 100) /* each length, up to a hundred */
		fill(f, n, need_second, need, need_second);
	for (int32_t n = need > 0 ? need - 1 : 0; n <= need + 1; n++)
		fill(f, n, need_second, need, need_second);
	for (int32_t m = 0; f->second && m < need_second; m += 1 + need_second / 100)
		fill(f, need, m, need, need_second);

	char *a = marked(f->first * (size_t)need), *b = marked(f->second * (size_t)need_second);
	int32_t n, m = need_second;
	expect(f->name, "without a length", f->fill(a, NULL, b, &m), WINPERF_ARGUMENT);
	n = -1;
	expect(f->name, "a negative length", f->fill(a, &n, b, &m), WINPERF_ARGUMENT);
	n = 1;
	expect(f->name, "no array", f->fill(NULL, &n, b, &m), WINPERF_ARGUMENT);
	n = INT32_MAX;
	expect(f->name, "beyond the end of memory", f->fill((void *)(UINTPTR_MAX - 63), &n, b, &m), WINPERF_ARGUMENT);
	if (unmarked(a, 0, f->first * (size_t)need) || unmarked(b, 0, f->second * (size_t)need_second))
		expect(f->name, "written by a call that was refused", 1, 0);
	n = sizeof(void *) > 4 ? INT32_MAX : need;
	expect(f->name, "more than there is memory for", f->fill(a, &n, b, &m), WINPERF_OK);
	free(a);
	free(b);
}

/* overlaps gives arrays and lengths that share memory: the results mean nothing, and nothing breaks. */
static void overlaps(const struct filler *f)
{
	union {
		int32_t lengths[2];
		char memory[1 << 16];
	} *all = calloc(1, sizeof *all);
	all->lengths[0] = all->lengths[1] = 1000;
	f->fill(all, &all->lengths[0], all, &all->lengths[1]);
	all->lengths[0] = 1000;
	f->fill(all, &all->lengths[0], all, &all->lengths[0]);
	all->lengths[0] = all->lengths[1] = 1000;
	f->fill(all->memory + 9, &all->lengths[0], all->memory + 11, &all->lengths[1]);
	free(all);
}

/* null_places calls what writes to one place without that, and what reads arrays and texts without those. */
static void null_places(void)
{
	winperf_attribute text = {"key", WINPERF_TEXT, {0}}, untyped = {"key", 0, {0}}, no_key = {0, WINPERF_INT64, {0}};
	static const char *const no_name[] = {NULL};
	static winperf_attribute many[1000];
	const struct {
		int32_t result, want;
	} calls[] = {
		{winperf_source_open(NULL, 0), WINPERF_ARGUMENT},
		{winperf_listen(NULL), WINPERF_ARGUMENT},
		{winperf_listen(""), WINPERF_ARGUMENT},
		{winperf_event_declare(NULL), WINPERF_ARGUMENT},
		{winperf_event_declare(""), WINPERF_ARGUMENT},
		{winperf_object_find(source, NULL, &found), WINPERF_ARGUMENT},
		{winperf_object_find(source, "Process", NULL), WINPERF_ARGUMENT},
		{winperf_counter_find(source, object, NULL, &found), WINPERF_ARGUMENT},
		{winperf_counter_find(source, object, "Big", NULL), WINPERF_ARGUMENT},
		{winperf_sensor_find(source, NULL, &found_sensor), WINPERF_ARGUMENT},
		{winperf_sensor_find(source, sensor, NULL), WINPERF_ARGUMENT},
		{winperf_snapshot_time(snapshot, NULL), WINPERF_ARGUMENT},
		{winperf_snapshot_time_safe(snapshot, NULL), WINPERF_ARGUMENT},
		{winperf_snapshot_create(source, WINPERF_CUSTOM, NULL, 1, 0), WINPERF_ARGUMENT},
		{winperf_snapshot_create(source, WINPERF_CUSTOM, &request, -1, 0), WINPERF_ARGUMENT},
		{winperf_snapshot_create(source, WINPERF_CUSTOM, &request, INT32_MAX, 0), WINPERF_TOO_MANY},
		{winperf_snapshot_create(source, WINPERF_CUSTOM, &request, 1, 3), WINPERF_ARGUMENT},
		{winperf_snapshot_create(source, 0, &request, 1, 0), WINPERF_ARGUMENT},
		{winperf_snapshot_create_sensors(source, no_name, 1, 0), WINPERF_ARGUMENT},
		{winperf_snapshot_create_sensors(source, names, INT32_MAX, 0), WINPERF_TOO_MANY},
		{winperf_snapshot_text_length(snapshot, -1), WINPERF_ARGUMENT},
		{winperf_snapshot_text_length(snapshot, INT32_MAX), WINPERF_ARGUMENT},
		{winperf_set(snapshot, INT32_MIN, 1), WINPERF_ARGUMENT},
		{winperf_event(0, NULL, NULL, 0), WINPERF_ARGUMENT},
		{winperf_event(0, "event", NULL, 1), WINPERF_ARGUMENT},
		{winperf_event(0, "event", &text, 1), WINPERF_ARGUMENT},
		{winperf_event(0, "event", &untyped, 1), WINPERF_ARGUMENT},
		{winperf_event(0, "event", &no_key, 1), WINPERF_ARGUMENT},
		{winperf_event(0, "event", many, 1000), WINPERF_TOO_MANY},
		{winperf_event(0, "event", &text, INT32_MAX), WINPERF_TOO_MANY},
		{winperf_region_begin(0, "region", &untyped, 1), WINPERF_ARGUMENT},
		{winperf_status_text(-1, NULL, &none), WINPERF_ARGUMENT},
		{winperf_status_text(INT32_MIN, NULL, &none), WINPERF_ARGUMENT},
		{winperf_code_text(INT32_MIN, NULL, &none), WINPERF_SIZE},
	};
	none = 0; /* what code_text needs */
	char number[20];
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		snprintf(number, sizeof number, "call %d", (int)i);
		expect(number, "which cannot be meant", calls[i].result, calls[i].want);
	}

	/* What is not looked at may be anything: the requests of a snapshot of whole classes. */
	winperf_handle made = winperf_snapshot_create(source, WINPERF_GLOBAL, (void *)8, INT32_MIN, 0);
	expect("snapshot_create", "with requests for a global one", winperf_snapshot_destroy(made), WINPERF_OK);
}

/* choose finds an object with instances, and completes a cycle of the first sensor of it. */
static int choose(const char *url)
{
	source = winperf_source_open(url, 0);
	int32_t length = winperf_sensors_length(source), count = winperf_sensors_count(source);
	if (length <= 0 || count <= 0)
		return 0;
	char *texts = malloc(length), *at = texts;
	winperf_sensor *all = malloc(sizeof *all * count);
	winperf_sensors_get(source, texts, &length, all, &count);
	for (int i = 0; i < count && !object; i++, at += strlen(at) + 1)
		if (all[i].instances) {
			object = all[i].object;
			counter = all[i].counter;
			snprintf(sensor, sizeof sensor, "%s", at);
		}
	free(texts);
	free(all);

	request = (winperf_request){object, counter};
	winperf_object_find(source, "none of this name", &found); /* leaves an error's text */
	snapshot = winperf_snapshot_create(source, WINPERF_GLOBAL, NULL, 0, 0);
	return winperf_snapshot_prepare(snapshot) == WINPERF_OK && winperf_snapshot_sample(snapshot) == WINPERF_OK &&
	       winperf_snapshot_decode(snapshot) == WINPERF_OK;
}

int main(int argc, char **argv)
{
	if (argc != 2 || winperf_interface() != 1 || !choose(argv[1])) {
		fprintf(stderr, "usage: attack URL\n");
		return 1;
	}

	wrong_handles(argv[1]);
	for (size_t i = 0; i < sizeof fillers / sizeof *fillers; i++) {
		lengths(&fillers[i]);
		overlaps(&fillers[i]);
	}
	null_places();

	int32_t length = 0;
	winperf_version_text(NULL, &length);
	expect("version_length", "beside version_text", winperf_version_length(), length);
	expect("snapshot_destroy", "at the end", winperf_snapshot_destroy_safe(snapshot), WINPERF_OK);
	expect("source_close", "at the end", winperf_source_close(source), WINPERF_OK);
	return failures != 0;
}
