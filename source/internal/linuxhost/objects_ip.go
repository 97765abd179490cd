package linuxhost

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// Objects of IP, TCP and UDP. See spec for the form of the tables.

// Fields of the IPv4 object that only the table uses.
const (
	ip4InReceives fields = 1 << iota
	ip4OutRequests
	ip4InHdrErrors
	ip4InAddrErrors
	ip4ForwDatagrams
	ip4InUnknownProtos
	ip4InDiscards
	ip4InDelivers
	ip4OutDiscards
	ip4OutNoRoutes
	ip4ReasmReqds
	ip4ReasmOKs
	ip4ReasmFails
	ip4FragOKs
	ip4FragFails
	ip4FragCreates
)

var ip4Object = &spec{
	Object: provider.Object{
		Index: 546, Name: "IPv4",
		Help: "Datagrams of the Internet Protocol, version 4, in the reader's network namespace. From " +
			"/proc/net/snmp.",
	},
	number: 15,
	source: newPlainSource,
	files: fileTables{
		fileOfTable("proc/net/snmp#Ip:",
			in(unitNumber, []at{
				{ip4InReceives, "InReceives"}, {ip4OutRequests, "OutRequests"}, {ip4InHdrErrors, "InHdrErrors"},
				{ip4InAddrErrors, "InAddrErrors"}, {ip4ForwDatagrams, "ForwDatagrams"},
				{ip4InUnknownProtos, "InUnknownProtos"}, {ip4InDiscards, "InDiscards"},
				{ip4InDelivers, "InDelivers"}, {ip4OutDiscards, "OutDiscards"}, {ip4OutNoRoutes, "OutNoRoutes"},
				{ip4ReasmReqds, "ReasmReqds"}, {ip4ReasmOKs, "ReasmOKs"}, {ip4ReasmFails, "ReasmFails"},
				{ip4FragOKs, "FragOKs"}, {ip4FragFails, "FragFails"}, {ip4FragCreates, "FragCreates"}}),
		),
	},
	table: []entry{
		{438, "Datagrams/sec", counter.CounterCounter, -1, provider.Advanced,
			sum(ip4InReceives | ip4OutRequests),
			"Datagrams received, plus datagrams sent by local protocols without forwarded ones. From " +
				"/proc/net/snmp, Ip: InReceives + OutRequests."},
		{446, "Datagrams Received/sec", counter.CounterCounter, -1, provider.Advanced,
			sum(ip4InReceives),
			"Datagrams received, including those with errors. From /proc/net/snmp, Ip: InReceives."},
		{552, "Datagrams Received Header Errors", counter.RawCount, 0, provider.Advanced,
			sum(ip4InHdrErrors),
			"Total datagrams discarded because of an error in the header. From /proc/net/snmp, Ip: " +
				"InHdrErrors."},
		{554, "Datagrams Received Address Errors", counter.RawCount, 0, provider.Advanced,
			sum(ip4InAddrErrors),
			"Total datagrams discarded because their destination is not an address of this machine. From " +
				"/proc/net/snmp, Ip: InAddrErrors."},
		{556, "Datagrams Forwarded/sec", counter.CounterCounter, -1, provider.Advanced,
			sum(ip4ForwDatagrams),
			"Datagrams forwarded. From /proc/net/snmp, Ip: ForwDatagrams."},
		{558, "Datagrams Received Unknown Protocol", counter.RawCount, 0, provider.Advanced,
			sum(ip4InUnknownProtos),
			"Total datagrams discarded because their protocol is unknown. From /proc/net/snmp, Ip: " +
				"InUnknownProtos."},
		{560, "Datagrams Received Discarded", counter.RawCount, 0, provider.Advanced,
			sum(ip4InDiscards),
			"Total datagrams received without an error but discarded, for example for lack of memory. " +
				"From /proc/net/snmp, Ip: InDiscards."},
		{562, "Datagrams Received Delivered/sec", counter.CounterCounter, -1, provider.Advanced,
			sum(ip4InDelivers),
			"Datagrams delivered to upper-layer protocols. From /proc/net/snmp, Ip: InDelivers."},
		{442, "Datagrams Sent/sec", counter.CounterCounter, -1, provider.Advanced, sum(ip4OutRequests),
			"Datagrams that local protocols requested to send, without forwarded ones. From " +
				"/proc/net/snmp, Ip: OutRequests."},
		{566, "Datagrams Outbound Discarded", counter.RawCount, 0, provider.Advanced,
			sum(ip4OutDiscards),
			"Total outgoing datagrams discarded, for example for lack of memory. From /proc/net/snmp, " +
				"Ip: OutDiscards."},
		{568, "Datagrams Outbound No Route", counter.RawCount, 0, provider.Advanced,
			sum(ip4OutNoRoutes),
			"Total datagrams discarded because no route was found. From /proc/net/snmp, Ip: OutNoRoutes."},
		{570, "Fragments Received/sec", counter.CounterCounter, -1, provider.Advanced,
			sum(ip4ReasmReqds),
			"Fragments received. From /proc/net/snmp, Ip: ReasmReqds."},
		{572, "Fragments Re-assembled/sec", counter.CounterCounter, -1, provider.Advanced,
			sum(ip4ReasmOKs),
			"Datagrams reassembled from fragments. From /proc/net/snmp, Ip: ReasmOKs."},
		{574, "Fragment Re-assembly Failures", counter.RawCount, 0, provider.Advanced,
			sum(ip4ReasmFails),
			"Total failures to reassemble a datagram from fragments. From /proc/net/snmp, Ip: ReasmFails."},
		{576, "Fragmented Datagrams/sec", counter.CounterCounter, -1, provider.Advanced,
			sum(ip4FragOKs),
			"Datagrams split into fragments. From /proc/net/snmp, Ip: FragOKs."},
		{578, "Fragmentation Failures", counter.RawCount, 0, provider.Advanced, sum(ip4FragFails),
			"Total datagrams discarded because they could not be split into fragments. From " +
				"/proc/net/snmp, Ip: FragFails."},
		{580, "Fragments Created/sec", counter.CounterCounter, -1, provider.Advanced,
			sum(ip4FragCreates),
			"Fragments created. From /proc/net/snmp, Ip: FragCreates."},
	},
}

