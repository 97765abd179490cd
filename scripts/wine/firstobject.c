/*
 * Wine 8.0 lets the first provider that it asks for HKEY_PERFORMANCE_DATA write
 * sizeof(PERF_DATA_BLOCK) bytes too far: the objects do not begin where
 * HeaderLength says, and their end lies outside TotalByteLength. This provider
 * delivers nothing and moves the place back to where HeaderLength says; a Wine
 * without the fault is left alone. Services are asked in the order of their
 * names, so its name has to come first.
 */
#include <windows.h>
#include <winperf.h>

__declspec(dllexport) DWORD WINAPI FirstOpen(LPWSTR context)
{
	(void)context;
	return ERROR_SUCCESS;
}

__declspec(dllexport) DWORD WINAPI FirstCollect(LPWSTR query, LPVOID *data, LPDWORD bytes, LPDWORD objects)
{
	const int most = 2 * sizeof(PERF_DATA_BLOCK) + 1024; /* with a long name of the machine */

	(void)query;
	for (int back = sizeof(PERF_DATA_BLOCK); back < most; back += 4) {
		PERF_DATA_BLOCK *block = (void *)((BYTE *)*data - back);

		if (memcmp(block->Signature, L"PERF", sizeof block->Signature) == 0) {
			*data = (BYTE *)block + block->HeaderLength;
			break;
		}
	}
	*bytes = 0;
	*objects = 0;
	return ERROR_SUCCESS;
}

__declspec(dllexport) DWORD WINAPI FirstClose(void)
{
	return ERROR_SUCCESS;
}
