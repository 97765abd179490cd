package linuxhost

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// agreeSeconds is how long the tools measure.
const agreeSeconds = 10

// TestAgree puts load on the machine and compares each counter that vmstat,
// iostat and pidstat show with theirs over the same seconds, and those of which ss
// and ip show a state or a total. Nobody can tell when exactly a tool looks, so
// there are samples before and after each of its looks: what it shows must lie
// between what these allow, give or take what its last digit stands for.
func TestAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("lasts ten seconds")
	}
	for _, tool := range []string{"vmstat", "iostat", "pidstat", "ss", "ip"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no %s: Debian has these tools in procps, sysstat and iproute2", tool)
		}
	}
	a := &agreement{T: t, rig: liveRig(t), load: startLoad(t)}
	a.sample() // opens everything

	// On a machine that is busy it takes more time to look before the tools do.
	const tries = 6
	begin := time.Now()
	a.sample()
	margin := max(20*time.Millisecond, 2*time.Since(begin))
	for try := 1; !a.measure(margin); try++ {
		if try == tries {
			t.Fatalf("no sample was done %v before the tools looked", margin)
		}
		margin *= 2
	}
	a.compareVmstat()
	a.compareIostat()
	a.comparePidstat()
	a.compareLinks()
	a.compareStates()
}

// agreement is the samples around the looks of the tools, and what they wrote.
type agreement struct {
	*testing.T
	rig  *rig
	load int // id of the process that makes the load

	// Before and after the first look of all, before and after the last.
	at                      [4]sampleBlock
	vmstat, iostat, pidstat string
	checked                 int
}

func (a *agreement) sample() sampleBlock {
	a.Helper()
	return a.rig.ask("2 4 230 232 234 238 510 638 700")
}

// measure runs the tools that measure rates, and reports whether the samples were
// taken when they must be: the third is begun so long before the tools look again,
// and must be done by then.
func (a *agreement) measure(margin time.Duration) bool {
	a.Helper()
	n := strconv.Itoa(agreeSeconds)
	a.at[0] = a.sample()
	again := time.Now().Add(agreeSeconds * time.Second) // or later
	tools := []*tool{
		startTool(a.T, "vmstat", "-n", n, "2"),
		startTool(a.T, "iostat", "-x", "-k", "-o", "JSON", n, "2"),
		startTool(a.T, "pidstat", "-u", "-r", "-d", "-w", "-h", "-p", strconv.Itoa(a.load), n, "1"),
	}
	for _, tool := range tools {
		tool.waitForLook()
	}
	a.at[1] = a.sample()
	time.Sleep(time.Until(again.Add(-margin)))
	a.at[2] = a.sample()
	inTime := time.Now().Before(again)
	a.vmstat, a.iostat, a.pidstat = tools[0].wait(), tools[1].wait(), tools[2].wait()
	a.at[3] = a.sample()
	return inTime
}

// figure is a count or a time that only grows, or -1 where there is none.
type figure func(b sampleBlock) float64

// raw is a raw value times a unit.
func (a *agreement) raw(object uint32, instance string, counter uint32, unit float64) figure {
	return func(b sampleBlock) float64 {
		if b[object] == nil {
			return -1
		}
		n, ok := b[object].value(instance, counter)
		if !ok {
			return -1
		}
		return float64(n) * unit
	}
}

// process is a raw value of the process that makes the load. Its parent, this
// test, has the same name.
func (a *agreement) process(counter uint32, unit float64) figure {
	return func(b sampleBlock) float64 {
		id, k := b[230].at(784), b[230].at(counter)
		for _, in := range b[230].instances {
			if k >= 0 && in.values[id].raw == uint64(a.load) && !in.values[k].missing {
				return float64(in.values[k].raw) * unit
			}
		}
		return -1
	}
}

// rise returns the least and the most by which a figure can have grown from one
// look of the tools to the other.
func (a *agreement) rise(f figure) (least, most float64, ok bool) {
	var n [4]float64
	for i, b := range a.at {
		if n[i] = f(b); n[i] < 0 {
			return 0, 0, false
		}
	}
	least, most = n[2]-n[1], n[3]-n[0]
	const wrap = 1 << 32 // of counters of 4 bytes
	if least < 0 {
		least += wrap
	}
	if most < 0 {
		most += wrap
	}
	return least, most, true
}

// seconds are those of the shortest and the longest time between two looks.
func (a *agreement) seconds() (least, most float64) {
	clock := func(b sampleBlock) float64 { return float64(b[2].time) / perSecond }
	return clock(a.at[2]) - clock(a.at[1]), clock(a.at[3]) - clock(a.at[0])
}

