package pdhlog

import "testing"

// TestSystem: what a head says of the system is text and back.
func TestSystem(t *testing.T) {
	for _, text := range []string{
		"Windows 6.0, build 6000, 32-bit", "Windows 6.0, build 6000, 32-bit, 1 processor",
		"Windows 10.0, build 26100, 64-bit, 128 processors",
		"winperf 1.2.3 on linux/amd64", "Windows 6.0, build 6000, 32-bit, patched", "Windows 6.0, build 6000, 16-bit",
		"Windows 6.0, build 6000, 32-bit, 2 processor",
	} {
		var h Header
		h.setSystem(text)
		if got := h.System(); got != text {
			t.Errorf("%q, want %q", got, text)
		}
		if h.PointerSize != 4 && h.PointerSize != 8 {
			t.Errorf("%q: pointers of %d bytes", text, h.PointerSize)
		}
	}
}

// TestSystemWritten: a log says of the system what its writer was told.
func TestSystemWritten(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "Windows 6.2, build 9200, 64-bit, 1 processor",
		"winperf 1.2.3 on linux/amd64":    "winperf 1.2.3 on linux/amd64",
		"Windows 6.0, build 6000, 32-bit": "Windows 6.0, build 6000, 32-bit",
		"Windows 10.0, build 26100, 64-bit, 128 processors": "Windows 10.0, build 26100, 64-bit, 128 processors",
	} {
		m := newMachine(t)
		log, _ := writeBLG(t, Options{System: text, Name: "x.blg"}, m, m.frame("a"), m.frame("a"))
		got := readWhole(t, log)
		if got.head.System() != want || got.head.LogName != "x.blg" || len(got.damage) > 0 {
			t.Errorf("%q: %q in %q, damage %v, want %q", text, got.head.System(), got.head.LogName, got.damage, want)
		}
	}
}
