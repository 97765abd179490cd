package experiment

import (
	"context"
	"testing"
)

// A sample of who emits an event ends with either context, however the source waits for that.
func TestUntil(t *testing.T) {
	for _, ends := range []string{"his", "the binding's", "over"} {
		for _, early := range []bool{true, false} {
			ofBinding, cancelBinding := context.WithCancel(t.Context())
			his, cancelHis := context.WithCancel(t.Context())
			u := &until{Context: ofBinding, caller: his}
			var child context.Context
			cancelChild := func() {}
			if early {
				child, cancelChild = context.WithCancel(u)
			}
			if u.Err() != nil {
				t.Errorf("%s: error %v before that", ends, u.Err())
			}
			switch ends {
			case "his":
				cancelHis()
			case "the binding's":
				cancelBinding()
			case "over":
				u.end()
			}
			if !early {
				child, cancelChild = context.WithCancel(u)
			}
			<-u.Done()
			<-child.Done()
			if u.Err() == nil || child.Err() == nil {
				t.Errorf("%s: no error", ends)
			}
			cancelChild()
			cancelHis()
			cancelBinding()
		}
	}
}