// rate compares what a tool shows for each second. digit is what its last
// digit stands for.
func (a *agreement) rate(what string, shown, digit float64, f figure) {
	a.Helper()
	least, most, ok := a.rise(f)
	if !ok {
		return
	}
	// A tool that divides by the time that it meant to wait and one that
	// divides by the time that went by both stay within these.
	shortest, longest := a.seconds()
	longest = math.Max(longest, agreeSeconds)
	shortest = math.Min(shortest, agreeSeconds)
	a.within(what, shown, least/longest-digit, most/shortest+digit)
}

// ratio compares a mean that a tool shows, where it saw any event.
func (a *agreement) ratio(what string, shown, digit float64, f, by figure) {
	a.Helper()
	least, most, ok := a.rise(f)
	fewest, many, okBy := a.rise(by)
	if !ok || !okBy || fewest == 0 {
		return
	}
	a.within(what, shown, least/many-digit, most/fewest+digit)
}

func (a *agreement) within(what string, shown, least, most float64) {
	a.Helper()
	a.checked++
	if shown < least || shown > most {
		a.Errorf("%s shows %v, the counter allows %.8g to %.8g", what, shown, least, most)
	} else if testing.Verbose() {
		a.Logf("%s shows %v, the counter allows %.8g to %.8g", what, shown, least, most)
	}
}

// share returns a time of _Total as a percentage of a processor's.
func (a *agreement) share(counters ...uint32) figure {
	return func(b sampleBlock) (sum float64) {
		for _, c := range counters {
			n := a.raw(238, "_Total", c, percentOfTime)(b)
			if n < 0 {
				return n
			}
			sum += n
		}
		return sum
	}
}

// percentOfTime makes a percentage of a time in 100 ns in a second.
const percentOfTime = 100.0 / perSecond

// grain is by how many percent of all time a figure of all processors may
// differ: the kernel cuts each processor's to whole ticks, and the sum only once.
const grain = 100.0 / agreeSeconds / 100

// shareOf compares a share of processor time. The tools take shares of the sum
// of all the times, which with accounting by ticks is not the time gone by.
func (a *agreement) shareOf(what string, shown, digit float64, counters ...uint32) {
	a.Helper()
	all := a.share(142, 144, 1746, titleSteal)
	a.ratio(what, shown/100, (digit+2*grain)/100, a.share(counters...), all)
}

func (a *agreement) compareVmstat() {
	lines := strings.Split(strings.TrimSpace(a.vmstat), "\n")
	if len(lines) < 3 {
		a.Fatalf("vmstat wrote %q", a.vmstat)
	}
	shown := columnsOf(a.T, lines[1], lines[len(lines)-1])
	kib := float64(os.Getpagesize()) / 1024 // in a page
	a.rate("vmstat: in", shown["in"], 1, a.raw(2, "", 246, 1))
	a.rate("vmstat: cs", shown["cs"], 1, a.raw(2, "", 146, 1))
	a.rate("vmstat: bi", shown["bi"], 1, a.raw(4, "", 822, kib))
	a.rate("vmstat: si", shown["si"], 1, a.raw(4, "", titleSwapIn, kib))
	a.rate("vmstat: so", shown["so"], 1, a.raw(4, "", titleSwapOut, kib))
	a.shareOf("vmstat: us and gu", shown["us"]+shown["gu"], 2, 142)
	a.shareOf("vmstat: sy", shown["sy"], 1, 144)
	a.shareOf("vmstat: id and wa", shown["id"]+shown["wa"], 2, 1746)
	a.shareOf("vmstat: wa", shown["wa"], 1, titleIOWait)
	a.shareOf("vmstat: st", shown["st"], 1, titleSteal)
}

// flicker is by how many percent the times of idleness may differ: the kernel
// estimates them for a processor that is idle, and takes back what was too much.
// What falls by a few ticks the counters hold.
const flicker = 0.02 + 2*grain

