// Numbers of the objects and counters of MyApplication, for lodctr and for the provider.
// A title index is First Counter + number, and of a help text First Help + number.

#define TRANSFER_OBJECT 0
#define BYTES_SENT 2
#define AVAILABLE_BANDWIDTH 4

#define PEER_OBJECT 6
#define BYTES_SERVED 8
