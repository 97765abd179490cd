package serve

import (
	"context"
	"errors"
	"log/slog"
	"net"

	"github.com/coreos/go-systemd/v22/activation"
	"golang.org/x/net/netutil"
)

// listen opens the addresses, or takes the sockets that systemd handed over.
func listen(ctx context.Context, how *Web) (list []net.Listener, err error) {
	if how.SystemdSocket {
		list, err = activation.Listeners()
		if err == nil && len(list) == 0 {
			err = errors.New("systemd has handed over no socket")
		}
	} else {
		list, err = listenAll(ctx, how.Listen)
	}
	for i, l := range list {
		list[i] = netutil.LimitListener(l, how.MaxConnections)
	}
	return list, err
}

func listenAll(ctx context.Context, addresses []string) (list []net.Listener, err error) {
	var config net.ListenConfig
	for _, address := range addresses {
		l, err := config.Listen(ctx, "tcp", address)
		if err != nil {
			for _, open := range list {
				err = errors.Join(err, open.Close())
			}
			return nil, err
		}
		list = append(list, l)
	}
	return list, nil
}

func addresses(listeners []net.Listener) (list []net.Addr) {
	for _, l := range listeners {
		list = append(list, l.Addr())
	}
	return list
}

// onlyWarnings is a logger that drops what is neither wrong nor a warning.
func onlyWarnings(log *slog.Logger) *slog.Logger { return slog.New(warnings{log.Handler()}) }

type warnings struct{ slog.Handler }

// Enabled implements slog.Handler.
func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && w.Handler.Enabled(ctx, level)
}
