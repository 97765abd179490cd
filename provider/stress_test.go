package provider_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winperf/winperf/provider"
)

// actor is a provider whose calls follow a script. It notes what it does.
type actor struct {
	*fake
	t       *testing.T
	script  choices
	layout  *provider.Layout
	whole   []byte // its object, as it is right
	bad     int    // calls that had to be reported
	told    int    // problems that were reported
	running bool
	serves  bool // in the query at hand

	mu    sync.Mutex
	until time.Time // it must not be asked before
}

// act is what an actor may do in one call; it returns whether that is right.
type act func(a *actor, ctx context.Context, w *provider.Writer) (good bool, err error)

// acts are right the more often the more the script is zeros.
var acts = []act{
	func(a *actor, _ context.Context, w *provider.Writer) (bool, error) { a.write(w); return true, nil },
	func(a *actor, _ context.Context, w *provider.Writer) (bool, error) {
		time.Sleep(time.Second)
		a.write(w)
		return true, nil
	},
	func(*actor, context.Context, *provider.Writer) (bool, error) { return false, errBoom },
	func(a *actor, _ context.Context, w *provider.Writer) (bool, error) { a.write(w); panic(errBoom) },
	func(a *actor, _ context.Context, w *provider.Writer) (bool, error) {
		w.Object(a.layout)
		return false, nil
	},
	func(a *actor, _ context.Context, w *provider.Writer) (bool, error) {
		a.write(w)
		a.write(w)
		return false, nil
	},
	func(a *actor, _ context.Context, w *provider.Writer) (bool, error) {
		writeEndless(w.Object(a.layout))
		return false, nil
	},
	func(a *actor, ctx context.Context, w *provider.Writer) (bool, error) {
		a.write(w)
		<-ctx.Done()
		return false, ctx.Err()
	},
	func(a *actor, _ context.Context, w *provider.Writer) (bool, error) {
		time.Sleep(2*time.Second + time.Duration(1+a.script.next(256))*time.Second/100)
		a.write(w)
		return false, nil
	},
	func(a *actor, _ context.Context, w *provider.Writer) (bool, error) {
		time.Sleep(time.Duration(10+a.script.next(100)) * time.Second)
		writeEndless(w.Object(a.layout))
		return false, nil
	},
	func(a *actor, _ context.Context, w *provider.Writer) (bool, error) {
		other := *a.layout.Object()
		other.Index += 1000
		l, err := provider.NewLayout(&other, nil)
		if err == nil {
			o := w.Object(l)
			o.End()
		}
		return false, err
	},
}

// newActor returns an actor with an object of its own.
func newActor(t *testing.T, i int, script choices) *actor {
	o := peer()
	o.Index, o.Name = uint32(2+2*i), fmt.Sprint("Object ", i)
	a := &actor{t: t, script: script, layout: layout(t, o)}
	a.fake = &fake{name: o.Name, objects: []*provider.Object{o}}
	d := newDispatcher(t, bounds(), writes(a.write, a.layout))
	block := collect(t, d, nil)
	a.whole = block[field(block, 24):]
	a.open = func(ctx context.Context) error {
		a.begin()
		defer a.end()
		switch a.script.next(6) {
		case 4:
			a.bad++
			return errBoom
		case 5:
			a.bad++
			<-ctx.Done()
		}
		return nil
	}
	a.collect = func(ctx context.Context, _ *provider.Query, w *provider.Writer) error {
		a.begin()
		defer a.end()
		a.bad++ // unless what follows is right
		good, err := acts[a.script.next(len(acts))](a, ctx, w)
		if good {
			a.bad--
			a.serves = true
		}
		return err
	}
	return a
}

// write writes the actor's object as it is right.
func (a *actor) write(w *provider.Writer) {
	o := w.Object(a.layout)
	for i := range a.layout.Object().Index {
		o.Instance(provider.Instance{Name: fmt.Sprint("instance ", i)})
		o.Set(0, uint64(i))
	}
	o.End()
}

func (a *actor) begin() {
	if a.running {
		a.t.Errorf("%s is asked while it is busy", a.name)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := time.Now(); now.Before(a.until) {
		a.t.Errorf("%s is asked %v too early", a.name, a.until.Sub(now))
	}
	a.running = true
}

func (a *actor) end() { a.running = false }

// FuzzMisbehaviour: any number of providers that misbehave in any order. Every
// block holds, byte for byte and in order, the objects of just those that did
// what is right; no query takes longer than the bounds; every misdeed is
// reported once and followed by a pause.
func FuzzMisbehaviour(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{3, 0, 0, 2, 0, 9, 0, 7, 0, 0, 0, 8, 0, 6, 0, 0, 0, 3})
	noise := make([]byte, 600)
	for seed := range 8 {
		x := uint32(seed)
		for i := range noise {
			x = x*1664525 + 1013904223
			noise[i] = byte(x >> 24)
		}
		f.Add(bytes.Clone(noise))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		synctest.Test(t, func(t *testing.T) { checkMisbehaviour(t, data) })
	})
}

func checkMisbehaviour(t *testing.T, data []byte) {
	script := choices(data)
	n := 1 + script.next(6)
	actors := map[string]*actor{}
	var list []provider.Provider
	var order []*actor
	for i := range n {
		part := len(script) * i / n
		a := newActor(t, i, script[part:len(script)*(i+1)/n])
		actors[a.name] = a
		list, order = append(list, a), append(order, a)
	}
	opt := bounds()
	opt.OnProblem = func(p provider.Problem) {
		a := actors[p.Provider]
		a.told++
		a.mu.Lock()
		defer a.mu.Unlock()
		a.until = time.Now().Add(p.Pause)
	}
	d := newDispatcher(t, opt, list...)
	var buf []byte
	for i := range 30 {
		for _, a := range order {
			a.serves = false
		}
		start := time.Now()
		buf = collect(t, d, append(buf[:0], "keep"...))
		// 3 s to open, 2 s to collect, and their graces
		if took := time.Since(start); took > 5200*time.Millisecond {
			t.Errorf("query %d took %v", i, took)
		}
		want := []byte{}
		for _, a := range order {
			if a.serves {
				want = append(want, a.whole...)
			}
		}
		decode(t, buf[4:])
		if got := buf[4+field(buf[4:], 24):]; !bytes.HasPrefix(buf, []byte("keep")) ||
			!bytes.Equal(got, want) {
			t.Fatalf("query %d: objects\n%q, want\n%q", i, got, want)
		}
		time.Sleep(50 * time.Millisecond << (i % 8))
	}
	time.Sleep(time.Hour) // until all have returned
	synctest.Wait()
	for _, a := range order {
		if a.told != a.bad || a.running {
			t.Errorf("%s did wrong %d times, reported were %d; still running: %v", a.name, a.bad,
				a.told, a.running)
		}
	}
}
