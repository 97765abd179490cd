// The view "Charts": the counter tree, stacked panels with one unit each, and the statistics of the
// visible range. A second range may be compared; both then begin at zero.

import * as data from './data.js';
import {Loader, lines} from './app.js';
import {Palette, Panel, onCursor, swatch} from './chart.js';
import {card} from './overview.js';
import {Tree, counterKey, topSelect} from './tree.js';
import {el, fill, middle, name, refill, safe} from './text.js';
import {
  alignDown, combine, commonParts, extent, joined, largest, mean, pairs, readRange, relativeTo, share,
  valueAt,
} from './series.js';
import {formatPath, hasWildcard, keyOf, label, parsePath} from './path.js';
import {displayUnit, formatValue, units} from './units.js';
import {endOf} from './state.js';

const rowLimit = 100;
const statisticLimit = 100; // paths of a request; above, statistics are computed from the charts

export class Explorer {
  #panels = new Map(); // by unit
  #step = 0;
  #cursor = null;
  #statistics = [new Map(), new Map()]; // of the range and of the compared one, by key
  #allRows = false;

  constructor(app) {
    this.app = app;
    this.tree = new Tree(app);
    this.entries = el('ul', {class: 'entries', 'aria-label': 'Counters in the charts'});
    this.scale = el('input', {type: 'checkbox', onchange: () => app.set({log: this.scale.checked})});
    this.clear = el('button', {type: 'button', class: 'quiet', text: 'Remove all',
      onclick: () => app.set({entries: [], hidden: []})});
    this.tools = el('div', {class: 'chart-tools'},
      el('label', {}, this.scale, ' Logarithmic scale'), this.clear);
    this.panels = el('div', {class: 'panels'});
    this.error = el('p', {class: 'note', role: 'status'});
    this.table = el('div', {class: 'statistics'});
    // On a narrow screen the tree is closed at first.
    this.aside = el('details', {class: 'sidebar'}, el('summary', {text: 'Counters'}), this.tree.root);
    this.aside.open = matchMedia('(min-width: 800px)').matches || app.state.entries.length === 0;
    this.root = el('div', {class: 'explorer'}, this.aside,
      el('div', {class: 'chart-area'}, el('h1', {class: 'sr-only', text: 'Charts'}), this.entries, this.tools,
        this.error, this.panels, this.table));
    const failed = (error) => { this.error.textContent = error.message; };
    this.loader = new Loader(app, failed);
    this.statisticsLoader = new Loader(app, failed);
    this.stopCursor = onCursor((time) => this.#cursorMoved(time));
  }

  destroy() {
    this.stopCursor();
    this.loader.stop();
    this.statisticsLoader.stop();
    for (const {panel} of this.#panels.values()) panel.destroy();
  }

  async update() {
    const {state} = this.app;
    this.scale.checked = state.log;
    this.#drawEntries();
    this.#load();
    this.#redraw();
    this.tree.update(await this.app.objects());
  }

  // drawEntries lists the counters of the charts, with their instances and limits.
  #drawEntries() {
    const {entries} = this.app.state;
    const shown = JSON.stringify(entries);
    if (shown === this.shownEntries) return;
    this.shownEntries = shown;
    this.tools.hidden = entries.length === 0;
    refill(this.entries, entries.map((entry, i) => this.#entry(entry, i)));
    this.entries.hidden = entries.length === 0;
  }

  #entry(entry, i) {
    const path = parsePath(entry.path);
    const replace = (changed) => {
      const {entries} = this.app.state;
      this.app.set({entries: entries.map((one, k) => (k === i ? {...one, ...changed} : one))});
    };
    const input = el('input', {
      type: 'text', class: 'path-input', value: entry.path, spellcheck: 'false', 'aria-label': `Path ${i + 1}`,
      title: entry.path, 'data-key': `path ${i}`, size: Math.min(Math.max(entry.path.length, 12), 60),
      onchange: () => {
        const valid = parsePath(input.value) !== null;
        input.setAttribute('aria-invalid', String(!valid));
        if (valid) replace({path: input.value});
      },
    });
    const top = hasWildcard(path.instance)
      && topSelect(entry.top, {'aria-label': `Instances of path ${i + 1}`, 'data-key': `top ${i}`,
        onchange: (event) => replace({top: Number(event.target.value)})});
    return el('li', {}, input, top, el('button', {
      type: 'button', class: 'quiet', text: '×', 'aria-label': `Remove ${entry.path}`, 'data-key': `remove ${i}`,
      onclick: () => this.app.set({entries: this.app.state.entries.filter((one) => one.path !== entry.path)}),
    }));
  }

  #load() {
    const {app} = this;
    const {entries} = app.state;
    if (entries.length === 0) {
      this.loader.stop();
      this.range = null;
      return;
    }
    const {begin, end, follow} = app.window;
    const other = app.other && {source: app.other.id, ...app.otherWindow};
    const window = {begin: follow ? alignDown(begin, this.#step) : Math.floor(begin), end: endOf(end)};
    const points = Math.min(Math.max(Math.round(this.panels.clientWidth / 2), 150), 1000);
    const otherPart = other && [other.source, follow ? 0 : other.begin];
    const group = JSON.stringify([app.source.id, entries, follow || [begin, end], otherPart]);
    this.loader.load({key: group + end, group}, (signal) => {
      const get = (source, span) => loadEntries(source, entries, span, points, signal);
      return Promise.all([get(app.source.id, window), other && get(other.source, other)]);
    }, ([range, compared]) => this.#loaded(range, compared, other));
  }

  #loaded(range, compared, other) {
    const {app} = this;
    const found = new Set(range.series.map((one) => counterKey(one.path)));
    const absent = app.state.entries.map((entry) => parsePath(entry.path))
      .filter((path) => !hasWildcard(path.object + path.counter) && !found.has(counterKey(path)));
    this.error.textContent = absent.length === 0 ? ''
      : `No values in this range: ${absent.map((path) => safe(formatPath(path))).join(', ')}`;
    this.#step = range.step;
    this.range = range;
    this.compared = compared;
    this.comparedWindow = other;
    this.#allRows = false;
    this.#redraw();
    this.#loadStatistics();
    return range.complete && (!compared || compared.complete);
  }

  // loadStatistics asks for exact statistics, at most every five seconds in a moving range.
  #loadStatistics() {
    const {app} = this;
    const {end, follow} = app.window;
    const paths = (range) => range.series.map((one) => formatPath(one.path));
    const span = {begin: Math.floor(app.window.begin), end: endOf(end)};
    const other = this.compared && this.comparedWindow;
    const group = JSON.stringify([app.source.id, paths(this.range), follow || span, other]);
    const get = (source, range, window, signal) => {
      const count = range.series.length;
      return count > 0 && count <= statisticLimit ? data.statistics(source, paths(range), window, signal) : [];
    };
    const key = group + (follow ? Math.floor(end / 5000) : end);
    this.statisticsLoader.load({key, group}, (signal) => Promise.all([
      get(app.source.id, this.range, span, signal),
      other ? get(other.source, this.compared, other, signal) : [],
    ]), (answers) => {
      this.#statistics = answers.map(byKey);
      this.#drawTable();
    });
  }

  #redraw() {
    const {app} = this;
    const {state} = app;
    if (state.entries.length === 0 || !this.range) {
      for (const {panel} of this.#panels.values()) panel.destroy();
      this.#panels.clear();
      const hint = el('p', {class: 'empty', text: 'Choose counters in the list. Each unit has its own chart.'});
      fill(this.panels, state.entries.length === 0 && hint);
      fill(this.table);
      return;
    }
    const {begin, end} = app.window;
    const comparing = Boolean(this.compared && state.compare);
    const all = [...this.range.series, ...(comparing ? this.compared.series : [])];
    const names = [...new Set(all.map((one) => one.unit))];
    this.#arrange(names);

    for (const [unit, frame] of this.#panels) {
      const own = {...this.range, series: this.range.series.filter((one) => one.unit === unit)};
      let model = {times: own.times, begin, end, zone: app.zone, origin: 0};
      const style = {hidden: state.hidden};
      frame.lines = lines(own.series, frame.palette, style);
      if (comparing) {
        const second = {...this.compared, series: this.compared.series.filter((one) => one.unit === unit)};
        ({model, lines: frame.lines} = compare(own, second, app.window, this.comparedWindow, frame.palette,
          {...style, names: app.names}));
      }
      frame.times = model.times;
      frame.panel.draw({
        ...model, mark: state.mark, unit, log: state.log, lines: frame.lines,
        label: `${units[unit].title}, ${frame.lines.length} series. ${app.rangeText}`,
      });
    }
    this.#drawTable();
  }

  // arrange makes one panel for each unit, and keeps panels that exist.
  #arrange(names) {
    for (const [unit, {panel, root}] of this.#panels) {
      if (names.includes(unit)) continue;
      panel.destroy();
      root.remove();
      this.#panels.delete(unit);
    }
    this.panels.querySelector('.empty')?.remove();
    for (const unit of names) {
      if (this.#panels.has(unit)) continue;
      const panel = new Panel(this.app, {height: 210, label: units[unit].title});
      const root = card(units[unit].title, panel.readout, panel.root);
      this.#panels.set(unit, {panel, root, palette: new Palette()});
      this.panels.append(root);
    }
    if (names.length === 0) fill(this.panels, el('p', {class: 'empty', text: 'No values in this range.'}));
  }

  // pictures returns the panels for an export.
  pictures() {
    return [...this.#panels].map(([unit, {panel, lines: list, times}]) => ({
      title: units[unit].title, unit, canvas: panel.canvas, lines: list.filter((line) => !line.hidden), times,
    }));
  }

