//go:build unix

package main

/*
#include <signal.h>
#include <stddef.h>

// set_onstack sets SA_ONSTACK on a handler, whose other settings stay. If another thread has changed the
// handler meanwhile, its change is kept.
static void set_onstack(int number)
{
	struct sigaction action, was;
	if (sigaction(number, NULL, &action) != 0)
		return;
	while (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN && !(action.sa_flags & SA_ONSTACK)) {
		void (*handler)(int) = action.sa_handler;
		action.sa_flags |= SA_ONSTACK;
		if (sigaction(number, &action, &was) != 0 || was.sa_handler == handler)
			return;
		if (sigaction(number, &was, NULL) != 0)
			return;
		action = was;
	}
}

static void set_onstack_all(void)
{
	for (int number = 1; number < NSIG; number++)
		set_onstack(number);
}
*/
import "C"

// setOnStack lets the handlers that the host has now run on the stacks for signals of Go's threads: a
// handler on the stack of a goroutine writes beyond its end.
func setOnStack() { C.set_onstack_all() }