func (a *agreement) compareIostat() {
	var report struct {
		Sysstat struct {
			Hosts []struct {
				Statistics []struct {
					CPU  map[string]float64 `json:"avg-cpu"`
					Disk []map[string]any
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(a.iostat), &report); err != nil {
		a.Fatalf("iostat wrote %v: %q", err, a.iostat)
	}
	all := report.Sysstat.Hosts[0].Statistics
	last := all[len(all)-1]
	a.shareOf("iostat: %user and %nice", last.CPU["user"]+last.CPU["nice"], 0.02, 142)
	a.shareOf("iostat: %nice", last.CPU["nice"], 0.01, titleNice)
	a.shareOf("iostat: %system", last.CPU["system"], 0.01, 144)
	a.shareOf("iostat: %iowait", last.CPU["iowait"], flicker, titleIOWait)
	a.shareOf("iostat: %steal", last.CPU["steal"], 0.01, titleSteal)
	a.shareOf("iostat: %idle and %iowait", last.CPU["idle"]+last.CPU["iowait"], flicker, 1746)
	for _, d := range last.Disk {
		name, _ := d["disk_device"].(string)
		if _, ok := a.at[0][234].value(name, 212); ok {
			a.compareDisk(name, d)
		}
	}
}

func (a *agreement) compareDisk(name string, d map[string]any) {
	n := func(key string) float64 { n, _ := d[key].(float64); return n }
	disk := func(counter uint32, unit float64) figure { return a.raw(234, name, counter, unit) }
	const millisecond = 1000.0 / perSecond
	what := "iostat: " + name + ": "
	for _, c := range []struct {
		key     string
		shown   float64
		counter uint32
		unit    float64
	}{
		{"r/s", n("r/s"), 214, 1}, {"w/s", n("w/s"), 216, 1}, {"d/s", n("d/s"), titleDiscards, 1},
		{"f/s", n("f/s"), titleFlushes, 1},
		{"rkB/s", n("rkB/s"), 220, 1.0 / 1024}, {"wkB/s", n("wkB/s"), 222, 1.0 / 1024},
		{"r/s and w/s", n("r/s") + n("w/s"), 212, 1},
		{"rkB/s and wkB/s", n("rkB/s") + n("wkB/s"), 218, 1.0 / 1024},
		{"rrqm/s and wrqm/s", n("rrqm/s") + n("wrqm/s"), titleMerges, 1},
		{"r/s by r_await", n("r/s") * n("r_await") / 10, 202, percentOfTime},
		{"w/s by w_await", n("w/s") * n("w_await") / 10, 204, percentOfTime},
	} {
		digit := 0.02
		if c.unit == percentOfTime {
			digit = 0.02 + 0.01*(n("r/s")+n("w/s"))/10 // of both factors
		}
		a.rate(what+c.key, c.shown, digit, disk(c.counter, c.unit))
	}
	// The tool's queue holds discards and flushes too.
	queue := n("aqu-sz") - (n("d/s")*n("d_await")+n("f/s")*n("f_await"))/1000
	a.rate(what+"aqu-sz", queue, 0.011+0.01*(n("d/s")+n("f/s"))/1000, disk(1400, 1.0/perSecond))
	a.ratio(what+"r_await", n("r_await"), 0.01, disk(208, millisecond), disk(214, 1))
	a.ratio(what+"w_await", n("w_await"), 0.01, disk(210, millisecond), disk(216, 1))
	a.ratio(what+"rareq-sz", n("rareq-sz"), 0.01, disk(226, 1.0/1024), disk(214, 1))
	a.ratio(what+"wareq-sz", n("wareq-sz"), 0.01, disk(228, 1.0/1024), disk(216, 1))
	a.rate(what+"%util", n("util"), 0.1, func(b sampleBlock) float64 {
		idle, ok := b[234].value(name, 1482)
		clock, okBase := b[234].base(name, 1482)
		if !ok || !okBase {
			return -1
		}
		started, okStart := b[2].value("", 674)
		if !okStart {
			return -1
		}
		return float64(clock-started-idle) * percentOfTime
	})
}

func (a *agreement) comparePidstat() {
	var head, line string
	for l := range strings.Lines(a.pidstat) {
		switch words := strings.Fields(l); {
		case strings.HasPrefix(l, "#"):
			head = strings.TrimPrefix(l, "#")
		case len(words) > 3 && words[2] == strconv.Itoa(a.load):
			line = l
		}
	}
	shown := columnsOf(a.T, head, line)
	process := a.process
	const kib = 1.0 / 1024
	const tick = 100.0 / agreeSeconds / 100 // one more or less
	a.rate("pidstat: %usr", shown["%usr"], tick, process(142, percentOfTime))
	a.rate("pidstat: %system", shown["%system"], tick, process(144, percentOfTime))
	a.rate("pidstat: %CPU", shown["%CPU"], 2*tick, process(6, percentOfTime))
	a.rate("pidstat: %wait", shown["%wait"], tick, process(titleWait, percentOfTime))
	a.rate("pidstat: iodelay", shown["iodelay"]/agreeSeconds, 1.0/agreeSeconds,
		process(titleBlockDelay, percentOfTime))
	a.rate("pidstat: minflt/s and majflt/s", shown["minflt/s"]+shown["majflt/s"], 0.02, process(28, 1))
	a.rate("pidstat: majflt/s", shown["majflt/s"], 0.01, process(titleMajorFaults, 1))
	a.rate("pidstat: kB_rd/s", shown["kB_rd/s"], 0.01, process(220, kib))
	a.rate("pidstat: kB_wr/s less kB_ccwr/s", shown["kB_wr/s"]-shown["kB_ccwr/s"], 0.02, process(222, kib))
	a.rate("pidstat: cswch/s and nvcswch/s", shown["cswch/s"]+shown["nvcswch/s"], 0.2,
		a.raw(232, strconv.Itoa(a.load), 146, 1))
	a.between("pidstat: VSZ", shown["VSZ"], 1, process(174, kib), a.at[2], a.at[3])
	// What the load uses comes and goes, and the kernel counts pages in batches.
	a.between("pidstat: RSS", shown["RSS"], 512, process(180, kib), a.at[2], a.at[3])
}

// between compares a state that a tool saw between two samples.
func (a *agreement) between(what string, shown, digit float64, f figure, before, after sampleBlock) {
	a.Helper()
	x, y := f(before), f(after)
	a.within(what, shown, math.Min(x, y)-digit, math.Max(x, y)+digit)
}

// compareLinks compares the totals that ip shows of network interfaces.
func (a *agreement) compareLinks() {
	before := a.sample()
	text, err := exec.Command("ip", "-s", "-s", "-j", "link").Output()
	after := a.sample()
	if err != nil {
		a.Fatal(err)
	}
	var links []struct {
		Name  string                        `json:"ifname"`
		Stats map[string]map[string]float64 `json:"stats64"`
	}
	if err := json.Unmarshal(text, &links); err != nil {
		a.Fatalf("ip wrote %v: %q", err, text)
	}
	for _, l := range links {
		rx, tx := l.Stats["rx"], l.Stats["tx"]
		for counter, shown := range map[uint32]float64{
			264: rx["bytes"], 506: tx["bytes"], 388: rx["bytes"] + tx["bytes"],
			266: rx["packets"], 452: tx["packets"], 400: rx["packets"] + tx["packets"],
			526: rx["multicast"], 530: rx["errors"], 542: tx["errors"],
			528: rx["dropped"] + rx["missed"], 540: tx["dropped"],
		} {
			name := instanceName([]byte(l.Name))
			a.between("ip: "+l.Name+": "+strconv.Itoa(int(counter)), shown, 0, a.raw(510, name, counter, 1),
				before, after)
		}
	}
}

// compareStates compares what goes up and down with what vmstat and ss show. It
// looks until each has been the same once: what is counted otherwise never is.
func (a *agreement) compareStates() {
	const tries = 60
	const kib = 1.0 / 1024
	memory := func(counter uint32) figure { return a.raw(4, "", counter, kib) }
	cached := func(b sampleBlock) float64 {
		return memory(818)(b) + memory(titleShared)(b) + memory(titleSlab)(b)
	}
	open := map[string]figure{
		"r": a.raw(2, "", titleRunnableTasks, 1), "b": a.raw(2, "", titleBlockedTasks, 1),
		"free":           memory(1676),
		"buff and cache": cached, "estab": a.raw(638, "", 642, 1),
	}
	var last []string
	for range tries {
		if last = nil; len(open) == 0 {
			break
		}
		before := a.sample()
		vmstat, errVmstat := exec.Command("vmstat").Output()
		ss, errSS := exec.Command("ss", "-s").Output()
		after := a.sample()
		if err := errors.Join(errVmstat, errSS); err != nil {
			a.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(vmstat)), "\n")
		shown := columnsOf(a.T, lines[1], lines[2])
		shown["buff and cache"] = shown["buff"] + shown["cache"]
		shown["estab"] = establishedOf(a.T, string(ss))
		for what, f := range open {
			x, y := f(before), f(after)
			if n := shown[what]; n >= math.Min(x, y) && n <= math.Max(x, y) {
				delete(open, what)
				a.checked++
			} else {
				last = append(last, what+": "+strconv.FormatFloat(n, 'f', -1, 64)+" is not between "+
					strconv.FormatFloat(x, 'f', -1, 64)+" and "+strconv.FormatFloat(y, 'f', -1, 64))
			}
		}
	}
	for _, l := range last {
		a.Errorf("after %d tries %s", tries, l)
	}
	const least = 40 // without disks
	if a.checked < least {
		a.Errorf("only %d figures were compared", a.checked)
	}
}
