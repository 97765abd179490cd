// All data of the page. docs/view.md describes the answers. A signal is an AbortSignal.

import * as connection from './request.js';

const {ask, follow} = connection;

// query returns parameters as the text of an address. Absent parameters are null; lists are repeated.
function query(parameters) {
  const fields = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined && one !== '') fields.append(key, one);
    }
  }
  return fields.toString();
}

const get = (name, parameters, signal) => ask(name, query(parameters), signal);

// sources returns the sources; begin and end are milliseconds.
export async function sources() {
  const {sources: list} = await get('sources', {});
  const time = (text) => (text === null ? Date.now() : Date.parse(text)); // no sample yet
  return list.map((one) => ({...one, begin: time(one.begin), end: time(one.end)}));
}

export async function objects(source) {
  return (await get('objects', {source})).objects;
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
  return follow('values', query({source, path: paths}), 'values', onValues, onError);
}

// range returns values of a window {begin, end}. Options are points, step and top.
export function range(source, paths, window, options, signal) {
  return get('range', {source, path: paths, ...window, ...options}, signal);
}

// cancel ends the reading of a source. It is undefined in the page without a server.
export const cancel = connection.cancel;

// page returns a page with the samples of ranges {source, begin, end} inside, as a blob. It is undefined in the
// page without a server.
export const page = connection.download && ((ranges, state) => {
  const all = (name) => ranges.map((one) => one[name]);
  const parameters = {source: all('source'), begin: all('begin'), end: all('end'), state};
  return connection.download('page', query(parameters));
});

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