// Fields of the IPv6 object that only the table uses.
const (
	ip6InReceives fields = 1 << iota
	ip6OutRequests
	ip6InHdrErrors
	ip6InAddrErrors
	ip6OutForwDatagrams
	ip6InUnknownProtos
	ip6InDiscards
	ip6InDelivers
	ip6OutDiscards
	ip6OutNoRoutes
	ip6ReasmReqds
	ip6ReasmOKs
	ip6ReasmFails
	ip6FragOKs
	ip6FragFails
	ip6FragCreates
)

var ip6Object = &spec{
	Object: provider.Object{
		Index: 548, Name: "IPv6",
		Help: "Datagrams of the Internet Protocol, version 6, in the reader's network namespace. From " +
			"/proc/net/snmp6, which is missing if the kernel has no IPv6.",
	},
	number: 16,
	source: newPlainSource,
	files: fileTables{
		fileOfLines("proc/net/snmp6",
			in(unitNumber, []at{{ip6InReceives, "Ip6InReceives"}, {ip6OutRequests, "Ip6OutRequests"},
				{ip6InHdrErrors, "Ip6InHdrErrors"}, {ip6InAddrErrors, "Ip6InAddrErrors"},
				{ip6OutForwDatagrams, "Ip6OutForwDatagrams"}, {ip6InUnknownProtos, "Ip6InUnknownProtos"},
				{ip6InDiscards, "Ip6InDiscards"}, {ip6InDelivers, "Ip6InDelivers"},
				{ip6OutDiscards, "Ip6OutDiscards"}, {ip6OutNoRoutes, "Ip6OutNoRoutes"},
				{ip6ReasmReqds, "Ip6ReasmReqds"}, {ip6ReasmOKs, "Ip6ReasmOKs"}, {ip6ReasmFails, "Ip6ReasmFails"},
				{ip6FragOKs, "Ip6FragOKs"}, {ip6FragFails, "Ip6FragFails"}, {ip6FragCreates, "Ip6FragCreates"}}),
		),
	},
	table: []entry{
		{438, "Datagrams/sec", counter.CounterCounter, -1, provider.Advanced,
			sum(ip6InReceives | ip6OutRequests),
			"Datagrams received, plus datagrams sent by local protocols without forwarded ones. From " +
				"/proc/net/snmp6, Ip6InReceives + Ip6OutRequests."},
		{446, "Datagrams Received/sec", counter.CounterCounter, -1, provider.Advanced,
			sum(ip6InReceives),
			"Datagrams received, including those with errors. From /proc/net/snmp6, Ip6InReceives."},
		{552, "Datagrams Received Header Errors", counter.RawCount, 0, provider.Advanced,
			sum(ip6InHdrErrors),
			"Total datagrams discarded because of an error in the header. From /proc/net/snmp6, " +
				"Ip6InHdrErrors."},
		{554, "Datagrams Received Address Errors", counter.RawCount, 0, provider.Advanced,
			sum(ip6InAddrErrors),
			"Total datagrams discarded because their destination is not an address of this machine. From " +
				"/proc/net/snmp6, Ip6InAddrErrors."},
		{556, "Datagrams Forwarded/sec", counter.CounterCounter, -1, provider.Advanced,
			sum(ip6OutForwDatagrams),
			"Datagrams forwarded. From /proc/net/snmp6, Ip6OutForwDatagrams."},
		{558, "Datagrams Received Unknown Protocol", counter.RawCount, 0, provider.Advanced,
			sum(ip6InUnknownProtos),
			"Total datagrams discarded because their protocol is unknown. From /proc/net/snmp6, " +
				"Ip6InUnknownProtos."},
		{560, "Datagrams Received Discarded", counter.RawCount, 0, provider.Advanced,
			sum(ip6InDiscards),
			"Total datagrams received without an error but discarded, for example for lack of memory. " +
				"From /proc/net/snmp6, Ip6InDiscards."},
		{562, "Datagrams Received Delivered/sec", counter.CounterCounter, -1, provider.Advanced,
			sum(ip6InDelivers),
			"Datagrams delivered to upper-layer protocols. From /proc/net/snmp6, Ip6InDelivers."},
		{442, "Datagrams Sent/sec", counter.CounterCounter, -1, provider.Advanced, sum(ip6OutRequests),
			"Datagrams that local protocols requested to send, without forwarded ones. From " +
				"/proc/net/snmp6, Ip6OutRequests."},
		{566, "Datagrams Outbound Discarded", counter.RawCount, 0, provider.Advanced,
			sum(ip6OutDiscards),
			"Total outgoing datagrams discarded, for example for lack of memory. From /proc/net/snmp6, " +
				"Ip6OutDiscards."},
		{568, "Datagrams Outbound No Route", counter.RawCount, 0, provider.Advanced,
			sum(ip6OutNoRoutes),
			"Total datagrams discarded because no route was found. From /proc/net/snmp6, Ip6OutNoRoutes."},
		{570, "Fragments Received/sec", counter.CounterCounter, -1, provider.Advanced,
			sum(ip6ReasmReqds),
			"Fragments received. From /proc/net/snmp6, Ip6ReasmReqds."},
		{572, "Fragments Re-assembled/sec", counter.CounterCounter, -1, provider.Advanced,
			sum(ip6ReasmOKs),
			"Datagrams reassembled from fragments. From /proc/net/snmp6, Ip6ReasmOKs."},
		{574, "Fragment Re-assembly Failures", counter.RawCount, 0, provider.Advanced,
			sum(ip6ReasmFails),
			"Total failures to reassemble a datagram from fragments. From /proc/net/snmp6, Ip6ReasmFails."},
		{576, "Fragmented Datagrams/sec", counter.CounterCounter, -1, provider.Advanced,
			sum(ip6FragOKs),
			"Datagrams split into fragments. From /proc/net/snmp6, Ip6FragOKs."},
		{578, "Fragmentation Failures", counter.RawCount, 0, provider.Advanced, sum(ip6FragFails),
			"Total datagrams discarded because they could not be split into fragments. From " +
				"/proc/net/snmp6, Ip6FragFails."},
		{580, "Fragments Created/sec", counter.CounterCounter, -1, provider.Advanced,
			sum(ip6FragCreates),
			"Fragments created. From /proc/net/snmp6, Ip6FragCreates."},
	},
}

