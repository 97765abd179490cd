package linuxhost

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// The objects of the network; spec.go says what a table means.

// The figures of the Network Interface object that only its table knows.
const (
	netBytesIn fields = 1 << (iota + 1)
	netPacketsIn
	netErrorsIn
	netDropsIn
	netMulticastIn
	netBytesOut
	netPacketsOut
	netErrorsOut
	netDropsOut
)

var interfaceObject = &spec{
	Object: provider.Object{
		Index: 510, Name: "Network Interface", Multi: true,
		Help: "Network interfaces in the reader's network namespace. From /proc/net/dev and /sys/class/net. There is no " +
			"_Total, because bridges, bonds, VLANs and virtual interfaces count a packet again, and lo counts it " +
			"twice.",
	},
	number: 12,
	source: newInterfaceSource,
	files: fileTables{
		fileOfTable("proc/net/dev",
			in(unitNumber, []at{{netBytesIn, "Receive.bytes"}, {netPacketsIn, "Receive.packets"}, {netErrorsIn, "Receive.errs"},
				{netDropsIn, "Receive.drop"}, {netMulticastIn, "Receive.multicast"},
				{netBytesOut, "Transmit.bytes"}, {netPacketsOut, "Transmit.packets"},
				{netErrorsOut, "Transmit.errs"}, {netDropsOut, "Transmit.drop"}}),
		),
	},
	rows: []row{
		newRow(388, "Bytes Total/sec", counter.BulkCount, -4, provider.Advanced, sum(netBytesIn|netBytesOut),
			"Bytes received and sent. From /proc/net/dev, bytes of Receive and Transmit."),
		newRow(400, "Packets/sec", counter.BulkCount, -1, provider.Advanced, sum(netPacketsIn|netPacketsOut),
			"Packets received and sent. From /proc/net/dev, packets of Receive and Transmit."),
		newRow(266, "Packets Received/sec", counter.BulkCount, -1, provider.Advanced, sum(netPacketsIn),
			"Packets received. From /proc/net/dev, packets of Receive."),
		newRow(452, "Packets Sent/sec", counter.BulkCount, -1, provider.Advanced, sum(netPacketsOut),
			"Packets sent. From /proc/net/dev, packets of Transmit."),
		newRow(520, "Current Bandwidth", counter.LargeRawCount, -6, provider.Advanced, sum(netBandwidth),
			"Speed of the link in bits per second. From /sys/class/net, speed, read again when carrier_changes has "+
				"changed. No value if the link is down or the interface reports no speed, as most virtual ones."),
		newRow(264, "Bytes Received/sec", counter.BulkCount, -4, provider.Advanced, sum(netBytesIn),
			"Bytes received. From /proc/net/dev, bytes of Receive."),
		newRow(526, "Packets Received Non-Unicast/sec", counter.BulkCount, -1, provider.Expert, sum(netMulticastIn),
			"Multicast packets received. From /proc/net/dev, multicast of Receive. Unlike on Windows, broadcasts are "+
				"not included, except with a few drivers."),
		newRow(528, "Packets Received Discarded", counter.LargeRawCount, 0, provider.Advanced, sum(netDropsIn),
			"Received packets that were discarded, since the interface was created. From /proc/net/dev, drop of "+
				"Receive, including packets missed because a buffer was full."),
		newRow(530, "Packets Received Errors", counter.LargeRawCount, 0, provider.Advanced, sum(netErrorsIn),
			"Packets received with an error, since the interface was created. From /proc/net/dev, errs of Receive."),
		newRow(506, "Bytes Sent/sec", counter.BulkCount, -4, provider.Advanced, sum(netBytesOut),
			"Bytes sent. From /proc/net/dev, bytes of Transmit."),
		newRow(540, "Packets Outbound Discarded", counter.LargeRawCount, 0, provider.Advanced, sum(netDropsOut),
			"Outgoing packets that were discarded, since the interface was created. From /proc/net/dev, drop of "+
				"Transmit."),
		newRow(542, "Packets Outbound Errors", counter.LargeRawCount, 0, provider.Advanced, sum(netErrorsOut),
			"Packets that could not be sent because of an error, since the interface was created. From /proc/net/dev, "+
				"errs of Transmit."),
	},
}

