package linuxhost

import (
	"bytes"
	"strings"
)

// The figures of the PhysicalDisk and LogicalDisk objects that the code knows.
// Times are in 100 ns.
const (
	diskReadTime fields = 1 << iota // sum over requests
	diskWriteTime
	diskReadShare  // diskReadTime, of which _Total has the average
	diskWriteShare // diskWriteTime, of which _Total has the average
	diskIdle
	diskQueue // requests in flight
	diskFlushes
	diskClock // the object's clock when the figures were read

	// Of LogicalDisk alone.
	diskSpace // KiB that a full disk holds
	diskFree  // KiB of it that are free
	diskFreeMegabytes
	diskInodes
	diskFreeInodes
)

// diskFromStatfs are the figures that statfs(2) gives, diskFromDiskstats
// those of /proc/diskstats.
const (
	diskFromStatfs    = diskSpace | diskFree | diskFreeMegabytes | diskInodes | diskFreeInodes
	diskFromDiskstats = ^diskFromStatfs
)

// diskColumns is the number of columns of /proc/diskstats that are read.
const diskColumns = 17

// disk is a line of /proc/diskstats. Only its columns are brought up to date
// with the table, the rest when the device is looked at.
type disk struct {
	id         deviceID
	kernelName string
	name       string // the instance's name made of kernelName
	query      uint64 // the last one that saw the line
	columns    [diskColumns]uint64
	n          int // columns that the line has

	settled    uint64 // the last query that settled the values
	identified bool
	identity   uint64 // the device's sequence number, else its own number
	sequence   file   // no name: the kernel gives no sequence numbers
	looked     bool   // the next two are known
	real       bool   // it is a disk, not a partition or something made of disks, of files or of memory
	flushes    bool   // the kernel counts its flushes
	mapper     string // "/dev/mapper/" and its name there

	readTime, writeTime, busy wrapping // in ms
	idleGiven                 uint64   // what was given last, in 100 ns
	values                    values
	inTotal                   values // what the total of PhysicalDisk has seen of it
}

// readColumns reads the columns behind the name.
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
	// leastDiskColumns is what lines have that are worth reading. Partitions
	// had four columns before Linux 2.6.25.
	leastDiskColumns = 11

	// maxInFlight is above any real number of requests in flight. Some kernels
	// show numbers below 0 as very large ones.
	maxInFlight = 1_000_000
)

// settle brings the device's values up to date, once in a query.
func (d *disk) settle(s *session) {
	t := &s.disks
	if d.settled == t.query {
		return
	}

	d.settled = t.query
	v := &d.values
	v.reset()
	if isShort(d.identify(s)) {
		v.failed = diskFromDiskstats // the device of these columns is unknown now
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

	if d.look(s); !d.flushes {
		v.have &^= diskFlushes
	}
	if n := d.columns[9-1]; n <= maxInFlight {
		v.set(diskQueue, n)
	}

	// The kernel keeps times in 32 bits of ms: 49.7 days of requests.
	reading := d.readTime.next(d.columns[4-1])
	writing := d.writeTime.next(d.columns[8-1])
	v.setScaled(diskReadTime, reading, perMillisecond, 1)
	v.setScaled(diskReadShare, reading, perMillisecond, 1)
	v.setScaled(diskWriteTime, writing, perMillisecond, 1)
	v.setScaled(diskWriteShare, writing, perMillisecond, 1)
	v.set(diskClock, t.clock)
	if busy, ok := scaled(d.busy.next(d.columns[10-1]), perMillisecond, 1); ok && busy <= t.boot {
		v.set(diskIdle, hold(&d.idleGiven, t.boot-busy, stepBack*perSecond/s.ticks))
	}
}

// identify finds out whether the device is still the one that it was: numbers
// and names are given anew.
func (d *disk) identify(s *session) error {
	identity, err := d.readIdentity(s)
	if err != nil || d.identified && identity == d.identity {
		return err
	}
	d.identified = true
	d.identity = identity
	d.readTime, d.writeTime, d.busy = wrapping{}, wrapping{}, wrapping{}
	d.idleGiven = 0
	d.inTotal = values{}
	return nil
}

// sequenceFiles hold the sequence number, since Linux 5.15: of a disk, and of
// a partition's disk.
var sequenceFiles = [...]string{"diskseq", "../diskseq"}

// readIdentity fails only with an ErrShort.
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

// uniqueID returns an identity as an instance has it.
func uniqueID(identity uint64) int32 { return int32(identity & (1<<31 - 1)) }

// isDisk tells whether the device is a disk: it has a link to the device that
// it is.
func (d *disk) isDisk(s *session) bool {
	d.look(s)
	return d.real
}

// look finds out once what the device is. Flushes are counted where requests
// are put into the queues of the device, of which there is a directory; for
// partitions, and for most of what is put together of disks, the kernel shows a 0
// that never moves.
func (d *disk) look(s *session) {
	if d.looked {
		return
	}
	var err, errFlushes error
	d.real, err = s.exists(d.id.directory() + "device")
	d.flushes, errFlushes = s.exists(d.id.directory() + "mq")
	d.looked = err == nil && errFlushes == nil
}

// mapperName returns the device's name in /dev/mapper, with that directory, ""
// if it has none.
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
