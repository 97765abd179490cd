package nametable

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCheck(t *testing.T) {
	long := strings.Repeat("🙂", LongText/2)
	tests := []struct {
		name  string
		kind  Kind
		texts map[uint32]string
		want  Report
	}{
		{"empty", Counter, nil, Report{}},
		{"sound", Counter, map[uint32]string{1: "1847", 2: "a", 4: "b", 6: "a", 8: "a", 4000: long},
			Report{Pairs: 6, Highest: 4000, Base: 1847, HasBase: true, Texts: 4, Shared: 1}},
		{"no first pair", Counter, map[uint32]string{2: "a"}, Report{Pairs: 1, Highest: 2, Texts: 1}},
		{"odd names", Counter, map[uint32]string{1: "x", 2: "a", 3: "b"},
			Report{Pairs: 3, Highest: 3, Texts: 3, WrongParity: []uint32{3}}},
		{"even help", Help, map[uint32]string{3: "a", 8: "b", 10: "c"},
			Report{Pairs: 3, Highest: 10, Texts: 3, WrongParity: []uint32{8, 10}}},
		{"texts", Mixed, map[uint32]string{2: "a\tb", 3: "a\r\n", 4: "\u0085", 5: long + "x"},
			Report{Pairs: 4, Highest: 5, Texts: 4, Control: []uint32{2, 3, 4}, Long: []uint32{5}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Check(fromMap(t, tt.kind, tt.texts))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
