//go:build unix

package main

/*
#include <signal.h>
#include <stddef.h>

// set_onstack sets SA_ONSTACK on a handler and keeps its other settings. If another thread has changed the
// handler in the meantime, its change is kept.
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

// setOnStack lets the host's current signal handlers run on the signal stacks of Go's threads: a handler
// on the stack of a goroutine would write beyond its end.
func setOnStack() { C.set_onstack_all() }
