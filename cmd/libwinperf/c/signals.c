/*
 * Usage: signals SECONDS
 *
 * Has a handler without SA_ONSTACK when it opens a source, and takes samples while another thread sends signals.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libwinperf.h"

static atomic_int done;
static volatile sig_atomic_t handled;

static void expect(const char *what, long got, long want)
{
	if (got == want)
		return;
	fprintf(stderr, "signals: %s is %ld, want %ld\n", what, got, want);
	exit(1);
}

static void handler(int number)
{
	volatile char used[4096]; /* of the stack, more than is left on that of many goroutines */
	memset((char *)used, number, sizeof used);
	handled++;
}

static void *storm(void *thread)
{
	struct timespec pause = {0, 100000};
	while (!done) {
		pthread_kill(*(pthread_t *)thread, SIGUSR1);
		nanosleep(&pause, NULL);
	}
	return NULL;
}

static struct sigaction now(int number)
{
	struct sigaction action;
	sigaction(number, NULL, &action);
	return action;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
	sigaddset(&action.sa_mask, SIGUSR2);
	sigaction(SIGUSR1, &action, NULL);
	signal(SIGHUP, SIG_IGN);
	signal(SIGTERM, SIG_DFL);

	winperf_handle source = winperf_source_open("local:", -1);
	expect("the source", source > 0, 1);
	struct sigaction after = now(SIGUSR1);
	expect("the handler", after.sa_handler == handler, 1);
	expect("SA_ONSTACK", (after.sa_flags & SA_ONSTACK) != 0, 1);
	expect("SA_RESTART", (after.sa_flags & SA_RESTART) != 0, 1);
	expect("the mask", sigismember(&after.sa_mask, SIGUSR2), 1);
	expect("an ignored signal", now(SIGHUP).sa_handler == SIG_IGN, 1);
	expect("a default", now(SIGTERM).sa_handler == SIG_DFL, 1);
	expect("its flags", now(SIGTERM).sa_flags & SA_ONSTACK, 0);

	pthread_t self = pthread_self(), sender;
	expect("the thread", pthread_create(&sender, NULL, storm, &self), 0);
	const char *names[] = {"linux.winperf/Process/% Processor Time"};
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 1);
	do {
		winperf_handle snapshot = winperf_snapshot_create_sensors(source, names, 1, 0);
		expect("the snapshot", snapshot > 0, 1);
		expect("prepare", winperf_snapshot_prepare(snapshot), WINPERF_OK);
		expect("sample", winperf_snapshot_sample(snapshot) < WINPERF_OK, 0);
		expect("destroy", winperf_snapshot_destroy(snapshot), WINPERF_OK);
	} while (time(NULL) < end || handled < 100);

	done = 1;
	pthread_join(sender, NULL);
	expect("close", winperf_source_close(source), WINPERF_OK);
	return 0;
}