// Fields of the TCPv4 object that only the table uses.
const (
	tcpInSegs fields = 1 << iota
	tcpOutSegs
	tcpRetransSegs
	tcpCurrEstab
	tcpActiveOpens
	tcpPassiveOpens
	tcpAttemptFails
	tcpEstabResets
)

var tcpObject = &spec{
	Object: provider.Object{
		Index: 638, Name: "TCPv4",
		Help: "Connections and segments of the Transmission Control Protocol in the reader's network " +
			"namespace. From /proc/net/snmp. Unlike on Windows, IPv4 and IPv6 are counted together.",
	},
	number: 17,
	source: newPlainSource,
	files: fileTables{
		fileOfTable("proc/net/snmp#Tcp:",
			in(unitNumber, []at{{tcpInSegs, "InSegs"}, {tcpOutSegs, "OutSegs"}, {tcpRetransSegs, "RetransSegs"},
				{tcpCurrEstab, "CurrEstab"}, {tcpActiveOpens, "ActiveOpens"}, {tcpPassiveOpens, "PassiveOpens"},
				{tcpAttemptFails, "AttemptFails"}, {tcpEstabResets, "EstabResets"}}),
		),
	},
	table: []entry{
		{640, "Segments/sec", counter.CounterCounter, -1, provider.Advanced, sum(tcpInSegs | tcpOutSegs),
			"Segments received and sent, without retransmissions. From /proc/net/snmp, Tcp: InSegs + " +
				"OutSegs."},
		{642, "Connections Established", counter.RawCount, 0, provider.Advanced, sum(tcpCurrEstab),
			"Connections in state ESTABLISHED or CLOSE-WAIT. From /proc/net/snmp, Tcp: CurrEstab."},
		{644, "Connections Active", counter.RawCount, 0, provider.Advanced, sum(tcpActiveOpens),
			"Total connections that this machine initiated. From /proc/net/snmp, Tcp: ActiveOpens."},
		{646, "Connections Passive", counter.RawCount, 0, provider.Advanced, sum(tcpPassiveOpens),
			"Total connections that a remote host initiated. From /proc/net/snmp, Tcp: PassiveOpens."},
		{648, "Connection Failures", counter.RawCount, 0, provider.Advanced, sum(tcpAttemptFails),
			"Total connection attempts that failed. From /proc/net/snmp, Tcp: AttemptFails."},
		{650, "Connections Reset", counter.RawCount, 0, provider.Advanced, sum(tcpEstabResets),
			"Total established connections that were reset. From /proc/net/snmp, Tcp: EstabResets."},
		{652, "Segments Received/sec", counter.CounterCounter, -1, provider.Advanced, sum(tcpInSegs),
			"Segments received, including those with errors. From /proc/net/snmp, Tcp: InSegs."},
		{654, "Segments Sent/sec", counter.CounterCounter, -1, provider.Advanced, sum(tcpOutSegs),
			"Segments sent, without retransmissions. From /proc/net/snmp, Tcp: OutSegs."},
		{656, "Segments Retransmitted/sec", counter.CounterCounter, -1, provider.Advanced,
			sum(tcpRetransSegs),
			"Segments retransmitted. From /proc/net/snmp, Tcp: RetransSegs."},
	},
}

