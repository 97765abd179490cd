// The first screen: processor, memory, disk, network, the top processes, the counters that changed
// most, and events. It shows the cards whose counters the source has.

import * as data from './data.js';
import {Loader, lines} from './app.js';
import {Palette, Panel, legend, onCursor, sparkline} from './chart.js';
import {el, fill, middle, name, refill, safe} from './text.js';
import {alignDown, largest, numbers, readRange, share, valueAt} from './series.js';
import {displayUnit, formatValue} from './units.js';
import {endOf} from './state.js';
import {formatPath, isSum, parsePath} from './path.js';
import {timeText} from './time.js';

// Each card has one chart. A counter is a list of alternatives; the first that exists is drawn.
// withSum keeps the instance _Total in the chart. A counter that is not expected gives the card its name.
const cards = [
  {
    title: 'Processor', objects: ['Processor', 'Processor Information'], withSum: true,
    counters: [['% Processor Time']],
  },
  {
    title: 'Memory', objects: ['Memory'],
    counters: [['Available Bytes', 'Available KBytes', 'Available MBytes'], ['Committed Bytes'], ['Cache Bytes']],
  },
  {
    title: 'Disk transfer', objects: ['PhysicalDisk', 'LogicalDisk'],
    counters: [['Disk Bytes/sec', 'Disk Read Bytes/sec', 'Disk Write Bytes/sec']],
  },
  {
    title: 'Disk response time', objects: ['PhysicalDisk', 'LogicalDisk'], expected: /^Avg\. Disk sec/i,
    counters: [['Avg. Disk sec/Transfer', 'Avg. Disk sec/Read', 'Avg. Disk sec/Write', '% Disk Time',
      'Avg. Disk Queue Length', 'Current Disk Queue Length', '% Idle Time']],
  },
  {
    title: 'Network', objects: ['Network Interface'],
    counters: [['Bytes Total/sec', 'Bytes Received/sec', 'Bytes Sent/sec']],
  },
];

const orders = {
  processor: {title: 'Processor', counter: '% Processor Time'},
  memory: {title: 'Memory', counter: 'Working Set'},
  io: {title: 'I/O', counter: 'IO Data Bytes/sec'},
};

const sameName = (a, b) => a.toLowerCase() === b.toLowerCase();

// find returns an object or counter by name.
export function find(list, wanted) {
  return list.find((one) => sameName(one.name, wanted));
}

export class Overview {
  #charts = [];
  #plan = ''; // the counters of the charts
  #step = 0;

