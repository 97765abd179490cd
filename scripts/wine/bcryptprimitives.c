/*
 * The Go runtime takes its random numbers from ProcessPrng in
 * bcryptprimitives.dll and does not start without it. Wine 8.0 has no such
 * library; this one asks advapi32's RtlGenRandom, which Windows exports under
 * the name SystemFunction036.
 */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(void *buffer, ULONG size);

__declspec(dllexport) BOOL WINAPI ProcessPrng(BYTE *buffer, SIZE_T size)
{
	while (size > 0) {
		ULONG n = size < 0x10000 ? (ULONG)size : 0x10000;

		if (!SystemFunction036(buffer, n))
			return FALSE;
		buffer += n;
		size -= n;
	}
	return TRUE;
}
