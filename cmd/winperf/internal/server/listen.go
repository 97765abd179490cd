package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
)

// listen opens the addresses, or uses the sockets passed by systemd. quiet is the time that idle
// connections are kept at the limit.
func listen(ctx context.Context, how *Web, quiet time.Duration) (list []net.Listener, err error) {
	if how.SystemdSocket {
		list, err = fromSystemd()
	} else {
		list, err = listenAll(ctx, how.Listen)
	}
	for i, l := range list {
		list[i] = newLimiter(l, how.MaxConnections, quiet)
	}
	return list, err
}

func fromSystemd() ([]net.Listener, error) {
	list, err := activation.Listeners()
	if err == nil && len(list) == 0 {
		err = errors.New("systemd passed no socket")
	}
	for i, l := range list {
		if l == nil {
			const form = "file %d passed by systemd is not a listening stream socket; use ListenStream="
			err = errors.Join(err, fmt.Errorf(form, i+1))
		}
	}
	if err == nil {
		return list, nil
	}

	for _, l := range list {
		if l != nil {
			err = errors.Join(err, l.Close())
		}
	}
	return nil, err
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

func urls(listeners []net.Listener, how *Web) (list []string) {
	scheme := "http"
	if hasKey(how.ConfigFile, "tls_server_config") {
		scheme = "https"
	}
	for _, l := range listeners {
		tcp, ok := l.Addr().(*net.TCPAddr)
		if !ok { // Unix sockets have no URL
			list = append(list, l.Addr().String())
			continue
		}
		host := tcp.String()
		if tcp.IP.IsUnspecified() {
			host = net.JoinHostPort("localhost", strconv.Itoa(tcp.Port))
		}
		list = append(list, scheme+"://"+host+how.TelemetryPath)
	}
	return list
}
