package linuxhost

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// The figures of the IPv4 and IPv6 objects, in datagrams.
const (
	ipReceives fields = 1 << iota
	ipRequests
	ipHeaderErrors
	ipAddressErrors
	ipForwarded
	ipUnknownProtocols
	ipInDiscards
	ipDelivers
	ipOutDiscards
	ipNoRoutes
	ipReassemblyRequests
	ipReassembled
	ipReassemblyFailures
	ipFragmented
	ipFragmentFailures
	ipFragments
)

var ipv4Spec = spec{
	number: 15, index: 546, name: "IPv4",
	help: "Datagrams of the Internet Protocol, version 4, in the network namespace of the reader. From " +
		"/proc/net/snmp.",
	origin: "/proc/net/snmp, Ip:", keys: ipv4Keys, rows: ipRows,
}

var ipv6Spec = spec{
	number: 16, index: 548, name: "IPv6",
	help: "Datagrams of the Internet Protocol, version 6, in the network namespace of the reader. From " +
		"/proc/net/snmp6, which is not there where the kernel has no IPv6.",
	origin: "/proc/net/snmp6,", keys: ipv6Keys, rows: ipRows,
}

var ipv4Keys = []key{
	{"InReceives", ipReceives, 1},
	{"OutRequests", ipRequests, 1},
	{"InHdrErrors", ipHeaderErrors, 1},
	{"InAddrErrors", ipAddressErrors, 1},
	{"ForwDatagrams", ipForwarded, 1},
	{"InUnknownProtos", ipUnknownProtocols, 1},
	{"InDiscards", ipInDiscards, 1},
	{"InDelivers", ipDelivers, 1},
	{"OutDiscards", ipOutDiscards, 1},
	{"OutNoRoutes", ipNoRoutes, 1},
	{"ReasmReqds", ipReassemblyRequests, 1},
	{"ReasmOKs", ipReassembled, 1},
	{"ReasmFails", ipReassemblyFailures, 1},
	{"FragOKs", ipFragmented, 1},
	{"FragFails", ipFragmentFailures, 1},
	{"FragCreates", ipFragments, 1},
}

var ipv6Keys = []key{
	{"Ip6InReceives", ipReceives, 1},
	{"Ip6OutRequests", ipRequests, 1},
	{"Ip6InHdrErrors", ipHeaderErrors, 1},
	{"Ip6InAddrErrors", ipAddressErrors, 1},
	{"Ip6OutForwDatagrams", ipForwarded, 1},
	{"Ip6InUnknownProtos", ipUnknownProtocols, 1},
	{"Ip6InDiscards", ipInDiscards, 1},
	{"Ip6InDelivers", ipDelivers, 1},
	{"Ip6OutDiscards", ipOutDiscards, 1},
	{"Ip6OutNoRoutes", ipNoRoutes, 1},
	{"Ip6ReasmReqds", ipReassemblyRequests, 1},
	{"Ip6ReasmOKs", ipReassembled, 1},
	{"Ip6ReasmFails", ipReassemblyFailures, 1},
	{"Ip6FragOKs", ipFragmented, 1},
	{"Ip6FragFails", ipFragmentFailures, 1},
	{"Ip6FragCreates", ipFragments, 1},
}

// ipRows are the counters of both versions.
var ipRows = []row{
	{438, "Datagrams/sec", counter.CounterCounter, -1, provider.Advanced, ipReceives | ipRequests, nil,
		"Datagrams received and given to be sent, those forwarded not among the latter."},
	{446, "Datagrams Received/sec", counter.CounterCounter, -1, provider.Advanced, ipReceives, nil,
		"Datagrams received, those with errors among them."},
	{552, "Datagrams Received Header Errors", counter.RawCount, 0, provider.Advanced, ipHeaderErrors, nil,
		"Datagrams thrown away for an error in the header, in all."},
	{554, "Datagrams Received Address Errors", counter.RawCount, 0, provider.Advanced, ipAddressErrors, nil,
		"Datagrams thrown away because their destination is no address of this machine, in all."},
	{556, "Datagrams Forwarded/sec", counter.CounterCounter, -1, provider.Advanced, ipForwarded, nil,
		"Datagrams forwarded."},
	{558, "Datagrams Received Unknown Protocol", counter.RawCount, 0, provider.Advanced,
		ipUnknownProtocols, nil,
		"Datagrams thrown away because nothing here knows their protocol, in all."},
	{560, "Datagrams Received Discarded", counter.RawCount, 0, provider.Advanced, ipInDiscards, nil,
		"Datagrams received without an error and thrown away, such as for want of memory, in all."},
	{562, "Datagrams Received Delivered/sec", counter.CounterCounter, -1, provider.Advanced, ipDelivers, nil,
		"Datagrams delivered to protocols above."},
	{442, "Datagrams Sent/sec", counter.CounterCounter, -1, provider.Advanced, ipRequests, nil,
		"Datagrams that protocols here gave to be sent; those forwarded are not among them."},
	{566, "Datagrams Outbound Discarded", counter.RawCount, 0, provider.Advanced, ipOutDiscards, nil,
		"Datagrams to be sent and thrown away, such as for want of memory, in all."},
	{568, "Datagrams Outbound No Route", counter.RawCount, 0, provider.Advanced, ipNoRoutes, nil,
		"Datagrams thrown away for want of a route, in all."},
	{570, "Fragments Received/sec", counter.CounterCounter, -1, provider.Advanced, ipReassemblyRequests, nil,
		"Fragments received."},
	{572, "Fragments Re-assembled/sec", counter.CounterCounter, -1, provider.Advanced, ipReassembled, nil,
		"Datagrams put together of fragments."},
	{574, "Fragment Re-assembly Failures", counter.RawCount, 0, provider.Advanced, ipReassemblyFailures, nil,
		"Failures to put a datagram together of fragments, in all."},
	{576, "Fragmented Datagrams/sec", counter.CounterCounter, -1, provider.Advanced, ipFragmented, nil,
		"Datagrams broken into fragments."},
	{578, "Fragmentation Failures", counter.RawCount, 0, provider.Advanced, ipFragmentFailures, nil,
		"Datagrams thrown away because they could not be broken into fragments, in all."},
	{580, "Fragments Created/sec", counter.CounterCounter, -1, provider.Advanced, ipFragments, nil,
		"Fragments made."},
}
