package benchref

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/prometheus/procfs"
	"github.com/prometheus/procfs/blockdevice"
	"github.com/shirou/gopsutil/v4/common"
	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/disk"
	"github.com/shirou/gopsutil/v4/load"
	"github.com/shirou/gopsutil/v4/mem"
	"github.com/shirou/gopsutil/v4/net"
	"github.com/shirou/gopsutil/v4/process"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/provider"
	"github.com/winperf/winperf/source/internal/linuxhost"
)

// BenchmarkHost takes samples with each library.
//
// Process1000 reads stat, statm and io of 1,000 processes from ordinary files, so the time in which
// the kernel generates /proc is not included. All reads everything on this machine that winperf and
// the library have in common; winperf reads more.
func BenchmarkHost(b *testing.B) {
	b.Run("Process1000", func(b *testing.B) {
		root := b.TempDir()
		writeProcesses(b, root, 1000)
		proc := filepath.Join(root, "proc")
		q := &provider.Query{Objects: []uint32{230},
			Counters: map[uint32][]uint32{230: {6, 142, 144, 28, 180, 680, 784, 684, 1412, 1414, 1420, 1422}}}
		b.Run("winperf", func(b *testing.B) { benchWinperf(b, root, q) })
		b.Run("procfs", func(b *testing.B) {
			fs := openProcfs(b, proc)
			loop(b, func() int { return procfsProcesses(b, fs) }, 1000)
		})
		b.Run("gopsutil", func(b *testing.B) {
			ctx := context.WithValue(b.Context(), common.EnvKey, common.EnvMap{common.HostProcEnvKey: proc})
			loop(b, func() int { return gopsutilProcesses(b, ctx) }, 1000)
		})
	})
	b.Run("All", func(b *testing.B) {
		b.Run("winperf", func(b *testing.B) { benchWinperf(b, "/", &provider.Query{Global: true}) })
		b.Run("procfs", func(b *testing.B) {
			fs := openProcfs(b, "/proc")
			loop(b, func() int { return procfsAll(b, fs) }, 1)
		})
		b.Run("gopsutil", func(b *testing.B) {
			loop(b, func() int { return gopsutilAll(b, b.Context()) }, 1)
		})
	})
}

// loop measures f, which returns how many processes it saw, at least some.
func loop(b *testing.B, f func() int, least int) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		if n := f(); n < least {
			b.Fatalf("saw %d processes, want %d", n, least)
		}
	}
}

func benchWinperf(b *testing.B, root string, q *provider.Query) {
	b.Helper()
	h, err := linuxhost.New(linuxhost.Options{Files: winperf.HostFiles{Root: root}})
	if err != nil {
		b.Fatal(err)
	}
	problem := func(p provider.Problem) { b.Error(p.Err) }
	d, err := provider.NewDispatcher(provider.Options{Clocks: linuxhost.Clocks, OnProblem: problem}, h)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := d.Close(); err != nil {
			b.Error(err)
		}
	})
	var block []byte
	sample := func() {
		if block, err = d.Collect(b.Context(), q, block[:0]); err != nil {
			b.Fatal(err)
		}
	}
	sample() // opens files and grows buffers
	sample()
	b.ReportAllocs()
	for b.Loop() {
		sample()
	}
	b.StopTimer()
	b.ReportMetric(float64(len(block)), "block-bytes")
}

func openProcfs(b *testing.B, proc string) procfs.FS {
	b.Helper()
	fs, err := procfs.NewFS(proc)
	if err != nil {
		b.Fatal(err)
	}
	return fs
}

func procfsProcesses(b *testing.B, fs procfs.FS) (n int) {
	procs, err := fs.AllProcs()
	if err != nil {
		b.Fatal(err)
	}
	for _, p := range procs {
		if _, err := p.Stat(); err != nil {
			continue // it has ended
		}
		_, errMemory := p.Statm()
		_, errIO := p.IO()
		if errMemory == nil && errIO == nil {
			n++
		}
	}
	return n
}

func gopsutilProcesses(b *testing.B, ctx context.Context) (n int) {
	pids, err := process.PidsWithContext(ctx)
	if err != nil {
		b.Fatal(err)
	}
	for _, pid := range pids {
		p := &process.Process{Pid: pid} // the library's own way sends a signal to a process of this machine
		if _, err := p.TimesWithContext(ctx); err != nil {
			continue // it has ended
		}
		_, errName := p.NameWithContext(ctx)
		_, errFaults := p.PageFaultsWithContext(ctx)
		_, errThreads := p.NumThreadsWithContext(ctx)
		_, errMemory := p.MemoryInfoWithContext(ctx)
		_, errIO := p.IOCountersWithContext(ctx)
		if errName == nil && errFaults == nil && errThreads == nil && errMemory == nil && errIO == nil {
			n++
		}
	}
	return n
}

