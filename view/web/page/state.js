// The state of the page, and its form in the address: #view=charts&begin=…&path=…

import {formatEntry, parseEntry} from './path.js';

export const views = ['overview', 'charts', 'values'];

// start is the state of an address without a fragment.
export const start = Object.freeze({
  view: 'overview',
  source: '', // '' is the first source
  begin: null, // milliseconds; null is the begin of the source
  end: null,
  follow: null, // length of the moving range in seconds; 0 is off; null is the default of the source
  mark: null, // a marked time
  entries: [], // charts, as {path, top}
  hidden: [], // keys of hidden series
  log: false, // logarithmic value axes
  compare: null, // {source, begin}: the range that the visible range is compared with
  object: '', // of the table of values
  columns: [], // names of counters; [] is the default
  filter: '',
  sort: '', // column of the table; a leading "-" sorts downwards
  by: 'processor', // order of the top processes
  search: '', // in the counter tree
  zone: 'log',
  theme: 'auto',
});

const choices = {
  view: views,
  zone: ['log', 'utc', 'browser'],
  theme: ['auto', 'light', 'dark'],
  by: ['processor', 'memory', 'io'],
};

const texts = ['source', 'object', 'filter', 'sort', 'search'];

// parseState returns the state of a fragment. Unknown and damaged parts are ignored.
export function parseState(fragment) {
  const fields = new URLSearchParams(fragment.replace(/^#/, ''));
  const state = {...start, entries: [], hidden: fields.getAll('hide'), columns: fields.getAll('column')};
  for (const name of texts) state[name] = fields.get(name) ?? start[name];
  for (const [name, allowed] of Object.entries(choices)) {
    if (allowed.includes(fields.get(name))) state[name] = fields.get(name);
  }

  state.begin = parseInstant(fields.get('begin'));
  state.end = parseInstant(fields.get('end'));
  if (state.begin !== null && state.end !== null && state.begin >= state.end) state.begin = state.end = null;
  state.mark = parseInstant(fields.get('mark'));
  state.log = fields.get('scale') === 'log';
  if (/^\d{1,6}$/.test(fields.get('follow') ?? '')) state.follow = Number(fields.get('follow'));

  state.entries = fields.getAll('path').map(parseEntry).filter(Boolean);
  const other = parseInstant(fields.get('withbegin'));
  if (fields.has('with') || other !== null) state.compare = {source: fields.get('with') ?? '', begin: other};
  return state;
}

// formatState returns the fragment of a state, without the parts that have their default.
export function formatState(state) {
  const fields = new URLSearchParams();
  for (const name of [...Object.keys(choices), ...texts]) {
    if (state[name] !== start[name]) fields.set(name, state[name]);
  }
  for (const name of ['begin', 'end', 'mark']) {
    if (state[name] !== null) fields.set(name, formatInstant(state[name]));
  }
  if (state.follow !== null) fields.set('follow', state.follow);
  if (state.log) fields.set('scale', 'log');

  for (const entry of state.entries) fields.append('path', formatEntry(entry));
  for (const key of state.hidden) fields.append('hide', key);
  for (const name of state.columns) fields.append('column', name);
  if (state.compare) {
    fields.set('with', state.compare.source);
    if (state.compare.begin !== null) fields.set('withbegin', formatInstant(state.compare.begin));
  }

  // These characters need no escape in a fragment, and paths are readable with them.
  return fields.toString().replace(/%(28|29|2A|3A|2F|3F|40|2C)/g, decodeURIComponent);
}

// takeToken returns the one-time token of a fragment, and the fragment without it.
export function takeToken(fragment) {
  const fields = new URLSearchParams(fragment.replace(/^#/, ''));
  const token = fields.get('token');
  fields.delete('token');
  return {token, rest: token === null ? fragment : fields.toString()};
}

function parseInstant(text) {
  if (!text) return null;
  if (/^\d{10,15}$/.test(text)) return Number(text);
  const time = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? null : time;
}

const formatInstant = (time) => new Date(time).toISOString().replace('.000Z', 'Z');

// endOf returns a time as the end of a request. Times of samples have parts of a millisecond, which the
// page does not keep, so the end is a millisecond later: it includes the last sample.
export function endOf(time) {
  return Math.floor(time) + 1;
}

// windowOf returns the visible range of a state: {begin, end, follow, whole}. The source has begin and
// end in milliseconds, and the usual distance of samples in seconds.
export function windowOf(state, source) {
  const follow = state.follow ?? (source.live && state.begin === null && state.end === null ? 300 : 0);
  if (follow > 0 && (source.live || source.grows)) {
    // A short history fills the chart after its first minute.
    const begin = Math.max(source.end - follow * 1000, Math.min(source.begin, source.end - 60000));
    return {begin, end: source.end, follow, whole: false};
  }
  let begin = state.begin ?? source.begin;
  let end = state.end ?? source.end;
  if (!(begin < end)) end = begin + 1000;
  return {begin, end, follow: 0, whole: state.begin === null && state.end === null};
}

// savedView returns the ranges {source, begin, end} that a saved page needs, and its state, in which the
// sources have the numbers of their ranges. visible is the visible range, other the compared one or null.
export function savedView(state, window, visible, other) {
  const ranges = [{...visible}];
  if (other && other.source !== visible.source) ranges.push(other);
  else if (other) {
    ranges[0].begin = Math.min(visible.begin, other.begin);
    ranges[0].end = Math.max(visible.end, other.end);
  }
  const range = window.whole && !other ? {begin: null, end: null} : {begin: window.begin, end: window.end};
  const compare = other && {source: String(ranges.length - 1), begin: other.begin};
  return {ranges, state: {...state, ...range, source: '', follow: null, compare}};
}

// zoomed returns a window that is smaller (factor below 1) or larger around a place between 0 and 1.
export function zoomed(window, factor, place = 0.5) {
  const span = window.end - window.begin;
  const size = Math.max(span * factor, 10);
  const begin = window.begin + (span - size) * place;
  return {begin: Math.round(begin), end: Math.round(begin + size)};
}

// gripped returns the range in which the times below one or two pointers stay below them. from and now are
// the places of the pointers between 0 and 1.
export function gripped({begin, end}, from, now) {
  const middle = (places) => (places[0] + places.at(-1)) / 2;
  const spread = (places) => Math.max(Math.abs(places[0] - places.at(-1)), 0.05);
  const size = (end - begin) * spread(from) / spread(now);
  const moved = begin + (end - begin) * middle(from) - size * middle(now);
  return {begin: moved, end: moved + size};
}

// within moves a window into the limits of a source; a window that is larger becomes the whole range,
// which is {begin: null, end: null}.
export function within(window, source) {
  const size = window.end - window.begin;
  if (size >= source.end - source.begin) return {begin: null, end: null};
  if (window.begin < source.begin) return {begin: source.begin, end: source.begin + size};
  if (window.end > source.end) return {begin: source.end - size, end: source.end};
  return window;
}
