#include "core.h"
#include "layout.h"

#include <stdlib.h>
#include <string.h>

/* Sizes and offsets of the structures of winperf.h, which the file contains. */
enum {
	OBJECT_TYPE = 64, OBJECT_DEFINITIONS = 4, OBJECT_HEADER = 8, OBJECT_NAME = 12, OBJECT_HELP = 20,
	OBJECT_COUNTERS = 32,
	OBJECT_DEFAULT = 36, OBJECT_INSTANCES = 40, OBJECT_CODE_PAGE = 44, OBJECT_TIME = 48,
	OBJECT_FREQUENCY = 56,
	OBJECT_NAME_TEXT = 16, OBJECT_HELP_TEXT = 24,
	DEFINITION = 40, DEFINITION_NAME = 4, DEFINITION_NAME_TEXT = 8, DEFINITION_HELP = 12,
	DEFINITION_HELP_TEXT = 16,
	DEFINITION_TYPE = 28, DEFINITION_SIZE = 32, DEFINITION_OFFSET = 36,
	INSTANCE = 24, INSTANCE_PARENT_OBJECT = 4, INSTANCE_PARENT = 8, INSTANCE_NAME = 16,
	INSTANCE_NAME_LENGTH = 20,
	NO_INSTANCES = -1, METADATA_INSTANCES = -2, METADATA_NO_INSTANCES = -3,
};

#define NO_GROUP UINT32_MAX
#define MIN_SLOT (WP_SlotBody + 16u)

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are copied without conversion");

static uint32_t get32(const uint8_t *p) { uint32_t v; memcpy(&v, p, sizeof v); return v; }
static uint64_t get64(const uint8_t *p) { uint64_t v; memcpy(&v, p, sizeof v); return v; }
static void put32(uint8_t *p, uint32_t v) { memcpy(p, &v, sizeof v); }
static void put64(uint8_t *p, uint64_t v) { memcpy(p, &v, sizeof v); }

static void report(unsigned *troubles, enum wp_trouble t) { *troubles |= 1u << t; }

uint32_t wp_used(const uint8_t *h, uint32_t header_size, uint64_t file_size, unsigned *troubles)
{
	uint64_t used;

	if (header_size < WP_HeaderSize || get64(h + WP_HeaderMagic) == 0)
		return 0; /* the publisher creates or removes the file */
	used = get64(h + WP_HeaderUsed);
	if (get64(h + WP_HeaderMagic) == WP_Magic && get32(h + WP_HeaderVersion) == WP_Version &&
	    get32(h + WP_HeaderLength) == WP_HeaderSize && used <= WP_MaxFile && used <= file_size &&
	    used % WP_SlotAlign == 0 && used >= WP_HeaderSize)
		return (uint32_t)used;
	report(troubles, WP_BAD_HEADER);
	return 0;
}

/* within reports whether n bytes at an offset are between the header and the slots of a file. */
static bool within(const uint8_t *data, uint32_t used, uint32_t at, uint64_t n)
{
	uint32_t slots = get32(data + WP_HeaderSlots);

	return slots <= used && at >= WP_HeaderSize && at + n <= slots;
}

bool wp_serves(const uint8_t *start, uint32_t size, const struct wp_driver *driver)
{
	uint32_t at = get32(start + WP_HeaderDriver), n = get32(start + WP_HeaderDriverLen), i;

	if (at > size || n > size - at || n % 2 != 0)
		return false;
	for (i = 0; i < n / 2; i++) {
		uint16_t a = driver->name[i], b;

		memcpy(&b, start + at + 2 * i, sizeof b);
		if (a >= 'A' && a <= 'Z')
			a += 'a' - 'A';
		if (b >= 'A' && b <= 'Z')
			b += 'a' - 'A';
		if (a != b)
			return false;
		if (a == 0)
			return true;
	}
	return false;
}

bool wp_settled(const uint8_t *data, const uint8_t *header_after)
{
	uint64_t before = get64(data + WP_HeaderGeneration);

	return before % 2 == 0 && before == get64(header_after + WP_HeaderGeneration);
}

