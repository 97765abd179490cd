// Tests of the files of the page without a server.

import assert from 'node:assert/strict';
import {test} from 'node:test';

import {fileSystem} from '../onepage/files.js';

const block = 1 << 20;

// blobOf returns a stand-in for a file of the page, which notes the parts that were read.
function blobOf(bytes, reads = []) {
  return {size: bytes.length, reads, slice: (from, to) => { reads.push(from); return {bytes: bytes.slice(from, to)}; }};
}

// tools returns a file system and calls of it that return promises.
function tools() {
  const progress = [];
  const files = fileSystem(({bytes}) => bytes.buffer, setImmediate, (path, read) => progress.push([path, read]));
  files.limit = 10;
  const call = (name, ...values) => new Promise((resolve, reject) => {
    files[name](...values, (error, result) => (error ? reject(error) : resolve(result)));
  });
  const read = async (descriptor, length, position = null) => {
    const buffer = new Uint8Array(length + 1);
    const n = await call('read', descriptor, buffer, 1, length, position);
    return [...buffer.slice(1, n + 1)];
  };
  return {files, call, read, progress};
}

test('a file is read in blocks, in order and at positions', async () => {
  const {files, call, read, progress} = tools();
  const bytes = Uint8Array.from({length: block + 5}, (_, i) => i % 251);
  const blob = blobOf(bytes);
  files.add('a.blg', blob);
  assert.equal((await call('stat', 'a.blg')).size, block + 5);

  const descriptor = await call('open', 'a.blg', 0);
  assert.equal((await call('fstat', descriptor)).isDirectory(), false);
  assert.deepEqual(await read(descriptor, 3), [0, 1, 2]);
  assert.deepEqual(await read(descriptor, 2), [3, 4]);
  assert.deepEqual(await read(descriptor, 2, block + 3), [...bytes.slice(block + 3)]);
  assert.deepEqual(await read(descriptor, 2, block + 5), []);
  assert.deepEqual(await read(descriptor, 4, block + 3), [...bytes.slice(block + 3)]);
  assert.deepEqual(await read(descriptor, 2), [5, 6], 'a read at a position does not move the position');
  assert.deepEqual(blob.reads, [0, block + 3, 5]);
  assert.deepEqual(progress, [['a.blg', block], ['a.blg', block + 2], ['a.blg', 2 * block + 2]]);
});

test('two descriptors of a file have their own positions', async () => {
  const {files, call, read} = tools();
  files.add('a', blobOf(Uint8Array.of(1, 2, 3)));
  const [one, two] = [await call('open', 'a', 0), await call('open', 'a', 0)];
  assert.deepEqual(await read(one, 2), [1, 2]);
  assert.deepEqual(await read(two, 2), [1, 2]);
  await call('close', one);
  assert.deepEqual(await read(two, 2), [3]);
});

test('errors have the codes of Node', async () => {
  const {files, call, read} = tools();
  await assert.rejects(call('open', 'missing', 0), {code: 'ENOENT'});
  await assert.rejects(call('stat', 'missing'), {code: 'ENOENT'});
  files.add('a', blobOf(Uint8Array.of(1, 2, 3)));
  const descriptor = await call('open', 'a', 0);
  await call('unlink', 'a');
  assert.equal(files.has('a'), false);
  await assert.rejects(read(descriptor, 1), {code: 'ECANCELED'});

  for (const [name, code] of [['NotFoundError', 'ENOENT'], ['NotReadableError', 'EIO']]) {
    files.add(name, {size: 1, slice() { throw new DOMException('from the browser', name); }});
    await assert.rejects(read(await call('open', name, 0), 1), {code});
  }
});

test('a written file has a limit, and can be read', async () => {
  const {files, call} = tools();
  const descriptor = await call('open', '/tmp/copy', files.constants.O_CREAT | files.constants.O_RDWR);
  const buffer = Uint8Array.of(1, 2, 3, 4, 5, 6);
  assert.equal(await call('write', descriptor, buffer, 0, 6, null), 6);
  buffer.fill(0);
  await assert.rejects(call('write', descriptor, buffer, 0, 5, null), {code: 'EFBIG'});
  await call('close', descriptor);
  assert.equal((await call('stat', '/tmp/copy')).size, 6);

  const parts = [];
  const copy = fileSystem((blob) => { parts.push(blob); return new ArrayBuffer(6); }, setImmediate, () => {});
  copy.limit = 10;
  const again = (name, ...values) => new Promise((resolve) => { copy[name](...values, (_, result) => resolve(result)); });
  await again('write', await again('open', 'x', copy.constants.O_CREAT), Uint8Array.of(7, 8), 0, 2, null);
  await again('read', await again('open', 'x', 0), new Uint8Array(2), 0, 2, 0);
  assert.deepEqual([...new Uint8Array(await parts[0].arrayBuffer())], [7, 8]);
});
