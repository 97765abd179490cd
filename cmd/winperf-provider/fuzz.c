/*
 * Runs the core for tests. It reads requests from standard input and writes answers to
 * standard output. Numbers have 4 bytes; a size precedes each sequence of bytes. Every
 * buffer has its exact size, so that a sanitizer detects each access beyond it.
 *
 * First it writes the size of a pointer. A request consists of the capacity, the limit of
 * the answer, the query (ffffffff in place of its size for NULL), the number of files, and
 * for each file a copy and a later copy (0 bytes for none). An answer consists of fits,
 * objects, troubles, the written bytes and the owners.
 */
#include "core.h"
#include "layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void get(void *p, size_t n)
{
	if (n > 0 && fread(p, 1, n, stdin) != n)
		exit(feof(stdin) ? 0 : 1);
}

static uint32_t get_number(void)
{
	uint32_t n;

	get(&n, sizeof n);
	return n;
}

static void *get_bytes(uint32_t n)
{
	void *p = malloc(n ? n : 1);

	if (p == NULL)
		exit(1);
	get(p, n);
	return p;
}

static void put(const void *p, size_t n)
{
	if (n > 0 && fwrite(p, 1, n, stdout) != n)
		exit(1);
}

static void put_number(uint32_t n) { put(&n, sizeof n); }

/* read_file reads a file as provider.c does. */
static void read_file(struct wp_file *files, uint32_t *count, const struct wp_driver *driver,
	unsigned *troubles)
{
	uint32_t size = get_number(), later_size, used;
	uint8_t *copy = get_bytes(size), *later, *data;

	later_size = get_number();
	later = get_bytes(later_size);
	used = wp_used(copy, size < WP_HeaderSize ? size : WP_HeaderSize, size, troubles);
	if (used > 0) {
		data = malloc(used);
		if (data == NULL)
			exit(1);
		memcpy(data, copy, used);
		if (later_size >= used && !wp_settled(data, later))
			wp_settle(data, later, used);
		if (wp_serves(data, used, driver))
			files[(*count)++] = (struct wp_file){ .data = data, .used = used, .driver = driver };
		else
			free(data);
	}
	free(copy);
	free(later);
}

static void request(const struct wp_driver *driver)
{
	struct wp_owners owners = { .list = NULL };
	struct wp_request r = { .time = 1000, .frequency = 10, .owners = &owners };
	uint32_t n, i, count = 0;
	uint16_t *query;
	struct wp_file *files;
	bool fits;

	r.capacity = get_number();
	r.max_bytes = get_number();
	n = get_number();
	query = n == UINT32_MAX ? NULL : get_bytes(n);
	r.query = query;
	n = get_number();
	files = calloc(n + 1, sizeof *files);
	if (files == NULL)
		exit(1);
	for (i = 0; i < n; i++)
		read_file(files, &count, driver, &r.troubles);
	r.out = malloc(r.capacity ? r.capacity : 1);
	if (r.out == NULL)
		exit(1);
	fits = wp_collect(files, count, &r);
	put_number(fits);
	put_number(r.objects);
	put_number(r.troubles);
	put_number(r.bytes);
	put(r.out, r.bytes);
	n = owners.count * (uint32_t)sizeof *owners.list;
	put_number(n);
	put(owners.list, n);
	fflush(stdout);
	while (count > 0)
		free((void *)files[--count].data);
	free(files);
	free(owners.list);
	free(query);
	free(r.out);
}

int main(void)
{
	static const uint16_t name[] = {
		'W', 'i', 'n', 'p', 'e', 'r', 'f', 'L', 'i', 'b', 'r', 'a', 'r', 'y', 0 };
	static const struct wp_driver driver = { name, 8000, 8014, 8001, 8015 };

	put_number(sizeof(void *));
	fflush(stdout);
	for (;;)
		request(&driver);
}
