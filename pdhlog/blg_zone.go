package pdhlog

import "github.com/winperf/winperf/internal/zone"

// BLGZone is the time zone in the head of a log: TIME_ZONE_INFORMATION of timezoneapi.h. A
// name may be a reference to a resource, as "@tzres.dll,-212".
type BLGZone = zone.Info

// BLGDate tells when a zone changes to standard or daylight time.
type BLGDate = zone.Date
