package suggest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

var names = []string{
	"System", "Memory", "Process", "Processor", "Processor Information", "PhysicalDisk", "LogicalDisk",
	"% Processor Time", "% Privileged Time", "Page Faults/sec", "Pages/sec", "Available MBytes", "C:", "Процессор",
}

func TestClosest(t *testing.T) {
	tests := []struct{ name, want string }{
		{"Memroy", "Memory"},       // exchanged
		{"Memor", "Memory"},        // taken out
		{"Memoryy", "Memory"},      // put in
		{"Mamory", "Memory"},       // replaced
		{"MEMORY", "Memory"},       // case only
		{"Proces", "Process"},      // nearer than Processor
		{"Processer", "Processor"}, // as near in length as Process plus two
		{"Processor Time", "% Processor Time"},
		{"Pages/sek", "Pages/sec"},
		{"Page Faults", "Page Faults/sec"},         // begins so
		{"processor inf", "Processor Information"}, // rather than four edits to Processor
		{"Процесор", "Процессор"},
		{"Disk", ""},
		{"D:", ""}, // one edit of two characters is another name
		{"c:", "C:"},
		{"", ""},
		{"nothing of the kind", ""},
		{strings.Repeat("x", maxName+2), ""},
	}
	for _, test := range tests {
		if got := Closest(test.name, slices.Values(names)); got != test.want {
			t.Errorf("Closest(%q) = %q, want %q", test.name, got, test.want)
		}
	}
}

func TestClosestFirstOfEqual(t *testing.T) {
	for _, names := range [][]string{{"cat", "bat"}, {"bat", "cat"}} {
		if got := Closest("rat", slices.Values(names)); got != names[0] {
			t.Errorf("Closest(rat) of %q = %q, want the first", names, got)
		}
	}
}

// Beyond maxName only the length is known, so nothing is near.
func TestDistanceOfLongNames(t *testing.T) {
	name := strings.Repeat("x", maxName)
	var rows distance
	if got := rows.between(lower(nil, name), lower(nil, name), 5); got != 0 {
		t.Errorf("distance from itself = %d", got)
	}
	if got := rows.between(lower(nil, name), lower(nil, name+"x"), 5); got != 5 {
		t.Errorf("distance from a name too long = %d, want the limit", got)
	}
}

func TestClosestNoCandidates(t *testing.T) {
	if got := Closest("Memory", slices.Values([]string(nil))); got != "" {
		t.Errorf("Closest = %q, want none", got)
	}
}

// editDistance is the definition, without the table and without a limit.
func editDistance(a, b []rune) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	m, n := len(a)-1, len(b)-1
	replace := 1
	if a[m] == b[n] {
		replace = 0
	}
	d := min(editDistance(a[:m], b[:n])+replace, editDistance(a[:m], b)+1, editDistance(a, b[:n])+1)
	if m > 0 && n > 0 && a[m] == b[n-1] && a[m-1] == b[n] {
		d = min(d, editDistance(a[:m-1], b[:n-1])+1)
	}
	return d
}

func FuzzDistance(f *testing.F) {
	f.Add("abcd", "acbd", "x", uint8(2))
	f.Add("", "abc", "", uint8(9))
	f.Add("kitten", "sittin", "kit", uint8(3))
	f.Fuzz(func(t *testing.T, a, b, other string, limit uint8) {
		ra, rb := lower(nil, a), lower(nil, b)
		if len(ra) > 7 || len(rb) > 7 {
			t.Skip("the definition takes too long")
		}
		var rows distance
		rows.between(ra, lower(nil, other), int(limit)) // leaves rows of another length behind
		got := rows.between(ra, rb, int(limit))
		if want := min(editDistance(ra, rb), int(limit)); got != want {
			t.Errorf("distance of %q and %q below %d = %d, want %d", a, b, limit, got, want)
		}
	})
}

func FuzzClosest(f *testing.F) {
	f.Add("Memroy", "System\nMemory")
	f.Fuzz(func(t *testing.T, name, list string) {
		candidates := strings.Split(list, "\n")
		got := Closest(name, slices.Values(candidates))
		if got != "" && !slices.Contains(candidates, got) {
			t.Errorf("Closest(%q) = %q, which is no candidate", name, got)
		}
		if n := utf8.RuneCountInString(name); n == 0 || n > maxName {
			return
		}
		got = Closest(name, slices.Values(append(candidates, name)))
		if !slices.Equal(lower(nil, got), lower(nil, name)) {
			t.Errorf("Closest(%q) = %q, though the name itself is a candidate", name, got)
		}
	})
}

func ExampleClosest() {
	objects := []string{"System", "Memory", "Process", "Processor"}
	if name := Closest("Memroy", slices.Values(objects)); name != "" {
		fmt.Printf("did you mean %q?\n", name)
	}
	// Output: did you mean "Memory"?
}

func BenchmarkClosest(b *testing.B) {
	var candidates []string
	for i := range 1000 {
		candidates = append(candidates, fmt.Sprintf("%s %d", names[i%len(names)], i))
	}
	b.ReportAllocs()
	for b.Loop() {
		Closest("Procesor Informatoin 494", slices.Values(candidates))
	}
}