  #cursorMoved(time) {
    this.#cursor = time;
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.#showCursorValues();
    });
  }

  // drawTable lists all series with their statistics.
  #drawTable() {
    const rows = [...this.#panels.values()].flatMap((frame) => pairs(
      frame.lines.filter((line) => !line.second), frame.lines.filter((line) => line.second),
    ).map(([line, other]) => ({frame, line, other})));
    if (rows.length === 0) {
      fill(this.table);
      return;
    }
    const comparing = rows.some(({other}) => other);
    const shown = this.#allRows ? rows : rows.slice(0, rowLimit);
    const [own, other] = this.app.names;
    const columns = ['Counter', 'Instance', 'At cursor', 'Last', comparing ? `Average, ${own}` : 'Average',
      'Minimum', 'Maximum', ...(comparing ? [`Average, ${other}`, 'Difference'] : [])];
    this.cells = [];
    const scroll = {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Statistics', 'data-key': 'table'};
    const table = el('table', {class: 'grid-table'},
      el('thead', {}, el('tr', {}, columns.map(
        (text, i) => el('th', {scope: 'col', text, class: i > 1 && 'number'})))),
      el('tbody', {}, shown.map((row) => this.#row(row, comparing))));
    refill(this.table, el('h2', {text: 'Statistics of the visible range'}), el('div', scroll, table),
      shown.length < rows.length && el('button', {
        type: 'button', text: `Show all ${rows.length} rows`,
        onclick: () => { this.#allRows = true; this.#drawTable(); },
      }));
    this.#showCursorValues();
  }

  #row({frame, line, other}, comparing) {
    const shown = line ?? other;
    const unit = shown.unit;
    const value = (number) => formatValue(number, unit);
    const exact = (list, one, key) => (one.repeated ? null : list.get(key)) ?? estimate(frame, one);
    const figures = line && exact(this.#statistics[0], line, line.key);
    const others = other && exact(this.#statistics[1], other, other.pair);
    const resets = shown.resets.length;
    const times = resets === 1 ? 'reset' : `${resets} resets`;
    const badge = el('span', {class: 'badge', title: 'The counter began again', text: times});
    const cursor = el('td', {class: 'number'});
    this.cells.push({cell: cursor, frame, pair: comparing ? [line, other] : [line], unit});
    const toggle = el('input', {
      type: 'checkbox', 'aria-label': `Show ${shown.title}`, 'data-key': shown.key,
      onchange: () => this.#toggle(shown.pair),
    });
    toggle.checked = !shown.hidden;
    const highlight = (key) => () => frame.panel.highlight(key);
    return el('tr', {onpointerenter: highlight(shown.key), onpointerleave: highlight(null),
      onfocusin: highlight(shown.key), onfocusout: highlight(null)},
      el('th', {scope: 'row', title: shown.title}, el('label', {class: 'row-name'}, toggle,
        swatch(shown.color, shown.dash || shown.dots), name(shown.path.counter),
        resets > 0 && badge)),
      el('td', {class: 'instance', title: shown.title},
        name(middle(shown.path.instance ?? shown.path.object, 28)),
        shown.repeated && el('span', {class: 'pid', text: shown.pid})), cursor,
      ['last', 'average', 'minimum', 'maximum'].map((field) => el('td',
        {class: 'number', text: figures ? value(figures[field]) : '–'})),
      comparing && [el('td', {class: 'number', text: others ? value(others.average) : '–'}),
        el('td', {class: 'number', text: difference(figures?.average, others?.average)})]);
  }

  #toggle(key) {
    const {hidden} = this.app.state;
    this.app.set({hidden: hidden.includes(key) ? hidden.filter((one) => one !== key) : [...hidden, key]});
  }

  #showCursorValues() {
    for (const {cell, frame, pair, unit} of this.cells ?? []) {
      cell.textContent = this.#cursor === null ? '' : pair.map((line) => {
        const {value, status} = line ? valueAt(frame.times, line, this.#cursor) : {value: null, status: '–'};
        return value === null ? status : formatValue(value, unit);
      }).join(' / ');
    }
  }
}

// loadEntries asks for all entries without a limit at once, and for each other entry alone.
async function loadEntries(source, entries, window, points, signal) {
  const all = entries.filter((entry) => !entry.top).map((entry) => entry.path);
  const requests = entries.filter((entry) => entry.top).map(async ({path, top}) => {
    // The server ranks instances that existed shortly by the average of that time, so more are requested.
    const range = readRange(await data.range(source, [path], window, {points, top: 4 * top + 10}, signal));
    return {...range, series: largest(range.series, top, share)};
  });
  if (all.length > 0) requests.unshift(data.range(source, all, window, {points}, signal).then(readRange));
  const range = combine(await Promise.all(requests));
  const order = entries.map((entry) => counterKey(parsePath(entry.path)));
  const place = (one) => order.indexOf(counterKey(one.path));
  return {...range, series: range.series.sort((a, b) => place(a) - place(b))};
}

// compare puts two ranges on one axis that begins at zero. The second one is dashed, in the same color.
export function compare(first, second, window, otherWindow, palette, {hidden, names}) {
  const all = joined(relativeTo(first, window.begin), relativeTo(second, otherWindow.begin));
  const own = all.series.slice(0, first.series.length);
  const others = all.series.slice(first.series.length);
  const matched = pairs(own, others);
  const keys = matched.map(([one, other]) => (one ?? other).key);
  const same = commonParts(all.series);
  const colors = new Map(palette.assign(keys).map((style, i) => [keys[i], style]));
  const line = (one, isSecond) => ({
    ...one, ...colors.get(one.key), title: formatPath(one.path),
    label: `${label(one.path, same)} (${names[Number(isSecond)]})`,
    key: isSecond ? `${one.key} 2` : one.key, pair: one.key, second: isSecond, dash: isSecond,
    hidden: hidden.includes(one.key),
  });
  return {
    model: {times: all.times, begin: 0, end: window.end - window.begin, zone: null, origin: window.begin},
    lines: [...own.map((one) => line(one, false)), ...others.map((one) => line(one, true))],
  };
}

// byKey returns statistics by key. Several instances of the same name have none.
function byKey(list) {
  const result = new Map();
  for (const one of list) {
    const key = keyOf(one.path);
    result.set(key, result.has(key) ? null : scaledStatistics(one));
  }
  return result;
}

function scaledStatistics(one) {
  const {factor} = displayUnit(one.unit, parsePath(one.path)?.counter ?? '');
  const scaled = (value) => (value === null || value === undefined ? null : value * factor);
  return {last: scaled(one.last), average: scaled(one.average), minimum: scaled(one.minimum),
    maximum: scaled(one.maximum)};
}

// estimate computes statistics from the values of a chart, until exact ones arrive.
function estimate(frame, line) {
  const [minimum, maximum] = extent([line.minimum, line.maximum], 0, frame.times.length - 1);
  if (minimum > maximum) return null;
  return {last: valueAt(frame.times, line, null).value, average: mean(line.average), minimum, maximum};
}

// difference returns the change from the compared average to the average, in percent.
export function difference(now, before) {
  if (!Number.isFinite(now) || !Number.isFinite(before)) return '–';
  if (before === 0) return now === 0 ? '0 %' : 'new';
  const percent = (now / before - 1) * 100;
  const text = Math.abs(percent) >= 1000 ? `×${(now / before).toFixed(0)}` : `${percent.toFixed(1)} %`;
  return percent > 0 && !text.startsWith('×') ? `+${text}` : text.replace('-', '−');
}
