package resources

import (
	"os"
	"runtime"
	"slices"
	"testing"
	"time"
)

// Read has the values of this process.
func TestRead(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "windows" {
		t.Skip("only the processor time")
	}
	var m Meter
	before := m.Read()
	var files []*os.File
	for range 10 {
		f, err := os.Open(os.Args[0])
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	after := m.Read()
	memory := slices.Repeat([]byte{1}, 64<<20)
	larger := m.Read()
	runtime.KeepAlive(memory)
	for _, f := range files {
		_ = f.Close()
	}

	if _, known := after[OpenFiles]; !known && runtime.GOOS == "windows" {
		t.Log("the system does not count handles, as Wine")
	} else if n := after[OpenFiles] - before[OpenFiles]; n < 10 || after[OpenFiles] > after[MaxFiles] {
		t.Errorf("%v open files, then %v of %v", before[OpenFiles], after[OpenFiles], after[MaxFiles])
	}
	for _, name := range []string{Resident, Virtual} {
		if larger[name] < 64<<20 {
			t.Errorf("%s is %v with 64 MiB", name, larger[name])
		}
	}
	if age := float64(time.Now().UnixMilli())/1e3 - after[Start]; age < -2 || age > 3600 {
		t.Errorf("started %v s ago", age)
	}
	if larger[Start] != before[Start] || larger[Processor] < before[Processor] || larger[Processor] == 0 {
		t.Errorf("start %v and %v, processor time %v and %v", before[Start], larger[Start], before[Processor], larger[Processor])
	}
}
