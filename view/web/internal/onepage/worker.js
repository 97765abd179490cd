// The worker of the page without a server: it runs the Go program that reads logs (main.go) and passes
// messages between it and the page (request.js).

import {fileSystem} from './files.js';

let said = ''; // by the program, which prints why it ends
const started = new Promise((resolve) => { globalThis.ready = resolve; });
globalThis.reply = (id, status, text) => postMessage({id, status, text});

// Messages to itself come after the messages of the page, unlike the callback of a promise.
const turns = new MessageChannel();
const waiting = [];
turns.port1.onmessage = () => waiting.shift()();

function later(work) {
  waiting.push(work);
  turns.port2.postMessage(null);
}

const ids = new Map(); // of the requests that opened files, by the path
const reader = new FileReaderSync();
const files = fileSystem((blob) => reader.readAsArrayBuffer(blob), later,
  (path, read) => postMessage({id: ids.get(path), read}));

async function start(packed) {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  const program = new Response(unpacked, {headers: {'Content-Type': 'application/wasm'}});
  Object.assign(globalThis.fs, files, {writeSync(_, text) {
    said += new TextDecoder().decode(text);
    return text.length;
  }});
  const go = new Go();
  go.exit = () => {};
  const {instance} = await WebAssembly.instantiateStreaming(program, go.importObject);
  await go.run(instance);
  throw new Error(said.split('\n', 1)[0]);
}

onmessage = async ({data: {program, abort, id, file, name, query}}) => {
  if (program) return start(program).catch((error) => postMessage({end: error.message}));
  await started;
  if (abort) return globalThis.winperf.abort(abort);
  if (!file) return globalThis.winperf.ask(id, name, query);

  let path = file.name;
  for (let n = 2; files.has(path); n++) path = `(${n}) ${file.name}`;
  ids.set(path, id);
  files.add(path, file);
  return globalThis.winperf.open(id, path);
};