// Fields of the UDPv4 object that only the table uses.
const (
	udp4InDatagrams fields = 1 << iota
	udp4OutDatagrams
	udp4NoPorts
	udp4InErrors
)

var udp4Object = &spec{
	Object: provider.Object{
		Index: 658, Name: "UDPv4",
		Help: "Datagrams of the User Datagram Protocol over IPv4 in the reader's network namespace. From " +
			"/proc/net/snmp.",
	},
	number: 18,
	source: newPlainSource,
	files: fileTables{
		fileOfTable("proc/net/snmp#Udp:",
			in(unitNumber, []at{
				{udp4InDatagrams, "InDatagrams"}, {udp4OutDatagrams, "OutDatagrams"}, {udp4NoPorts, "NoPorts"},
				{udp4InErrors, "InErrors"}}),
		),
	},
	table: []entry{
		{438, "Datagrams/sec", counter.CounterCounter, -1, provider.Advanced,
			sum(udp4InDatagrams | udp4OutDatagrams),
			"Datagrams received and delivered to programs, plus datagrams sent. From /proc/net/snmp, Udp: " +
				"InDatagrams + OutDatagrams."},
		{446, "Datagrams Received/sec", counter.CounterCounter, -1, provider.Advanced,
			sum(udp4InDatagrams),
			"Datagrams received and delivered to programs. From /proc/net/snmp, Udp: InDatagrams."},
		{442, "Datagrams Sent/sec", counter.CounterCounter, -1, provider.Advanced,
			sum(udp4OutDatagrams),
			"Datagrams sent. From /proc/net/snmp, Udp: OutDatagrams."},
		{664, "Datagrams No Port/sec", counter.CounterCounter, -1, provider.Advanced, sum(udp4NoPorts),
			"Datagrams received for a port that no program listens on. From /proc/net/snmp, Udp: NoPorts."},
		{666, "Datagrams Received Errors", counter.RawCount, 0, provider.Advanced, sum(udp4InErrors),
			"Total datagrams that could not be delivered for other reasons, such as an error or a full " +
				"buffer. From /proc/net/snmp, Udp: InErrors."},
	},
}