// The figures of the IPv4 object that only its table knows.
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
		Help: "Datagrams of the Internet Protocol, version 4, in the reader's network namespace. From /proc/net/snmp.",
	},
	number: 15,
	source: newPlainSource,
	files: fileTables{
		fileOfTable("proc/net/snmp#Ip:",
			in(unitNumber, []at{{ip4InReceives, "InReceives"}, {ip4OutRequests, "OutRequests"}, {ip4InHdrErrors, "InHdrErrors"},
				{ip4InAddrErrors, "InAddrErrors"}, {ip4ForwDatagrams, "ForwDatagrams"},
				{ip4InUnknownProtos, "InUnknownProtos"}, {ip4InDiscards, "InDiscards"},
				{ip4InDelivers, "InDelivers"}, {ip4OutDiscards, "OutDiscards"}, {ip4OutNoRoutes, "OutNoRoutes"},
				{ip4ReasmReqds, "ReasmReqds"}, {ip4ReasmOKs, "ReasmOKs"}, {ip4ReasmFails, "ReasmFails"},
				{ip4FragOKs, "FragOKs"}, {ip4FragFails, "FragFails"}, {ip4FragCreates, "FragCreates"}}),
		),
	},
	rows: []row{
		newRow(438, "Datagrams/sec", counter.CounterCounter, -1, provider.Advanced, sum(ip4InReceives|ip4OutRequests),
			"Datagrams received, plus datagrams sent by local protocols without forwarded ones. From /proc/net/snmp, "+
				"Ip: InReceives + OutRequests."),
		newRow(446, "Datagrams Received/sec", counter.CounterCounter, -1, provider.Advanced, sum(ip4InReceives),
			"Datagrams received, including those with errors. From /proc/net/snmp, Ip: InReceives."),
		newRow(552, "Datagrams Received Header Errors", counter.RawCount, 0, provider.Advanced, sum(ip4InHdrErrors),
			"Total datagrams discarded because of an error in the header. From /proc/net/snmp, Ip: InHdrErrors."),
		newRow(554, "Datagrams Received Address Errors", counter.RawCount, 0, provider.Advanced, sum(ip4InAddrErrors),
			"Total datagrams discarded because their destination is not an address of this machine. From "+
				"/proc/net/snmp, Ip: InAddrErrors."),
		newRow(556, "Datagrams Forwarded/sec", counter.CounterCounter, -1, provider.Advanced, sum(ip4ForwDatagrams),
			"Datagrams forwarded. From /proc/net/snmp, Ip: ForwDatagrams."),
		newRow(558, "Datagrams Received Unknown Protocol", counter.RawCount, 0, provider.Advanced, sum(ip4InUnknownProtos),
			"Total datagrams discarded because their protocol is not known here. From /proc/net/snmp, Ip: "+
				"InUnknownProtos."),
		newRow(560, "Datagrams Received Discarded", counter.RawCount, 0, provider.Advanced, sum(ip4InDiscards),
			"Total datagrams received without an error but discarded, for example because memory was short. From "+
				"/proc/net/snmp, Ip: InDiscards."),
		newRow(562, "Datagrams Received Delivered/sec", counter.CounterCounter, -1, provider.Advanced, sum(ip4InDelivers),
			"Datagrams delivered to upper-layer protocols. From /proc/net/snmp, Ip: InDelivers."),
		newRow(442, "Datagrams Sent/sec", counter.CounterCounter, -1, provider.Advanced, sum(ip4OutRequests),
			"Datagrams that local protocols requested to send, without forwarded ones. From /proc/net/snmp, Ip: "+
				"OutRequests."),
		newRow(566, "Datagrams Outbound Discarded", counter.RawCount, 0, provider.Advanced, sum(ip4OutDiscards),
			"Total outgoing datagrams discarded, for example because memory was short. From /proc/net/snmp, Ip: "+
				"OutDiscards."),
		newRow(568, "Datagrams Outbound No Route", counter.RawCount, 0, provider.Advanced, sum(ip4OutNoRoutes),
			"Total datagrams discarded because there was no route. From /proc/net/snmp, Ip: OutNoRoutes."),
		newRow(570, "Fragments Received/sec", counter.CounterCounter, -1, provider.Advanced, sum(ip4ReasmReqds),
			"Fragments received. From /proc/net/snmp, Ip: ReasmReqds."),
		newRow(572, "Fragments Re-assembled/sec", counter.CounterCounter, -1, provider.Advanced, sum(ip4ReasmOKs),
			"Datagrams reassembled from fragments. From /proc/net/snmp, Ip: ReasmOKs."),
		newRow(574, "Fragment Re-assembly Failures", counter.RawCount, 0, provider.Advanced, sum(ip4ReasmFails),
			"Total failures to reassemble a datagram from fragments. From /proc/net/snmp, Ip: ReasmFails."),
		newRow(576, "Fragmented Datagrams/sec", counter.CounterCounter, -1, provider.Advanced, sum(ip4FragOKs),
			"Datagrams split into fragments. From /proc/net/snmp, Ip: FragOKs."),
		newRow(578, "Fragmentation Failures", counter.RawCount, 0, provider.Advanced, sum(ip4FragFails),
			"Total datagrams discarded because they could not be split into fragments. From /proc/net/snmp, Ip: "+
				"FragFails."),
		newRow(580, "Fragments Created/sec", counter.CounterCounter, -1, provider.Advanced, sum(ip4FragCreates),
			"Fragments created. From /proc/net/snmp, Ip: FragCreates."),
	},
}

