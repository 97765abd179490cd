package server

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// hostChecked refuses requests over loopback for names of other hosts, if there is no authentication. This
// prevents DNS rebinding: a web page must not read the metrics through the browser of a user of this
// machine.
func (s *server) hostChecked(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
		loopback := ok && local.IP.IsLoopback() && r.TLS == nil // with TLS the browser checks the name
		if !loopback || isHere(r.Host, s.web.Listen) || hasKey(s.web.ConfigFile, "basic_auth_users") {
			next.ServeHTTP(w, r)
			return
		}
		const form = "the host %.100q is not this machine: use its address or localhost, " +
			"or name the host in --web.listen-address"
		refuse(w, http.StatusForbidden, fmt.Errorf(form, r.Host))
	})
}

func isHere(header string, listen []string) bool {
	host := hostOf(header)
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil || host == "localhost" {
		return true
	}
	named := func(address string) bool { return hostOf(address) == host }
	return strings.HasSuffix(host, ".localhost") || host != "" && slices.ContainsFunc(listen, named)
}

// hostOf returns the host of an address in lower case, without a port.
func hostOf(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