/* slot_size returns the size of the slot at an offset, or 0 if it is invalid. */
static uint32_t slot_size(const uint8_t *data, uint32_t used, uint32_t at)
{
	uint32_t size;

	if (used - at < MIN_SLOT)
		return 0;
	size = get32(data + at + WP_SlotSize);
	return size >= MIN_SLOT && size % WP_SlotAlign == 0 && size <= used - at ? size : 0;
}

/* first_slot returns the offset of the first slot, or used if it is invalid. */
static uint32_t first_slot(const uint8_t *data, uint32_t used)
{
	uint32_t at = get32(data + WP_HeaderSlots);

	return at >= WP_HeaderSize && at <= used && at % WP_SlotAlign == 0 ? at : used;
}

void wp_settle(uint8_t *data, const uint8_t *later, uint32_t used)
{
	uint32_t at, size;

	for (at = first_slot(data, used); at < used && (size = slot_size(data, used, at)) != 0; at += size)
		if (get32(data + at + WP_SlotSequence) != get32(later + at + WP_SlotSequence))
			put32(data + at + WP_SlotSequence, 0);
}

/* object is one object of one file. */
struct object {
	uint32_t file, number, title, flags, block, head_size;
	const uint8_t *head;
};

/* group is a set of objects of several files that are written as one object. */
struct group {
	struct object lead; /* from the first file */
	uint32_t first, count; /* range of the items */
	bool requested;
};

/* item is a used slot. */
struct item {
	uint32_t file, at;
};

struct collection {
	struct wp_file *files;
	struct wp_request *r;
	struct object *objects;
	struct group *groups;
	struct item *items;
	uint32_t *numbers, *queue; /* group of each object; groups whose parents are still to be found */
	uint32_t file_count, object_count, group_count;
	bool metadata;
};

/* title converts a relative title index to an absolute one. It returns 0 if the index is invalid or
 * does not belong to the driver. */
static uint32_t title(const struct wp_driver *d, uint32_t relative)
{
	uint32_t span = d->last_counter - d->first_counter;

	if (relative < WP_FirstTitle || relative % 2 != 0 || relative - WP_FirstTitle > span)
		return 0;
	return d->first_counter + (relative - WP_FirstTitle);
}

static uint32_t help(const struct wp_driver *d, uint32_t relative)
{
	uint32_t span = d->last_help - d->first_help;

	if (relative < WP_FirstTitle + 1 || relative % 2 != 1 || relative - WP_FirstTitle - 1 > span)
		return 0;
	return d->first_help + (relative - WP_FirstTitle - 1);
}

/* size_of_type returns the size of a raw value of a type, or 0 if the type cannot be published.
 * Consumers use the size of the type, not only the size in the definition. */
static uint32_t size_of_type(uint32_t type)
{
#define WP_CASE(number, size) case number: return size;
	switch (type) {
	WP_TYPES(WP_CASE)
	}
	return 0;
}

static bool check_definitions(const struct object *o, const struct wp_driver *d)
{
	uint32_t n = get32(o->head + OBJECT_COUNTERS), i;

	for (i = 0; i < n; i++) {
		const uint8_t *p = o->head + OBJECT_TYPE + i * DEFINITION;
		uint32_t name = get32(p + DEFINITION_NAME), size = get32(p + DEFINITION_SIZE);
		uint32_t at = get32(p + DEFINITION_OFFSET);

		if (get32(p) != DEFINITION || (name != 0 && title(d, name) == 0))
			return false;
		if (size == 0 || size != size_of_type(get32(p + DEFINITION_TYPE)) || at < 4 ||
		    (uint64_t)at + size > o->block)
			return false;
	}
	return true;
}

