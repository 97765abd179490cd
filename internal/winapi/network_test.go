package winapi

import (
	"errors"
	"net/netip"
	"reflect"
	"testing"
	"unsafe"

	"github.com/winperf/winperf"
)

// put writes bytes into a memory and returns their address.
func put(m Memory, off int, data ...byte) uintptr {
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&m[0])), m.Bytes())[off:], data)
	return m.base() + uintptr(off)
}

// puts writes a text in UTF-16 with a NUL.
func puts(m Memory, off int, text string) uintptr {
	var data []byte
	for _, c := range text + "\x00" {
		data = append(data, byte(c), 0)
	}
	return put(m, off, data...)
}

// adapters are two adapters in a memory; the first has an address of each kind and family.
func adapters() Memory {
	m := make(Memory, 128)
	heap = m
	first := (*IP_ADAPTER_ADDRESSES_LH)(unsafe.Pointer(&m[0]))
	second := (*IP_ADAPTER_ADDRESSES_LH)(unsafe.Pointer(&m[20]))
	unicast := (*IP_ADAPTER_ANYCAST_ADDRESS_XP)(unsafe.Pointer(&m[40]))
	next := (*IP_ADAPTER_ANYCAST_ADDRESS_XP)(unsafe.Pointer(&m[45]))
	anycast := (*IP_ADAPTER_ANYCAST_ADDRESS_XP)(unsafe.Pointer(&m[50]))

	*unicast = IP_ADAPTER_ANYCAST_ADDRESS_XP{Next: m.base() + 8*45,
		Address: SOCKET_ADDRESS{put(m, 440, 2, 0, 0, 0, 192, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0), 16}}
	*next = IP_ADAPTER_ANYCAST_ADDRESS_XP{Address: SOCKET_ADDRESS{put(m, 460, 17, 0), 16}} // neither family
	*anycast = IP_ADAPTER_ANYCAST_ADDRESS_XP{Address: SOCKET_ADDRESS{put(m, 480, 23, 0, 0, 0, 0, 0, 0, 0,
		0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0), 28}}

	*first = IP_ADAPTER_ADDRESSES_LH{Next: m.base() + 8*20, Description: puts(m, 600, "NIC (1)"),
		FriendlyName: puts(m, 700, "Ethernet"), PhysicalAddress: [8]byte{1, 2, 3, 4, 5, 6},
		PhysicalAddressLength: 6, OperStatus: 1,
		FirstUnicastAddress: m.base() + 8*40, FirstAnycastAddress: m.base() + 8*50}
	*second = IP_ADAPTER_ADDRESSES_LH{Description: puts(m, 800, "Tunnel"), PhysicalAddressLength: 1 << 31,
		OperStatus: 7}
	return m
}

// TestAdapters reads a list, and lists whose pointers lead elsewhere or in a circle.
func TestAdapters(t *testing.T) {
	m := adapters()
	got, err := m.Adapters()
	want := []Adapter{
		{"NIC (1)", "Ethernet", []byte{1, 2, 3, 4, 5, 6}, 1,
			[]netip.Addr{netip.MustParseAddr("192.0.2.1"), {}}, []netip.Addr{netip.MustParseAddr("2001:db8::7")}},
		{Description: "Tunnel", PhysicalAddress: make([]byte, 8), Status: 7},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, error %v, want %+v", got, err, want)
	}

	first := (*IP_ADAPTER_ADDRESSES_LH)(unsafe.Pointer(&m[0]))
	unicast := (*IP_ADAPTER_ANYCAST_ADDRESS_XP)(unsafe.Pointer(&m[40]))
	for name, field := range map[string]*uintptr{
		"next adapter": &first.Next, "description": &first.Description, "friendly name": &first.FriendlyName,
		"unicast address": &first.FirstUnicastAddress, "anycast address": &first.FirstAnycastAddress,
		"next address": &unicast.Next, "socket address": &unicast.Address.LpSockaddr,
	} {
		before := *field
		for _, bad := range []uintptr{m.base() - 2, m.base() + uintptr(m.Bytes()) - 1, 1} {
			*field = bad
			if _, err := m.Adapters(); !errors.Is(err, winperf.ErrBadData) {
				t.Errorf("%s at %d: error %v", name, int64(bad-m.base()), err)
			}
		}
		*field = before
	}

	unicast.Next = m.base() + 8*40
	if _, err := m.Adapters(); !errors.Is(err, winperf.ErrBadData) {
		t.Errorf("addresses in a circle: error %v", err)
	}
	unicast.Next, first.Next = 0, m.base()
	if _, err := m.Adapters(); !errors.Is(err, winperf.ErrBadData) {
		t.Errorf("adapters in a circle: error %v", err)
	}
	if _, err := (Memory)(nil).Adapters(); err != nil {
		t.Errorf("no memory: error %v", err)
	}
}

// TestConnections counts rows of both families, and refuses tables that are too short.
func TestConnections(t *testing.T) {
	for family, size := range map[uint32]int{AF_INET: 20, AF_INET6: 52} {
		m := make(Memory, (4+3*size+7)/8)
		heap = m
		put(m, 0, 3)
		for i, state := range []byte{5, 5, 12} {
			put(m, 4+i*size, state)
		}
		got, err := m.Connections(family)
		if want := (Connections{5: 2, 12: 1}); got != want || err != nil {
			t.Errorf("family %d: %v, error %v", family, got, err)
		}

		put(m, 4, 13) // no state
		got, err = m.Connections(family)
		if want := (Connections{5: 1, 12: 1}); got != want || err != nil {
			t.Errorf("family %d, an unknown state: %v, error %v", family, got, err)
		}
		for _, n := range []byte{4, 255} {
			put(m, 0, n, n)
			if _, err := m.Connections(family); !errors.Is(err, winperf.ErrBadData) {
				t.Errorf("family %d, %d rows: error %v", family, n, err)
			}
		}
	}
	if _, err := (Memory)(nil).Connections(AF_INET); !errors.Is(err, winperf.ErrBadData) {
		t.Errorf("no memory: error %v", err)
	}
}
