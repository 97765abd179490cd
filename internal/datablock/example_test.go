package datablock_test

import (
	"fmt"

	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/perfdata"
)

func ExampleDecode() {
	block, err := perfdata.ParseText([]byte(`
block perffreq=10000000
object 230
  counter 784 PERF_COUNTER_RAWCOUNT   # ID Process
  instance "Idle" : 0
  instance "System" : 4
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	encoded, err := block.Encode()
	if err != nil {
		fmt.Println(err)
		return
	}
	var ix index.Index
	if err := datablock.Decode(encoded, &ix, datablock.Options{}); err != nil {
		fmt.Println(err)
		return
	}
	for i := range ix.Instances {
		value, ok := ix.Value(0, i, 0)
		fmt.Printf("%s %d %v\n", ix.AppendName(nil, &ix.Instances[i], ix.Objects[0].CodePage), value, ok)
	}
	// Output:
	// Idle 0 true
	// System 4 true
}
