// The view "Values": a sortable table with the current values of one object. Rows are instances and
// columns are counters. Objects without instances have a row for each counter.

import * as data from './data.js';
import {Loader} from './app.js';
import {el, fill, hasWords, name, prose, refill, words} from './text.js';
import {formatPath, parsePath} from './path.js';
import {displayUnit, formatValue} from './units.js';
import {endOf} from './state.js';
import {timeText} from './time.js';
import {csvText} from './csv.js';
import {find} from './overview.js';

const pageSize = 100;
const usualColumns = 7;

// The columns at first, for objects with many counters.
const preferred = {
  process: ['% Processor Time', 'Working Set', 'Private Bytes', 'IO Data Bytes/sec', 'Thread Count', 'Handle Count',
    'ID Process'],
  processor: ['% Processor Time', '% User Time', '% Privileged Time', '% DPC Time', '% Interrupt Time',
    'Interrupts/sec', '% Idle Time'],
  physicaldisk: ['Disk Reads/sec', 'Disk Writes/sec', 'Disk Read Bytes/sec', 'Disk Write Bytes/sec',
    'Avg. Disk sec/Transfer', 'Current Disk Queue Length', '% Idle Time'],
  logicaldisk: ['% Free Space', 'Free Megabytes', 'Disk Read Bytes/sec', 'Disk Write Bytes/sec',
    'Avg. Disk sec/Transfer', 'Current Disk Queue Length', '% Idle Time'],
};

export class Values {
  #rows = [];
  #limit = pageSize;
  #place = [0, 0]; // the cell that the Tab key reaches

