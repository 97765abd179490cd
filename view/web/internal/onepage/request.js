// The connection of the page without a server: a worker reads the logs that the user drops or chooses, and
// answers the requests. It replaces ../../page/request.js, whose other exports it lacks.

import {el, fill, safe} from '../../page/text.js';

const requests = new Map(); // running ones, by id: {resolve, reject, onRead}
let lastId = 0;
let opened = 0; // sources
let onOpened = null;
const {promise: firstOpened, resolve: showFirst} = Promise.withResolvers();

// take removes the elements that a selector finds, and returns their texts.
const take = (selector) => [...document.querySelectorAll(selector)].map((element) => {
  element.remove();
  return element.textContent;
});

const policy = globalThis.trustedTypes?.createPolicy('worker', {createScriptURL: (url) => url});
const script = URL.createObjectURL(new Blob(take('#worker'), {type: 'text/javascript'}));
const worker = new Worker(policy?.createScriptURL(script) ?? script);
let ended = null; // the error with which the worker ended

worker.onmessage = ({data: {id, status, text, read, end}}) => {
  const request = requests.get(id);
  if (end !== undefined) {
    ended = new Error(`The reader of logs ended: ${safe(end || 'this browser cannot run it')}`);
    if (requests.size === 0) report(ended.message);
    for (const {reject} of requests.values()) reject(ended);
  } else if (read !== undefined) request?.onRead(read);
  else if (requests.delete(id) && status === 200) request.resolve(JSON.parse(text));
  else request?.reject(new Error(safe(text)));
};
worker.onerror = (event) => worker.onmessage({data: {end: event.message}});
worker.postMessage({program: take('#program')[0]});

// call sends a message to the worker and returns a promise of its answer.
function call(message, signal, onRead = () => {}) {
  return new Promise((resolve, reject) => {
    if (ended) throw ended;
    signal?.throwIfAborted();
    const id = ++lastId;
    requests.set(id, {resolve, reject, onRead});
    signal?.addEventListener('abort', () => {
      if (requests.delete(id)) worker.postMessage({abort: id});
      reject(signal.reason);
    });
    worker.postMessage({id, ...message});
  });
}

// ask returns the answer to a request. The sources are answered when the first one is open.
export async function ask(name, query, signal) {
  if (name === 'sources') await firstOpened;
  return call({name, query}, signal);
}

export const cancel = (source) => call({name: 'cancel', query: source});
export const follow = () => () => {}; // no source is live
export const login = async () => {};

const choose = () => picker.click();
export const controls = () => [el('button', {type: 'button', text: 'Open…', title: 'Open logs', onclick: choose})];

export function onSource(show) {
  onOpened = show;
  document.body.append(list, picker);
  if (opened > 1) show(null);
}

const list = el('div', {class: 'opening', role: 'status', 'aria-label': 'Logs that are being opened'});
const picker = el('input', {type: 'file', multiple: true, hidden: true,
  onchange: () => openAll([...picker.files]).finally(() => { picker.value = ''; })});

// report shows a message until the user closes it.
function report(message, line = el('div')) {
  fill(line, el('span', {role: 'alert', text: message}),
    el('button', {type: 'button', text: 'Close', onclick: () => line.remove()}));
  list.append(line);
}

// openAll opens logs one after the other and shows the first one, at once or together with the others.
async function openAll(files, together = false) {
  let first = true;
  for (const file of files) {
    const stop = new AbortController();
    const text = el('span', {text: `Opening ${file.name}`});
    const line = el('div', {}, text, el('button', {type: 'button', text: 'Cancel', onclick: () => stop.abort()}));
    list.append(line);
    try {
      const id = await call({file}, stop.signal, (read) => {
        const [part, all] = [read, file.size].map((bytes) => (bytes / 1e6).toFixed(1));
        text.textContent = `Opening ${safe(file.name)}: ${part} of ${all} MB read`;
      });
      opened++;
      line.remove();
      if (!together) showFirst();
      onOpened?.(first ? id : null);
      first = false;
    } catch (error) {
      if (stop.signal.aborted) line.remove();
      else report(error.message, line);
    }
  }
  if (opened > 0) showFirst();
}

// decode returns bytes from base64. A callback for each byte would need gigabytes for a large log.
function decode(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

// openSaved opens the logs in the page. Their captures are in base64.
async function openSaved() {
  const [state] = take('#saved-state');
  if (state && location.hash.length < 2) history.replaceState(null, '', '#' + JSON.parse(state));
  await openAll([...document.querySelectorAll('script.saved-log')].map((element) => {
    const {name, capture} = JSON.parse(element.textContent);
    element.replaceChildren(); // the text may be large
    return new File([decode(capture)], name);
  }), true);
}

addEventListener('dragover', (event) => event.preventDefault());
addEventListener('drop', (event) => {
  event.preventDefault();
  openAll([...event.dataTransfer.files]);
});
document.querySelector('main').append(list, picker);
document.querySelector('#open').onclick = choose;
// The area for logs is hidden as long as the page contains saved logs.
openSaved().catch((error) => report(`The saved logs are damaged: ${error.message}`))
  .finally(() => { if (opened === 0) take('script.saved-log'); });