// procfsAll leaves out what a machine may not have.
func procfsAll(b *testing.B, fs procfs.FS) int {
	_, _ = fs.Stat()
	_, _ = fs.Meminfo()
	_, _ = fs.LoadAvg()
	_, _ = fs.Softirqs()
	_, _ = fs.Swaps()
	_, _ = fs.NetDev()
	_, _ = fs.GetMounts()
	for _, r := range []string{"cpu", "io", "memory"} {
		_, _ = fs.PSIStatsForResource(r)
	}
	if disks, err := blockdevice.NewFS("/proc", "/sys"); err == nil {
		_, _ = disks.ProcDiskstats()
	}
	if self, err := fs.Self(); err == nil {
		_, _ = self.Interrupts()
		_, _ = self.Snmp()
		_, _ = self.Snmp6()
	}
	procs, err := fs.AllProcs()
	if err != nil {
		b.Fatal(err)
	}
	for _, p := range procs {
		_, _ = p.Stat()
		_, _ = p.Statm()
		_, _ = p.NewStatus()
		_, _ = p.IO()
		_, _ = p.Schedstat()
		threads, _ := fs.AllThreads(p.PID)
		for _, t := range threads {
			_, _ = t.Stat()
			_, _ = t.Schedstat()
		}
	}
	return len(procs)
}

// gopsutilAll leaves out what a machine may not have.
func gopsutilAll(b *testing.B, ctx context.Context) int {
	_, _ = cpu.TimesWithContext(ctx, true)
	_, _ = mem.VirtualMemoryWithContext(ctx)
	_, _ = mem.SwapMemoryWithContext(ctx)
	_, _ = load.AvgWithContext(ctx)
	_, _ = load.MiscWithContext(ctx)
	_, _ = disk.IOCountersWithContext(ctx)
	mounts, _ := disk.PartitionsWithContext(ctx, false)
	for _, m := range mounts {
		_, _ = disk.UsageWithContext(ctx, m.Mountpoint)
	}
	_, _ = net.IOCountersWithContext(ctx, true)
	_, _ = net.ProtoCountersWithContext(ctx, nil)
	procs, err := process.ProcessesWithContext(ctx)
	if err != nil {
		b.Fatal(err)
	}
	for _, p := range procs {
		_, _ = p.TimesWithContext(ctx)
		_, _ = p.NameWithContext(ctx)
		_, _ = p.PageFaultsWithContext(ctx)
		_, _ = p.NumThreadsWithContext(ctx)
		_, _ = p.MemoryInfoWithContext(ctx)
		_, _ = p.IOCountersWithContext(ctx)
		_, _ = p.ThreadsWithContext(ctx)
	}
	return len(procs)
}

// writeProcesses writes the files of n processes, all alike.
func writeProcesses(b *testing.B, root string, n int) {
	b.Helper()
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(root, "proc", name), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for i := range n {
		pid := 10_000 + i
		dir := fmt.Sprint(pid)
		if err := os.MkdirAll(filepath.Join(root, "proc", dir), 0o700); err != nil {
			b.Fatal(err)
		}
		put(dir+"/stat",
			fmt.Sprintf("%d (worker %d) S 1 %d %d 0 -1 4194560 5000 90000 20 300 1500 2500 8000 4000 20 0 "+
				"4 0 %d 170000000 3000 18446744073709551615 "+
				"94104580505600 94104581402197 140726231450176 0 0 0 671173123 4096 1260 0 0 0 17 1 0 0 7 "+
				"0 0 94104581700000 94104581800000 94104612343808 140726231455500 "+
				"140726231455530 140726231455530 140726231457773 0\n", pid, i, pid, pid, 1000+i))
		put(dir+"/statm", "41503 3000 2000 219 0 5000 0\n")
		put(dir+"/status", "Name:\tworker\nState:\tS "+
			"(sleeping)\nTgid:\t1\nPid:\t1\nPPid:\t1\nVmRSS:\t12000 "+
			"kB\nThreads:\t4\nvoluntary_ctxt_switches:\t10\nnonvoluntary_ctxt_switches:\t3\n")
		put(dir+"/io", "rchar: 70000\nwchar: 6000\nsyscr: 500\nsyscw: 40\nread_bytes: 3000\nwrite_bytes: "+
			"2048\ncancelled_write_bytes: 1024\n")
	}
	put("stat", "cpu  700 70 300 180000 900 10 20 30 40 4\ncpu0 700 70 300 180000 900 10 20 30 40 4\nintr "+
		"5\nctxt 8\nbtime 1700000000\nprocesses 3\nprocs_running 1\nprocs_blocked 0\nsoftirq 7\n")
}
