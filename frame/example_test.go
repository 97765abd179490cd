package frame_test

import (
	"fmt"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/perfdata"
)

// Two samples of the object Processor, one second apart: % Processor Time is
// an inverse timer and counts idle time in 100 ns.
func Example() {
	samples := []string{`
block name="HOST" time100ns=133500000000000000
object 238
  counter 6 PERF_100NSEC_TIMER_INV
  instance "0" : 50000000
`, `
block name="HOST" time100ns=133500000010000000
object 238
  counter 6 PERF_100NSEC_TIMER_INV
  instance "0" : 57500000
`}
	var pool frame.Pool
	var frames [2]frame.Frame
	before := frame.Frame{}
	for i, text := range samples {
		b, err := perfdata.ParseText([]byte(text))
		if err != nil {
			fmt.Println(err)
			return
		}
		raw := winperf.Raw{Format: winperf.FormatV1}
		if raw.Bytes, err = b.Encode(); err != nil {
			fmt.Println(err)
			return
		}
		if frames[i], err = pool.Decode(raw.Sample(), before); err != nil {
			fmt.Println(err)
			return
		}
		before = frames[i]
	}
	var ck frame.Cooker
	if err := ck.Set(frames[0], frames[1], counter.Options{}); err != nil {
		fmt.Println(err)
		return
	}
	for o := range frames[1].Objects() {
		column := ck.Object(o).Column(0)
		for in := range o.Instances() {
			fmt.Println(o.ID().Index, in.Name(), column.Value(in.Position()), column.Unit)
		}
	}
	// Output:
	// 238 0 25 percent
}