  constructor(app) {
    this.app = app;
    const failed = (note) => (error) => { note.textContent = error.message; };
    this.facts = el('p', {class: 'facts'});
    this.charts = el('div', {class: 'cards'});
    this.processes = el('div', {});
    this.changed = el('div', {});
    this.changedNote = el('p', {class: 'note'});
    this.events = el('div', {});
    const changeOrder = () => app.set({by: this.order.value});
    this.order = el('select', {'aria-label': 'Order of the processes', onchange: changeOrder},
      Object.entries(orders).map(([value, {title}]) => el('option', {value, text: title})));
    this.processCard = card('Top processes', this.order, this.processes);
    this.eventCard = card('Events', null, this.events);
    this.processCard.classList.add('tall');
    this.root = el('div', {class: 'overview'},
      el('h1', {class: 'sr-only', text: 'Overview'}), this.facts,
      el('div', {class: 'overview-columns'}, this.charts,
        card('Changed most', null, this.changedNote, this.changed)));

    this.rangeLoader = new Loader(app, (error) => {
      for (const {panel} of this.#charts) panel.message(error.message);
    });
    this.processLoader = new Loader(app, failed(this.processes));
    this.changedLoader = new Loader(app, failed(this.changed));
    this.eventLoader = new Loader(app, failed(this.events));
    this.stopCursor = onCursor((time) => this.#showValues(time));
  }

  destroy() {
    this.stopCursor();
    const {rangeLoader, processLoader, changedLoader, eventLoader} = this;
    for (const loader of [rangeLoader, processLoader, changedLoader, eventLoader]) loader.stop();
    for (const {panel} of this.#charts) panel.destroy();
  }

  async update() {
    const {app} = this;
    this.#showFacts();
    this.order.value = app.state.by;
    const objects = await app.objects();
    if (!this.root.isConnected) return;
    this.#build(objects);
    this.#loadCharts();
    this.#loadProcesses(objects);
    this.#loadChanged();
    this.#loadEvents();
    this.#redraw();
    this.#drawSparklines();
  }

  #showFacts() {
    const {source} = this.app;
    const parts = [source.host, source.system, source.format,
      source.samples && `${source.samples.toLocaleString('en')} sample${source.samples === 1 ? '' : 's'}`,
      source.interval && `every ${formatValue(Number(source.interval.toPrecision(2)), 'seconds')}`,
      source.since
        && `data since ${timeText(Date.parse(source.since), this.app.zone)}; older samples were dropped`];
    fill(this.facts, parts.filter(Boolean).map((text) => name(text, {class: 'fact'})),
      (source.damage ?? []).map((text) => el('strong', {class: 'fact warning', text: `damaged: ${text}`})));
  }

  // build makes the frames of the charts. It does nothing if the counters are the same as before.
  #build(objects) {
    let plans = cards.map((wanted) => planCard(wanted, objects)).filter(Boolean);
    if (plans.length < 2) plans = [...plans, ...otherCards(objects, plans)];
    const plan = JSON.stringify([this.app.source.id, plans]);
    if (plan === this.#plan) return;
    this.#plan = plan;

    for (const {panel} of this.#charts) panel.destroy();
    this.#charts = plans.map((one) => {
      const panel = new Panel(this.app, {height: 130, label: one.title});
      const list = el('ul', {class: 'legend'});
      const now = el('span', {class: 'now'});
      const open = el('button', {
        type: 'button', class: 'quiet', text: 'Open', 'aria-label': `Open ${one.title} in Charts`,
        onclick: () => this.app.add(one.paths.map((path) => ({path, top: 0})), {view: 'charts'}),
      });
      return {...one, panel, list, now, palette: new Palette(),
        root: card(one.title, el('span', {}, now, open), panel.root, list)};
    });
    fill(this.charts, objects.length === 0 && el('p', {class: 'note', text: `This source has no ${this.app.source.samples ? 'counters' : 'samples'}.`}),
      this.#charts.map(({root}) => root), this.processCard, this.eventCard);
  }

  #loadCharts() {
    const {app} = this;
    const paths = [...new Set(this.#charts.flatMap((one) => one.paths))];
    if (paths.length === 0) return;
    const {begin, end, follow} = app.window;
    const group = JSON.stringify([app.source.id, paths, follow || [begin, end]]);
    const window = {begin: follow ? alignDown(begin, this.#step) : Math.floor(begin), end: endOf(end)};
    this.rangeLoader.load({key: group + end, group},
      (signal) => data.range(app.source.id, paths, window, {points: 300}, signal),
      (answer) => {
        this.#step = answer.step;
        this.range = readRange(answer);
        this.#redraw();
        return answer.complete;
      });
  }

  #redraw() {
    if (!this.range) return;
    const {begin, end} = this.app.window;
    const {mark} = this.app.state;
    for (const chart of this.#charts) {
      const drawn = ({path}) => sameName(path.object, chart.object)
        && chart.counters.some((counter) => sameName(path.counter, counter));
      let series = this.range.series.filter(drawn);
      const sums = series.filter((one) => isSum(one.path));
      if (series[0]?.path.instance !== null) {
        const best = largest(series, chart.withSum ? 16 : 6);
        const others = series.filter((one) => best.includes(one));
        series = chart.withSum || others.length === 0 ? [...sums, ...others] : others;
      }
      chart.unit = series[0]?.unit ?? 'count';
      chart.lines = lines(series.filter((one) => one.unit === chart.unit), chart.palette,
        {strong: (one) => isSum(one.path) && series.length > 1});
      chart.panel.draw({
        label: `${chart.title}. ${this.app.rangeText}`,
        unit: chart.unit, times: this.range.times, begin, end, zone: this.app.zone, origin: 0, mark, log: false,
        lines: chart.lines.toSorted((a, b) => a.strong - b.strong), // sums above the others
      });
    }
    this.#showValues(null);
  }

  // showValues shows the values at the cursor, or the last values.
  #showValues(time) {
    if (!this.range) return;
    for (const chart of this.#charts) {
      if (!chart.lines) continue;
      const text = (line) => formatValue(valueAt(this.range.times, line, time).value, chart.unit);
      const shown = chart.lines.slice(0, chart.withSum ? 5 : 4);
      const more = chart.lines.length - shown.length;
      fill(chart.list, legend(shown.map((line) => ({...line, text: text(line)})), chart.unit),
        more > 0 && el('li', {class: 'more', text: `and ${more} more`}));
      const only = chart.lines.find((line) => line.strong) ?? (chart.lines.length === 1 ? chart.lines[0] : null);
      chart.now.textContent = only ? text(only) : '';
    }
  }

  // pictures returns the charts for an export.
  pictures() {
    return this.#charts.filter((chart) => chart.lines).map(({title, unit, panel, lines: list}) => (
      {title, unit, canvas: panel.canvas, lines: list.slice(0, 8), times: this.range.times}));
  }

  #loadProcesses(objects) {
    const {app} = this;
    const {counter} = orders[app.state.by];
    const object = find(objects, 'Process') ?? find(objects, 'Process V2');
    this.processCard.hidden = !object;
    if (!object) return;
    if (!find(object.counters, counter)) {
      fill(this.processes, el('p', {class: 'note', text: `The source does not have the counter ${counter}.`}));
      return;
    }

    const path = formatPath({object: object.name, instance: '*', counter});
    // Rankings of a moving range are updated every five seconds.
    const end = app.window.follow ? Math.floor(app.window.end / 5000) : app.window.end;
    const group = JSON.stringify([app.source.id, path, app.window.follow || app.query]);
    this.processLoader.load({key: group + end, group},
      (signal) => data.range(app.source.id, [path], app.query, {points: 60, top: 60}, signal),
      (answer) => {
        this.#showProcesses(answer, counter);
        return answer.complete;
      });
  }

