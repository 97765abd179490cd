package perftest

// Size is the size of a reference block.
type Size int

// The sizes, with rounded numbers; see [Size.Count].
const (
	Small   Size = iota // a query for a few objects: 10 objects, 17 KB
	Desktop             // all objects of a desktop: 120 objects, 7,000 instances, 86,000 values, 1.1 MB
	Huge                // of a large server: 207 objects, 77,500 instances, 1,450,000 values, 14 MB
	Crowded             // a desktop with 6 times as much of each: 41,000 instances, 531,000 values, 6.2 MB
)

// Sizes are the sizes for benchmarks.
var Sizes = [...]Size{Small, Desktop, Huge}

// shape is the content of a block of one size. Other objects have the rest after Process and
// Thread.
type shape struct {
	name                       string
	objects, instances, values int
	processes, threads         int // with Idle, without _Total
}

var shapes = [...]shape{
	Small:   {"small", 10, 90, 1100, 20, 30},
	Desktop: {"desktop", 120, 7_000, 86_000, 200, 2_400},
	Huge:    {"huge", 207, 77_500, 1_450_000, 2_000, 30_000},
	Crowded: {"crowded", 120, 41_000, 531_500, 1_200, 14_400},
}

// String returns "small", "desktop", "huge" or "crowded".
func (s Size) String() string { return shapes[s].name }

// Count returns the numbers of objects and instances of the block, and the approximate number of
// values.
func (s Size) Count() (objects, instances, values int) {
	return shapes[s].objects, shapes[s].instances, shapes[s].values
}
