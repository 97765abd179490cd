package console

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
)

// Supervised notifies systemd, if it started this program as a service of type notify, that the service is
// ready, and when ctx ends or end is called that it stops. If the service has a watchdog, it calls responds
// twice in each period of the watchdog and notifies systemd if the result is nil. systemd restarts a service
// that does not notify it. Call end before the program ends: it waits for the notification of the stop.
func (a *App) Supervised(ctx context.Context, responds func(context.Context) error) (end func()) {
	a.notify(daemon.SdNotifyReady)
	stopping := sync.OnceFunc(func() { a.notify(daemon.SdNotifyStopping) })
	cancel := context.AfterFunc(ctx, stopping)

	period, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		a.Complain(fmt.Errorf("systemd: %w", err))
	}
	if period > 0 {
		go a.watch(ctx, period/2, responds)
	}
	return func() {
		cancel()
		stopping() // The end of ctx may not have called it yet.
	}
}

func (a *App) watch(ctx context.Context, every time.Duration, responds func(context.Context) error) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		switch err := responds(ctx); {
		case err == nil:
			a.notify(daemon.SdNotifyWatchdog)
		case ctx.Err() == nil:
			a.Complain(fmt.Errorf("the watchdog of systemd is not answered: %w", err))
		}

		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (a *App) notify(state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		a.Complain(fmt.Errorf("systemd: %w", err))
	}
}