  #showProcesses(answer, counter) {
    const range = readRange(answer);
    const series = largest(range.series, 10, share);
    const rows = series.map((one) => {
      const canvas = el('canvas', {class: 'spark', 'aria-hidden': 'true'});
      const peak = Math.max(...numbers(one.maximum));
      const path = formatPath({...one.path, counter});
      const button = el('button', {
        type: 'button', class: 'link', title: one.path.instance, 'data-key': one.key,
        onclick: () => this.app.add([{path, top: 0}], {view: 'charts'}),
      }, name(middle(one.path.instance, 26)));
      const row = el('tr', {},
        el('th', {scope: 'row'}, button, one.pid !== null && el('span', {class: 'pid', text: one.pid})),
        el('td', {class: 'spark-cell'}, canvas),
        el('td', {class: 'number', text: formatValue(share(one.average), one.unit)}),
        el('td', {class: 'number', text: formatValue(peak, one.unit)}));
      return {row, canvas, one};
    });
    refill(this.processes, rows.length === 0 ? el('p', {class: 'note', text: 'No processes in this range.'})
      : el('table', {class: 'rows'},
        el('thead', {}, el('tr', {}, [['Process'], ['Course'],
          ['Average', 'of the whole range; zero while the process did not exist'], ['Highest']]
          .map(([text, title], i) => el('th', {scope: 'col', text, title, class: i > 1 && 'number'})))),
        el('tbody', {}, rows.map(({row}) => row))));
    this.sparklines = rows;
    this.#drawSparklines();
  }

  #drawSparklines() {
    for (const {canvas, one} of this.sparklines ?? []) sparkline(canvas, one.average, 'series-1');
  }

  #loadChanged() {
    const {app} = this;
    const {follow} = app.window;
    // A moving range is compared with the rest every 10 seconds.
    const end = follow ? Math.floor(app.window.end / 10000) : '';
    const other = app.other && app.other !== app.source ? app.other.id : null;
    const part = !app.window.whole ? 'The visible range' : other === null ? 'Unusual parts' : 'The whole time';
    this.changedNote.textContent = other === null ? `${part}, compared with the rest`
      : `${part}, compared with all of ${safe(app.other.name)}`;
    const group = JSON.stringify([app.source.id, other, follow || app.query]);
    if (group !== this.changedGroup) fill(this.changed, el('p', {class: 'note', text: 'Comparing …'}));
    this.changedGroup = group;
    this.changedLoader.load({key: group + end + app.reading, group},
      (signal) => data.changed(app.source.id, app.query, other, signal),
      (changed) => this.#showChanged(changed));
  }

  #showChanged(changed) {
    if (changed.length === 0) {
      fill(this.changed, el('p', {class: 'note', text: 'No counter differs from the rest.'}));
      return;
    }
    refill(this.changed, el('ol', {class: 'changed'}, changed.map((one) => this.#changedRow(one))));
  }

  #changedRow(one) {
    const path = parsePath(one.path) ?? {object: '', instance: null, counter: one.path};
    const {unit, factor} = displayUnit(one.unit, path.counter);
    const time = one.time ? Date.parse(one.time) : null;
    const value = (number) => formatValue(typeof number === 'number' ? number * factor : null, unit);
    const show = () => this.app.add([{path: formatPath(path), top: 0}], {view: 'charts', mark: time});
    return el('li', {},
      el('button', {type: 'button', class: 'link', onclick: show, title: `${one.path}: ${one.difference}`,
        'data-key': one.path},
        name(path.instance === null ? path.object : path.instance || '(no name)', {class: 'changed-who'}), ' ',
        name(path.counter)),
      el('span', {class: 'changed-values'},
        el('strong', {text: value(one.inside)}), ' instead of ', value(one.outside),
        time !== null && el('span', {class: 'when', text: ` at ${this.app.clock(time)}`})));
  }

  #loadEvents() {
    const {app} = this;
    const end = app.window.follow ? Math.floor(app.window.end / 5000) : '';
    const group = JSON.stringify([app.source.id, app.window.follow || app.query]);
    this.eventLoader.load({key: group + end + app.reading, group},
      (signal) => data.events(app.source.id, app.query, signal),
      ({events, more, complete}) => {
        app.onEvents(events);
        const shown = events.slice(0, 50);
        const hidden = events.length - shown.length + more;
        this.eventCard.hidden = events.length === 0;
        refill(this.events, el('ol', {class: 'events', tabindex: 0, 'data-key': 'events', 'aria-label': 'Events'},
          shown.map((event) => {
          const time = Date.parse(event.time);
          return el('li', {},
            el('button', {type: 'button', class: 'link time', 'data-key': `${event.time} ${event.text}`,
              text: app.clock(time), onclick: () => app.set({mark: time})}),
            ' ', name(eventText(event)));
        })), hidden > 0 && el('p', {class: 'note', text: `and ${hidden.toLocaleString('en')} more`}));
        return complete;
      });
  }
}

