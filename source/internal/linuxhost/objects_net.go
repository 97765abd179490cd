package linuxhost

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// Object of network interfaces. See spec for the form of the tables.

// Fields of the Network Interface object that only the table uses.
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
		Help: "Network interfaces in the reader's network namespace. From /proc/net/dev and " +
			"/sys/class/net. There is no _Total because bridges, bonds, VLANs and virtual interfaces " +
			"count a packet again, and lo counts it twice.",
	},
	number: 12,
	source: newInterfaceSource,
	files: fileTables{
		fileOfTable("proc/net/dev",
			in(unitNumber, []at{
				{netBytesIn, "Receive.bytes"}, {netPacketsIn, "Receive.packets"}, {netErrorsIn, "Receive.errs"},
				{netDropsIn, "Receive.drop"}, {netMulticastIn, "Receive.multicast"},
				{netBytesOut, "Transmit.bytes"}, {netPacketsOut, "Transmit.packets"},
				{netErrorsOut, "Transmit.errs"}, {netDropsOut, "Transmit.drop"}}),
		),
	},
	table: []entry{
		{388, "Bytes Total/sec", counter.BulkCount, -4, provider.Advanced, sum(netBytesIn | netBytesOut),
			"Bytes received and sent. From /proc/net/dev, bytes of Receive and Transmit."},
		{400, "Packets/sec", counter.BulkCount, -1, provider.Advanced, sum(netPacketsIn | netPacketsOut),
			"Packets received and sent. From /proc/net/dev, packets of Receive and Transmit."},
		{266, "Packets Received/sec", counter.BulkCount, -1, provider.Advanced, sum(netPacketsIn),
			"Packets received. From /proc/net/dev, packets of Receive."},
		{452, "Packets Sent/sec", counter.BulkCount, -1, provider.Advanced, sum(netPacketsOut),
			"Packets sent. From /proc/net/dev, packets of Transmit."},
		{520, "Current Bandwidth", counter.LargeRawCount, -6, provider.Advanced, sum(netBandwidth),
			"Speed of the link in bits per second. From /sys/class/net, speed. No value if the link is " +
				"down or the interface reports no speed."},
		{264, "Bytes Received/sec", counter.BulkCount, -4, provider.Advanced, sum(netBytesIn),
			"Bytes received. From /proc/net/dev, bytes of Receive."},
		{526, "Packets Received Non-Unicast/sec", counter.BulkCount, -1, provider.Expert,
			sum(netMulticastIn),
			"Multicast packets received. From /proc/net/dev, multicast of Receive. Unlike on Windows, " +
				"most drivers do not include broadcasts."},
		{528, "Packets Received Discarded", counter.LargeRawCount, 0, provider.Advanced,
			sum(netDropsIn),
			"Total received packets discarded. From /proc/net/dev, drop of Receive, including packets " +
				"missed because a buffer was full."},
		{530, "Packets Received Errors", counter.LargeRawCount, 0, provider.Advanced, sum(netErrorsIn),
			"Total packets received with an error. From /proc/net/dev, errs of Receive."},
		{506, "Bytes Sent/sec", counter.BulkCount, -4, provider.Advanced, sum(netBytesOut),
			"Bytes sent. From /proc/net/dev, bytes of Transmit."},
		{540, "Packets Outbound Discarded", counter.LargeRawCount, 0, provider.Advanced,
			sum(netDropsOut),
			"Total outgoing packets discarded. From /proc/net/dev, drop of Transmit."},
		{542, "Packets Outbound Errors", counter.LargeRawCount, 0, provider.Advanced, sum(netErrorsOut),
			"Total packets not sent because of an error. From /proc/net/dev, errs of Transmit."},
	},
}
