// The connection to winperf: this is the only module that fetches, and the only one that the page
// without a server replaces (view/web/internal/onepage/request.js). Requests have the names and
// parameters of docs/view.md.

import {safe} from './text.js';

const base = '/api/v1/';

// A RequestError has the message of the server and the HTTP status; 0 means that there was no answer.
export class RequestError extends Error {
  constructor(message, status) {
    super(safe(message));
    this.status = status;
  }
}

const address = (name, query) => base + name + (query ? '?' + query : '');

async function send(url, options, kind = 'json') {
  let response;
  try {
    response = await fetch(url, {credentials: 'same-origin', ...options});
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new RequestError('winperf does not answer; it may have ended', 0);
  }
  if (response.ok) return response.status === 204 ? null : response[kind]().catch(() => null);

  const answer = await response.json().catch(() => null);
  throw new RequestError(answer?.error ?? `the server answered ${response.status}`, response.status);
}

// login exchanges the one-time token of the printed address for a cookie.
export function login(token) {
  return send(base + 'login', {method: 'POST', body: token});
}

// ask returns the answer to a request.
export function ask(name, query, signal) {
  return send(address(name, query), {signal});
}

// download returns the answer to a request as a blob. The page without a server lacks this function.
export async function download(name, query) {
  const blob = await send(address(name, query), {}, 'blob');
  if (!blob) throw new RequestError('winperf ended before the file was complete', 0);
  return blob;
}

// cancel ends the reading of a source. The page without a server lacks this function.
export function cancel(source) {
  return send(address('cancel', new URLSearchParams({source})), {method: 'POST'});
}

// follow calls onEvent with the data of each event of a kind, until the returned function is called.
// onError is called while the connection is interrupted.
export function follow(name, query, kind, onEvent, onError) {
  const stream = new EventSource(address(name, query));
  stream.addEventListener(kind, (event) => onEvent(JSON.parse(event.data)));
  stream.addEventListener('error', () => onError(new RequestError('winperf does not answer; trying again', 0)));
  return () => stream.close();
}

// onSource calls a function after each source that is opened while the page is shown, with its id or
// null if it is not to be shown. A server opens none.
export function onSource() {}

// controls returns the elements that the header gets in addition.
export const controls = () => [];
