package linuxhost

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// The figures of the ICMPv6 object, in messages.
const (
	icmp6In fields = 1 << iota
	icmp6InErrors
	icmp6InUnreachable
	icmp6InTimeExceeded
	icmp6InParameterProblem
	icmp6InRedirect
	icmp6InEcho
	icmp6InEchoReply
	icmp6InTooBig
	icmp6InQuery
	icmp6InReport
	icmp6InReduction
	icmp6InRouterSolicit
	icmp6InRouterAdvert
	icmp6InNeighborSolicit
	icmp6InNeighborAdvert
	icmp6Out
	icmp6OutErrors
	icmp6OutUnreachable
	icmp6OutTimeExceeded
	icmp6OutParameterProblem
	icmp6OutRedirect
	icmp6OutEcho
	icmp6OutEchoReply
	icmp6OutTooBig
	icmp6OutQuery
	icmp6OutReport
	icmp6OutReduction
	icmp6OutRouterSolicit
	icmp6OutRouterAdvert
	icmp6OutNeighborSolicit
	icmp6OutNeighborAdvert
)

var icmpv6Spec = spec{
	number: 21, index: 1534, name: "ICMPv6",
	help: "Messages of the Internet Control Message Protocol for IPv6 in the network namespace of the " +
		"reader. From /proc/net/snmp6, which is not there where the kernel has no IPv6.",
	origin: "/proc/net/snmp6,", keys: icmpv6Keys, rows: icmpv6Rows,
}

var icmpv6Keys = []key{
	{"Icmp6InMsgs", icmp6In, 1},
	{"Icmp6InErrors", icmp6InErrors, 1},
	{"Icmp6InDestUnreachs", icmp6InUnreachable, 1},
	{"Icmp6InTimeExcds", icmp6InTimeExceeded, 1},
	{"Icmp6InParmProblems", icmp6InParameterProblem, 1},
	{"Icmp6InRedirects", icmp6InRedirect, 1},
	{"Icmp6InEchos", icmp6InEcho, 1},
	{"Icmp6InEchoReplies", icmp6InEchoReply, 1},
	{"Icmp6InPktTooBigs", icmp6InTooBig, 1},
	{"Icmp6InGroupMembQueries", icmp6InQuery, 1},
	{"Icmp6InGroupMembResponses", icmp6InReport, 1},
	{"Icmp6InGroupMembReductions", icmp6InReduction, 1},
	{"Icmp6InRouterSolicits", icmp6InRouterSolicit, 1},
	{"Icmp6InRouterAdvertisements", icmp6InRouterAdvert, 1},
	{"Icmp6InNeighborSolicits", icmp6InNeighborSolicit, 1},
	{"Icmp6InNeighborAdvertisements", icmp6InNeighborAdvert, 1},
	{"Icmp6OutMsgs", icmp6Out, 1},
	{"Icmp6OutErrors", icmp6OutErrors, 1},
	{"Icmp6OutDestUnreachs", icmp6OutUnreachable, 1},
	{"Icmp6OutTimeExcds", icmp6OutTimeExceeded, 1},
	{"Icmp6OutParmProblems", icmp6OutParameterProblem, 1},
	{"Icmp6OutRedirects", icmp6OutRedirect, 1},
	{"Icmp6OutEchos", icmp6OutEcho, 1},
	{"Icmp6OutEchoReplies", icmp6OutEchoReply, 1},
	{"Icmp6OutPktTooBigs", icmp6OutTooBig, 1},
	{"Icmp6OutGroupMembQueries", icmp6OutQuery, 1},
	{"Icmp6OutGroupMembResponses", icmp6OutReport, 1},
	{"Icmp6OutGroupMembReductions", icmp6OutReduction, 1},
	{"Icmp6OutRouterSolicits", icmp6OutRouterSolicit, 1},
	{"Icmp6OutRouterAdvertisements", icmp6OutRouterAdvert, 1},
	{"Icmp6OutNeighborSolicits", icmp6OutNeighborSolicit, 1},
	{"Icmp6OutNeighborAdvertisements", icmp6OutNeighborAdvert, 1},
}

