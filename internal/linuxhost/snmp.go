package linuxhost

import (
	"bytes"
	"context"

	"github.com/winperf/winperf/provider"
)

// snmpSource reads an object that counts the packets of a protocol in the
// reader's network namespace. The kernel names its figures as the standards
// for network management do (RFC 4293, RFC 4113, RFC 4022, RFC 2466).
type snmpSource struct {
	*spec         // whose keys are the figures
	group  string // of /proc/net/snmp: the word that its two lines begin with; "" stands for /proc/net/snmp6
	values values
}

func newIPv4Source() source   { return &snmpSource{spec: &ipv4Spec, group: "Ip:"} }
func newIPv6Source() source   { return &snmpSource{spec: &ipv6Spec} }
func newTCPv4Source() source  { return &snmpSource{spec: &tcpv4Spec, group: "Tcp:"} }
func newUDPv4Source() source  { return &snmpSource{spec: &udpv4Spec, group: "Udp:"} }
func newUDPv6Source() source  { return &snmpSource{spec: &udpv6Spec} }
func newICMPSource() source   { return &snmpSource{spec: &icmpSpec, group: "Icmp:"} }
func newICMPv6Source() source { return &snmpSource{spec: &icmpv6Spec} }

func (r *snmpSource) probe(s *session) fields {
	r.read(s)
	return r.values.have
}

func (r *snmpSource) collect(_ context.Context, s *session, o *object, w *provider.Writer) error {
	r.read(s)
	out := w.Object(o.layout)
	o.write(&out, &r.values)
	out.End()
	return nil
}

func (r *snmpSource) close(*session) error { return nil }

// read reads the figures. A file that cannot be read leaves them out.
func (r *snmpSource) read(s *session) {
	r.values.have = 0
	if r.group == "" {
		if text, err := s.shared.snmp6.read(s); err == nil {
			r.values.setKeys(text, r.keys)
		}
		return
	}
	if text, err := s.shared.snmp.read(s); err == nil {
		r.values.setGroup(text, r.group, r.keys)
	}
}

// setGroup takes the figures of a group of a file such as /proc/net/snmp: two
// lines that begin with its name, one of keys and one of their numbers.
func (v *values) setGroup(text []byte, group string, keys []key) {
	for {
		names, rest, ok := cutLine(text)
		if !ok {
			return
		}

		text = rest
		word, names := cutWord(names)
		if string(word) != group {
			continue
		}

		numbers, _, _ := cutLine(text)
		if numbers, ok = bytes.CutPrefix(numbers, []byte(group)); ok {
			v.setColumns(names, numbers, keys)
		}
		return
	}
}

// setColumns takes the figures of two lines, of keys and of their numbers.
func (v *values) setColumns(names, numbers []byte, keys []key) {
	for {
		var name, number []byte
		name, names = cutWord(names)
		number, numbers = cutWord(numbers)
		if len(name) == 0 || len(number) == 0 {
			return
		}
		v.setNamed(name, number, keys)
	}
}
