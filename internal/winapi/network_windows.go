package winapi

import (
	"errors"
	"unsafe"
)

// Network calls functions of iphlpapi.dll.
type Network struct{ dll *DLL }

// NewNetwork returns the calls of a library: iphlpapi.dll or a fake.
func NewNetwork(dll *DLL) *Network { return &Network{dll} }

// Adapters returns the network adapters with their unicast and anycast addresses.
//
// sys GetAdaptersAddresses(family uint32, flags uint32, reserved uintptr, adapters
// *IP_ADAPTER_ADDRESSES_LH, size *uint32) (status Errno) = iphlpapi.GetAdaptersAddresses
func (n *Network) Adapters() ([]Adapter, error) {
	const start, largest = 15_000, 4 << 20
	m, err := growing(start, largest, ERROR_BUFFER_OVERFLOW, func(m Memory, size *uint32) error {
		return callStatus(n.dll, "GetAdaptersAddresses", 0, GAA_FLAG_SKIP_MULTICAST|GAA_FLAG_SKIP_DNS_SERVER, 0,
			uintptr(pointer(m)), uintptr(unsafe.Pointer(size)))
	})
	if err != nil {
		return nil, err
	}
	return m.Adapters()
}

// Connections counts the TCP connections of a family, AF_INET or AF_INET6, by state.
//
// sys GetTcpTable(table *byte, size *uint32, order bool) (status Errno) = iphlpapi.GetTcpTable
// sys GetTcp6Table(table *byte, size *uint32, order bool) (status Errno) = iphlpapi.GetTcp6Table
func (n *Network) Connections(family uint32) (Connections, error) {
	function := "GetTcpTable"
	if family == AF_INET6 {
		function = "GetTcp6Table"
	}
	const start, largest = 16 << 10, 16 << 20 // the largest table has about 300,000 connections over IPv6
	m, err := growing(start, largest, ERROR_INSUFFICIENT_BUFFER, func(m Memory, size *uint32) error {
		return callStatus(n.dll, function, uintptr(pointer(m)), uintptr(unsafe.Pointer(size)), 0)
	})
	if err != nil {
		return Connections{}, err
	}
	return m.Connections(family)
}

// growing calls get with buffers of increasing size while it fails with the error small. get sets the
// size that it needs.
func growing(start, largest int, small Errno, get func(m Memory, size *uint32) error) (Memory, error) {
	for bytes := start; ; {
		m := make(Memory, (bytes+7)/8)
		size := uint32(m.Bytes())
		err := get(m, &size)
		if !errors.Is(err, small) {
			return m, err
		}

		bytes = max(2*m.Bytes(), min(int(size), largest))
		if bytes > largest {
			return nil, err
		}
	}
}