const kinds = {
  instances_came: 'appeared', instances_left: 'ended',
  instances_renamed: 'was renamed', counter_reset: 'counter began again', counter_wrapped: 'counter overflowed',
  schema_changed: '',
};

// eventText returns a sentence about an event.
export function eventText({kind, object, instance, text}) {
  const verb = kinds[kind] ?? kind.replaceAll('_', ' ');
  return [[object, instance, verb].filter(Boolean).join(' '), text].filter(Boolean).join(': ');
}

export function card(title, control, ...children) {
  return el('section', {class: 'card'},
    el('div', {class: 'card-head'}, el('h2', {text: title}), control), children);
}

// planCard returns {title, object, counters, paths} for the counters that exist, or null.
export function planCard({title, objects, counters, withSum, expected}, available) {
  for (const wanted of objects) {
    const object = find(available, wanted);
    if (!object) continue;
    const first = (names) => names.map((counter) => find(object.counters, counter)).find(Boolean)?.name;
    const found = counters.map(first).filter((counter) => counter !== undefined);
    if (found.length === 0) continue;
    const own = !expected || expected.test(found[0]);
    return {title: own ? title : `${object.name}: ${found[0]}`, object: object.name, counters: found,
      paths: found.map((counter) => pathOf(object, counter)), withSum};
  }
  return null;
}

// pathOf returns the path of a counter for all instances, or for the sum of very many.
function pathOf(object, counter) {
  const instance = object.instances === null ? null : object.instances > 100 ? '_Total' : '*';
  return formatPath({object: object.name, instance, counter});
}

// otherCards shows the first counters of sources without the usual objects.
function otherCards(objects, plans) {
  return objects
    .filter((object) => object.counters.length > 0 && !(object.instances > 100)
      && !plans.some((plan) => plan.object === object.name))
    .slice(0, 4)
    .map(({name: title, counters: [{name: counter}]}) => planCard(
      {title, objects: [title], counters: [[counter]], withSum: true}, objects));
}
