/*
 * The provider's core: copies of published files in, objects of a performance
 * data block out. It makes no system call but for memory, and nothing that it
 * reads is trusted. docs/publish.md has the layout.
 */
#ifndef WINPERF_CORE_H
#define WINPERF_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What keeps something from being delivered. */
enum wp_trouble {
	WP_NONE,
	WP_BAD_HEADER,     /* the file is not a published one, or of another version */
	WP_BAD_OBJECT,     /* an object that contradicts itself, or is not installed */
	WP_BAD_SLOT,       /* an instance that contradicts itself */
	WP_OTHER_COUNTERS, /* an object with other counters than an earlier file has */
	WP_SECOND_SINGLE,  /* an object without instances, of a second process */
	WP_NO_MEMORY,
	WP_TOO_LARGE,      /* an object for which the answer has no room by its bound */
	/* Those of provider.c. */
	WP_NO_CONTEXT,
	WP_NOT_INSTALLED,
	WP_NO_READING,
	WP_TOO_MUCH,
	WP_BAD_DIRECTORY,
	WP_NO_OWNER,
	WP_NO_ACCOUNT,
	WP_TROUBLES
};

/* What lodctr noted about a driver: its name, with a NUL, and title indices. */
struct wp_driver {
	const uint16_t *name;
	uint32_t first_counter, last_counter, first_help, last_help;
};

/* A copy of a published file, whose memory is the caller's. */
struct wp_file {
	const uint8_t *data;
	uint32_t used;
	const struct wp_driver *driver;
	uint32_t *groups; /* the core's own: of each object, what it is written with */
};

/* The first file of each object, in order of titles. wp_collect frees the list of the answer
 * before; the caller frees the last one. */
struct wp_owners {
	struct wp_owner {
		uint32_t title, file;
	} *list;
	uint32_t count;
};

struct wp_request {
	const uint16_t *query; /* as Collect gets it; NULL is Global */
	int64_t time, frequency; /* for PerfTime and PerfFreq of the objects */
	uint8_t *out;
	uint32_t room;
	uint32_t most; /* bytes of an answer, whatever the room: objects beyond are left out */
	uint32_t bytes, objects; /* what was written */
	unsigned troubles; /* a bit for each */
	struct wp_owners *owners;
};

/* wp_used returns how many bytes of a file hold something, by its first
 * header_size bytes: 0 if it is not ready, which is no trouble, or not right. */
uint32_t wp_used(const uint8_t *header, uint32_t header_size, uint64_t file_size, unsigned *troubles);

/* wp_settled tells whether slots stayed as they are while data was copied, by
 * the first bytes of the file, read after it. */
bool wp_settled(const uint8_t *data, const uint8_t *header_after);

/* wp_settle frees the slots that another copy, made later, shows to have changed. */
void wp_settle(uint8_t *data, const uint8_t *later, uint32_t used);

/* wp_serves tells whether a file is a driver's, by its first bytes, which hold the
 * header at least. */
bool wp_serves(const uint8_t *start, uint32_t size, const struct wp_driver *driver);

/* wp_collect writes the objects that are asked for, each with the instances of all files
 * that have the same definitions as the first one, in the order of the files. It returns
 * false if there is not enough room, and has written nothing. */
bool wp_collect(struct wp_file *files, uint32_t count, struct wp_request *r);

#endif
