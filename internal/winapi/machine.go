package winapi

// Names of a machine for GetComputerNameEx (COMPUTER_NAME_FORMAT of sysinfoapi.h).
const (
	ComputerNameDnsHostname       = 1
	ComputerNameDnsDomain         = 2
	ComputerNameDnsFullyQualified = 3
)

// ALL_PROCESSOR_GROUPS means all processors of the machine (winnt.h).
const ALL_PROCESSOR_GROUPS = 0xffff

// MEMORYSTATUSEX (sysinfoapi.h) is the memory of the machine, in bytes.
type MEMORYSTATUSEX struct {
	DwLength                uint32
	DwMemoryLoad            uint32
	UllTotalPhys            uint64
	UllAvailPhys            uint64
	UllTotalPageFile        uint64
	UllAvailPageFile        uint64
	UllTotalVirtual         uint64
	UllAvailVirtual         uint64
	UllAvailExtendedVirtual uint64
}

// SYSTEMTIME (minwinbase.h) is a date, or a rule for one.
type SYSTEMTIME struct {
	WYear, WMonth, WDayOfWeek, WDay        uint16
	WHour, WMinute, WSecond, WMilliseconds uint16
}

// DYNAMIC_TIME_ZONE_INFORMATION (timezoneapi.h) is the machine's time zone. TimeZoneKeyName
// is its English name.
type DYNAMIC_TIME_ZONE_INFORMATION struct {
	Bias                        int32
	StandardName                [32]uint16
	StandardDate                SYSTEMTIME
	StandardBias                int32
	DaylightName                [32]uint16
	DaylightDate                SYSTEMTIME
	DaylightBias                int32
	TimeZoneKeyName             [128]uint16
	DynamicDaylightTimeDisabled uint8
}
