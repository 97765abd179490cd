/*
 * Usage: lives
 *
 * What happens to the program around the library: threads end, it forks, its texts are no UTF-8, and processes
 * come while it measures them. Exit status 1 says that a call had a result that it must not have.
 */
#define _DEFAULT_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libwinperf.h"

static int failures;
static winperf_handle source;

static void expect(const char *what, int32_t result, int32_t want)
{
	if (result == want)
		return;
	char text[400] = "";
	int32_t length = sizeof text;
	winperf_error_text(0, text, &length);
	fprintf(stderr, "%s: %d, want %d (perhaps: %s)\n", what, (int)result, (int)want, text);
	failures++;
}

static int32_t cycle(winperf_handle snapshot)
{
	expect("prepare", winperf_snapshot_prepare_safe(snapshot), WINPERF_OK);
	int32_t sampled = winperf_snapshot_sample_safe(snapshot);
	if (sampled != WINPERF_ANOMALY)
		expect("sample", sampled, WINPERF_OK);
	return winperf_snapshot_decode_safe(snapshot);
}

/* measured makes a snapshot in a thread that ends with it. */
static void *measured(void *made)
{
	winperf_request processes = {2, 0};
	winperf_handle snapshot = winperf_snapshot_create(source, WINPERF_CUSTOM, &processes, 1, 0);
	expect("decode in a thread", cycle(snapshot), WINPERF_OK);
	*(winperf_handle *)made = snapshot;
	return NULL;
}

static int threads_now(void)
{
	int n = 0;
	DIR *tasks = opendir("/proc/self/task");
	while (tasks && readdir(tasks))
		n++;
	closedir(tasks);
	return n;
}

/* threads_end lets threads end one after the other: what they made stays, and what was made for them does not. */
static void threads_end(void)
{
	enum { THREADS = 300 };
	static winperf_handle made[THREADS];
	for (int i = 0; i < THREADS; i++) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, measured, &made[i]) || pthread_join(thread, NULL))
			abort();
	}
	if (threads_now() > 50)
		expect("threads that are left", threads_now(), 0);
	for (int i = 0; i < THREADS; i++) {
		expect("state", winperf_snapshot_state(made[i]), WINPERF_INITIALIZED);
		expect("destroy", winperf_snapshot_destroy(made[i]), WINPERF_OK);
	}
}

/* child starts a process that ends at once, or waits to be killed, or becomes another program. */
static pid_t child(const char *program)
{
	pid_t pid = fork();
	if (pid != 0)
		return pid;
	if (program)
		execl(program, program, "fresh", (char *)NULL);
	else
		for (;;)
			pause();
	_exit(1);
}

static int ended(pid_t pid)
{
	int status;
	while (waitpid(pid, &status, 0) != pid)
		;
	return status;
}

/* forks lets the program fork while it measures: it goes on, and so does another program in the child. */
static void forks(const char *program)
{
	winperf_handle snapshot;
	measured(&snapshot);
	expect("prepare", winperf_snapshot_prepare(snapshot), WINPERF_OK);
	expect("a program in a child", ended(child(program)), 0);
	expect("sample after a fork", winperf_snapshot_sample(snapshot), WINPERF_OK);
	expect("decode after a fork", winperf_snapshot_decode(snapshot), WINPERF_OK);
	expect("destroy", winperf_snapshot_destroy(snapshot), WINPERF_OK);
}

/* value is the item of a process, by the order of the instances; NULL where it has none. */
static const winperf_item *value(const winperf_item *items, int32_t count, pid_t pid)
{
	for (int32_t i = 0; i < count; i++)
		if (items[i].status == 0 && items[i].value.int32 == (uint32_t)pid)
			return &items[i];
	return NULL;
}

