//go:build js && wasm

// Onepage answers the requests of docs/view.md in a browser, for the page that needs no server. It runs in a
// worker (worker.js), which calls the functions of the global object winperf and provides the opened
// files (files.js).
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"runtime/debug"
	"sync"
	"syscall"
	"syscall/js"
	_ "time/tzdata" // browsers have no zone database

	"github.com/winperf/winperf/source"
	"github.com/winperf/winperf/view"
	"github.com/winperf/winperf/view/web/internal/api"
)

// Limits in bytes.
const (
	softLimit     = 192 << 20 // of the memory that the program tries to stay within
	fileLimit     = 1e9
	unpackedLimit = 256e6 // of a file that was compressed
)

func main() {
	debug.SetMemoryLimit(softLimit)
	js.Global().Get("fs").Set("limit", unpackedLimit)
	v, err := view.New(context.Background(), nil, view.Options{})
	if err != nil {
		panic(err)
	}
	p := &program{view: v, reply: js.Global().Get("reply"), cancel: map[int]context.CancelFunc{}}

	js.Global().Set("winperf", map[string]any{
		"open": js.FuncOf(func(_ js.Value, args []js.Value) any {
			name := args[1].String()
			return p.start(args[0].Int(), func(ctx context.Context) (any, error) { return p.open(ctx, name) })
		}),
		"ask": js.FuncOf(func(_ js.Value, args []js.Value) any {
			name, query := args[1].String(), args[2].String()
			return p.start(args[0].Int(), func(ctx context.Context) (any, error) { return p.ask(ctx, name, query) })
		}),
		"abort": js.FuncOf(func(_ js.Value, args []js.Value) any {
			return p.stop(args[0].Int())
		}),
	})

	js.Global().Call("ready")
	select {}
}

type program struct {
	view  *view.View
	reply js.Value // reply(id, status, text) sends the answer to the page

	mu     sync.Mutex
	cancel map[int]context.CancelFunc // of running requests
}

// start runs work for a request and returns at once.
func (p *program) start(id int, work func(context.Context) (any, error)) any {
	ctx, cancel := context.WithCancel(context.Background())
	p.mu.Lock()
	p.cancel[id] = cancel
	p.mu.Unlock()
	go func() {
		defer p.stop(id)
		answer, err := work(ctx)
		var text []byte
		if err == nil {
			text, err = json.Marshal(answer)
		}

		if err != nil {
			p.reply.Invoke(id, api.Status(err), err.Error())
			return
		}
		const ok = 200
		p.reply.Invoke(id, ok, string(text))
	}()
	return nil
}

// stop ends a request.
func (p *program) stop(id int) any {
	p.mu.Lock()
	defer p.mu.Unlock()
	if cancel := p.cancel[id]; cancel != nil {
		cancel()
		delete(p.cancel, id)
	}
	return nil
}

// open adds a log and returns the id of the source.
func (p *program) open(ctx context.Context, file string) (id string, err error) {
	defer func() {
		if err != nil {
			_ = os.Remove(file) // frees the memory
		}
	}()

	info, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	if n := info.Size(); n > fileLimit {
		const form = "%s has %.1f GB, and this page opens at most %g GB: use winperf view"
		return "", fmt.Errorf(form, file, float64(n)/1e9, fileLimit/1e9)
	}

	src, err := source.OpenLog(ctx, file, source.Options{})
	if errors.Is(err, syscall.EFBIG) {
		const form = "%s has more than %g MB when it is unpacked: unpack it first, or use winperf view"
		return "", fmt.Errorf(form, file, unpackedLimit/1e6)
	}
	if errors.Is(err, fs.ErrNotExist) { // although the page has a file of this name
		return "", fmt.Errorf("%s cannot be read: it is a directory, or was removed", file)
	}
	if err != nil {
		return "", err
	}
	return p.view.Add(ctx, view.Source{Name: file, Source: src})
}

// cancelRequest is the name of the request that ends the reading of a log. Its query is the id of the source.
const cancelRequest = "cancel"

func (p *program) ask(ctx context.Context, name, query string) (any, error) {
	if name == cancelRequest {
		return nil, p.view.Cancel(query)
	}
	q, err := url.ParseQuery(query)
	if err != nil {
		return nil, err
	}
	return api.Answer(ctx, p.view, name, q)
}
