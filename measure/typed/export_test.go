package typed

// Plan is what a Reader fills its rows by.
type Plan[T any] = filler[T]

// NewPlan makes the plan of a struct.
func NewPlan[T any]() (*Plan[T], error) { return newFiller[T]() }