/* anomaly sees a process start: -6 reports it once, with its name. Both cycles have its value. */
static void anomaly(void)
{
	static winperf_item items[100000];
	static char lines[100000];
	const char *ids[] = {"linux.winperf/Process/ID Process"};
	winperf_handle snapshot = winperf_snapshot_create_sensors(source, ids, 1, WINPERF_BY_PID);
	expect("retries", winperf_set(snapshot, WINPERF_RETRIES, 0), WINPERF_OK);
	pid_t came = child(NULL);
	expect("decode when a process came", cycle(snapshot), WINPERF_ANOMALY);

	int32_t count = sizeof items / sizeof *items, length = sizeof lines;
	expect("items", winperf_snapshot_items_get(snapshot, items, &count), WINPERF_OK);
	expect("a value of this process", value(items, count, getpid()) != NULL, 1);
	expect("a value of the new process", value(items, count, came) != NULL, 1);
	char name[20];
	snprintf(name, sizeof name, "%d", (int)came);
	expect("anomalies", winperf_snapshot_anomalies_get(snapshot, lines, &length), WINPERF_OK);
	int told = 0;
	for (char *line = lines; *line; line += strlen(line) + 1)
		told |= strstr(line, "instances_came: Process") && strstr(line, name);
	expect("an anomaly that names the process", told, 1);

	int32_t decoded = cycle(snapshot); /* other processes of the machine may have come by now */
	if (decoded != WINPERF_ANOMALY)
		expect("decode afterwards", decoded, WINPERF_OK);
	count = sizeof items / sizeof *items;
	expect("items", winperf_snapshot_items_get(snapshot, items, &count), WINPERF_OK);
	expect("a value of the process", value(items, count, came) != NULL, 1);
	kill(came, SIGKILL);
	ended(came);
	expect("destroy", winperf_snapshot_destroy(snapshot), WINPERF_OK);
}

/* well_formed reports whether a text is UTF-8, as far as its bytes stand in the right order. */
static int well_formed(const char *text)
{
	for (const unsigned char *at = (const unsigned char *)text; *at;) {
		int more = *at < 0x80 ? 0 : *at >= 0xF0 ? 3 : *at >= 0xE0 ? 2 : *at >= 0xC2 ? 1 : -1;
		if (more < 0)
			return 0;
		for (at++; more > 0; more--, at++)
			if ((*at & 0xC0) != 0x80)
				return 0;
	}
	return 1;
}

/* texts gives texts that are no UTF-8, and ones without an end, wherever there is a text. */
static void texts(void)
{
	static char endless[1 << 20];
	memset(endless, 'x', sizeof endless);
	const char *all[] = {"\xFF\xFE", "caf\xE9", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "%zz#\xE2\x82", endless};
	uint32_t index;
	winperf_sensor sensor;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		const char *text = all[i];
		winperf_attribute attribute = {text, WINPERF_TEXT, {.text = text}};
		int32_t refused = text == endless ? WINPERF_ARGUMENT : WINPERF_NOT_FOUND;
		int32_t taken = text == endless ? WINPERF_ARGUMENT : WINPERF_OK;
		expect("object_find", winperf_object_find(source, text, &index), refused);
		expect("counter_find", winperf_counter_find(source, 2, text, &index), refused);
		expect("source_open", winperf_source_open(text, 0) < 0, 1);
		expect("sensor_find", winperf_sensor_find(source, text, &sensor), WINPERF_ARGUMENT);
		expect("create_sensors", winperf_snapshot_create_sensors(source, &text, 1, 0), WINPERF_ARGUMENT);
		expect("event", winperf_event(0, text, NULL, 0), taken);
		expect("event with an attribute", winperf_event(0, "event", &attribute, 1), taken);

		char error[4000] = "";
		int32_t length = sizeof error;
		expect("error_text", winperf_error_text(source, error, &length), WINPERF_OK);
		expect("an error in UTF-8", well_formed(error), 1);
		length = sizeof error;
		expect("error_text", winperf_error_text(0, error, &length), WINPERF_OK);
		expect("an error in UTF-8", well_formed(error), 1);
	}
}

int main(int argc, char **argv)
{
	source = winperf_source_open("local:", -1);
	expect("rest", winperf_set(source, WINPERF_REST, 0), WINPERF_OK);
	if (argc == 1) {
		threads_end();
		forks(argv[0]);
		anomaly();
		texts();
	}
	expect("close", winperf_source_close(source), WINPERF_OK);
	return failures != 0;
}