// The figures of the IPv6 object that only its table knows.
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
		Help: "Datagrams of the Internet Protocol, version 6, in the reader's network namespace. From /proc/net/snmp6, " +
			"which is missing if the kernel has no IPv6.",
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
	rows: []row{
		newRow(438, "Datagrams/sec", counter.CounterCounter, -1, provider.Advanced, sum(ip6InReceives|ip6OutRequests),
			"Datagrams received, plus datagrams sent by local protocols without forwarded ones. From /proc/net/snmp6, "+
				"Ip6InReceives + Ip6OutRequests."),
		newRow(446, "Datagrams Received/sec", counter.CounterCounter, -1, provider.Advanced, sum(ip6InReceives),
			"Datagrams received, including those with errors. From /proc/net/snmp6, Ip6InReceives."),
		newRow(552, "Datagrams Received Header Errors", counter.RawCount, 0, provider.Advanced, sum(ip6InHdrErrors),
			"Total datagrams discarded because of an error in the header. From /proc/net/snmp6, Ip6InHdrErrors."),
		newRow(554, "Datagrams Received Address Errors", counter.RawCount, 0, provider.Advanced, sum(ip6InAddrErrors),
			"Total datagrams discarded because their destination is not an address of this machine. From "+
				"/proc/net/snmp6, Ip6InAddrErrors."),
		newRow(556, "Datagrams Forwarded/sec", counter.CounterCounter, -1, provider.Advanced, sum(ip6OutForwDatagrams),
			"Datagrams forwarded. From /proc/net/snmp6, Ip6OutForwDatagrams."),
		newRow(558, "Datagrams Received Unknown Protocol", counter.RawCount, 0, provider.Advanced, sum(ip6InUnknownProtos),
			"Total datagrams discarded because their protocol is not known here. From /proc/net/snmp6, "+
				"Ip6InUnknownProtos."),
		newRow(560, "Datagrams Received Discarded", counter.RawCount, 0, provider.Advanced, sum(ip6InDiscards),
			"Total datagrams received without an error but discarded, for example because memory was short. From "+
				"/proc/net/snmp6, Ip6InDiscards."),
		newRow(562, "Datagrams Received Delivered/sec", counter.CounterCounter, -1, provider.Advanced, sum(ip6InDelivers),
			"Datagrams delivered to upper-layer protocols. From /proc/net/snmp6, Ip6InDelivers."),
		newRow(442, "Datagrams Sent/sec", counter.CounterCounter, -1, provider.Advanced, sum(ip6OutRequests),
			"Datagrams that local protocols requested to send, without forwarded ones. From /proc/net/snmp6, "+
				"Ip6OutRequests."),
		newRow(566, "Datagrams Outbound Discarded", counter.RawCount, 0, provider.Advanced, sum(ip6OutDiscards),
			"Total outgoing datagrams discarded, for example because memory was short. From /proc/net/snmp6, "+
				"Ip6OutDiscards."),
		newRow(568, "Datagrams Outbound No Route", counter.RawCount, 0, provider.Advanced, sum(ip6OutNoRoutes),
			"Total datagrams discarded because there was no route. From /proc/net/snmp6, Ip6OutNoRoutes."),
		newRow(570, "Fragments Received/sec", counter.CounterCounter, -1, provider.Advanced, sum(ip6ReasmReqds),
			"Fragments received. From /proc/net/snmp6, Ip6ReasmReqds."),
		newRow(572, "Fragments Re-assembled/sec", counter.CounterCounter, -1, provider.Advanced, sum(ip6ReasmOKs),
			"Datagrams reassembled from fragments. From /proc/net/snmp6, Ip6ReasmOKs."),
		newRow(574, "Fragment Re-assembly Failures", counter.RawCount, 0, provider.Advanced, sum(ip6ReasmFails),
			"Total failures to reassemble a datagram from fragments. From /proc/net/snmp6, Ip6ReasmFails."),
		newRow(576, "Fragmented Datagrams/sec", counter.CounterCounter, -1, provider.Advanced, sum(ip6FragOKs),
			"Datagrams split into fragments. From /proc/net/snmp6, Ip6FragOKs."),
		newRow(578, "Fragmentation Failures", counter.RawCount, 0, provider.Advanced, sum(ip6FragFails),
			"Total datagrams discarded because they could not be split into fragments. From /proc/net/snmp6, "+
				"Ip6FragFails."),
		newRow(580, "Fragments Created/sec", counter.CounterCounter, -1, provider.Advanced, sum(ip6FragCreates),
			"Fragments created. From /proc/net/snmp6, Ip6FragCreates."),
	},
}

