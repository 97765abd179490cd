package winapi

import (
	"fmt"
	"net/netip"
	"slices"
	"unsafe"

	"github.com/winperf/winperf"
)

// Families of addresses (winsock2.h).
const (
	AF_INET  = 2
	AF_INET6 = 23
)

// GAA_FLAG_SKIP_MULTICAST and GAA_FLAG_SKIP_DNS_SERVER omit addresses from GetAdaptersAddresses
// (iptypes.h).
const (
	GAA_FLAG_SKIP_MULTICAST  = 4
	GAA_FLAG_SKIP_DNS_SERVER = 8
)

// IP_ADAPTER_ADDRESSES_LH (iptypes.h) is an adapter, without the fields after the last that is used.
type IP_ADAPTER_ADDRESSES_LH struct {
	Length                uint32
	IfIndex               uint32
	Next                  uintptr
	AdapterName           uintptr
	FirstUnicastAddress   uintptr
	FirstAnycastAddress   uintptr
	FirstMulticastAddress uintptr
	FirstDnsServerAddress uintptr
	DnsSuffix             uintptr
	Description           uintptr
	FriendlyName          uintptr
	PhysicalAddress       [8]byte
	PhysicalAddressLength uint32
	Flags                 uint32
	Mtu                   uint32
	IfType                uint32
	OperStatus            uint32
}

// IP_ADAPTER_ANYCAST_ADDRESS_XP (iptypes.h) is an address. A unicast address begins with the same fields.
type IP_ADAPTER_ANYCAST_ADDRESS_XP struct {
	Length  uint32
	Flags   uint32
	Next    uintptr
	Address SOCKET_ADDRESS
}

// SOCKET_ADDRESS (ws2def.h) is the place of a socket address.
type SOCKET_ADDRESS struct {
	LpSockaddr      uintptr
	ISockaddrLength int32
}

// MIB_TCPROW (tcpmib.h) is a connection over IPv4.
type MIB_TCPROW struct {
	DwState, DwLocalAddr, DwLocalPort, DwRemoteAddr, DwRemotePort uint32
}

// MIB_TCP6ROW (tcpmib.h) is a connection over IPv6.
type MIB_TCP6ROW struct {
	State           uint32
	LocalAddr       [16]byte
	DwLocalScopeId  uint32
	DwLocalPort     uint32
	RemoteAddr      [16]byte
	DwRemoteScopeId uint32
	DwRemotePort    uint32
}

// Adapter is a network adapter.
type Adapter struct {
	Description, FriendlyName string
	PhysicalAddress           []byte
	Status                    uint32 // IF_OPER_STATUS: 1 is up
	Unicast, Anycast          []netip.Addr
}

// maxListed is the largest number of adapters, and of addresses of an adapter, that are read.
const maxListed = 1000

// Adapters reads the list of IP_ADAPTER_ADDRESSES_LH at the start of the memory.
func (m Memory) Adapters() (all []Adapter, err error) {
	for p := m.base(); p != 0; {
		a, err := at[IP_ADAPTER_ADDRESSES_LH](m, p)
		if err != nil {
			return nil, err
		}
		if len(all) == maxListed {
			return nil, fmt.Errorf("more than %d adapters: %w", maxListed, winperf.ErrBadData)
		}

		adapter := Adapter{Status: a.OperStatus}
		size := min(a.PhysicalAddressLength, uint32(len(a.PhysicalAddress)))
		adapter.PhysicalAddress = slices.Clone(a.PhysicalAddress[:size])
		if adapter.Description, err = m.text(a.Description); err != nil {
			return nil, err
		}
		if adapter.FriendlyName, err = m.text(a.FriendlyName); err != nil {
			return nil, err
		}
		if adapter.Unicast, err = m.addresses(a.FirstUnicastAddress); err != nil {
			return nil, err
		}
		if adapter.Anycast, err = m.addresses(a.FirstAnycastAddress); err != nil {
			return nil, err
		}
		all, p = append(all, adapter), a.Next
	}
	return all, nil
}

// addresses reads a list of addresses.
func (m Memory) addresses(p uintptr) (all []netip.Addr, err error) {
	for p != 0 {
		a, err := at[IP_ADAPTER_ANYCAST_ADDRESS_XP](m, p)
		if err != nil {
			return nil, err
		}
		if len(all) == maxListed {
			return nil, fmt.Errorf("more than %d addresses of an adapter: %w", maxListed, winperf.ErrBadData)
		}

		address, err := m.address(a.Address)
		if err != nil {
			return nil, err
		}
		all, p = append(all, address), a.Next
	}
	return all, nil
}

// address reads a SOCKADDR_IN or SOCKADDR_IN6 (ws2ipdef.h), without port and scope. Other families are
// the zero Addr.
func (m Memory) address(a SOCKET_ADDRESS) (netip.Addr, error) {
	const at4, at6 = 4, 8
	family, err := at[uint16](m, a.LpSockaddr)
	if err != nil {
		return netip.Addr{}, err
	}

	switch {
	case *family == AF_INET && a.ISockaddrLength >= at4+4:
		ip, err := at[[4]byte](m, a.LpSockaddr+at4)
		if err != nil {
			return netip.Addr{}, err
		}
		return netip.AddrFrom4(*ip), nil
	case *family == AF_INET6 && a.ISockaddrLength >= at6+16:
		ip, err := at[[16]byte](m, a.LpSockaddr+at6)
		if err != nil {
			return netip.Addr{}, err
		}
		return netip.AddrFrom16(*ip), nil
	}
	return netip.Addr{}, nil
}

// at returns the structure at an address in the memory, to which it belongs.
func at[T any](m Memory, p uintptr) (*T, error) {
	var zero T
	off := p - m.base()
	room := uintptr(m.Bytes())
	if size := unsafe.Sizeof(zero); size > room || off > room-size || off%unsafe.Alignof(zero) != 0 {
		return nil, fmt.Errorf("a structure is outside its buffer of %d bytes: %w", m.Bytes(), winperf.ErrBadData)
	}
	return (*T)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(m)), off)), nil
}

// Connections are the numbers of TCP connections by MIB_TCP_STATE: 1 is closed, 12 is being deleted.
type Connections [13]int

// Connections counts the connections in a table of a family, MIB_TCPTABLE or MIB_TCP6TABLE.
func (m Memory) Connections(family uint32) (counts Connections, err error) {
	n, err := at[uint32](m, m.base())
	if err != nil {
		return Connections{}, err
	}
	const header = unsafe.Sizeof(*n)

	size := unsafe.Sizeof(MIB_TCPROW{})
	if family == AF_INET6 {
		size = unsafe.Sizeof(MIB_TCP6ROW{})
	}
	if room := (uintptr(m.Bytes()) - header) / size; uintptr(*n) > room {
		return Connections{}, fmt.Errorf("%d connections are claimed, room is for %d: %w", *n, room,
			winperf.ErrBadData)
	}

	for i := range uintptr(*n) {
		state, err := at[uint32](m, m.base()+header+i*size) // the first field of both rows
		if err != nil {
			return Connections{}, err
		}
		if int64(*state) < int64(len(counts)) {
			counts[*state]++
		}
	}
	return counts, nil
}
