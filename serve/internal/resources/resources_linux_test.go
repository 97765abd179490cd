package resources

import "testing"

func TestParse(t *testing.T) {
	const stat = "7 (a) b) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 250 1000 30 18446744073709551615\n"
	if virtual, pages, ticks, ok := parseStat(stat); !ok || virtual != 1000 || pages != 30 || ticks != 250 {
		t.Errorf("%v bytes, %v pages, start %v, %v", virtual, pages, ticks, ok)
	}
	for _, bad := range []string{"", ")", "7 (a) S 1 2", "7 (a) S 1 7 7 0 -1 4 1 2 3 4 5 6 7 8 20 0 1 0 x 1000 30"} {
		if _, _, _, ok := parseStat(bad); ok {
			t.Errorf("%q is accepted", bad)
		}
	}
	if got := startTime("cpu 1\nbtime 1000\nprocesses 1\n", 250); got != 1002.5 {
		t.Errorf("start %v", got)
	}
	if got := startTime("cpu 1\n", 250); got != 0 {
		t.Errorf("start %v without the boot", got)
	}

	const netstat = "TcpExt: InOctets\nTcpExt: 9\nIpExt: InNoRoutes InOctets OutOctets InMcastOctets\nIpExt: 1 20 30 4\n"
	if received, sent, ok := parseNetstat(netstat); !ok || received != 20 || sent != 30 {
		t.Errorf("%v received, %v sent, %v", received, sent, ok)
	}
	for _, bad := range []string{"", "IpExt: InOctets OutOctets\n", "IpExt: InOctets OutOctets\nIpExt: 1\n", "IpExt: A\nIpExt: 1\n"} {
		if _, _, ok := parseNetstat(bad); ok {
			t.Errorf("%q is accepted", bad)
		}
	}
}