var icmpv6Rows = []row{
	{584, "Messages/sec", counter.CounterCounter, 0, provider.Advanced, icmp6In | icmp6Out, nil,
		"Messages received and sent."},
	{586, "Messages Received/sec", counter.CounterCounter, 0, provider.Advanced, icmp6In, nil,
		"Messages received, those with errors among them."},
	{588, "Messages Received Errors", counter.RawCount, 0, provider.Advanced, icmp6InErrors, nil,
		"Messages received with an error, in all."},
	{590, "Received Dest. Unreachable", counter.RawCount, 0, provider.Advanced, icmp6InUnreachable, nil,
		"Messages received of the type destination unreachable, in all."},
	{592, "Received Time Exceeded", counter.RawCount, 0, provider.Advanced, icmp6InTimeExceeded, nil,
		"Messages received of the type time exceeded, in all."},
	{594, "Received Parameter Problem", counter.RawCount, 0, provider.Advanced, icmp6InParameterProblem, nil,
		"Messages received of the type parameter problem, in all."},
	{598, "Received Redirect/sec", counter.CounterCounter, 0, provider.Advanced, icmp6InRedirect, nil,
		"Messages received of the type redirect."},
	{600, "Received Echo/sec", counter.CounterCounter, 0, provider.Advanced, icmp6InEcho, nil,
		"Messages received of the type echo request."},
	{602, "Received Echo Reply/sec", counter.CounterCounter, 0, provider.Advanced, icmp6InEchoReply, nil,
		"Messages received of the type echo reply."},
	{1536, "Received Packet Too Big", counter.RawCount, 0, provider.Advanced, icmp6InTooBig, nil,
		"Messages received of the type packet too big, in all."},
	{1538, "Received Membership Query", counter.RawCount, 0, provider.Advanced, icmp6InQuery, nil,
		"Messages received of the type multicast listener query, in all."},
	{1540, "Received Membership Report", counter.RawCount, 0, provider.Advanced, icmp6InReport, nil,
		"Messages received of the type multicast listener report, in all."},
	{1542, "Received Membership Reduction", counter.RawCount, 0, provider.Advanced, icmp6InReduction, nil,
		"Messages received of the type multicast listener done, in all."},
	{1544, "Received Router Solicit", counter.RawCount, 0, provider.Advanced, icmp6InRouterSolicit, nil,
		"Messages received of the type router solicitation, in all."},
	{1546, "Received Router Advert", counter.RawCount, 0, provider.Advanced, icmp6InRouterAdvert, nil,
		"Messages received of the type router advertisement, in all."},
	{1550, "Received Neighbor Solicit", counter.RawCount, 0, provider.Advanced, icmp6InNeighborSolicit, nil,
		"Messages received of the type neighbour solicitation, in all."},
	{1552, "Received Neighbor Advert", counter.RawCount, 0, provider.Advanced, icmp6InNeighborAdvert, nil,
		"Messages received of the type neighbour advertisement, in all."},
	{612, "Messages Sent/sec", counter.CounterCounter, 0, provider.Advanced, icmp6Out, nil,
		"Messages sent, those that failed among them."},
	{614, "Messages Outbound Errors", counter.RawCount, 0, provider.Advanced, icmp6OutErrors, nil,
		"Messages not sent for a problem of ICMP itself, in all."},
	{616, "Sent Destination Unreachable", counter.RawCount, 0, provider.Advanced, icmp6OutUnreachable, nil,
		"Messages sent of the type destination unreachable, in all."},
	{618, "Sent Time Exceeded", counter.RawCount, 0, provider.Advanced, icmp6OutTimeExceeded, nil,
		"Messages sent of the type time exceeded, in all."},
	{620, "Sent Parameter Problem", counter.RawCount, 0, provider.Advanced, icmp6OutParameterProblem, nil,
		"Messages sent of the type parameter problem, in all."},
	{624, "Sent Redirect/sec", counter.CounterCounter, 0, provider.Advanced, icmp6OutRedirect, nil,
		"Messages sent of the type redirect."},
	{626, "Sent Echo/sec", counter.CounterCounter, 0, provider.Advanced, icmp6OutEcho, nil,
		"Messages sent of the type echo request."},
	{628, "Sent Echo Reply/sec", counter.CounterCounter, 0, provider.Advanced, icmp6OutEchoReply, nil,
		"Messages sent of the type echo reply."},
	{1554, "Sent Packet Too Big", counter.RawCount, 0, provider.Advanced, icmp6OutTooBig, nil,
		"Messages sent of the type packet too big, in all."},
	{1556, "Sent Membership Query", counter.RawCount, 0, provider.Advanced, icmp6OutQuery, nil,
		"Messages sent of the type multicast listener query, in all."},
	{1558, "Sent Membership Report", counter.RawCount, 0, provider.Advanced, icmp6OutReport, nil,
		"Messages sent of the type multicast listener report, in all."},
	{1560, "Sent Membership Reduction", counter.RawCount, 0, provider.Advanced, icmp6OutReduction, nil,
		"Messages sent of the type multicast listener done, in all."},
	{1562, "Sent Router Solicit", counter.RawCount, 0, provider.Advanced, icmp6OutRouterSolicit, nil,
		"Messages sent of the type router solicitation, in all."},
	{1564, "Sent Router Advert", counter.RawCount, 0, provider.Advanced, icmp6OutRouterAdvert, nil,
		"Messages sent of the type router advertisement, in all."},
	{1566, "Sent Neighbor Solicit", counter.RawCount, 0, provider.Advanced, icmp6OutNeighborSolicit, nil,
		"Messages sent of the type neighbour solicitation, in all."},
	{1568, "Sent Neighbor Advert", counter.RawCount, 0, provider.Advanced, icmp6OutNeighborAdvert, nil,
		"Messages sent of the type neighbour advertisement, in all."},
}