// The figures of the TCPv4 object that only its table knows.
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
		Help: "Connections and segments of the Transmission Control Protocol in the reader's network namespace. From " +
			"/proc/net/snmp. Unlike on Windows, IPv4 and IPv6 are counted together, because the kernel does not " +
			"separate them.",
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
	rows: []row{
		newRow(640, "Segments/sec", counter.CounterCounter, -1, provider.Advanced, sum(tcpInSegs|tcpOutSegs),
			"Segments received and sent, without retransmissions. Unlike on Windows, IPv4 and IPv6 are counted "+
				"together. From /proc/net/snmp, Tcp: InSegs + OutSegs."),
		newRow(642, "Connections Established", counter.RawCount, 0, provider.Advanced, sum(tcpCurrEstab),
			"Connections now in state ESTABLISHED or CLOSE-WAIT. Unlike on Windows, IPv4 and IPv6 are counted "+
				"together. From /proc/net/snmp, Tcp: CurrEstab."),
		newRow(644, "Connections Active", counter.RawCount, 0, provider.Advanced, sum(tcpActiveOpens),
			"Total connections that this machine initiated. Unlike on Windows, IPv4 and IPv6 are counted together. "+
				"From /proc/net/snmp, Tcp: ActiveOpens."),
		newRow(646, "Connections Passive", counter.RawCount, 0, provider.Advanced, sum(tcpPassiveOpens),
			"Total connections that a remote host initiated. Unlike on Windows, IPv4 and IPv6 are counted together. "+
				"From /proc/net/snmp, Tcp: PassiveOpens."),
		newRow(648, "Connection Failures", counter.RawCount, 0, provider.Advanced, sum(tcpAttemptFails),
			"Total connection attempts that failed. Unlike on Windows, IPv4 and IPv6 are counted together. From "+
				"/proc/net/snmp, Tcp: AttemptFails."),
		newRow(650, "Connections Reset", counter.RawCount, 0, provider.Advanced, sum(tcpEstabResets),
			"Total established connections that were reset. Unlike on Windows, IPv4 and IPv6 are counted together. "+
				"From /proc/net/snmp, Tcp: EstabResets."),
		newRow(652, "Segments Received/sec", counter.CounterCounter, -1, provider.Advanced, sum(tcpInSegs),
			"Segments received, including those with errors. Unlike on Windows, IPv4 and IPv6 are counted together. "+
				"From /proc/net/snmp, Tcp: InSegs."),
		newRow(654, "Segments Sent/sec", counter.CounterCounter, -1, provider.Advanced, sum(tcpOutSegs),
			"Segments sent, without retransmissions. Unlike on Windows, IPv4 and IPv6 are counted together. From "+
				"/proc/net/snmp, Tcp: OutSegs."),
		newRow(656, "Segments Retransmitted/sec", counter.CounterCounter, -1, provider.Advanced, sum(tcpRetransSegs),
			"Segments retransmitted. Unlike on Windows, IPv4 and IPv6 are counted together. From /proc/net/snmp, Tcp: "+
				"RetransSegs."),
	},
}

// The figures of the UDPv4 object that only its table knows.
const (
	udp4InDatagrams fields = 1 << iota
	udp4OutDatagrams
	udp4NoPorts
	udp4InErrors
)

var udp4Object = &spec{
	Object: provider.Object{
		Index: 658, Name: "UDPv4",
		Help: "Datagrams of the User Datagram Protocol over IPv4 in the reader's network namespace. From /proc/net/snmp.",
	},
	number: 18,
	source: newPlainSource,
	files: fileTables{
		fileOfTable("proc/net/snmp#Udp:",
			in(unitNumber, []at{{udp4InDatagrams, "InDatagrams"}, {udp4OutDatagrams, "OutDatagrams"}, {udp4NoPorts, "NoPorts"},
				{udp4InErrors, "InErrors"}}),
		),
	},
	rows: []row{
		newRow(438, "Datagrams/sec", counter.CounterCounter, -1, provider.Advanced, sum(udp4InDatagrams|udp4OutDatagrams),
			"Datagrams received and delivered to programs, plus datagrams sent. From /proc/net/snmp, Udp: InDatagrams "+
				"+ OutDatagrams."),
		newRow(446, "Datagrams Received/sec", counter.CounterCounter, -1, provider.Advanced, sum(udp4InDatagrams),
			"Datagrams received and delivered to programs. From /proc/net/snmp, Udp: InDatagrams."),
		newRow(442, "Datagrams Sent/sec", counter.CounterCounter, -1, provider.Advanced, sum(udp4OutDatagrams),
			"Datagrams sent. From /proc/net/snmp, Udp: OutDatagrams."),
		newRow(664, "Datagrams No Port/sec", counter.CounterCounter, -1, provider.Advanced, sum(udp4NoPorts),
			"Datagrams received for a port that no program listens on. From /proc/net/snmp, Udp: NoPorts."),
		newRow(666, "Datagrams Received Errors", counter.RawCount, 0, provider.Advanced, sum(udp4InErrors),
			"Total datagrams that could not be delivered for other reasons, such as an error or a full buffer. From "+
				"/proc/net/snmp, Udp: InErrors."),
	},
}

// The figures of the UDPv6 object that only its table knows.
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
	rows: []row{
		newRow(438, "Datagrams/sec", counter.CounterCounter, -1, provider.Advanced, sum(udp6InDatagrams|udp6OutDatagrams),
			"Datagrams received and delivered to programs, plus datagrams sent. From /proc/net/snmp6, Udp6InDatagrams "+
				"+ Udp6OutDatagrams."),
		newRow(446, "Datagrams Received/sec", counter.CounterCounter, -1, provider.Advanced, sum(udp6InDatagrams),
			"Datagrams received and delivered to programs. From /proc/net/snmp6, Udp6InDatagrams."),
		newRow(442, "Datagrams Sent/sec", counter.CounterCounter, -1, provider.Advanced, sum(udp6OutDatagrams),
			"Datagrams sent. From /proc/net/snmp6, Udp6OutDatagrams."),
		newRow(664, "Datagrams No Port/sec", counter.CounterCounter, -1, provider.Advanced, sum(udp6NoPorts),
			"Datagrams received for a port that no program listens on. From /proc/net/snmp6, Udp6NoPorts."),
		newRow(666, "Datagrams Received Errors", counter.RawCount, 0, provider.Advanced, sum(udp6InErrors),
			"Total datagrams that could not be delivered for other reasons, such as an error or a full buffer. From "+
				"/proc/net/snmp6, Udp6InErrors."),
	},
}

