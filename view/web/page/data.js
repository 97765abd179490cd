// All data of the page: this is the only module that fetches. docs/view.md describes the answers.
// Every function may get an AbortSignal as its last argument.

import {safe} from './text.js';

const base = '/api/v1/';

// An ApiError has the message of the server and the HTTP status; 0 means that there was no answer.
class ApiError extends Error {
  constructor(message, status) {
    super(safe(message));
    this.status = status;
  }
}

async function request(url, options) {
  let response;
  try {
    response = await fetch(url, {credentials: 'same-origin', ...options});
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ApiError('winperf does not answer; it may have ended', 0);
  }
  if (response.ok) return response.status === 204 ? null : response.json().catch(() => null);

  const answer = await response.json().catch(() => null);
  throw new ApiError(answer?.error ?? `the server answered ${response.status}`, response.status);
}

// address returns the URL of a request. Absent parameters are null; lists are repeated.
function address(name, parameters) {
  const fields = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined && one !== '') fields.append(key, one);
    }
  }
  const query = fields.toString();
  return base + name + (query ? '?' + query : '');
}

const get = (name, parameters, signal) => request(address(name, parameters), {signal});

// login exchanges the one-time token of the printed address for a cookie.
export function login(token) {
  return request(base + 'login', {method: 'POST', body: token});
}

// sources returns the sources; begin and end are milliseconds.
export async function sources(signal) {
  const {sources: list} = await get('sources', {}, signal);
  const time = (text) => (text === null ? Date.now() : Date.parse(text)); // no sample yet
  return list.map((one) => ({...one, begin: time(one.begin), end: time(one.end)}));
}

export async function objects(source, signal) {
  return (await get('objects', {source}, signal)).objects;
}

export async function instances(source, object, window, signal) {
  return (await get('instances', {source, object, ...window}, signal)).instances;
}

// values returns the readings of the last sample at or before end, as {time, readings}.
export function values(source, paths, end, signal) {
  return get('values', {source, path: paths, end}, signal);
}

// followValues calls onValues with such an object after each sample, until the returned function is
// called. onError is called while the connection is interrupted.
export function followValues(source, paths, onValues, onError) {
  const stream = new EventSource(address('values', {source, path: paths}));
  stream.addEventListener('values', (event) => onValues(JSON.parse(event.data)));
  stream.addEventListener('error', () => onError(new ApiError('winperf does not answer; trying again', 0)));
  return () => stream.close();
}

// range returns values of a window {begin, end}. Options are points, step and top.
export function range(source, paths, window, options, signal) {
  return get('range', {source, path: paths, ...window, ...options}, signal);
}

export async function events(source, window, signal) {
  return get('events', {source, ...window}, signal);
}

export async function statistics(source, paths, window, signal) {
  return (await get('statistics', {source, path: paths, ...window}, signal)).series;
}

// changed returns the counters that differ most between the window and the rest of the source, or all
// of another source. window is {} for the whole source.
export async function changed(source, window, other, signal) {
  return (await get('changed', {source, ...window, with: other}, signal)).changed;
}
