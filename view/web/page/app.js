// The application: state, sources, the visible range, and the parts that all views share.

import * as data from './data.js';
import {browserZone, logZone, timeText, clockText, elapsedText, utc} from './time.js';
import {endOf, formatState, parseState, windowOf, within, zoomed} from './state.js';
import {formatValue} from './units.js';
import {commonParts, valueAt} from './series.js';
import {formatPath, label} from './path.js';
import {safe, shortName} from './text.js';

// An App calls render() after each change of its state or sources.
export class App {
  sources = [];
  state = parseState('');
  running = 0; // requests
  objectLists = new Map(); // promises of the objects of each source
  objectsSince = Date.now();

  constructor(render) {
    this.render = render;
  }

  // pending counts running requests. The view is busy as long as one is running.
  pending(change) {
    this.running += change;
    document.getElementById('view')?.setAttribute('aria-busy', String(this.running > 0));
  }

  // readSources asks for the sources again.
  async readSources() {
    const list = await data.sources();
    this.sources = list.map((one) => ({...one, name: shortName(one, list)}));
  }

  // source is the selected source, or the first one.
  get source() {
    return this.sources.find((one) => one.id === this.state.source) ?? this.sources[0];
  }

  // reading reports whether the source is a log of which a part was not yet read.
  get reading() {
    return this.source.done < this.source.of;
  }

  // other is the source of the comparison, or null.
  get other() {
    if (!this.state.compare) return null;
    return this.sources.find((one) => one.id === this.state.compare.source) ?? this.source;
  }

  get window() {
    return windowOf(this.state, this.source);
  }

  // query is the visible range as parameters of a request; {} is the whole source.
  get query() {
    const {begin, end, whole} = this.window;
    return whole ? {} : {begin: Math.floor(begin), end: endOf(end)};
  }

  // otherWindow is the compared range: as long as the visible one, and as far from the start of its log. Of
  // the same source it is the range before the visible one, or the range after it.
  get otherWindow() {
    const {source, other} = this;
    const {begin, end} = this.window;
    const near = 2 * begin - end >= source.begin ? 2 * begin - end : end;
    const start = this.state.compare.begin ?? (other === source ? near : other.begin + begin - source.begin);
    return {begin: Math.floor(start), end: endOf(start + end - begin)};
  }

  // names tell the two sources or ranges of a comparison apart.
  get names() {
    const {source, other} = this;
    return source === other ? ['this range', 'the compared range'] : [source.name, other?.name];
  }

  get zone() {
    if (this.state.zone === 'utc') return utc;
    if (this.state.zone === 'browser') return browserZone();
    return logZone(this.source.zone, this.source.offsets);
  }

  // rangeText describes the visible range for screen readers.
  get rangeText() {
    const {begin, end} = this.window;
    return `Chart from ${timeText(begin, this.zone)} to ${timeText(end, this.zone)}`;
  }

  // set changes the state. The address gets a new entry of the history, unless quiet is true.
  // The compared range moves with the visible one.
  set(patch, {quiet = false} = {}) {
    const before = this.state.compare && this.window.begin;
    this.state = {...this.state, ...patch};
    const {compare} = this.state;
    if (compare && compare.begin !== null && !('compare' in patch)) {
      this.state.compare = {...compare, begin: compare.begin + this.window.begin - before};
    }
    const address = '#' + formatState(this.state);
    if (address !== (location.hash || '#')) {
      if (quiet) history.replaceState(null, '', address);
      else history.pushState(null, '', address);
    }
    this.render();
  }

  zoom(begin, end) {
    this.set({...within({begin, end}, this.source), follow: 0});
  }

  // mark marks a time, or removes the mark at this time.
  mark(time) {
    this.set({mark: this.state.mark === time ? null : time}, {quiet: true});
  }

  // scaleBy makes the range smaller (factor below 1) or larger. place is the part of it, between 0 and 1,
  // that stays where it is.
  scaleBy(factor, place) {
    const now = this.window;
    if (now.follow) {
      this.set({follow: Math.min(Math.max(Math.round(now.follow * factor), 10), 86400)});
      return;
    }
    this.set(within(zoomed(now, factor, place), this.source));
  }

