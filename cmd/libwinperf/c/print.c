/*
 * Usage: print URL
 *
 * Prints the values of one cycle of all objects that are not costly, one line each:
 *
 *     object TAB counter TAB instance TAB value
 *
 * A missing value is shown as its reason in brackets. Anomalies are printed on standard error.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libwinperf.h"

/* check ends the program after a failure, with the message of the object's last failure. */
static int32_t check(winperf_handle object, const char *what, int32_t result)
{
	if (result >= 0 || result == WINPERF_ANOMALY)
		return result;
	char text[1000] = "";
	int32_t length = sizeof text;
	winperf_error_text(object, text, &length);
	fprintf(stderr, "%s: %d: %s\n", what, (int)result, text);
	exit(1);
}

static void *allocate(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size);
	if (!memory)
		abort();
	return memory;
}

/* name returns the name of an object or counter. */
static char *name(winperf_handle source, uint32_t index)
{
	int32_t length = check(source, "name_length", winperf_name_length(source, index));
	char *text = allocate(length, 1);
	check(source, "name_get", winperf_name_get(source, index, text, &length));
	return text;
}

/* instances are the instances of one object. */
struct instances {
	int32_t count;
	char **names;
	winperf_instance *rest;
	char *texts;
};

static struct instances instances(winperf_handle snapshot, uint32_t object)
{
	struct instances in;
	int32_t length = check(snapshot, "instances_length", winperf_snapshot_instances_length(snapshot, object));
	in.count = check(snapshot, "instances_count", winperf_snapshot_instances_count(snapshot, object));
	in.texts = allocate(length, 1);
	in.names = allocate(in.count, sizeof *in.names);
	in.rest = allocate(in.count, sizeof *in.rest);
	check(snapshot, "instances_get",
	      winperf_snapshot_instances_get(snapshot, object, in.texts, &length, in.rest, &in.count));

	char *at = in.texts;
	for (int32_t i = 0; i < in.count; i++) {
		in.names[i] = at;
		at += strlen(at) + 1;
	}
	return in;
}

static void free_instances(struct instances *in)
{
	free(in->texts);
	free(in->names);
	free(in->rest);
}

static void print_value(winperf_handle snapshot, const winperf_item *item, int32_t at)
{
	char text[1000] = "";
	int32_t length = sizeof text;
	if (item->status != 0) {
		check(0, "status_text", winperf_status_text(item->status, text, &length));
		printf("[%s]\n", text);
		return;
	}

	switch (item->type) {
	case WINPERF_INT32:
		printf("%" PRIu32 "\n", item->value.int32);
		break;
	case WINPERF_INT64:
		printf("%" PRIu64 "\n", item->value.int64);
		break;
	case WINPERF_DECIMAL:
		printf("%.17g\n", item->value.decimal);
		break;
	case WINPERF_TEXT:
		check(snapshot, "text_get", winperf_snapshot_text_get(snapshot, at, text, &length));
		printf("%s\n", text);
		break;
	default:
		printf("[none]\n");
	}
}

/* print_items prints all values of the last cycle, which are sorted by object. */
static void print_items(winperf_handle source, winperf_handle snapshot)
{
	int32_t count = check(snapshot, "items_count", winperf_snapshot_items_count(snapshot));
	winperf_item *items = allocate(count, sizeof *items);
	check(snapshot, "items_get", winperf_snapshot_items_get(snapshot, items, &count));

	struct instances in = {0, NULL, NULL, NULL};
	char *object = NULL;
	for (int32_t i = 0; i < count; i++) {
		if (i == 0 || items[i].object != items[i - 1].object) {
			free_instances(&in);
			free(object);
			in = instances(snapshot, items[i].object);
			object = name(source, items[i].object);
		}

		char *counter = name(source, items[i].counter);
		printf("%s\t%s\t", object, counter);
		if (items[i].instance >= 0 && items[i].instance < in.count) {
			const winperf_instance *rest = &in.rest[items[i].instance];
			printf("%s", in.names[items[i].instance]);
			if (rest->occurrence > 0)
				printf("#%d", (int)rest->occurrence);
		}
		printf("\t");
		print_value(snapshot, &items[i], i);
		free(counter);
	}
	free_instances(&in);
	free(object);
	free(items);
}

static void print_anomalies(winperf_handle snapshot)
{
	int32_t length = check(snapshot, "anomalies_length", winperf_snapshot_anomalies_length(snapshot));
	char *lines = allocate(length, 1);
	check(snapshot, "anomalies_get", winperf_snapshot_anomalies_get(snapshot, lines, &length));
	for (char *line = lines; *line; line += strlen(line) + 1)
		fprintf(stderr, "%s\n", line);
	free(lines);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: print URL\n");
		return 1;
	}
	winperf_handle source = check(0, argv[1], winperf_source_open(argv[1], 0));
	winperf_handle snapshot =
		check(source, "create", winperf_snapshot_create(source, WINPERF_GLOBAL, NULL, 0, 0));

	check(snapshot, "prepare", winperf_snapshot_prepare(snapshot));
	check(snapshot, "sample", winperf_snapshot_sample(snapshot));
	if (check(snapshot, "decode", winperf_snapshot_decode(snapshot)) == WINPERF_ANOMALY)
		print_anomalies(snapshot);
	print_items(source, snapshot);

	check(snapshot, "destroy", winperf_snapshot_destroy(snapshot));
	check(source, "close", winperf_source_close(source));
	return 0;
}
