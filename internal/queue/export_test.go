package queue

// Number is the number of a sample of a file, from 1.
func Number(file uint64, sample int) uint64 { return file<<samples.shift + uint64(sample) - 1 }