/* read_object checks an object of a file's table. */
static bool read_object(const struct wp_file *f, uint32_t number, struct object *o)
{
	const uint8_t *entry = f->data + get32(f->data + WP_HeaderTable) + (size_t)number * WP_ObjectSize;
	uint32_t at = get32(entry + WP_ObjectHead), n = get32(entry + WP_ObjectHeadLen), counters;

	o->number = number;
	o->flags = get32(entry + WP_ObjectFlags);
	o->block = get32(entry + WP_ObjectBlock);
	o->head_size = n;
	if (!within(f->data, f->used, at, n) || n < OBJECT_TYPE + DEFINITION)
		return false;
	o->head = f->data + at;
	counters = get32(o->head + OBJECT_COUNTERS);
	if (get32(o->head + OBJECT_HEADER) != OBJECT_TYPE || get32(o->head + OBJECT_DEFINITIONS) != n)
		return false;
	if (OBJECT_TYPE + (uint64_t)counters * DEFINITION != n || o->block % 8 != 0 || o->block < 8 ||
	    o->block > WP_MaxFile)
		return false;
	o->title = title(f->driver, get32(o->head + OBJECT_NAME));
	return o->title != 0 && check_definitions(o, f->driver);
}

/* table_count returns the number of objects in a file, or 0 if the table is invalid. */
static uint32_t table_count(const struct wp_file *f)
{
	uint32_t n = get32(f->data + WP_HeaderObjects);

	if (n > WP_MaxObjects ||
	    !within(f->data, f->used, get32(f->data + WP_HeaderTable), (uint64_t)n * WP_ObjectSize))
		return 0;
	return n;
}

