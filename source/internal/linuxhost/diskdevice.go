package linuxhost

import (
	"bytes"
	"strings"
)

// Fields that the code sets. Times are in 100 ns.
const (
	diskReadTime fields = 1 << iota // sum over requests
	diskWriteTime
	diskReadShare  // diskReadTime, averaged in _Total
	diskWriteShare // diskWriteTime, averaged in _Total
	diskIdle
	diskQueue // requests in progress
	diskFlushes
	diskClock // object clock of the reading

	// Only in LogicalDisk:
	diskSpace // KiB, used and available
	diskFree  // KiB, available
	diskFreeMegabytes
	diskInodes
	diskFreeInodes
)

const (
	diskFromStatfs    = diskSpace | diskFree | diskFreeMegabytes | diskInodes | diskFreeInodes
	diskFromDiskstats = ^diskFromStatfs
)

const diskColumns = 17

// disk is a line of /proc/diskstats. The table reads the columns; update computes the rest.
type disk struct {
	id         deviceID
	kernelName string
	name       string
	query      uint64 // the last query that read the line
	columns    [diskColumns]uint64
	n          int

	updated    uint64 // the last query that updated values
	identified bool
	identity   uint64 // sequence number, else device number
	sequence   file   // no name if the kernel has none
	detected   bool   // real and flushes are known
	real       bool   // not a partition, and not made of disks, files or memory
	flushes    bool   // flushes are counted
	mapper     string // path in /dev/mapper

	readTime, writeTime, busy wrapping // in ms
	idleReported              uint64   // in 100 ns
	values                    values
	inTotal                   values
}

// readColumns reads the columns after the name.
func (d *disk) readColumns(line []byte) {
	for d.n = 0; d.n < diskColumns; d.n++ {
		var word []byte
		word, line = cutWord(line)
		n, ok := decimal(word)
		if !ok {
			return
		}
		d.columns[d.n] = n
	}
}

const (
	// Partitions had four columns before Linux 2.6.25.
	leastDiskColumns = 11

	// maxInFlight is a plausibility limit. Some kernels show negative numbers as very large ones.
	maxInFlight = 1_000_000
)

// update computes the values from the columns, once per query.
func (d *disk) update(s *session) {
	t := &s.disks
	if d.updated == t.query {
		return
	}

	d.updated = t.query
	v := &d.values
	v.reset()
	if isShort(d.identify(s)) {
		v.failed = diskFromDiskstats // the device is unknown
		return
	}

	if d.n < leastDiskColumns {
		return
	}
	for i := range t.table.keys {
		if k := &t.table.keys[i]; k.column <= d.n {
			v.setScaled(k.fields, d.columns[k.column-1], s.ratios[k.unit].num, s.ratios[k.unit].den)
		}
	}

	if d.detect(s); !d.flushes {
		v.have &^= diskFlushes
	}
	if n := d.columns[9-1]; n <= maxInFlight {
		v.set(diskQueue, n)
	}

	// The kernel keeps these times in ms with 32 bits. They wrap after 49.7 days.
	reading := d.readTime.next(d.columns[4-1])
	writing := d.writeTime.next(d.columns[8-1])
	v.setScaled(diskReadTime, reading, perMillisecond, 1)
	v.setScaled(diskReadShare, reading, perMillisecond, 1)
	v.setScaled(diskWriteTime, writing, perMillisecond, 1)
	v.setScaled(diskWriteShare, writing, perMillisecond, 1)
	v.set(diskClock, t.clock)
	if busy, ok := scaled(d.busy.next(d.columns[10-1]), perMillisecond, 1); ok && busy <= t.sinceBoot {
		v.set(diskIdle, hold(&d.idleReported, t.sinceBoot-busy, maxDecrease*perSecond/s.ticks))
	}
}

// identify resets the state if the number or name now belongs to another device.
func (d *disk) identify(s *session) error {
	identity, err := d.readIdentity(s)
	if err != nil || d.identified && identity == d.identity {
		return err
	}
	d.identified = true
	d.identity = identity
	d.readTime, d.writeTime, d.busy = wrapping{}, wrapping{}, wrapping{}
	d.idleReported = 0
	d.inTotal = values{}
	return nil
}

// sequenceFiles of a disk and a partition exist since Linux 5.15.
var sequenceFiles = [...]string{"diskseq", "../diskseq"}

// readIdentity returns the sequence number, else the device number. It fails only with an ErrShort.
func (d *disk) readIdentity(s *session) (uint64, error) {
	if d.identified && d.sequence.name != "" {
		if n, err := s.readNumber(&d.sequence); err == nil || isShort(err) {
			return n, err
		}
	}

	if !d.identified {
		for _, name := range sequenceFiles {
			d.sequence.name = d.id.directory() + name
			if n, err := s.readNumber(&d.sequence); err == nil || isShort(err) {
				return n, err
			}
		}
		d.sequence.name = ""
	}
	return uint64(d.id), nil
}

func uniqueID(identity uint64) int32 { return int32(identity & (1<<31 - 1)) }

// isDisk reports whether the device has a link named device.
func (d *disk) isDisk(s *session) bool {
	d.detect(s)
	return d.real
}

// detect sets real and flushes, once. The kernel counts flushes only for devices with the directory mq;
// for others it shows a constant 0.
func (d *disk) detect(s *session) {
	if d.detected {
		return
	}
	var err, errFlushes error
	d.real, err = s.exists(d.id.directory() + "device")
	d.flushes, errFlushes = s.exists(d.id.directory() + "mq")
	d.detected = err == nil && errFlushes == nil
}

func (d *disk) mapperName(s *session) string {
	if d.mapper == "" && strings.HasPrefix(d.kernelName, "dm-") {
		name, err := s.readOnce(d.id.directory() + "dm/name")
		if isShort(err) {
			return ""
		}
		d.mapper = "/dev/mapper/" + string(bytes.TrimSpace(name))
	}
	return d.mapper
}
