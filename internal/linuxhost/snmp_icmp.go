package linuxhost

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// The figures of the ICMP object, in messages.
const (
	icmpIn fields = 1 << iota
	icmpInErrors
	icmpInUnreachable
	icmpInTimeExceeded
	icmpInParameterProblem
	icmpInSourceQuench
	icmpInRedirect
	icmpInEcho
	icmpInEchoReply
	icmpInTimestamp
	icmpInTimestampReply
	icmpInAddressMask
	icmpInAddressMaskReply
	icmpOut
	icmpOutErrors
	icmpOutUnreachable
	icmpOutTimeExceeded
	icmpOutParameterProblem
	icmpOutSourceQuench
	icmpOutRedirect
	icmpOutEcho
	icmpOutEchoReply
	icmpOutTimestamp
	icmpOutTimestampReply
	icmpOutAddressMask
	icmpOutAddressMaskReply
)

var icmpSpec = spec{
	number: 20, index: 582, name: "ICMP",
	help: "Messages of the Internet Control Message Protocol for IPv4 in the network namespace of the " +
		"reader. From /proc/net/snmp.",
	origin: "/proc/net/snmp, Icmp:", keys: icmpKeys, rows: icmpRows,
}

var icmpKeys = []key{
	{"InMsgs", icmpIn, 1},
	{"InErrors", icmpInErrors, 1},
	{"InDestUnreachs", icmpInUnreachable, 1},
	{"InTimeExcds", icmpInTimeExceeded, 1},
	{"InParmProbs", icmpInParameterProblem, 1},
	{"InSrcQuenchs", icmpInSourceQuench, 1},
	{"InRedirects", icmpInRedirect, 1},
	{"InEchos", icmpInEcho, 1},
	{"InEchoReps", icmpInEchoReply, 1},
	{"InTimestamps", icmpInTimestamp, 1},
	{"InTimestampReps", icmpInTimestampReply, 1},
	{"InAddrMasks", icmpInAddressMask, 1},
	{"InAddrMaskReps", icmpInAddressMaskReply, 1},
	{"OutMsgs", icmpOut, 1},
	{"OutErrors", icmpOutErrors, 1},
	{"OutDestUnreachs", icmpOutUnreachable, 1},
	{"OutTimeExcds", icmpOutTimeExceeded, 1},
	{"OutParmProbs", icmpOutParameterProblem, 1},
	{"OutSrcQuenchs", icmpOutSourceQuench, 1},
	{"OutRedirects", icmpOutRedirect, 1},
	{"OutEchos", icmpOutEcho, 1},
	{"OutEchoReps", icmpOutEchoReply, 1},
	{"OutTimestamps", icmpOutTimestamp, 1},
	{"OutTimestampReps", icmpOutTimestampReply, 1},
	{"OutAddrMasks", icmpOutAddressMask, 1},
	{"OutAddrMaskReps", icmpOutAddressMaskReply, 1},
}

var icmpRows = []row{
	{584, "Messages/sec", counter.CounterCounter, 0, provider.Advanced, icmpIn | icmpOut, nil,
		"Messages received and sent."},
	{586, "Messages Received/sec", counter.CounterCounter, 0, provider.Advanced, icmpIn, nil,
		"Messages received, those with errors among them."},
	{588, "Messages Received Errors", counter.RawCount, 0, provider.Advanced, icmpInErrors, nil,
		"Messages received with an error, in all."},
	{590, "Received Dest. Unreachable", counter.RawCount, 0, provider.Advanced, icmpInUnreachable, nil,
		"Messages received of the type destination unreachable, in all."},
	{592, "Received Time Exceeded", counter.RawCount, 0, provider.Advanced, icmpInTimeExceeded, nil,
		"Messages received of the type time exceeded, in all."},
	{594, "Received Parameter Problem", counter.RawCount, 0, provider.Advanced, icmpInParameterProblem, nil,
		"Messages received of the type parameter problem, in all."},
	{596, "Received Source Quench", counter.RawCount, 0, provider.Advanced, icmpInSourceQuench, nil,
		"Messages received of the type source quench, in all."},
	{598, "Received Redirect/sec", counter.CounterCounter, 0, provider.Advanced, icmpInRedirect, nil,
		"Messages received of the type redirect."},
	{600, "Received Echo/sec", counter.CounterCounter, 0, provider.Advanced, icmpInEcho, nil,
		"Messages received of the type echo request."},
	{602, "Received Echo Reply/sec", counter.CounterCounter, 0, provider.Advanced, icmpInEchoReply, nil,
		"Messages received of the type echo reply."},
	{604, "Received Timestamp/sec", counter.CounterCounter, 0, provider.Advanced, icmpInTimestamp, nil,
		"Messages received of the type timestamp request."},
	{606, "Received Timestamp Reply/sec", counter.CounterCounter, 0, provider.Advanced,
		icmpInTimestampReply, nil,
		"Messages received of the type timestamp reply."},
	{608, "Received Address Mask", counter.RawCount, 0, provider.Advanced, icmpInAddressMask, nil,
		"Messages received of the type address mask request, in all."},
	{610, "Received Address Mask Reply", counter.RawCount, 0, provider.Advanced, icmpInAddressMaskReply, nil,
		"Messages received of the type address mask reply, in all."},
	{612, "Messages Sent/sec", counter.CounterCounter, 0, provider.Advanced, icmpOut, nil,
		"Messages sent, those that failed among them."},
	{614, "Messages Outbound Errors", counter.RawCount, 0, provider.Advanced, icmpOutErrors, nil,
		"Messages not sent for a problem of ICMP itself, in all."},
	{616, "Sent Destination Unreachable", counter.RawCount, 0, provider.Advanced, icmpOutUnreachable, nil,
		"Messages sent of the type destination unreachable, in all."},
	{618, "Sent Time Exceeded", counter.RawCount, 0, provider.Advanced, icmpOutTimeExceeded, nil,
		"Messages sent of the type time exceeded, in all."},
	{620, "Sent Parameter Problem", counter.RawCount, 0, provider.Advanced, icmpOutParameterProblem, nil,
		"Messages sent of the type parameter problem, in all."},
	{622, "Sent Source Quench", counter.RawCount, 0, provider.Advanced, icmpOutSourceQuench, nil,
		"Messages sent of the type source quench, in all."},
	{624, "Sent Redirect/sec", counter.CounterCounter, 0, provider.Advanced, icmpOutRedirect, nil,
		"Messages sent of the type redirect."},
	{626, "Sent Echo/sec", counter.CounterCounter, 0, provider.Advanced, icmpOutEcho, nil,
		"Messages sent of the type echo request."},
	{628, "Sent Echo Reply/sec", counter.CounterCounter, 0, provider.Advanced, icmpOutEchoReply, nil,
		"Messages sent of the type echo reply."},
	{630, "Sent Timestamp/sec", counter.CounterCounter, 0, provider.Advanced, icmpOutTimestamp, nil,
		"Messages sent of the type timestamp request."},
	{632, "Sent Timestamp Reply/sec", counter.CounterCounter, 0, provider.Advanced,
		icmpOutTimestampReply, nil,
		"Messages sent of the type timestamp reply."},
	{634, "Sent Address Mask", counter.RawCount, 0, provider.Advanced, icmpOutAddressMask, nil,
		"Messages sent of the type address mask request, in all."},
	{636, "Sent Address Mask Reply", counter.RawCount, 0, provider.Advanced, icmpOutAddressMaskReply, nil,
		"Messages sent of the type address mask reply, in all."},
}