  constructor(app) {
    this.app = app;
    this.object = el('select', {onchange: () => app.set({object: this.object.value, columns: [], sort: ''})});
    this.filter = el('input', {
      type: 'search', id: 'value-filter', placeholder: 'Filter', 'aria-label': 'Show names with these words',
      oninput: () => { this.#limit = pageSize; app.set({filter: this.filter.value}, {quiet: true}); },
    });
    this.columns = el('div', {class: 'column-list'});
    this.choose = el('details', {class: 'columns'}, el('summary', {text: 'Columns'}), this.columns);
    this.help = el('p', {class: 'note'});
    this.note = el('p', {class: 'note', role: 'status'});
    this.table = el('div', {class: 'scroll values-table', onkeydown: (event) => this.#key(event),
      onfocusin: (event) => this.#focused(event)});
    this.more = el('button', {type: 'button', hidden: true,
      onclick: () => { this.#limit += pageSize; this.#draw(); }});
    this.root = el('div', {class: 'values'}, el('h1', {class: 'sr-only', text: 'Values'}),
      el('div', {class: 'value-tools'},
        el('label', {class: 'field'}, 'Object', this.object), this.filter, this.choose),
      this.help, this.note, this.table, this.more);
    this.loader = new Loader(app, (error) => { this.note.textContent = error.message; });
  }

  destroy() {
    this.loader.stop();
    this.stopStream?.();
  }

  async update() {
    const {app} = this;
    const objects = (await app.objects()).filter((object) => object.counters.length > 0);
    if (!this.root.isConnected) return;
    const current = find(objects, app.state.object) ?? find(objects, 'Process') ?? objects[0];
    if (!current) {
      this.note.textContent = `This source has no ${app.source.samples ? 'counters' : 'samples'}.`;
      return;
    }
    this.current = current;
    this.#drawTools(objects);
    this.#load();
    this.#draw();
  }

  #drawTools(objects) {
    const {state, source} = this.app;
    const shown = JSON.stringify([source.id, this.current.name, objects.length, state.columns]);
    if (document.activeElement !== this.filter) this.filter.value = state.filter;
    if (shown === this.shownTools) return;
    this.shownTools = shown;
    fill(this.object, objects.map((object) => el('option', {value: object.name, text: object.name})));
    this.object.value = this.current.name;
    this.help.textContent = prose(this.current.help);
    this.chosen = this.#chosenCounters();
    this.choose.hidden = this.current.instances === null;
    this.table.classList.toggle('plain', this.current.instances === null);
    fill(this.columns, this.current.counters.map((counter) => {
      const box = el('input', {type: 'checkbox', onchange: () => this.#toggleColumn(counter.name)});
      box.checked = this.chosen.includes(counter);
      return el('label', {title: prose(counter.help)}, box, ' ', name(counter.name));
    }));
  }

  // chosenCounters returns the counters of the columns; for objects without instances it is all.
  #chosenCounters() {
    const {counters} = this.current;
    if (this.current.instances === null) return counters;
    const {columns} = this.app.state;
    const wanted = columns.length > 0 ? columns : preferred[this.current.name.toLowerCase()] ?? [];
    const found = wanted.map((one) => find(counters, one)).filter(Boolean);
    if (columns.length > 0 && found.length > 0) return found;
    return [...new Set([...found, ...counters])].slice(0, usualColumns);
  }

  #toggleColumn(counter) {
    const names = this.chosen.map((one) => one.name);
    const columns = names.includes(counter) ? names.filter((one) => one !== counter) : [...names, counter];
    if (columns.length > 0) this.app.set({columns}, {quiet: true});
  }

  #load() {
    const {app} = this;
    const instance = this.current.instances === null ? null : '*';
    const {name: object} = this.current;
    const counters = instance === null ? ['*'] : this.chosen.map((counter) => counter.name);
    const paths = counters.map((counter) => formatPath({object, instance, counter}));
    const live = app.window.follow > 0;
    const key = JSON.stringify([app.source.id, paths, live || app.window.end]);
    if (live && key === this.streamKey) return;
    this.stopStream?.();
    this.streamKey = live ? key : '';
    const show = (answer) => this.#show(answer);
    if (live) {
      this.stopStream = data.followValues(app.source.id, paths, show,
        (error) => { this.note.textContent = error.message; });
    } else {
      this.stopStream = null;
      this.loader.load({key}, (signal) => data.values(app.source.id, paths, endOf(app.window.end), signal), show);
    }
  }

  #show(answer) {
    this.time = Date.parse(answer.time);
    const time = timeText(this.time, this.app.zone);
    this.note.textContent = `Values of ${time}. Enter or a double-click draws a value over time.`;
    const byInstance = new Map();
    for (const reading of answer.readings) {
      const path = parsePath(reading.path);
      if (!path) continue;
      const row = this.current.instances === null ? path.counter : path.instance ?? '';
      if (!byInstance.has(row)) byInstance.set(row, {name: row, cells: new Map()});
      const {unit, factor} = displayUnit(reading.unit, path.counter);
      const number = typeof reading.value === 'number' ? reading.value * factor : null;
      byInstance.get(row).cells.set(path.counter.toLowerCase(), {path, unit, number, reading});
    }
    this.#rows = [...byInstance.values()];
    this.#draw();
  }

  // heads returns the columns of the table: {key, title, unit, help}.
  #heads() {
    if (this.current.instances === null) return [{key: '', title: 'Counter'}, {key: 'value', title: 'Value'}];
    return [{key: '', title: 'Instance'}, ...this.chosen.map((counter) => ({
      key: counter.name.toLowerCase(), title: counter.name, help: counter.help,
    }))];
  }

  #cell(row, head) {
    return head.key === 'value' ? [...row.cells.values()][0] : row.cells.get(head.key);
  }

  // sorting returns the column and direction of the order: by name, or by the first column downwards.
  #sorting(heads) {
    const {sort} = this.app.state;
    const wanted = sort.replace(/^-/, '').toLowerCase();
    if (sort !== '') return {key: wanted === 'name' ? '' : wanted, down: sort.startsWith('-')};
    if (this.current.instances === null) return {key: '', down: false, none: true};
    return {key: heads[1].key, down: true};
  }