static int by_title(const void *a, const void *b)
{
	const struct object *x = a, *y = b;

	if (x->title != y->title)
		return x->title < y->title ? -1 : 1;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static bool same(const struct object *a, const struct object *b)
{
	return a->flags == b->flags && a->block == b->block && a->head_size == b->head_size &&
	       memcmp(a->head, b->head, a->head_size) == 0;
}

/* read_objects reads the objects of all files, in order of titles, and returns their number. */
static uint32_t read_objects(struct collection *c)
{
	uint32_t f, i, n = 0;

	for (f = 0; f < c->file_count; f++)
		for (i = 0; i < table_count(&c->files[f]); i++) {
			c->files[f].groups[i] = NO_GROUP;
			c->objects[n].file = f;
			if (read_object(&c->files[f], i, &c->objects[n]))
				n++;
			else
				report(&c->r->troubles, WP_BAD_OBJECT);
		}
	qsort(c->objects, n, sizeof *c->objects, by_title);
	return n;
}

/* make_group makes a group of the objects in o[0] to o[n-1] that have the same definitions as o[0]. */
static void make_group(struct collection *c, const struct object *o, uint32_t n)
{
	struct group *g = &c->groups[c->group_count++];
	uint32_t i;

	g->lead = *o;
	for (i = 0; i < n; i++)
		if (same(&g->lead, &o[i]))
			c->files[o[i].file].groups[o[i].number] = c->group_count - 1;
		else
			report(&c->r->troubles, WP_OTHER_COUNTERS);
}

/* find_groups groups the objects of all files by title and definitions. */
static void find_groups(struct collection *c)
{
	uint32_t count = read_objects(c), i, n;

	for (i = 0; i < count; i += n) {
		for (n = 1; i + n < count && c->objects[i + n].title == c->objects[i].title;)
			n++;
		make_group(c, &c->objects[i], n);
	}
}

/* list_owners lists the first file of each object. */
static void list_owners(const struct collection *c)
{
	struct wp_owners *owners = c->r->owners;
	uint32_t g;

	free(owners->list);
	owners->list = malloc((c->group_count + (size_t)1) * sizeof *owners->list);
	owners->count = owners->list != NULL ? c->group_count : 0;
	for (g = 0; g < owners->count; g++)
		owners->list[g] = (struct wp_owner){ c->groups[g].lead.title, c->groups[g].lead.file };
}

static bool check_instance(const uint8_t *body, uint32_t length, uint32_t block)
{
	uint32_t size, name, n;

	if (length < INSTANCE)
		return false;
	size = get32(body);
	name = get32(body + INSTANCE_NAME);
	n = get32(body + INSTANCE_NAME_LENGTH);
	if (size < INSTANCE || size % 8 != 0 || (uint64_t)size + block != length)
		return false;
	if (name < INSTANCE || name % 2 != 0 || n % 2 != 0 || n < 2 || n > 2 * WP_MaxName ||
	    (uint64_t)name + n > size)
		return false;
	return body[name + n - 2] == 0 && body[name + n - 1] == 0 && get32(body + size) == block;
}

/* group_of returns the group of a used slot, or NO_GROUP. */
static uint32_t group_of(struct collection *c, const struct wp_file *f, uint32_t at, uint32_t size)
{
	const uint8_t *p = f->data + at, *body = p + WP_SlotBody;
	uint32_t object = get32(p + WP_SlotObject), length = get32(p + WP_SlotLength), g;
	bool right = object < table_count(f) && length <= size - WP_SlotBody;

	if (right) {
		g = f->groups[object];
		if (g == NO_GROUP)
			return NO_GROUP; /* already reported */
		if (c->groups[g].lead.flags & WP_HasInstances)
			right = check_instance(body, length, c->groups[g].lead.block);
		else
			right = length == c->groups[g].lead.block && get32(body) == length;
	}
	if (right)
		return g;
	report(&c->r->troubles, WP_BAD_SLOT);
	return NO_GROUP;
}

/* walk calls each for each used slot, in order of files and offsets. */
static void walk(struct collection *c,
	void (*each)(struct collection *, uint32_t group, uint32_t file, uint32_t at))
{
	uint32_t f, at, size, g;

	for (f = 0; f < c->file_count; f++) {
		const struct wp_file *file = &c->files[f];

		for (at = first_slot(file->data, file->used); at < file->used; at += size) {
			size = slot_size(file->data, file->used, at);
			if (size == 0) {
				report(&c->r->troubles, WP_BAD_SLOT);
				break;
			}
			if (get32(file->data + at + WP_SlotSequence) % 2 == 0)
				continue;
			g = group_of(c, file, at, size);
			if (g != NO_GROUP)
				each(c, g, f, at);
		}
	}
}

static void count_item(struct collection *c, uint32_t g, uint32_t file, uint32_t at)
{
	(void)file;
	(void)at;
	c->groups[g].count++;
}

static void put_item(struct collection *c, uint32_t g, uint32_t file, uint32_t at)
{
	struct group *group = &c->groups[g];

	c->items[group->first + group->count++] = (struct item){ file, at };
}

/* find_items lists the instances of each group, in the order of the output. */
static bool find_items(struct collection *c)
{
	uint32_t g, n = 0;

	walk(c, count_item);
	for (g = 0; g < c->group_count; g++) {
		c->groups[g].first = n;
		n += c->groups[g].count;
		c->groups[g].count = 0;
	}
	c->items = malloc((n + (size_t)1) * sizeof *c->items);
	if (c->items == NULL)
		return false;
	walk(c, put_item);
	for (g = 0; g < c->group_count; g++)
		if (!(c->groups[g].lead.flags & WP_HasInstances) && c->groups[g].count > 1) {
			report(&c->r->troubles, WP_SECOND_SINGLE);
			c->groups[g].count = 1;
		}
	return true;
}

static const uint8_t *body_of(const struct collection *c, struct item it)
{
	return c->files[it.file].data + it.at + WP_SlotBody;
}

/* find_parent finds the parent of an instance: its group and its position in the group. */
static bool find_parent(const struct collection *c, struct item it, uint32_t *group, uint32_t *position)
{
	const struct wp_file *f = &c->files[it.file];
	const uint8_t *body = body_of(c, it);
	uint32_t name = get32(body + INSTANCE_PARENT_OBJECT), at = get32(body + INSTANCE_PARENT);
	uint32_t object, low, high;

	if (name == 0 || at >= f->used || f->used - at < MIN_SLOT)
		return false;
	object = get32(f->data + at + WP_SlotObject);
	if (object >= table_count(f) || (*group = f->groups[object]) == NO_GROUP)
		return false;
	if (c->groups[*group].lead.title != title(f->driver, name))
		return false;
	low = c->groups[*group].first;
	high = low + c->groups[*group].count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		struct item m = c->items[middle];

		if (m.file == it.file && m.at == at) {
			*position = middle - c->groups[*group].first;
			return true;
		}
		if (m.file < it.file || (m.file == it.file && m.at < at))
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* next_word returns the start and the end of the next word of a query. */
static const uint16_t *next_word(const uint16_t *q, const uint16_t **end)
{
	while (*q == ' ' || *q == '\t')
		q++;
	for (*end = q; **end != 0 && **end != ' ' && **end != '\t';)
		++*end;
	return q;
}

/* number reads a decimal number. It returns false if the word is not a number or is too large. */
static bool number(const uint16_t *w, const uint16_t *end, uint32_t *n)
{
	uint64_t v = 0;

	for (; w < end; w++) {
		if (*w < '0' || *w > '9' || (v = 10 * v + (*w - '0')) > UINT32_MAX)
			return false;
	}
	*n = (uint32_t)v;
	return true;
}

/* listed reports whether a query consists of numbers and contains a title index. */
static bool listed(const uint16_t *query, uint32_t index)
{
	const uint16_t *end, *w;
	uint32_t n;
	bool found = false;

	for (w = next_word(query, &end); w < end; w = next_word(end, &end)) {
		if (!number(w, end, &n))
			return false;
		found = found || n == index;
	}
	return found;
}

/* is_query reports whether a query is a single word. word is in lower case. */
static bool is_query(const uint16_t *query, const char *word)
{
	const uint16_t *end, *w = next_word(query, &end);

	for (; w < end && *word != 0; w++, word++)
		if ((*w | 0x20) != *word)
			return false;
	return w == end && *word == 0 && *next_word(end, &end) == 0;
}

/* select_objects marks the requested objects. An object without instances is omitted if no process
 * publishes its values. */
static void select_objects(struct collection *c)
{
	static const uint16_t none[1];
	const uint16_t *query = c->r->query ? c->r->query : none;
	bool all = is_query(query, "") || is_query(query, "global");
	uint32_t g;

	if (is_query(query, "metadataglobal"))
		all = c->metadata = true;
	for (g = 0; g < c->group_count; g++) {
		struct group *group = &c->groups[g];

		group->requested = all || listed(query, group->lead.title);
		if (!c->metadata && group->count == 0 && !(group->lead.flags & WP_HasInstances))
			group->requested = false;
	}
}

/* select_parents also marks the objects that contain parents of the requested instances. */
static void select_parents(struct collection *c)
{
	uint32_t n = 0, g, i, parent, position;

	for (g = 0; g < c->group_count; g++)
		if (c->groups[g].requested)
			c->queue[n++] = g;
	while (n > 0) {
		const struct group *group = &c->groups[c->queue[--n]];

		if (!(group->lead.flags & WP_HasInstances))
			continue;
		for (i = 0; i < group->count; i++)
			if (find_parent(c, c->items[group->first + i], &parent, &position) && !c->groups[parent].requested) {
				c->groups[parent].requested = true;
				c->queue[n++] = parent;
			}
	}
}

static uint32_t length_of(const struct collection *c, struct item it)
{
	return get32(c->files[it.file].data + it.at + WP_SlotLength);
}

static uint64_t size_of(const struct collection *c, const struct group *g)
{
	uint64_t n = g->lead.head_size;
	uint32_t i;

	for (i = 0; !c->metadata && i < g->count; i++)
		n += length_of(c, c->items[g->first + i]);
	return n;
}

static void write_head(const struct collection *c, const struct group *g, uint8_t *p, uint32_t size)
{
	const struct wp_driver *d = c->files[g->lead.file].driver;
	bool multi = g->lead.flags & WP_HasInstances;
	uint32_t n = get32(g->lead.head + OBJECT_COUNTERS), i;
	int32_t instances = multi ? (int32_t)g->count : NO_INSTANCES;

	if (c->metadata)
		instances = multi ? METADATA_INSTANCES : METADATA_NO_INSTANCES;
	memcpy(p, g->lead.head, g->lead.head_size);
	put32(p, size);
	put32(p + OBJECT_NAME, g->lead.title);
	put32(p + OBJECT_HELP, help(d, get32(p + OBJECT_HELP)));
	put32(p + OBJECT_NAME_TEXT, 0); /* a pointer for 32-bit consumers */
	put32(p + OBJECT_HELP_TEXT, 0);
	if (get32(p + OBJECT_DEFAULT) >= n)
		put32(p + OBJECT_DEFAULT, UINT32_MAX);
	put32(p + OBJECT_INSTANCES, (uint32_t)instances);
	put32(p + OBJECT_CODE_PAGE, 0);
	put64(p + OBJECT_TIME, (uint64_t)c->r->time);
	put64(p + OBJECT_FREQUENCY, (uint64_t)c->r->frequency);
	for (i = 0, p += OBJECT_TYPE; i < n; i++, p += DEFINITION) {
		put32(p + DEFINITION_NAME, title(d, get32(p + DEFINITION_NAME)));
		put32(p + DEFINITION_HELP, help(d, get32(p + DEFINITION_HELP)));
		put32(p + DEFINITION_NAME_TEXT, 0);
		put32(p + DEFINITION_HELP_TEXT, 0);
	}
}

/* write_group writes an object and returns its size. */
static uint32_t write_group(const struct collection *c, const struct group *g, uint8_t *out)
{
	uint32_t size = (uint32_t)size_of(c, g), i, parent, position;
	uint8_t *p = out + g->lead.head_size;

	write_head(c, g, out, size);
	for (i = 0; !c->metadata && i < g->count; i++) {
		struct item it = c->items[g->first + i];

		memcpy(p, body_of(c, it), length_of(c, it));
		if (g->lead.flags & WP_HasInstances) {
			bool has = find_parent(c, it, &parent, &position) && c->groups[parent].requested;

			put32(p + INSTANCE_PARENT_OBJECT, has ? c->groups[parent].lead.title : 0);
			put32(p + INSTANCE_PARENT, has ? position : 0);
		}
		p += length_of(c, it);
	}
	return size;
}

/* write_all writes the requested objects up to the limit of the answer. It omits an object that exceeds
 * the limit and continues with the next object. If the capacity is too small, it writes nothing and
 * returns false. */
static bool write_all(const struct collection *c)
{
	uint64_t size = 0, n;
	uint32_t g;

	for (g = 0; g < c->group_count; g++) {
		if (!c->groups[g].requested)
			continue;
		n = size_of(c, &c->groups[g]);
		if (size + n <= c->r->max_bytes) {
			size += n;
		} else {
			c->groups[g].requested = false;
			report(&c->r->troubles, WP_TOO_LARGE);
		}
	}
	if (size > c->r->capacity)
		return false;

	for (g = 0; g < c->group_count; g++)
		if (c->groups[g].requested) {
			c->r->bytes += write_group(c, &c->groups[g], c->r->out + c->r->bytes);
			c->r->objects++;
		}
	return true;
}

/* allocate allocates memory for the objects of all files. */
static bool allocate(struct collection *c)
{
	uint32_t f, n = 0;

	for (f = 0; f < c->file_count; f++)
		c->object_count += table_count(&c->files[f]);
	c->objects = malloc((c->object_count + (size_t)1) * sizeof *c->objects);
	c->groups = calloc(c->object_count + (size_t)1, sizeof *c->groups);
	c->numbers = malloc((c->object_count + (size_t)1) * sizeof *c->numbers);
	c->queue = malloc((c->object_count + (size_t)1) * sizeof *c->queue);
	if (c->objects == NULL || c->groups == NULL || c->numbers == NULL || c->queue == NULL)
		return false;
	for (f = 0; f < c->file_count; f++) {
		c->files[f].groups = c->numbers + n;
		n += table_count(&c->files[f]);
	}
	return true;
}

bool wp_collect(struct wp_file *files, uint32_t count, struct wp_request *r)
{
	struct collection c = { .files = files, .file_count = count, .r = r };
	bool fits = true;

	r->bytes = r->objects = r->owners->count = 0;
	if (!allocate(&c)) {
		report(&r->troubles, WP_NO_MEMORY);
	} else {
		find_groups(&c);
		list_owners(&c);
		if (!find_items(&c)) {
			report(&r->troubles, WP_NO_MEMORY);
		} else {
			select_objects(&c);
			if (!c.metadata)
				select_parents(&c);
			fits = write_all(&c);
		}
	}
	free(c.objects);
	free(c.groups);
	free(c.numbers);
	free(c.queue);
	free(c.items);
	return fits;
}
