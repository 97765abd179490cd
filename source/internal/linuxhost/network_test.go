package linuxhost

import (
	"fmt"
	"math"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNetworkInterface(t *testing.T) {
	root := fixture(t, "network.txtar")
	root.Set("sys/class/net/a(b)#/speed", "")
	root.Fail("sys/class/net/a(b)#/speed", syscall.EINVAL) // as of a link that is down
	o := newRig(t, root, nil).object(510)
	if diff := cmp.Diff([]string{"lo", "eth0", "a[b]_", "elsewhere"}, o.names()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int32{1, 2, 3, -1}, o.unique()); diff != "" {
		t.Error(diff)
	}
	o.check(t, "eth0", raws{
		388: 5000009000, 264: 5000000000, 506: 9000, 400: 2090, 266: 2000, 452: 90, 520: 1_000_000_000,
		528: 4, 540: 12, 530: 3, 542: 11, 526: 8,
	})
	o.check(t, "lo", raws{388: 2000, 520: missing})
	o.check(t, "a[b]_", raws{264: 1, 526: 8, 506: 9, 520: missing})
	// not in /sys, which may be of another namespace
	o.check(t, "elsewhere", raws{264: 100, 506: 9, 520: missing})
}

// TestNetworkColumns reads tables with other columns in another order.
func TestNetworkColumns(t *testing.T) {
	const head = "Inter-|   Receive |  Transmit\n"
	tests := []struct {
		name, text string
		want       raws
	}{
		{"other order", head + " face |drop later packets bytes|errs bytes\n x: 1 2 3 4 5 6\n",
			raws{528: 1, 266: 3, 264: 4, 542: 5, 506: 6, 388: 10, 400: missing, 526: missing}},
		{"no blank behind the colon", head + " face |bytes packets|bytes\n    x:18446744073709551615 2 3\n",
			raws{264: -1, 266: 2, 506: 3}},
		{"cut short", head + " face |bytes packets|bytes\n x: 7 2\n",
			raws{264: 7, 266: 2, 506: missing, 388: missing}},
		{"no number", head + " face |bytes packets|bytes\n x: 7 -2 5\n",
			raws{264: 7, 266: missing, 506: missing}},
	}
	for _, tt := range tests {
		r := newRig(t, NewMapRoot(map[string]string{"proc/net/dev": tt.text}), nil)
		o := r.object(510)
		if tt.want[264] == -1 {
			if raw, ok := o.value("x", 264); !ok || raw != math.MaxUint64 {
				t.Errorf("%s: %d (there: %v), want all bits", tt.name, raw, ok)
			}
			delete(tt.want, 264)
		}
		o.check(t, "x", tt.want)
		if o.at(520) >= 0 {
			t.Errorf("%s: a bandwidth is declared where no interface can have one", tt.name)
		}
	}
}

// interfaces returns a /proc/net/dev of interfaces: name and bytes received.
func interfaces(pairs ...any) string {
	var b strings.Builder
	b.WriteString("Inter-| Receive | Transmit\n face |bytes packets|bytes packets\n")
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(&b, "%6s: %d 1 0 0\n", pairs[i], pairs[i+1])
	}
	return b.String()
}

// TestInterfaceCountsWrap tells a wrap at 2^32 from a reset.
func TestInterfaceCountsWrap(t *testing.T) {
	const top = 1 << 32
	steps := []struct {
		index string
		bytes uint64
		want  int64
	}{
		{"2", top - 100, top - 100},
		{"2", 50, top + 50},
		{"2", 60, top + 60},
		{"2", 40, 40}, // a fall that is no wrap
		{"2", top - 1, top - 1},
		{"7", 30, 30}, // another interface of this name
		{"7", top + 5, top + 5},
		{"7", 5, 5}, // counts in 64 bits
		{"7", top - 1, top - 1},
		{"", 5, 5}, // not known whether it is the same
		{"", top - 1, top - 1},
		{"", 5, 5},
	}
	root := NewMapRoot(nil)
	r := newRig(t, root, nil)
	for i, step := range steps {
		root.Set("proc/net/dev", interfaces("wlan0", step.bytes))
		if step.index == "" {
			root.Remove("sys/class/net/wlan0/ifindex")
		} else {
			root.Set("sys/class/net/wlan0/ifindex", step.index+"\n")
		}
		o := r.object(510)
		if o.check(t, "wlan0", raws{264: step.want}); t.Failed() {
			t.Fatalf("step %d", i)
		}
	}
}

// TestInterfacesChangeNames makes, renames and removes interfaces. What is kept
// open belongs to an interface, and not to its name.
func TestInterfacesChangeNames(t *testing.T) {
	for _, maxOpen := range []int{0, 1} {
		root := NewMapRoot(map[string]string{
			"proc/net/dev":                interfaces("a", 1000, "b", 2000),
			"sys/class/net/a/ifindex":     "1\n",
			"sys/class/net/b/ifindex":     "2\n",
			"sys/class/net/gone/ifindex":  "3\n",
			"sys/class/net/later/ifindex": "4\n",
		})
		r := newRig(t, root, func(s *System) { s.MaxOpen = maxOpen })
		sample := func(names []string, ids []int32) {
			t.Helper()
			o := r.object(510)
			if diff := cmp.Diff(names, o.names()); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(ids, o.unique()); diff != "" {
				t.Error(diff)
			}
		}
		sample([]string{"a", "b"}, []int32{1, 2})
		// The two change names: the kept files still belong to those that they were.
		root.entries["sys/class/net/a/ifindex"], root.entries["sys/class/net/b/ifindex"] =
			root.entries["sys/class/net/b/ifindex"], root.entries["sys/class/net/a/ifindex"]
		root.Set("proc/net/dev", interfaces("b", 1000, "a", 2000))
		sample([]string{"b", "a"}, []int32{1, 2})
		// One is made anew under its name.
		root.Remove("sys/class/net/a/ifindex")
		root.Set("sys/class/net/a/ifindex", "9\n")
		root.Set("proc/net/dev", interfaces("b", 1000, "a", 3000))
		sample([]string{"b", "a"}, []int32{1, 9})
		root.Set("proc/net/dev", interfaces("later", 5, "later", 6))
		sample([]string{"later"}, []int32{4})
	}
}