  #sorted(heads) {
    const {key, down, none} = this.#sorting(heads);
    const list = words(this.app.state.filter);
    const rows = this.#rows.filter((row) => hasWords(row.name, list));
    if (none) return rows;
    const head = heads.find((one) => one.key === key) ?? heads[0];
    const text = new Intl.Collator('en', {numeric: true});
    const number = (row) => this.#cell(row, head)?.number ?? -Infinity;
    // The difference of two infinities is no number.
    rows.sort((a, b) => (head.key === '' ? text.compare(a.name, b.name) : number(a) - number(b) || 0));
    return down ? rows.reverse() : rows;
  }

  #draw() {
    if (!this.current || this.#rows.length === 0) {
      fill(this.table);
      this.more.hidden = true;
      return;
    }
    const heads = this.#heads();
    const sorted = this.#sorted(heads);
    const rows = sorted.slice(0, this.#limit);
    const {key, down, none} = this.#sorting(heads);
    const cellFocused = this.table.contains(document.activeElement) && !document.activeElement.dataset.key;

    const head = heads.map((one) => el('th', {
      scope: 'col', class: one.key !== '' && 'number', 'aria-sort': !none && one.key === key
        && (down ? 'descending' : 'ascending'),
    }, el('button', {
      type: 'button', class: 'sort', title: prose(one.help), 'data-key': `sort ${one.key}`,
      onclick: () => this.#sortBy(one),
    }, name(one.title.replace('% ', '%\u00a0')))));
    const label = {class: 'grid-table', role: 'grid', 'aria-label': `Values of ${this.current.name}`};
    refill(this.table, el('table', label,
      el('thead', {}, el('tr', {}, head)),
      el('tbody', {}, rows.map((row, y) => el('tr', {}, heads.map((one, x) => this.#drawCell(row, one, x, y)))))));
    this.more.hidden = rows.length === sorted.length;
    this.more.textContent = `Show more (${sorted.length - rows.length} hidden)`;
    this.#setTabStop(cellFocused);
  }

  #drawCell(row, head, x, y) {
    const place = {'data-x': x, 'data-y': y, tabindex: -1};
    if (head.key === '') {
      return el('th', {scope: 'row', role: 'rowheader', ...place, title: row.name}, name(row.name || '(no name)'));
    }
    const cell = this.#cell(row, head);
    if (!cell) return el('td', {...place, class: 'number', text: ''});
    const {reading, number, unit} = cell;
    const missing = reading.status && reading.status !== 'ok';
    const otherwise = missing ? reading.status : reading.value; // some values are texts
    const text = number === null ? otherwise : formatValue(number, unit);
    return el('td', {
      ...place, class: missing ? 'number missing' : 'number',
      title: `${reading.value ?? ''} ${reading.status}`.trim(), text,
      ondblclick: () => this.#chart(cell),
    });
  }

  #sortBy({key}) {
    const heads = this.#heads();
    const now = this.#sorting(heads);
    const down = now.key === key && !now.none ? !now.down : key !== '';
    this.app.set({sort: (down ? '-' : '') + (key || 'name')}, {quiet: true});
  }

  // chart draws the value of a cell over time.
  #chart(cell) {
    if (cell.number !== null) this.app.add([{path: formatPath(cell.path), top: 0}], {view: 'charts'});
  }

  #cellAt(x, y) {
    return this.table.querySelector(`[data-x="${x}"][data-y="${y}"]`);
  }

  #setTabStop(focus) {
    const cell = this.#cellAt(...this.#place) ?? this.#cellAt(0, 0);
    if (!cell) return;
    cell.tabIndex = 0;
    if (focus) cell.focus({preventScroll: true});
  }

  #focused(event) {
    const cell = event.target.closest('[data-x]');
    if (!cell) return;
    for (const other of this.table.querySelectorAll('[data-x][tabindex="0"]')) other.tabIndex = -1;
    cell.tabIndex = 0;
    this.#place = [Number(cell.dataset.x), Number(cell.dataset.y)];
  }

  #key(event) {
    if (!event.target.closest('[data-x]')) return;
    const [x, y] = this.#place;
    const moves = {
      ArrowLeft: [x - 1, y], ArrowRight: [x + 1, y], ArrowUp: [x, y - 1], ArrowDown: [x, y + 1],
      Home: [0, y], PageDown: [x, y + 20], PageUp: [x, Math.max(0, y - 20)],
    };
    if (event.key === 'Enter') {
      const heads = this.#heads();
      const row = this.#sorted(heads)[y];
      const cell = row && this.#cell(row, heads[Math.max(x, 1)]);
      if (cell) this.#chart(cell);
    } else if (moves[event.key]) {
      this.#cellAt(...moves[event.key])?.focus();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  // csv returns the whole table, in the order of the screen, with the counters' values.
  csv() {
    const heads = this.#heads();
    const rows = this.#sorted(heads).map((row) => [row.name, ...heads.slice(1).map((head) => {
      const cell = this.#cell(row, head);
      return cell?.reading.value ?? '';
    })]);
    return csvText([heads.map((head) => head.title), ...rows]);
  }
}
