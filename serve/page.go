package serve

import (
	"bytes"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// maxPage is how much text of one scrape is kept in memory, so that its view is free for
// others before the client has read it. Longer texts are written as they are made.
const maxPage = 8 << 20

// lineSize is about what a series takes in a text.
const lineSize = 80

// page is the text of one scrape. Those who ask for the same at the same time share it. It
// does not change, and its memory is used again when nobody holds it.
type page struct {
	text  *bytes.Buffer
	made  time.Time
	users atomic.Int32
	pool  *sync.Pool // of *bytes.Buffer
}

func (p *page) hold() *page {
	p.users.Add(1)
	return p
}

// release gives up one hold; nil holds nothing.
func (p *page) release() {
	if p != nil && p.users.Add(-1) == 0 {
		p.pool.Put(p.text)
		p.text = nil
	}
}

// pageWriter gathers text up to a bound and then hands it on.
type pageWriter struct {
	to    io.Writer
	text  *bytes.Buffer // nil once the text is long
	pool  *sync.Pool
	whole int64 // bytes so far
	long  bool  // it was handed on, and so is what comes
}

// newPageWriter returns one for the text of so many series. It gathers nothing where they are too many
// for a page: what was gathered before that shows would take twice the page's memory for nothing.
func newPageWriter(to io.Writer, pool *sync.Pool, series int) *pageWriter {
	w := &pageWriter{to: to, pool: pool, long: series > maxPage/lineSize}
	if !w.long {
		w.text = pool.Get().(*bytes.Buffer)
		w.text.Reset()
	}
	return w
}

// Write implements io.Writer.
func (w *pageWriter) Write(p []byte) (int, error) {
	w.whole += int64(len(p))
	if !w.long && w.text.Len()+len(p) > maxPage {
		text := w.text
		w.text, w.long = nil, true // the collector gets what grew so large
		if _, err := w.to.Write(text.Bytes()); err != nil {
			return 0, err
		}
	}
	if w.long {
		return w.to.Write(p)
	}
	return w.text.Write(p)
}

// drop gives back the memory of a text that nobody gets.
func (w *pageWriter) drop() {
	if w.text != nil {
		w.pool.Put(w.text)
	}
	w.text = nil
}