// The figures of the ICMP object that only its table knows.
const (
	icmp4InMsgs fields = 1 << iota
	icmp4InErrors
	icmp4InDestUnreachs
	icmp4InTimeExcds
	icmp4InParmProbs
	icmp4InSrcQuenchs
	icmp4InRedirects
	icmp4InEchos
	icmp4InEchoReps
	icmp4InTimestamps
	icmp4InTimestampReps
	icmp4InAddrMasks
	icmp4InAddrMaskReps
	icmp4OutMsgs
	icmp4OutErrors
	icmp4OutDestUnreachs
	icmp4OutTimeExcds
	icmp4OutParmProbs
	icmp4OutSrcQuenchs
	icmp4OutRedirects
	icmp4OutEchos
	icmp4OutEchoReps
	icmp4OutTimestamps
	icmp4OutTimestampReps
	icmp4OutAddrMasks
	icmp4OutAddrMaskReps
)

var icmp4Object = &spec{
	Object: provider.Object{
		Index: 582, Name: "ICMP",
		Help: "Messages of the Internet Control Message Protocol for IPv4 in the reader's network namespace. From " +
			"/proc/net/snmp.",
	},
	number: 20,
	source: newPlainSource,
	files: fileTables{
		fileOfTable("proc/net/snmp#Icmp:",
			in(unitNumber, []at{{icmp4InMsgs, "InMsgs"}, {icmp4InErrors, "InErrors"}, {icmp4InDestUnreachs, "InDestUnreachs"},
				{icmp4InTimeExcds, "InTimeExcds"}, {icmp4InParmProbs, "InParmProbs"},
				{icmp4InSrcQuenchs, "InSrcQuenchs"}, {icmp4InRedirects, "InRedirects"}, {icmp4InEchos, "InEchos"},
				{icmp4InEchoReps, "InEchoReps"}, {icmp4InTimestamps, "InTimestamps"},
				{icmp4InTimestampReps, "InTimestampReps"}, {icmp4InAddrMasks, "InAddrMasks"},
				{icmp4InAddrMaskReps, "InAddrMaskReps"}, {icmp4OutMsgs, "OutMsgs"}, {icmp4OutErrors, "OutErrors"},
				{icmp4OutDestUnreachs, "OutDestUnreachs"}, {icmp4OutTimeExcds, "OutTimeExcds"},
				{icmp4OutParmProbs, "OutParmProbs"}, {icmp4OutSrcQuenchs, "OutSrcQuenchs"},
				{icmp4OutRedirects, "OutRedirects"}, {icmp4OutEchos, "OutEchos"}, {icmp4OutEchoReps, "OutEchoReps"},
				{icmp4OutTimestamps, "OutTimestamps"}, {icmp4OutTimestampReps, "OutTimestampReps"},
				{icmp4OutAddrMasks, "OutAddrMasks"}, {icmp4OutAddrMaskReps, "OutAddrMaskReps"}}),
		),
	},
	rows: []row{
		newRow(584, "Messages/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp4InMsgs|icmp4OutMsgs),
			"Messages received and sent. From /proc/net/snmp, Icmp: InMsgs + OutMsgs."),
		newRow(586, "Messages Received/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp4InMsgs),
			"Messages received, including those with errors. From /proc/net/snmp, Icmp: InMsgs."),
		newRow(588, "Messages Received Errors", counter.RawCount, 0, provider.Advanced, sum(icmp4InErrors),
			"Total messages received with an error. From /proc/net/snmp, Icmp: InErrors."),
		newRow(590, "Received Dest. Unreachable", counter.RawCount, 0, provider.Advanced, sum(icmp4InDestUnreachs),
			"Total messages received of type destination unreachable. From /proc/net/snmp, Icmp: InDestUnreachs."),
		newRow(592, "Received Time Exceeded", counter.RawCount, 0, provider.Advanced, sum(icmp4InTimeExcds),
			"Total messages received of type time exceeded. From /proc/net/snmp, Icmp: InTimeExcds."),
		newRow(594, "Received Parameter Problem", counter.RawCount, 0, provider.Advanced, sum(icmp4InParmProbs),
			"Total messages received of type parameter problem. From /proc/net/snmp, Icmp: InParmProbs."),
		newRow(596, "Received Source Quench", counter.RawCount, 0, provider.Advanced, sum(icmp4InSrcQuenchs),
			"Total messages received of type source quench. From /proc/net/snmp, Icmp: InSrcQuenchs."),
		newRow(598, "Received Redirect/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp4InRedirects),
			"Messages received of type redirect. From /proc/net/snmp, Icmp: InRedirects."),
		newRow(600, "Received Echo/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp4InEchos),
			"Messages received of type echo request. From /proc/net/snmp, Icmp: InEchos."),
		newRow(602, "Received Echo Reply/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp4InEchoReps),
			"Messages received of type echo reply. From /proc/net/snmp, Icmp: InEchoReps."),
		newRow(604, "Received Timestamp/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp4InTimestamps),
			"Messages received of type timestamp request. From /proc/net/snmp, Icmp: InTimestamps."),
		newRow(606, "Received Timestamp Reply/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp4InTimestampReps),
			"Messages received of type timestamp reply. From /proc/net/snmp, Icmp: InTimestampReps."),
		newRow(608, "Received Address Mask", counter.RawCount, 0, provider.Advanced, sum(icmp4InAddrMasks),
			"Total messages received of type address mask request. From /proc/net/snmp, Icmp: InAddrMasks."),
		newRow(610, "Received Address Mask Reply", counter.RawCount, 0, provider.Advanced, sum(icmp4InAddrMaskReps),
			"Total messages received of type address mask reply. From /proc/net/snmp, Icmp: InAddrMaskReps."),
		newRow(612, "Messages Sent/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp4OutMsgs),
			"Messages sent, including those that failed. From /proc/net/snmp, Icmp: OutMsgs."),
		newRow(614, "Messages Outbound Errors", counter.RawCount, 0, provider.Advanced, sum(icmp4OutErrors),
			"Total messages not sent because of a problem within ICMP. From /proc/net/snmp, Icmp: OutErrors."),
		newRow(616, "Sent Destination Unreachable", counter.RawCount, 0, provider.Advanced, sum(icmp4OutDestUnreachs),
			"Total messages sent of type destination unreachable. From /proc/net/snmp, Icmp: OutDestUnreachs."),
		newRow(618, "Sent Time Exceeded", counter.RawCount, 0, provider.Advanced, sum(icmp4OutTimeExcds),
			"Total messages sent of type time exceeded. From /proc/net/snmp, Icmp: OutTimeExcds."),
		newRow(620, "Sent Parameter Problem", counter.RawCount, 0, provider.Advanced, sum(icmp4OutParmProbs),
			"Total messages sent of type parameter problem. From /proc/net/snmp, Icmp: OutParmProbs."),
		newRow(622, "Sent Source Quench", counter.RawCount, 0, provider.Advanced, sum(icmp4OutSrcQuenchs),
			"Total messages sent of type source quench. From /proc/net/snmp, Icmp: OutSrcQuenchs."),
		newRow(624, "Sent Redirect/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp4OutRedirects),
			"Messages sent of type redirect. From /proc/net/snmp, Icmp: OutRedirects."),
		newRow(626, "Sent Echo/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp4OutEchos),
			"Messages sent of type echo request. From /proc/net/snmp, Icmp: OutEchos."),
		newRow(628, "Sent Echo Reply/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp4OutEchoReps),
			"Messages sent of type echo reply. From /proc/net/snmp, Icmp: OutEchoReps."),
		newRow(630, "Sent Timestamp/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp4OutTimestamps),
			"Messages sent of type timestamp request. From /proc/net/snmp, Icmp: OutTimestamps."),
		newRow(632, "Sent Timestamp Reply/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp4OutTimestampReps),
			"Messages sent of type timestamp reply. From /proc/net/snmp, Icmp: OutTimestampReps."),
		newRow(634, "Sent Address Mask", counter.RawCount, 0, provider.Advanced, sum(icmp4OutAddrMasks),
			"Total messages sent of type address mask request. From /proc/net/snmp, Icmp: OutAddrMasks."),
		newRow(636, "Sent Address Mask Reply", counter.RawCount, 0, provider.Advanced, sum(icmp4OutAddrMaskReps),
			"Total messages sent of type address mask reply. From /proc/net/snmp, Icmp: OutAddrMaskReps."),
	},
}