// Fields of the UDPv6 object that only the table uses.
const (
	udp6InDatagrams fields = 1 << iota
	udp6OutDatagrams
	udp6NoPorts
	udp6InErrors
)

var udp6Object = &spec{
	Object: provider.Object{
		Index: 1532, Name: "UDPv6",
		Help: "Datagrams of the User Datagram Protocol over IPv6 in the reader's network namespace. From " +
			"/proc/net/snmp6, which is missing if the kernel has no IPv6.",
	},
	number: 19,
	source: newPlainSource,
	files: fileTables{
		fileOfLines("proc/net/snmp6",
			in(unitNumber, []at{{udp6InDatagrams, "Udp6InDatagrams"}, {udp6OutDatagrams, "Udp6OutDatagrams"},
				{udp6NoPorts, "Udp6NoPorts"}, {udp6InErrors, "Udp6InErrors"}}),
		),
	},
	table: []entry{
		{438, "Datagrams/sec", counter.CounterCounter, -1, provider.Advanced,
			sum(udp6InDatagrams | udp6OutDatagrams),
			"Datagrams received and delivered to programs, plus datagrams sent. From /proc/net/snmp6, " +
				"Udp6InDatagrams + Udp6OutDatagrams."},
		{446, "Datagrams Received/sec", counter.CounterCounter, -1, provider.Advanced,
			sum(udp6InDatagrams),
			"Datagrams received and delivered to programs. From /proc/net/snmp6, Udp6InDatagrams."},
		{442, "Datagrams Sent/sec", counter.CounterCounter, -1, provider.Advanced,
			sum(udp6OutDatagrams),
			"Datagrams sent. From /proc/net/snmp6, Udp6OutDatagrams."},
		{664, "Datagrams No Port/sec", counter.CounterCounter, -1, provider.Advanced, sum(udp6NoPorts),
			"Datagrams received for a port that no program listens on. From /proc/net/snmp6, Udp6NoPorts."},
		{666, "Datagrams Received Errors", counter.RawCount, 0, provider.Advanced, sum(udp6InErrors),
			"Total datagrams that could not be delivered for other reasons, such as an error or a full " +
				"buffer. From /proc/net/snmp6, Udp6InErrors."},
	},
}
