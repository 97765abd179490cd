package linuxhost

import (
	"strconv"
)

// deviceID is a device number: 12 bits major, 20 bits minor.
type deviceID uint32

const minorBits = 20

func parseDeviceID(major, minor []byte) (deviceID, bool) {
	m, okMajor := decimal(major)
	n, okMinor := decimal(minor)
	ok := okMajor && okMinor && m < 1<<(32-minorBits) && n < 1<<minorBits
	return deviceID(m<<minorBits | n), ok
}

func (id deviceID) directory() string {
	major, minor := id>>minorBits, id&(1<<minorBits-1)
	return "sys/dev/block/" + strconv.Itoa(int(major)) + ":" + strconv.Itoa(int(minor)) + "/"
}

// diskTable is /proc/diskstats (kernel documentation, "I/O statistics fields").
type diskTable struct {
	table *fileTable
	query uint64
	clock uint64 // object clock of the reading, a FILETIME
	// sinceBoot is the same moment in 100 ns since boot.
	sinceBoot uint64
	err       error
	disks     []*disk
	known     map[deviceID]*disk
}

func newDiskTable() diskTable {
	return diskTable{table: specOf("PhysicalDisk").files[0], known: map[deviceID]*disk{}}
}

// read reads the file once per query.
func (t *diskTable) read(s *session) error {
	if t.query == s.queries {
		return t.err
	}
	t.query = s.queries
	t.disks = t.disks[:0]
	sinceBoot := s.now().Boot / 100
	t.clock = uint64(s.boot + sinceBoot)
	t.sinceBoot = uint64(sinceBoot)
	var text []byte
	if text, t.err = s.shared(t.table.name); t.err != nil {
		return t.err
	}

	for line := range lines(text) {
		t.readLine(s, line)
	}

	if len(t.known) > len(t.disks) {
		t.forget(s)
	}
	return nil
}

// readLine reads "major minor name column column ...".
func (t *diskTable) readLine(s *session, line []byte) {
	major, line := cutWord(line)
	minor, line := cutWord(line)
	name, line := cutWord(line)
	id, ok := parseDeviceID(major, minor)
	if !ok || len(name) == 0 {
		return
	}

	d := t.known[id]
	switch {
	case d == nil:
		d = &disk{id: id}
		t.known[id] = d
	case d.query == t.query:
		return // duplicate
	}

	if d.kernelName != string(name) {
		s.close(&d.sequence.h)
		*d = disk{id: id, kernelName: string(name), name: instanceName(name)}
	}

	d.query = t.query
	d.readColumns(line)
	t.disks = append(t.disks, d)
}

func (t *diskTable) forget(s *session) {
	for id, d := range t.known {
		if d.query != t.query {
			s.close(&d.sequence.h)
			delete(t.known, id)
		}
	}
}

// device returns a device or nil.
func (t *diskTable) device(id deviceID) *disk {
	if d := t.known[id]; d != nil && d.query == t.query {
		return d
	}
	return nil
}

// named returns the device with a path in /dev or /dev/mapper, or nil.
func (t *diskTable) named(s *session, name string) *disk {
	for _, d := range t.disks {
		if name == "/dev/"+d.kernelName || d.mapperName(s) == name {
			return d
		}
	}
	return nil
}