// TestSpeedIsRenewed reads the speed again only after the link has changed.
func TestSpeedIsRenewed(t *testing.T) {
	root := newTouched(fixture(t, "network.txtar"))
	r := newRig(t, root.MapRoot, func(s *System) { s.Root = onlyRoot(root) })
	const speed, changes = "sys/class/net/eth0/speed", "sys/class/net/eth0/carrier_changes"
	steps := []struct {
		speed, changes string
		want           int64
		reads          int
	}{
		{"1000", "2", 1e9, 1},
		{"100", "2", 1e9, 0},
		{"100", "4", 1e8, 1},
		{"-1", "5", missing, 1},
		{"-1", "5", missing, 0},
		{"400000", "6", 4e11, 1},
		{"0", "7", missing, 1},
	}
	r.ask("MetadataGlobal") // opens the provider
	for _, step := range steps {
		root.Set(speed, step.speed+"\n")
		root.Set(changes, step.changes+"\n")
		clear(root.files)
		r.object(510).check(t, "eth0", raws{520: step.want})
		if n := root.files[speed]; n != step.reads {
			t.Errorf("speed %s at %s: read %d times, want %d", step.speed, step.changes, n, step.reads)
		}
	}
	root.Remove(changes) // before Linux 3.15
	for range 2 {
		clear(root.files)
		r.object(510)
		if n := root.files[speed]; n != 1 {
			t.Errorf("without a count of changes the speed is read %d times, want each time", n)
		}
	}
}

func TestNetworkProtocols(t *testing.T) {
	b := newRig(t, fixture(t, "network.txtar"), nil).ask("546 548 638 658 1532 582 1534")
	want := map[uint32]raws{
		546: {438: 2013, 446: 1003, 552: 4, 554: 5, 556: 6, 558: 7, 560: 8, 562: 1009, 442: 1010,
			566: 11, 568: 12,
			570: 14, 572: 15, 574: 16, 576: 17, 578: 18, 580: 19},
		548: {438: 12, 446: 1, 552: 2, 554: 5, 556: 10, 558: 6, 560: 8, 562: 9, 442: 11, 566: 12, 568: 13,
			570: 15, 572: 16, 574: 17, 576: 18, 578: 19, 580: 20},
		638:  {640: 21, 652: 10, 654: 11, 656: 12, 642: 9, 644: 5, 646: 6, 648: 7, 650: 8}, // the low 32 bits
		658:  {438: 45, 446: 21, 442: 24, 664: 22, 666: 23},
		1532: {438: 145, 446: 71, 442: 74, 664: 72, 666: 73},
		582: {584: 216, 586: 101, 588: 102, 590: 104, 592: 105, 594: 106, 596: 107, 598: 108, 600: 109,
			602: 110, 604: 111, 606: 112, 608: 113, 610: 114,
			612: 115, 614: 116, 616: 119, 618: 120, 620: 121, 622: 122, 624: 123, 626: 124, 628: 125,
			630: 126, 632: 127, 634: 128, 636: 129},
		1534: {584: 64, 586: 31, 588: 32, 590: 35, 592: 37, 594: 38, 598: 48, 600: 39, 602: 40, 612: 33,
			614: 34, 616: 49, 618: 51, 620: 52,
			624: 62, 626: 53, 628: 54, 1536: 36, 1554: 50, 1538: 41, 1556: 55, 1540: 42, 1558: 56, 1542: 43,
			1560: 57, 1544: 44, 1562: 58,
			1546: 45, 1564: 59, 1550: 46, 1566: 60, 1552: 47, 1568: 61},
	}
	for index, values := range want {
		b[index].check(t, "", values)
		if n := len(b[index].counters); n != len(values) {
			t.Errorf("object %d has %d counters, of which %d were compared", index, n, len(values))
		}
	}
}

// TestProtocolsLeftOut reads the files of kernels that lack some figures.
func TestProtocolsLeftOut(t *testing.T) {
	root := fixture(t, "network.txtar")
	root.Remove("proc/net/snmp6")
	root.Set("proc/net/snmp", "Tcp: ActiveOpens OutSegs\nTcp: 5 6\nUdp: InDatagrams\nIcmp: InMsgs\nIcmp: "+
		"3\nIp: InReceives\n")
	b := newRig(t, root, nil).ask("546 548 638 658 1532 582 1534")
	b[638].check(t, "", raws{644: 5, 654: 6})
	b[582].check(t, "", raws{586: 3})
	counters := map[uint32]int{}
	for index, o := range b {
		counters[index] = len(o.counters)
	}
	if diff := cmp.Diff(map[uint32]int{638: 2, 582: 1}, counters); diff != "" {
		t.Error(diff)
	}
}
