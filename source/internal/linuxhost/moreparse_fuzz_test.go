package linuxhost

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// FuzzThreadStat checks a thread's stat against the process's of the same text:
// what both give is the same.
func FuzzThreadStat(f *testing.F) {
	for _, comm := range []string{"a", "(sd-pam)", "a) b (c", "\xff\n\x00", ") 1 ("} {
		f.Add([]byte(pidStat(4, comm, 5, 6)))
	}
	f.Add([]byte("1 (x) R 1"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var thread, process values
		_, rest, ok := tableOf("Thread", "stat").readStat(&thread, text, testUnits)
		_, _, wantOK := tableOf("Process", "stat").readStat(&process, text, testUnits)
		thread.setThreadState(rest)
		started, want := thread.sum(pidStarted&thread.have), process.sum(pidStarted&process.have)
		if started != want || ok != wantOK {
			t.Fatalf("started %d (there: %v), the process %d (there: %v)", started, ok, want, wantOK)
		}
		for _, pair := range [][2]fields{{threadUser, procUser}, {threadSystem, procSystem}} {
			got, n := thread.sum(pair[0]&thread.have), process.sum(pair[1]&process.have)
			if thread.has(pair[0]) != process.has(pair[1]) || got != n {
				t.Fatalf("time %d (there: %v), of the process %d (there: %v)", got, thread.has(pair[0]), n,
					process.has(pair[1]))
			}
		}
		if thread.has(threadState) && !slices.Contains([]uint64{2, 4, 5, 7}, thread.sum(threadState)) {
			t.Fatalf("state %d", thread.sum(threadState))
		}
	})
}

// FuzzPressure checks that each figure is what follows its name in the
// last line of its kind that has a number there.
func FuzzPressure(f *testing.F) {
	root := fixture(f, "details.txtar")
	f.Add([]byte(root.entries["proc/pressure/cpu"].text))
	f.Add([]byte("full avg10=1.00 avg10=x total=3 total=4\nsome total\n full " +
		"avg10=99999999999999999999.00\nsome total=1"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var got values
		table := tableOf("Pressure Stall", "proc/pressure")
		table.read(&got, text, testUnits)
		want := map[fields]uint64{}
		for line := range bytes.Lines(text) {
			words := fieldsOf(line)
			if len(words) == 0 || !bytes.HasSuffix(line, []byte{'\n'}) {
				continue
			}
			for _, word := range words[1:] {
				name, number, _ := strings.Cut(string(word), "=")
				for _, k := range table.keys {
					if k.group == string(words[0]) && k.name == name {
						if n, ok := testUnits.parse([]byte(number), k.unit); ok {
							want[k.fields] = n
						}
					}
				}
			}
		}
		for _, k := range table.keys {
			n, there := want[k.fields]
			if got.has(k.fields) != there || there && got.sum(k.fields) != n {
				t.Fatalf("%s %s is %d (there: %v), want %d (there: %v)", k.group, k.name, got.sum(k.fields),
					got.has(k.fields), n, there)
			}
		}
	})
}

// FuzzIOStat checks that a device more adds what it has, and that a damaged
// number costs its figure alone.
func FuzzIOStat(f *testing.F) {
	root := fixture(f, "groups.txtar")
	f.Add([]byte(root.entries["sys/fs/cgroup/system.slice/io.stat"].text))
	readBytes := groupReadBytes
	f.Add([]byte("8:0 rbytes=x wios=5\n\nrbytes=7\n8:0 rbytes=1 rbytes=2\n8:1 rbytes=9"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var before, after values
		table := specOf("Control Group").trees[5].files.find("io.stat")
		table.read(&before, text, testUnits)
		whole := bytes.Clone(text[:bytes.LastIndexByte(text, '\n')+1])
		table.read(&after, append(whole, "9:9 rbytes=1 wbytes=2 rios=3 wios=x\n"...), testUnits)
		for i, f := range []fields{readBytes, groupWriteBytes, groupReads} {
			if before.has(f) != after.has(f) || before.has(f) && before.sum(f)+uint64(i+1) != after.sum(f) {
				t.Fatalf("figure %d was %d (there: %v) and is %d (there: %v)", i, before.sum(f),
					before.has(f), after.sum(f), after.has(f))
			}
		}
		if after.has(groupWrites) {
			t.Fatal("a damaged number is passed over")
		}
		if !bytes.Contains(text, []byte("rbytes")) &&
			(!before.has(readBytes) || before.sum(readBytes) != 0) {
			t.Fatal("no device, and no 0")
		}
	})
}

// FuzzList checks that a list rises and that writing its numbers out gives the
// same list.
func FuzzList(f *testing.F) {
	for _, text := range []string{"0-3,8", "", "5", "1-0", "0-65535", "7,7", "1,,2"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		list := parseList(text)
		if len(list) > maxProcessors {
			t.Fatalf("%d numbers", len(list))
		}
		var again []byte
		for i, n := range list {
			if n >= maxProcessors || i > 0 && n <= list[i-1] {
				t.Fatalf("number %d of %q is %d", i, text, n)
			}
			if i > 0 {
				again = append(again, ',')
			}
			again = strconv.AppendUint(again, n, 10)
		}
		if !slices.Equal(parseList(again), list) {
			t.Fatalf("%q gives another list than %q", again, text)
		}
	})
}