  // pan moves the range by a part of its length.
  pan(part) {
    const {begin, end} = this.window;
    const moved = (time) => Math.round(time + part * (end - begin));
    this.zoom(moved(begin), moved(end));
  }

  // showAll selects the whole source.
  showAll() {
    this.set({begin: null, end: null, follow: 0});
  }

  // add draws more entries in the charts. Entries that are already there stay as they are.
  add(entries, patch = {}) {
    const known = new Set(this.state.entries.map((entry) => entry.path.toLowerCase()));
    const added = entries.filter((entry) => !known.has(entry.path.toLowerCase()));
    this.set({entries: [...this.state.entries, ...added], ...patch});
  }

  // objects returns a promise of the objects of the source.
  objects() {
    const {id} = this.source;
    if (!this.objectLists.has(id)) {
      const list = data.objects(id);
      list.catch(() => this.objectLists.delete(id));
      this.objectLists.set(id, list);
    }
    return this.objectLists.get(id);
  }

  // forgetObjects discards the object lists of sources that have read more of their log, or that are
  // live and were asked a minute ago.
  forgetObjects(before) {
    const now = Date.now();
    for (const {id, done, live, samples} of this.sources) {
      const same = before.find((one) => one.id === id)?.done === done;
      const young = live && samples < 10; // instances of the first sample are incomplete
      if (same && !young && !(live && now - this.objectsSince > 60e3)) continue;
      this.objectLists.delete(id);
      this.objectsSince = now;
    }
  }

  // describe returns the values of a chart at a time, for screen readers.
  describe(time, model) {
    const at = model.zone ? timeText(time, model.zone) : elapsedText(time);
    const values = model.lines.filter((line) => !line.hidden).slice(0, 8).map((line) => {
      const {value, status} = valueAt(model.times, line, time);
      return `${safe(line.label)} ${value === null ? status : formatValue(value, model.unit)}`;
    });
    return `${at}. ${values.join('. ')}`;
  }

  // clock returns a time without its date if the visible range is within one day.
  clock(time) {
    const {begin, end} = this.window;
    if (end - begin >= 20 * 3600e3) return timeText(time, this.zone);
    return clockText(Math.round(time / 1000) * 1000, this.zone);
  }
}

// lines returns lines for a panel. Options are the hidden keys, and whether a series is strong.
export function lines(series, palette, {hidden = [], strong = () => false}) {
  const same = commonParts(series);
  const colors = palette.assign(series.map((one) => one.key));
  return series.map((one, i) => ({
    ...one, label: nameOf(one, label(one.path, same)), title: nameOf(one, formatPath(one.path)), ...colors[i],
    hidden: hidden.includes(one.key), strong: strong(one), dash: false, pair: one.key,
  }));
}

// nameOf adds the process id to a text if instances with this name existed one after the other.
function nameOf(one, text) {
  return one.repeated && one.pid !== null ? `${text} (${one.pid})` : text;
}

// A Loader runs one request at a time. load does nothing if the key has not changed. A request with
// another group replaces the running one; with the same group, a moving range waits for its answer.
// show returns false if the answer is not complete.
export class Loader {
  #key = null;
  #group = null;
  #controller = null;

  constructor(app, onError) {
    this.app = app;
    this.onError = onError;
  }

  async load({key, group = key}, get, show) {
    if (key === this.#key || (this.#controller && group === this.#group)) return;
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    this.#key = key;
    this.#group = group;
    this.app.pending(1);
    try {
      const answer = await get(controller.signal);
      if (controller.signal.aborted) return;
      // Of a log that is being read there is only a coarse picture. It is requested again.
      if (show(answer) === false) {
        this.#key = null;
        setTimeout(() => this.app.render(), 1000);
      }
    } catch (error) {
      if (controller.signal.aborted) return;
      this.#key = null;
      this.onError(error);
    } finally {
      if (this.#controller === controller) this.#controller = null;
      this.app.pending(-1);
    }
  }

  stop() {
    this.#controller?.abort();
  }
}
