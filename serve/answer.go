package serve

import (
	"fmt"
	"io"
	"net"
	"slices"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// maxAnswers bounds the memory of all answers that clients have not read, in bytes.
const maxAnswers = 64 << 20

// maxPlain is the length of an answer that memory holds uncompressed, in bytes. Longer ones are compressed there
// for clients that do not take gzip, too.
const maxPlain = 8 << 20

// lineSize is about the length of the text of a series.
const lineSize = 80

// errAnswers says that there is no memory for another answer.
var errAnswers = fmt.Errorf("clients have not read %d MB of answers: take gzip, or ask for a part", maxAnswers>>20)

// answer is the text of one scrape in memory. It is written with the turn, and read without it.
type answer struct {
	chunks [][]byte // of chunkSize each: memory that grows by copying takes much more
	size   int      // of the chunks
	zipped bool     // the client takes gzip
	packed bool     // the chunks are compressed
	text   int64    // length of the text

	free *sync.Pool   // of *[chunkSize]byte: without it a scrape takes twice as long
	zip  *gzip.Writer // of the exporter, used until end
}

const chunkSize = 64 << 10

// body returns a reader of the chunks.
func (a *answer) body() *net.Buffers {
	chunks := net.Buffers(slices.Clone(a.chunks))
	return &chunks
}

// release gives the memory back.
func (a *answer) release() {
	for _, chunk := range a.chunks {
		a.free.Put((*[chunkSize]byte)(chunk[:chunkSize]))
	}
	a.chunks, a.size = nil, 0
}

// begin makes the answer ready for the text of about so many series.
func (a *answer) begin(zip *gzip.Writer, series int) {
	a.zip = zip
	if a.zipped || series > maxPlain/lineSize {
		a.pack()
	}
}

// Write implements io.Writer.
func (a *answer) Write(p []byte) (int, error) {
	a.text += int64(len(p))
	if !a.packed && a.text > maxPlain {
		plain := answer{chunks: a.chunks, free: a.free}
		defer plain.release()
		a.pack()
		if _, err := plain.body().WriteTo(a.zip); err != nil {
			return 0, err
		}
	}
	if a.packed {
		return a.zip.Write(p)
	}
	return a.keep(p)
}

// pack compresses the text from here on.
func (a *answer) pack() {
	a.packed, a.chunks, a.size = true, nil, 0
	a.zip.Reset(keeper(a.keep))
}

// keeper is the function that an io.Writer is.
type keeper func([]byte) (int, error)

// Write implements io.Writer.
func (k keeper) Write(p []byte) (int, error) { return k(p) }

// keep appends to the chunks.
func (a *answer) keep(p []byte) (int, error) {
	a.size += len(p)
	for rest := p; len(rest) > 0; {
		if n := len(a.chunks); n == 0 || len(a.chunks[n-1]) == chunkSize {
			chunk, ok := a.free.Get().(*[chunkSize]byte)
			if !ok {
				chunk = new([chunkSize]byte)
			}
			a.chunks = append(a.chunks, chunk[:0])
		}
		last := &a.chunks[len(a.chunks)-1]
		n := min(len(rest), chunkSize-len(*last))
		*last, rest = append(*last, rest[:n]...), rest[n:]
	}
	return len(p), nil
}

// end completes the answer.
func (a *answer) end() error {
	if !a.packed {
		return nil
	}
	err := a.zip.Close()
	a.zip.Reset(io.Discard)
	return err
}

// plain returns a reader of the text of a packed answer.
func (a *answer) plain() (io.Reader, error) { return gzip.NewReader(a.body()) }
