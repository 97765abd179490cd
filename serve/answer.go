package serve

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
)

// maxAnswers limits the memory of unread answers, in bytes.
const maxAnswers = 40 << 20

// maxPlain is the largest uncompressed answer in memory, in bytes. Longer ones are compressed even
// for clients without gzip.
const maxPlain = 8 << 20

// lineSize is the approximate length of a line.
const lineSize = 80

const chunkSize = 64 << 10

// answers is the memory of unread answers. The zero value is ready for use.
type answers struct {
	kept   atomic.Int64
	chunks sync.Pool // of *[chunkSize]byte
}

// errAnswers reports that the memory for answers is used up.
var errAnswers = fmt.Errorf("clients have not read %d MB of answers: accept gzip, or request fewer objects",
	maxAnswers>>20)

// answer is the text of one scrape, kept until the client has read it.
type answer struct {
	pool   *answers
	gzip   bool // the client accepts it
	chunks []*[chunkSize]byte
	last   int   // bytes in the last chunk
	text   int64 // length of the text
	packed bool  // the chunks are compressed

	zip *gzip.Writer // between begin and end
}

// begin prepares the answer for a number of series. The answer uses zip until end.
func (a *answer) begin(zip *gzip.Writer, series int) error {
	a.zip = zip
	if a.gzip || series > maxPlain/lineSize {
		return a.pack()
	}
	return nil
}

// Write implements io.Writer.
func (a *answer) Write(p []byte) (int, error) {
	a.text += int64(len(p))
	if !a.packed && a.text > maxPlain {
		if err := a.pack(); err != nil {
			return 0, err
		}
	}
	if a.packed {
		return a.zip.Write(p)
	}
	return a.keep(p)
}

// pack compresses the text, and all text written later.
func (a *answer) pack() error {
	plain := answer{pool: a.pool, chunks: a.chunks, last: a.last}
	defer plain.release()
	a.chunks, a.last, a.packed = nil, 0, true
	a.zip.Reset(keeper(a.keep))
	_, err := plain.WriteTo(a.zip)
	return err
}

func (a *answer) end() error {
	if !a.packed {
		return nil
	}
	err := a.zip.Close()
	a.zip.Reset(io.Discard)
	return err
}

// keeper is a function as an io.Writer.
type keeper func([]byte) (int, error)

// Write implements io.Writer.
func (k keeper) Write(p []byte) (int, error) { return k(p) }

func (a *answer) keep(p []byte) (n int, err error) {
	for n < len(p) {
		if len(a.chunks) == 0 || a.last == chunkSize {
			if a.pool.kept.Add(chunkSize) > maxAnswers {
				a.pool.kept.Add(-chunkSize)
				return n, errAnswers
			}
			chunk, ok := a.pool.chunks.Get().(*[chunkSize]byte)
			if !ok {
				chunk = new([chunkSize]byte)
			}
			a.chunks, a.last = append(a.chunks, chunk), 0
		}
		wrote := copy(a.chunks[len(a.chunks)-1][a.last:], p[n:])
		a.last += wrote
		n += wrote
	}
	return n, nil
}

// WriteTo implements io.WriterTo: it writes the chunks.
func (a *answer) WriteTo(w io.Writer) (n int64, err error) {
	for i := range a.chunks {
		wrote, err := w.Write(a.chunk(i))
		n += int64(wrote)
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// chunk returns the used bytes of chunk i.
func (a *answer) chunk(i int) []byte {
	if i == len(a.chunks)-1 {
		return a.chunks[i][:a.last]
	}
	return a.chunks[i][:]
}

func (a *answer) size() int { return max(0, len(a.chunks)-1)*chunkSize + a.last }

// plain returns a reader of the uncompressed text of a packed answer.
func (a *answer) plain() (io.Reader, error) {
	var parts []io.Reader
	for i := range a.chunks {
		parts = append(parts, bytes.NewReader(a.chunk(i)))
	}
	return gzip.NewReader(io.MultiReader(parts...))
}

func (a *answer) release() {
	for _, chunk := range a.chunks {
		a.pool.chunks.Put(chunk)
		a.pool.kept.Add(-chunkSize)
	}
	a.chunks, a.last = nil, 0
}
