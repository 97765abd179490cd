// The files of the page, in the form of the file system of Node, which Go programs in JavaScript use. A file
// of the page is read in blocks when the program asks for them. Unpacked logs become files, too.

const blockSize = 1 << 20;
const constants = {O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65536};
const zeros = Object.fromEntries('dev ino nlink uid gid rdev blksize blocks atimeMs mtimeMs ctimeMs'.split(' ').map((name) => [name, 0]));
const regularFile = 0o100644;

// failure returns an error that Go knows by its code.
const failure = (code) => Object.assign(new Error(code), {code});

// fileSystem returns the functions for globalThis.fs; add(path, blob) and has(path) for files of the page; and
// limit, the number of bytes that a written file may have. readBlob returns the bytes of a blob. later calls a
// function in another turn of the event loop, so that messages arrive during a long read. onRead is called
// with the path and the number of bytes read so far.
export function fileSystem(readBlob, later, onRead) {
  const files = new Map(); // by path: {path, blob, parts, size, read, removed}
  const opened = new Map(); // by descriptor: {file, position, block, start}
  let last = 100; // descriptor
  const status = (file) => ({...zeros, mode: regularFile, size: file.size, isDirectory: () => false});
  const find = (path) => {
    if (!files.has(path)) throw failure('ENOENT');
    return files.get(path);
  };
  const work = {
    stat: (path) => status(find(path)),
    fstat: (descriptor) => status(opened.get(descriptor).file),
    close: (descriptor) => { opened.delete(descriptor); },

    open(path, mode) {
      if (mode & constants.O_CREAT) files.set(path, {path, parts: [], size: 0, read: 0});
      const file = find(path);
      // The browser may keep a large blob on the disk.
      if (!(mode & constants.O_CREAT) && file.parts) Object.assign(file, {blob: new Blob(file.parts), parts: null});
      opened.set(++last, {file, position: 0, block: [], start: 0});
      return last;
    },

    // unlink removes a file. Later reads fail.
    unlink(path) {
      find(path).removed = true;
      files.delete(path);
    },

    write(descriptor, buffer, offset, length) {
      const {file} = opened.get(descriptor);
      if (file.size + length > this.limit) throw failure('EFBIG');
      file.parts.push(buffer.slice(offset, offset + length));
      file.size += length;
      return length;
    },

    read(descriptor, buffer, offset, length, position) {
      const from = opened.get(descriptor);
      const {file} = from;
      if (file.removed) throw failure('ECANCELED');
      const at = position ?? from.position;
      if (at >= file.size) return 0;
      if (at < from.start || at >= from.start + from.block.length) {
        from.start = at;
        from.block = new Uint8Array(readBlob(file.blob.slice(at, at + blockSize)));
        onRead(file.path, file.read += from.block.length);
      }
      const bytes = from.block.subarray(at - from.start, at - from.start + length);
      buffer.set(bytes, offset);
      if (position === null) from.position += bytes.length;
      return bytes.length;
    },
  };

  const add = (path, blob) => files.set(path, {path, blob, size: blob.size, read: 0});
  const calls = {constants, add, has: (path) => files.has(path)};
  for (const [name, one] of Object.entries(work)) {
    calls[name] = function call(...values) { // and a callback
      const answer = [null];
      try {
        answer[1] = one.apply(this, values);
      } catch (error) { // an error of a blob has a number as its code
        answer[0] = typeof error.code === 'string' ? error : failure(error.name === 'NotFoundError' ? 'ENOENT' : 'EIO');
      }
      later(() => values.at(-1)(...answer));
    };
  }
  return calls;
}
