package winapi

// KEY_WRITE is the right to change a key, its values and subkeys (winnt.h).
const KEY_WRITE = 0x20006

// REG_CREATED_NEW_KEY is the disposition of a new key (winnt.h).
const REG_CREATED_NEW_KEY = 1
