/*
 * The provider's core turns copies of published files into objects of a performance
 * data block. Its only system calls allocate memory. It trusts no input.
 * docs/publish.md describes the layout.
 */
#ifndef WINPERF_CORE_H
#define WINPERF_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reasons why data is omitted. */
enum wp_trouble {
	WP_NONE,
	WP_BAD_HEADER,     /* the file is not a published file, or has another version */
	WP_BAD_OBJECT,     /* an object is invalid or not installed */
	WP_BAD_SLOT,       /* an instance is invalid */
	WP_OTHER_COUNTERS, /* an object has other counters than in a previous file */
	WP_SECOND_SINGLE,  /* a second process publishes an object without instances */
	WP_NO_MEMORY,
	WP_TOO_LARGE,      /* an object exceeds the limit of the answer */
	/* Used only by provider.c: */
	WP_NO_CONTEXT,
	WP_NOT_INSTALLED,
	WP_UNREADABLE,
	WP_TOO_MUCH,
	WP_BAD_DIRECTORY,
	WP_NO_OWNER,
	WP_NO_ACCOUNT,
	WP_TROUBLES
};

/* The name of a driver, with a NUL, and the title indices that lodctr assigned. */
struct wp_driver {
	const uint16_t *name;
	uint32_t first_counter, last_counter, first_help, last_help;
};

/* A copy of a published file. The caller owns the memory. */
struct wp_file {
	const uint8_t *data;
	uint32_t used;
	const struct wp_driver *driver;
	uint32_t *groups; /* set by the core: the group of each object */
};

/* The first file of each object, in order of titles. wp_collect frees the list of the previous
 * answer; the caller frees the last list. */
struct wp_owners {
	struct wp_owner {
		uint32_t title, file;
	} *list;
	uint32_t count;
};

struct wp_request {
	const uint16_t *query; /* the query of Collect; NULL means Global */
	int64_t time, frequency; /* for PerfTime and PerfFreq of the objects */
	uint8_t *out;
	uint32_t capacity; /* bytes of out */
	uint32_t max_bytes; /* limit of the answer: objects above it are omitted */
	uint32_t bytes, objects; /* written */
	unsigned troubles; /* a bit for each */
	struct wp_owners *owners;
};

/* wp_used returns the number of used bytes of a file, from its first header_size bytes. It returns 0
 * if the file is not ready, which is no trouble, or invalid. */
uint32_t wp_used(const uint8_t *header, uint32_t header_size, uint64_t file_size, unsigned *troubles);

/* wp_settled reports whether no slot was taken or freed while data was copied. header_after is the
 * header of the file, read after data. */
bool wp_settled(const uint8_t *data, const uint8_t *header_after);

/* wp_settle frees the slots that differ in a later copy of the file. */
void wp_settle(uint8_t *data, const uint8_t *later, uint32_t used);

/* wp_serves reports whether a file belongs to a driver. start is the beginning of the file, at least
 * its header. */
bool wp_serves(const uint8_t *start, uint32_t size, const struct wp_driver *driver);

/* wp_collect writes the requested objects. Each contains the instances of all files with the same
 * definitions as the first file, in the order of the files. If the capacity is too small, wp_collect
 * writes nothing and returns false. */
bool wp_collect(struct wp_file *files, uint32_t count, struct wp_request *r);

#endif
