package linuxhost

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// The figures of the TCPv4 object, in segments and connections.
const (
	tcpInSegments fields = 1 << iota
	tcpOutSegments
	tcpRetransmitted
	tcpEstablished
	tcpActive
	tcpPassive
	tcpFailures
	tcpResets
)

var tcpv4Spec = spec{
	number: 17, index: 638, name: "TCPv4",
	help: "Connections and segments of the Transmission Control Protocol in the network namespace of the " +
		"reader. From /proc/net/snmp. Unlike on Windows IPv4 and IPv6 together: the kernel does not count " +
		"them apart.",
	origin: "/proc/net/snmp, Tcp:", keys: tcpKeys, rows: tcpRows,
}

var tcpKeys = []key{
	{"InSegs", tcpInSegments, 1},
	{"OutSegs", tcpOutSegments, 1},
	{"RetransSegs", tcpRetransmitted, 1},
	{"CurrEstab", tcpEstablished, 1},
	{"ActiveOpens", tcpActive, 1},
	{"PassiveOpens", tcpPassive, 1},
	{"AttemptFails", tcpFailures, 1},
	{"EstabResets", tcpResets, 1},
}

// tcpDifference is added to the help texts.
const tcpDifference = " Unlike on Windows IPv4 and IPv6 together."

var tcpRows = []row{
	{640, "Segments/sec", counter.CounterCounter, -1, provider.Advanced, tcpInSegments | tcpOutSegments, nil,
		"Segments received and sent, those sent again not among them." + tcpDifference},
	{642, "Connections Established", counter.RawCount, 0, provider.Advanced, tcpEstablished, nil,
		"Connections that are ESTABLISHED or in CLOSE-WAIT now." + tcpDifference},
	{644, "Connections Active", counter.RawCount, 0, provider.Advanced, tcpActive, nil,
		"Connections that this machine began to open, in all." + tcpDifference},
	{646, "Connections Passive", counter.RawCount, 0, provider.Advanced, tcpPassive, nil,
		"Connections that another machine opened, in all." + tcpDifference},
	{648, "Connection Failures", counter.RawCount, 0, provider.Advanced, tcpFailures, nil,
		"Connections that were not established for all that was tried, in all." + tcpDifference},
	{650, "Connections Reset", counter.RawCount, 0, provider.Advanced, tcpResets, nil,
		"Established connections that were reset, in all." + tcpDifference},
	{652, "Segments Received/sec", counter.CounterCounter, -1, provider.Advanced, tcpInSegments, nil,
		"Segments received, those with errors among them." + tcpDifference},
	{654, "Segments Sent/sec", counter.CounterCounter, -1, provider.Advanced, tcpOutSegments, nil,
		"Segments sent, those sent again not among them." + tcpDifference},
	{656, "Segments Retransmitted/sec", counter.CounterCounter, -1, provider.Advanced, tcpRetransmitted, nil,
		"Segments sent again." + tcpDifference},
}

// The figures of the UDPv4 and UDPv6 objects, in datagrams.
const (
	udpIn fields = 1 << iota
	udpOut
	udpNoPorts
	udpErrors
)

var udpv4Spec = spec{
	number: 18, index: 658, name: "UDPv4",
	help: "Datagrams of the User Datagram Protocol over IPv4 in the network namespace of the reader. From " +
		"/proc/net/snmp.",
	origin: "/proc/net/snmp, Udp:", keys: udpv4Keys, rows: udpRows,
}

var udpv6Spec = spec{
	number: 19, index: 1532, name: "UDPv6",
	help: "Datagrams of the User Datagram Protocol over IPv6 in the network namespace of the reader. From " +
		"/proc/net/snmp6, which is not there where the kernel has no IPv6.",
	origin: "/proc/net/snmp6,", keys: udpv6Keys, rows: udpRows,
}

var udpv4Keys = []key{
	{"InDatagrams", udpIn, 1},
	{"OutDatagrams", udpOut, 1},
	{"NoPorts", udpNoPorts, 1},
	{"InErrors", udpErrors, 1},
}

var udpv6Keys = []key{
	{"Udp6InDatagrams", udpIn, 1},
	{"Udp6OutDatagrams", udpOut, 1},
	{"Udp6NoPorts", udpNoPorts, 1},
	{"Udp6InErrors", udpErrors, 1},
}

// udpRows are the counters of both versions.
var udpRows = []row{
	{438, "Datagrams/sec", counter.CounterCounter, -1, provider.Advanced, udpIn | udpOut, nil,
		"Datagrams received by programs and sent."},
	{446, "Datagrams Received/sec", counter.CounterCounter, -1, provider.Advanced, udpIn, nil,
		"Datagrams received by programs."},
	{442, "Datagrams Sent/sec", counter.CounterCounter, -1, provider.Advanced, udpOut, nil,
		"Datagrams sent."},
	{664, "Datagrams No Port/sec", counter.CounterCounter, -1, provider.Advanced, udpNoPorts, nil,
		"Datagrams received for a port at which no program listens."},
	{666, "Datagrams Received Errors", counter.RawCount, 0, provider.Advanced, udpErrors, nil,
		"Datagrams that could not be delivered for other reasons, such as an error or a full " +
			"buffer, in all."},
}
