package prometheus

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/winperf/winperf/sink/metrics"
)

// runBuffer is the number of bytes of a run that are read at once.
const runBuffer = 16 << 10

// spill writes the waiting values to the temporary file.
func (b *Backfill) spill() error {
	if b.spool == nil {
		spool, err := b.spoolFile()
		if err != nil {
			return err
		}
		b.spool = spool
	}

	at := int64(0)
	if n := len(b.runs); n > 0 {
		at = b.runs[n-1].at + b.runs[n-1].size
	}
	to := &counting{w: b.spool}
	if err := b.sorter.write(bufio.NewWriterSize(to, bufferSize), b.families); err != nil {
		return err
	}

	b.runs = append(b.runs, run{at, to.n})
	b.values, b.used = b.values[:0], 0
	return nil
}

type counting struct {
	w io.Writer
	n int64
}

func (c *counting) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// Close writes the text and closes the temporary file. It does not close the underlying writer. It
// returns the first error of both or of Add. Closing again returns the same error.
func (b *Backfill) Close() error {
	if b.closed {
		return b.err
	}

	b.closed = true
	if b.err == nil {
		b.err = b.write()
	}
	if b.spool != nil {
		b.err = errors.Join(b.err, b.spool.Close())
		b.spool = nil
	}
	return b.err
}

// write merges the runs into one text. Without a temporary file the only run is in memory.
func (b *Backfill) write() error {
	var readers []*runReader
	if b.spool == nil {
		var memory bytes.Buffer
		if err := b.sorter.write(bufio.NewWriter(&memory), b.families); err != nil {
			return err
		}
		readers = append(readers, &runReader{from: bufio.NewReader(&memory)})
	} else {
		if err := b.spill(); err != nil {
			return err
		}
		for _, p := range b.runs {
			from := io.NewSectionReader(b.spool, p.at, p.size)
			readers = append(readers, &runReader{from: bufio.NewReaderSize(from, runBuffer)})
		}
	}
	b.values = nil

	b.out.begin(b.to)
	if err := b.merge(readers); err != nil {
		return err
	}
	b.out.write([]byte(endOfText))
	return b.out.end()
}

// merge writes series by series. The runs follow each other in time.
func (b *Backfill) merge(readers []*runReader) error {
	for _, r := range readers {
		if err := r.next(); err != nil {
			return err
		}
	}

	last := key{family: -1}
	for b.out.err == nil {
		first, ok := least(readers)
		if !ok {
			return nil
		}
		if !b.knows(first) {
			return damaged(fmt.Errorf("unknown series %v", first))
		}

		if first.family != last.family {
			b.out.write(appendHead(nil, &b.families[first.family].Family, OpenMetrics))
		}
		last = first
		if err := b.series(first, readers); err != nil {
			return err
		}
	}
	return b.out.err
}

// knows reports whether k is the key of a series.
func (b *Backfill) knows(k key) bool {
	return uint(k.family) < uint(len(b.families)) && uint(k.labels) < uint(b.labels.Len()) &&
		uint(k.track) < uint(len(b.families[k.family].tracks))
}

func least(readers []*runReader) (k key, ok bool) {
	for _, r := range readers {
		if !r.ended && (!ok || r.key.compare(k) < 0) {
			k, ok = r.key, true
		}
	}
	return k, ok
}

func (b *Backfill) series(k key, readers []*runReader) error {
	track := b.families[k.family].tracks[k.track]
	labels := b.labels.At(k.labels)
	before := int64(math.MinInt64)

	for _, r := range readers {
		if r.ended || r.key != k {
			continue
		}

		for r.points > 0 {
			if err := r.point(); err != nil {
				return err
			}
			if r.last.milli <= before {
				b.outOfOrder++
				continue
			}
			before = r.last.milli
			b.point(track, &r.last, labels)
		}

		if err := r.next(); err != nil {
			return err
		}
	}
	return nil
}

func (b *Backfill) point(t *track, p *point, labels []byte) {
	for i, form := range p.forms {
		if form == 0 {
			continue
		}

		start := &t.starts[i]
		text := b.out.text
		need := len(start.labelled) + len(labels) + 2*maxNumber + len(" \n")
		if need > cap(text)-len(text) {
			text = b.out.more(text, need)
		}
		text = start.append(text, labels)
		text = appendValue(text, metrics.Form(form-1), p.values[i])
		text = append(text, ' ')
		text = appendSeconds(text, p.milli)
		b.out.text = append(text, '\n')
	}
}