// The figures of the ICMPv6 object that only its table knows.
const (
	icmp6InMsgs fields = 1 << iota
	icmp6InErrors
	icmp6InDestUnreachs
	icmp6InTimeExcds
	icmp6InParmProblems
	icmp6InRedirects
	icmp6InEchos
	icmp6InEchoReplies
	icmp6InPktTooBigs
	icmp6InGroupMembQueries
	icmp6InGroupMembResponses
	icmp6InGroupMembReductions
	icmp6InRouterSolicits
	icmp6InRouterAdvertisements
	icmp6InNeighborSolicits
	icmp6InNeighborAdvertisements
	icmp6OutMsgs
	icmp6OutErrors
	icmp6OutDestUnreachs
	icmp6OutTimeExcds
	icmp6OutParmProblems
	icmp6OutRedirects
	icmp6OutEchos
	icmp6OutEchoReplies
	icmp6OutPktTooBigs
	icmp6OutGroupMembQueries
	icmp6OutGroupMembResponses
	icmp6OutGroupMembReductions
	icmp6OutRouterSolicits
	icmp6OutRouterAdvertisements
	icmp6OutNeighborSolicits
	icmp6OutNeighborAdvertisements
)

var icmp6Object = &spec{
	Object: provider.Object{
		Index: 1534, Name: "ICMPv6",
		Help: "Messages of the Internet Control Message Protocol for IPv6 in the reader's network namespace. From " +
			"/proc/net/snmp6, which is missing if the kernel has no IPv6.",
	},
	number: 21,
	source: newPlainSource,
	files: fileTables{
		fileOfLines("proc/net/snmp6",
			in(unitNumber, []at{{icmp6InMsgs, "Icmp6InMsgs"}, {icmp6InErrors, "Icmp6InErrors"},
				{icmp6InDestUnreachs, "Icmp6InDestUnreachs"}, {icmp6InTimeExcds, "Icmp6InTimeExcds"},
				{icmp6InParmProblems, "Icmp6InParmProblems"}, {icmp6InRedirects, "Icmp6InRedirects"},
				{icmp6InEchos, "Icmp6InEchos"}, {icmp6InEchoReplies, "Icmp6InEchoReplies"},
				{icmp6InPktTooBigs, "Icmp6InPktTooBigs"}, {icmp6InGroupMembQueries, "Icmp6InGroupMembQueries"},
				{icmp6InGroupMembResponses, "Icmp6InGroupMembResponses"},
				{icmp6InGroupMembReductions, "Icmp6InGroupMembReductions"},
				{icmp6InRouterSolicits, "Icmp6InRouterSolicits"},
				{icmp6InRouterAdvertisements, "Icmp6InRouterAdvertisements"},
				{icmp6InNeighborSolicits, "Icmp6InNeighborSolicits"},
				{icmp6InNeighborAdvertisements, "Icmp6InNeighborAdvertisements"}, {icmp6OutMsgs, "Icmp6OutMsgs"},
				{icmp6OutErrors, "Icmp6OutErrors"}, {icmp6OutDestUnreachs, "Icmp6OutDestUnreachs"},
				{icmp6OutTimeExcds, "Icmp6OutTimeExcds"}, {icmp6OutParmProblems, "Icmp6OutParmProblems"},
				{icmp6OutRedirects, "Icmp6OutRedirects"}, {icmp6OutEchos, "Icmp6OutEchos"},
				{icmp6OutEchoReplies, "Icmp6OutEchoReplies"}, {icmp6OutPktTooBigs, "Icmp6OutPktTooBigs"},
				{icmp6OutGroupMembQueries, "Icmp6OutGroupMembQueries"},
				{icmp6OutGroupMembResponses, "Icmp6OutGroupMembResponses"},
				{icmp6OutGroupMembReductions, "Icmp6OutGroupMembReductions"},
				{icmp6OutRouterSolicits, "Icmp6OutRouterSolicits"},
				{icmp6OutRouterAdvertisements, "Icmp6OutRouterAdvertisements"},
				{icmp6OutNeighborSolicits, "Icmp6OutNeighborSolicits"},
				{icmp6OutNeighborAdvertisements, "Icmp6OutNeighborAdvertisements"}}),
		),
	},
	rows: []row{
		newRow(584, "Messages/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp6InMsgs|icmp6OutMsgs),
			"Messages received and sent. From /proc/net/snmp6, Icmp6InMsgs + Icmp6OutMsgs."),
		newRow(586, "Messages Received/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp6InMsgs),
			"Messages received, including those with errors. From /proc/net/snmp6, Icmp6InMsgs."),
		newRow(588, "Messages Received Errors", counter.RawCount, 0, provider.Advanced, sum(icmp6InErrors),
			"Total messages received with an error. From /proc/net/snmp6, Icmp6InErrors."),
		newRow(590, "Received Dest. Unreachable", counter.RawCount, 0, provider.Advanced, sum(icmp6InDestUnreachs),
			"Total messages received of type destination unreachable. From /proc/net/snmp6, Icmp6InDestUnreachs."),
		newRow(592, "Received Time Exceeded", counter.RawCount, 0, provider.Advanced, sum(icmp6InTimeExcds),
			"Total messages received of type time exceeded. From /proc/net/snmp6, Icmp6InTimeExcds."),
		newRow(594, "Received Parameter Problem", counter.RawCount, 0, provider.Advanced, sum(icmp6InParmProblems),
			"Total messages received of type parameter problem. From /proc/net/snmp6, Icmp6InParmProblems."),
		newRow(598, "Received Redirect/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp6InRedirects),
			"Messages received of type redirect. From /proc/net/snmp6, Icmp6InRedirects."),
		newRow(600, "Received Echo/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp6InEchos),
			"Messages received of type echo request. From /proc/net/snmp6, Icmp6InEchos."),
		newRow(602, "Received Echo Reply/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp6InEchoReplies),
			"Messages received of type echo reply. From /proc/net/snmp6, Icmp6InEchoReplies."),
		newRow(1536, "Received Packet Too Big", counter.RawCount, 0, provider.Advanced, sum(icmp6InPktTooBigs),
			"Total messages received of type packet too big. From /proc/net/snmp6, Icmp6InPktTooBigs."),
		newRow(1538, "Received Membership Query", counter.RawCount, 0, provider.Advanced, sum(icmp6InGroupMembQueries),
			"Total messages received of type multicast listener query. From /proc/net/snmp6, Icmp6InGroupMembQueries."),
		newRow(1540, "Received Membership Report", counter.RawCount, 0, provider.Advanced, sum(icmp6InGroupMembResponses),
			"Total messages received of type multicast listener report. From /proc/net/snmp6, "+
				"Icmp6InGroupMembResponses."),
		newRow(1542, "Received Membership Reduction", counter.RawCount, 0, provider.Advanced, sum(icmp6InGroupMembReductions),
			"Total messages received of type multicast listener done. From /proc/net/snmp6, "+
				"Icmp6InGroupMembReductions."),
		newRow(1544, "Received Router Solicit", counter.RawCount, 0, provider.Advanced, sum(icmp6InRouterSolicits),
			"Total messages received of type router solicitation. From /proc/net/snmp6, Icmp6InRouterSolicits."),
		newRow(1546, "Received Router Advert", counter.RawCount, 0, provider.Advanced, sum(icmp6InRouterAdvertisements),
			"Total messages received of type router advertisement. From /proc/net/snmp6, Icmp6InRouterAdvertisements."),
		newRow(1550, "Received Neighbor Solicit", counter.RawCount, 0, provider.Advanced, sum(icmp6InNeighborSolicits),
			"Total messages received of type neighbour solicitation. From /proc/net/snmp6, Icmp6InNeighborSolicits."),
		newRow(1552, "Received Neighbor Advert", counter.RawCount, 0, provider.Advanced, sum(icmp6InNeighborAdvertisements),
			"Total messages received of type neighbour advertisement. From /proc/net/snmp6, "+
				"Icmp6InNeighborAdvertisements."),
		newRow(612, "Messages Sent/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp6OutMsgs),
			"Messages sent, including those that failed. From /proc/net/snmp6, Icmp6OutMsgs."),
		newRow(614, "Messages Outbound Errors", counter.RawCount, 0, provider.Advanced, sum(icmp6OutErrors),
			"Total messages not sent because of a problem within ICMP. From /proc/net/snmp6, Icmp6OutErrors."),
		newRow(616, "Sent Destination Unreachable", counter.RawCount, 0, provider.Advanced, sum(icmp6OutDestUnreachs),
			"Total messages sent of type destination unreachable. From /proc/net/snmp6, Icmp6OutDestUnreachs."),
		newRow(618, "Sent Time Exceeded", counter.RawCount, 0, provider.Advanced, sum(icmp6OutTimeExcds),
			"Total messages sent of type time exceeded. From /proc/net/snmp6, Icmp6OutTimeExcds."),
		newRow(620, "Sent Parameter Problem", counter.RawCount, 0, provider.Advanced, sum(icmp6OutParmProblems),
			"Total messages sent of type parameter problem. From /proc/net/snmp6, Icmp6OutParmProblems."),
		newRow(624, "Sent Redirect/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp6OutRedirects),
			"Messages sent of type redirect. From /proc/net/snmp6, Icmp6OutRedirects."),
		newRow(626, "Sent Echo/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp6OutEchos),
			"Messages sent of type echo request. From /proc/net/snmp6, Icmp6OutEchos."),
		newRow(628, "Sent Echo Reply/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp6OutEchoReplies),
			"Messages sent of type echo reply. From /proc/net/snmp6, Icmp6OutEchoReplies."),
		newRow(1554, "Sent Packet Too Big", counter.RawCount, 0, provider.Advanced, sum(icmp6OutPktTooBigs),
			"Total messages sent of type packet too big. From /proc/net/snmp6, Icmp6OutPktTooBigs."),
		newRow(1556, "Sent Membership Query", counter.RawCount, 0, provider.Advanced, sum(icmp6OutGroupMembQueries),
			"Total messages sent of type multicast listener query. From /proc/net/snmp6, Icmp6OutGroupMembQueries."),
		newRow(1558, "Sent Membership Report", counter.RawCount, 0, provider.Advanced, sum(icmp6OutGroupMembResponses),
			"Total messages sent of type multicast listener report. From /proc/net/snmp6, Icmp6OutGroupMembResponses."),
		newRow(1560, "Sent Membership Reduction", counter.RawCount, 0, provider.Advanced, sum(icmp6OutGroupMembReductions),
			"Total messages sent of type multicast listener done. From /proc/net/snmp6, Icmp6OutGroupMembReductions."),
		newRow(1562, "Sent Router Solicit", counter.RawCount, 0, provider.Advanced, sum(icmp6OutRouterSolicits),
			"Total messages sent of type router solicitation. From /proc/net/snmp6, Icmp6OutRouterSolicits."),
		newRow(1564, "Sent Router Advert", counter.RawCount, 0, provider.Advanced, sum(icmp6OutRouterAdvertisements),
			"Total messages sent of type router advertisement. From /proc/net/snmp6, Icmp6OutRouterAdvertisements."),
		newRow(1566, "Sent Neighbor Solicit", counter.RawCount, 0, provider.Advanced, sum(icmp6OutNeighborSolicits),
			"Total messages sent of type neighbour solicitation. From /proc/net/snmp6, Icmp6OutNeighborSolicits."),
		newRow(1568, "Sent Neighbor Advert", counter.RawCount, 0, provider.Advanced, sum(icmp6OutNeighborAdvertisements),
			"Total messages sent of type neighbour advertisement. From /proc/net/snmp6, "+
				"Icmp6OutNeighborAdvertisements."),
	},
}
