// Package valueblock encodes and decodes winperf.FormatValues: blocks of displayable values, which
// text logs and PDH provide instead of raw ones.
//
// A block has one value for each series of its winperf.Raw, in their order. [Values] are the values
// in memory, [Values.Append] encodes them, and [Decode] decodes a block. All numbers are
// little-endian:
//
//	offset  bytes          content
//	0       4              n, the number of values
//	4       1              flags: 1 = block has anomalies, 2 = block has ages
//	5       1              nanoseconds of the sample's time below its FILETIME, 0 to 99
//	6       2              zero
//	8       8 n            words: the integer, the bits of the decimal, or length and offset of the text
//	        n              kinds (counter.Kind)
//	        n              statuses (counter.Status)
//	        2 n            anomalies (winperf.AnomalySet), if the flag is set
//	        8 n            ages: nanoseconds before the sample, if the flag is set
//	        the rest       texts, in the order of their values
//
// A value whose status is not OK has neither kind nor word. So equal values have equal bytes, and
// Append encodes the values of a valid block to the same bytes.
package valueblock
