package linuxhost

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// Objects of ICMP. See spec for the form of the tables.

// Fields of the ICMP object that only the table uses.
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
		Help: "Messages of the Internet Control Message Protocol for IPv4 in the reader's network namespace. " +
			"From /proc/net/snmp.",
	},
	number: 20,
	source: newPlainSource,
	files: fileTables{
		fileOfTable("proc/net/snmp#Icmp:",
			in(unitNumber, []at{
				{icmp4InMsgs, "InMsgs"}, {icmp4InErrors, "InErrors"}, {icmp4InDestUnreachs, "InDestUnreachs"},
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
	table: []entry{
		{584, "Messages/sec", counter.CounterCounter, 0, provider.Advanced,
			sum(icmp4InMsgs | icmp4OutMsgs),
			"Messages received and sent. From /proc/net/snmp, Icmp: InMsgs + OutMsgs."},
		{586, "Messages Received/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp4InMsgs),
			"Messages received, including those with errors. From /proc/net/snmp, Icmp: InMsgs."},
		{588, "Messages Received Errors", counter.RawCount, 0, provider.Advanced, sum(icmp4InErrors),
			"Total messages received with an error. From /proc/net/snmp, Icmp: InErrors."},
		{590, "Received Dest. Unreachable", counter.RawCount, 0, provider.Advanced,
			sum(icmp4InDestUnreachs),
			"Total messages received of type destination unreachable. From /proc/net/snmp, Icmp: " +
				"InDestUnreachs."},
		{592, "Received Time Exceeded", counter.RawCount, 0, provider.Advanced, sum(icmp4InTimeExcds),
			"Total messages received of type time exceeded. From /proc/net/snmp, Icmp: InTimeExcds."},
		{594, "Received Parameter Problem", counter.RawCount, 0, provider.Advanced,
			sum(icmp4InParmProbs),
			"Total messages received of type parameter problem. From /proc/net/snmp, Icmp: InParmProbs."},
		{596, "Received Source Quench", counter.RawCount, 0, provider.Advanced, sum(icmp4InSrcQuenchs),
			"Total messages received of type source quench. From /proc/net/snmp, Icmp: InSrcQuenchs."},
		{598, "Received Redirect/sec", counter.CounterCounter, 0, provider.Advanced,
			sum(icmp4InRedirects),
			"Messages received of type redirect. From /proc/net/snmp, Icmp: InRedirects."},
		{600, "Received Echo/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp4InEchos),
			"Messages received of type echo request. From /proc/net/snmp, Icmp: InEchos."},
		{602, "Received Echo Reply/sec", counter.CounterCounter, 0, provider.Advanced,
			sum(icmp4InEchoReps),
			"Messages received of type echo reply. From /proc/net/snmp, Icmp: InEchoReps."},
		{604, "Received Timestamp/sec", counter.CounterCounter, 0, provider.Advanced,
			sum(icmp4InTimestamps),
			"Messages received of type timestamp request. From /proc/net/snmp, Icmp: InTimestamps."},
		{606, "Received Timestamp Reply/sec", counter.CounterCounter, 0, provider.Advanced,
			sum(icmp4InTimestampReps),
			"Messages received of type timestamp reply. From /proc/net/snmp, Icmp: InTimestampReps."},
		{608, "Received Address Mask", counter.RawCount, 0, provider.Advanced, sum(icmp4InAddrMasks),
			"Total messages received of type address mask request. From /proc/net/snmp, Icmp: InAddrMasks."},
		{610, "Received Address Mask Reply", counter.RawCount, 0, provider.Advanced,
			sum(icmp4InAddrMaskReps),
			"Total messages received of type address mask reply. From /proc/net/snmp, Icmp: InAddrMaskReps."},
		{612, "Messages Sent/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp4OutMsgs),
			"Messages sent, including those that failed. From /proc/net/snmp, Icmp: OutMsgs."},
		{614, "Messages Outbound Errors", counter.RawCount, 0, provider.Advanced, sum(icmp4OutErrors),
			"Total messages not sent because of a problem within ICMP. From /proc/net/snmp, Icmp: " +
				"OutErrors."},
		{616, "Sent Destination Unreachable", counter.RawCount, 0, provider.Advanced,
			sum(icmp4OutDestUnreachs),
			"Total messages sent of type destination unreachable. From /proc/net/snmp, Icmp: " +
				"OutDestUnreachs."},
		{618, "Sent Time Exceeded", counter.RawCount, 0, provider.Advanced, sum(icmp4OutTimeExcds),
			"Total messages sent of type time exceeded. From /proc/net/snmp, Icmp: OutTimeExcds."},
		{620, "Sent Parameter Problem", counter.RawCount, 0, provider.Advanced, sum(icmp4OutParmProbs),
			"Total messages sent of type parameter problem. From /proc/net/snmp, Icmp: OutParmProbs."},
		{622, "Sent Source Quench", counter.RawCount, 0, provider.Advanced, sum(icmp4OutSrcQuenchs),
			"Total messages sent of type source quench. From /proc/net/snmp, Icmp: OutSrcQuenchs."},
		{624, "Sent Redirect/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp4OutRedirects),
			"Messages sent of type redirect. From /proc/net/snmp, Icmp: OutRedirects."},
		{626, "Sent Echo/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp4OutEchos),
			"Messages sent of type echo request. From /proc/net/snmp, Icmp: OutEchos."},
		{628, "Sent Echo Reply/sec", counter.CounterCounter, 0, provider.Advanced,
			sum(icmp4OutEchoReps),
			"Messages sent of type echo reply. From /proc/net/snmp, Icmp: OutEchoReps."},
		{630, "Sent Timestamp/sec", counter.CounterCounter, 0, provider.Advanced,
			sum(icmp4OutTimestamps),
			"Messages sent of type timestamp request. From /proc/net/snmp, Icmp: OutTimestamps."},
		{632, "Sent Timestamp Reply/sec", counter.CounterCounter, 0, provider.Advanced,
			sum(icmp4OutTimestampReps),
			"Messages sent of type timestamp reply. From /proc/net/snmp, Icmp: OutTimestampReps."},
		{634, "Sent Address Mask", counter.RawCount, 0, provider.Advanced, sum(icmp4OutAddrMasks),
			"Total messages sent of type address mask request. From /proc/net/snmp, Icmp: OutAddrMasks."},
		{636, "Sent Address Mask Reply", counter.RawCount, 0, provider.Advanced,
			sum(icmp4OutAddrMaskReps),
			"Total messages sent of type address mask reply. From /proc/net/snmp, Icmp: OutAddrMaskReps."},
	},
}

// Fields of the ICMPv6 object that only the table uses.
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
		Help: "Messages of the Internet Control Message Protocol for IPv6 in the reader's network namespace. " +
			"From /proc/net/snmp6, which is missing if the kernel has no IPv6.",
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
	table: []entry{
		{584, "Messages/sec", counter.CounterCounter, 0, provider.Advanced,
			sum(icmp6InMsgs | icmp6OutMsgs),
			"Messages received and sent. From /proc/net/snmp6, Icmp6InMsgs + Icmp6OutMsgs."},
		{586, "Messages Received/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp6InMsgs),
			"Messages received, including those with errors. From /proc/net/snmp6, Icmp6InMsgs."},
		{588, "Messages Received Errors", counter.RawCount, 0, provider.Advanced, sum(icmp6InErrors),
			"Total messages received with an error. From /proc/net/snmp6, Icmp6InErrors."},
		{590, "Received Dest. Unreachable", counter.RawCount, 0, provider.Advanced,
			sum(icmp6InDestUnreachs),
			"Total messages received of type destination unreachable. From /proc/net/snmp6, " +
				"Icmp6InDestUnreachs."},
		{592, "Received Time Exceeded", counter.RawCount, 0, provider.Advanced, sum(icmp6InTimeExcds),
			"Total messages received of type time exceeded. From /proc/net/snmp6, Icmp6InTimeExcds."},
		{594, "Received Parameter Problem", counter.RawCount, 0, provider.Advanced,
			sum(icmp6InParmProblems),
			"Total messages received of type parameter problem. From /proc/net/snmp6, Icmp6InParmProblems."},
		{598, "Received Redirect/sec", counter.CounterCounter, 0, provider.Advanced,
			sum(icmp6InRedirects),
			"Messages received of type redirect. From /proc/net/snmp6, Icmp6InRedirects."},
		{600, "Received Echo/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp6InEchos),
			"Messages received of type echo request. From /proc/net/snmp6, Icmp6InEchos."},
		{602, "Received Echo Reply/sec", counter.CounterCounter, 0, provider.Advanced,
			sum(icmp6InEchoReplies),
			"Messages received of type echo reply. From /proc/net/snmp6, Icmp6InEchoReplies."},
		{1536, "Received Packet Too Big", counter.RawCount, 0, provider.Advanced,
			sum(icmp6InPktTooBigs),
			"Total messages received of type packet too big. From /proc/net/snmp6, Icmp6InPktTooBigs."},
		{1538, "Received Membership Query", counter.RawCount, 0, provider.Advanced,
			sum(icmp6InGroupMembQueries),
			"Total messages received of type multicast listener query. From /proc/net/snmp6, " +
				"Icmp6InGroupMembQueries."},
		{1540, "Received Membership Report", counter.RawCount, 0, provider.Advanced,
			sum(icmp6InGroupMembResponses),
			"Total messages received of type multicast listener report. From /proc/net/snmp6, " +
				"Icmp6InGroupMembResponses."},
		{1542, "Received Membership Reduction", counter.RawCount, 0, provider.Advanced,
			sum(icmp6InGroupMembReductions),
			"Total messages received of type multicast listener done. From /proc/net/snmp6, " +
				"Icmp6InGroupMembReductions."},
		{1544, "Received Router Solicit", counter.RawCount, 0, provider.Advanced,
			sum(icmp6InRouterSolicits),
			"Total messages received of type router solicitation. From /proc/net/snmp6, " +
				"Icmp6InRouterSolicits."},
		{1546, "Received Router Advert", counter.RawCount, 0, provider.Advanced,
			sum(icmp6InRouterAdvertisements),
			"Total messages received of type router advertisement. From /proc/net/snmp6, " +
				"Icmp6InRouterAdvertisements."},
		{1550, "Received Neighbor Solicit", counter.RawCount, 0, provider.Advanced,
			sum(icmp6InNeighborSolicits),
			"Total messages received of type neighbor solicitation. From /proc/net/snmp6, " +
				"Icmp6InNeighborSolicits."},
		{1552, "Received Neighbor Advert", counter.RawCount, 0, provider.Advanced,
			sum(icmp6InNeighborAdvertisements),
			"Total messages received of type neighbor advertisement. From /proc/net/snmp6, " +
				"Icmp6InNeighborAdvertisements."},
		{612, "Messages Sent/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp6OutMsgs),
			"Messages sent, including those that failed. From /proc/net/snmp6, Icmp6OutMsgs."},
		{614, "Messages Outbound Errors", counter.RawCount, 0, provider.Advanced, sum(icmp6OutErrors),
			"Total messages not sent because of a problem within ICMP. From /proc/net/snmp6, " +
				"Icmp6OutErrors."},
		{616, "Sent Destination Unreachable", counter.RawCount, 0, provider.Advanced,
			sum(icmp6OutDestUnreachs),
			"Total messages sent of type destination unreachable. From /proc/net/snmp6, " +
				"Icmp6OutDestUnreachs."},
		{618, "Sent Time Exceeded", counter.RawCount, 0, provider.Advanced, sum(icmp6OutTimeExcds),
			"Total messages sent of type time exceeded. From /proc/net/snmp6, Icmp6OutTimeExcds."},
		{620, "Sent Parameter Problem", counter.RawCount, 0, provider.Advanced,
			sum(icmp6OutParmProblems),
			"Total messages sent of type parameter problem. From /proc/net/snmp6, Icmp6OutParmProblems."},
		{624, "Sent Redirect/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp6OutRedirects),
			"Messages sent of type redirect. From /proc/net/snmp6, Icmp6OutRedirects."},
		{626, "Sent Echo/sec", counter.CounterCounter, 0, provider.Advanced, sum(icmp6OutEchos),
			"Messages sent of type echo request. From /proc/net/snmp6, Icmp6OutEchos."},
		{628, "Sent Echo Reply/sec", counter.CounterCounter, 0, provider.Advanced,
			sum(icmp6OutEchoReplies),
			"Messages sent of type echo reply. From /proc/net/snmp6, Icmp6OutEchoReplies."},
		{1554, "Sent Packet Too Big", counter.RawCount, 0, provider.Advanced, sum(icmp6OutPktTooBigs),
			"Total messages sent of type packet too big. From /proc/net/snmp6, Icmp6OutPktTooBigs."},
		{1556, "Sent Membership Query", counter.RawCount, 0, provider.Advanced,
			sum(icmp6OutGroupMembQueries),
			"Total messages sent of type multicast listener query. From /proc/net/snmp6, " +
				"Icmp6OutGroupMembQueries."},
		{1558, "Sent Membership Report", counter.RawCount, 0, provider.Advanced,
			sum(icmp6OutGroupMembResponses),
			"Total messages sent of type multicast listener report. From /proc/net/snmp6, " +
				"Icmp6OutGroupMembResponses."},
		{1560, "Sent Membership Reduction", counter.RawCount, 0, provider.Advanced,
			sum(icmp6OutGroupMembReductions),
			"Total messages sent of type multicast listener done. From /proc/net/snmp6, " +
				"Icmp6OutGroupMembReductions."},
		{1562, "Sent Router Solicit", counter.RawCount, 0, provider.Advanced,
			sum(icmp6OutRouterSolicits),
			"Total messages sent of type router solicitation. From /proc/net/snmp6, Icmp6OutRouterSolicits."},
		{1564, "Sent Router Advert", counter.RawCount, 0, provider.Advanced,
			sum(icmp6OutRouterAdvertisements),
			"Total messages sent of type router advertisement. From /proc/net/snmp6, " +
				"Icmp6OutRouterAdvertisements."},
		{1566, "Sent Neighbor Solicit", counter.RawCount, 0, provider.Advanced,
			sum(icmp6OutNeighborSolicits),
			"Total messages sent of type neighbor solicitation. From /proc/net/snmp6, " +
				"Icmp6OutNeighborSolicits."},
		{1568, "Sent Neighbor Advert", counter.RawCount, 0, provider.Advanced,
			sum(icmp6OutNeighborAdvertisements),
			"Total messages sent of type neighbor advertisement. From /proc/net/snmp6, " +
				"Icmp6OutNeighborAdvertisements."},
	},
}
