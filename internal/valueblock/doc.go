// Package valueblock is the codec of winperf.FormatValues: blocks of displayable values, which text logs
// and PDH give in place of raw ones.
//
// A block has one value for each of the series of its winperf.Raw, in their order. [Values] are the
// values in memory, [Values.Append] makes a block of them, and [Decode] reads a block back. All
// numbers are little-endian:
//
//	offset  bytes          content
//	0       4              n, the number of values
//	4       1              flags: 1 = there are anomalies, 2 = there are ages
//	5       1              nanoseconds of the sample's time below its FILETIME, 0 to 99
//	6       2              zero
//	8       8 n            words: the integer, the bits of the decimal, or length and offset of the text
//	        n              kinds (counter.Kind)
//	        n              statuses (counter.Status)
//	        2 n            anomalies (winperf.AnomalySet), if there are any
//	        8 n            ages: nanoseconds before the sample, if there are any
//	        the rest       texts, in the order of their values
//
// A value whose status is not OK has neither kind nor word. So equal values give equal bytes, and a block
// that Decode accepts is the one that Append makes of its values.
package valueblock
