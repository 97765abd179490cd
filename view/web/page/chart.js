// Charts: one panel draws the series of one unit with uPlot. All panels of the page share the range of
// times and the cursor.

import {el, middle, safe} from './text.js';
import {tickLabels, timeTicks, elapsedText, utc} from './time.js';
import {axisLabels, formatValue, increments, units, valueRange} from './units.js';
import {gripped} from './state.js';
import {envelope, extent, isolated, nearest, numbers, valueAt} from './series.js';

const uPlot = globalThis.uPlot; // uplot/uPlot.iife.min.js is a classic script
const listeners = new Set();
const paletteSize = 10;
const axisWidth = 70;
const manyLines = 40; // above, lines are thin and have one common band
const fontFamily = 'system-ui, sans-serif';

// onCursor calls listener with the time below the cursor, or null, and with the panel of the mouse, or null.
// The result ends this.
export function onCursor(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function moveCursor(time, from) {
  for (const listener of listeners) listener(time, from);
}

// cssColor returns a color of the theme, such as cssColor('ink').
export function cssColor(name) {
  return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
}

// A Palette assigns a color to each key, and keeps it as long as the key is in use.
export class Palette {
  #slots = new Map();

  // assign returns {color, dots} for each key. color is the name of a color of the theme; lines with
  // dots distinguish more series than there are colors.
  assign(keys) {
    for (const key of [...this.#slots.keys()]) {
      if (!keys.includes(key)) this.#slots.delete(key);
    }
    const used = new Set(this.#slots.values());
    let slot = 0;
    for (const key of keys) {
      if (this.#slots.has(key)) continue;
      while (used.has(slot)) slot++;
      used.add(slot);
      this.#slots.set(key, slot);
    }
    return keys.map((key) => {
      const own = this.#slots.get(key);
      return {color: `series-${(own % paletteSize) + 1}`, dots: own >= paletteSize};
    });
  }
}

// A Panel is a chart with its frame.
export class Panel {
  #plot = null;
  #model = null;
  #shape = '';
  #fingers = new Map(); // that hold the range, with their places
  #held = null; // their places and the range before they moved
  #view = null; // the range while they move it
  #mark = null; // begin of a selection by keyboard
  #observer = new ResizeObserver(() => this.#resize());
  #stopCursor = onCursor((time, from) => { if (from !== this) this.#showCursor(time); });

  constructor(app, {height, label}) {
    this.app = app;
    this.height = height;
    this.status = el('p', {class: 'sr-only', role: 'status'});
    this.readout = el('span', {class: 'readout'}); // the view places it
    this.note = el('p', {class: 'plot-note', text: 'Loading …'});
    this.area = el('div', {
      class: 'plot', tabindex: 0, role: 'group', 'aria-label': label, 'aria-describedby': 'plot-keys',
      onkeydown: (event) => this.#key(event),
    });
    this.root = el('div', {class: 'plot-frame'}, this.area, this.note, this.status);
    this.area.style.height = height + 'px';
    this.#observer.observe(this.root);
  }

  destroy() {
    this.#stopCursor();
    this.#observer.disconnect();
    this.#plot?.destroy();
  }

  // message shows a text in place of the chart.
  message(text) {
    this.#plot?.destroy();
    this.#plot = null;
    this.#shape = '';
    this.note.textContent = text;
    this.note.hidden = false;
  }

  // draw shows a model: {label, unit, times, begin, end, zone, origin, mark, log, lines}. A zone of null means
  // that times are relative to origin. A line has key, label, color, average, minimum, maximum, resets, dash,
  // dots, strong, hidden and pair, which is the key of the line that it is compared with.
  draw(model) {
    this.#model = model;
    if (this.#fingers.size === 0) this.#view = null;
    this.area.setAttribute('aria-label', model.label);
    if (model.times.length === 0 || model.lines.length === 0) {
      this.message('No values in this range');
      return;
    }
    this.note.hidden = true;

    const shape = JSON.stringify([
      model.unit, model.log, document.documentElement.dataset.theme,
      model.lines.map((line) => [line.key, line.color, line.dash, line.dots, line.strong]),
    ]);
    const data = [model.times, ...model.lines.map((line) => line.average)];
    if (this.#plot && shape === this.#shape) {
      model.lines.forEach((line, i) => {
        const show = !line.hidden;
        if (this.#plot.series[i + 1].show !== show) this.#plot.setSeries(i + 1, {show});
      });
      this.#plot.setData(data, true);
      return;
    }
    this.#plot?.destroy();
    this.#shape = shape;
    this.#plot = new uPlot(this.#options(model), data, this.area);
    this.#plot.over.addEventListener('wheel', (event) => this.#wheel(event), {passive: false});
    this.#plot.over.addEventListener('pointerdown', (event) => this.#grip(event));
    this.#plot.over.addEventListener('click', (event) => this.#click(event)); // not after dragging
  }

  // highlight draws one line stronger than the others; null ends this.
  highlight(key) {
    const i = this.#model?.lines.findIndex((line) => line.key === key) ?? -1;
    this.#plot?.setSeries(i < 0 ? null : i + 1, {focus: i >= 0});
  }

  get canvas() {
    return this.#plot?.ctx.canvas ?? null;
  }

  #showCursor(time) {
    const plot = this.#plot;
    if (!plot) return;
    const left = time === null ? -10 : plot.valToPos(time, 'x');
    plot.setCursor({left, top: time === null ? -10 : plot.over.clientHeight / 2}, false);
    this.#read(time, null);
  }

  // read shows the values at the cursor: of the line closest to the mouse and the one that is compared with
  // it, or of all if they are few.
  #read(time, top) {
    const {times, lines, unit} = this.#model;
    let shown = lines.filter((line) => !line.hidden);
    if (time === null) shown = [];
    if (shown.length > 3) {
      const best = top === null ? null : this.#closest(shown, nearest(times, time), top);
      shown = shown.filter((line) => line.pair === best?.pair);
    }
    this.readout.textContent = shown.map((line) => {
      const {value, status} = valueAt(times, line, time);
      return `${safe(line.label)} ${value === null ? status : formatValue(value, unit)}`;
    }).join('\u2003');
  }

  #closest(shown, i, top) {
    const distance = (line) => (typeof line.average[i] === 'number'
      ? Math.abs(this.#plot.valToPos(line.average[i], 'y') - top) : Infinity);
    return shown.reduce((best, line) => (distance(line) < distance(best) ? line : best));
  }

  #options(model) {
    const ink = cssColor('ink-soft');
    const grid = {stroke: cssColor('grid'), width: 1};
    const few = model.lines.length <= 12;
    const many = model.lines.length > manyLines;
    const font = `12px ${fontFamily}`;
    const size = this.#size();
    return {
      ...size,
      legend: {show: false},
      padding: [8, 24, 0, 0],
      focus: {alpha: 0.25},
      cursor: {
        y: false,
        points: few ? {size: 6} : {show: false},
        drag: {x: true, y: false, setScale: false},
        bind: {
          mousedown: (_, __, handler) => (event) => { if (!event.shiftKey) handler(event); },
          dblclick: () => () => this.app.scaleBy(2),
        },
      },
      scales: {
        x: {time: false, range: () => [(this.#view ?? this.#model).begin, (this.#view ?? this.#model).end]},
        y: {distr: model.log ? 4 : 1, range: (plot) => this.#valueRange(plot)},
      },
      axes: [
        {
          stroke: ink, grid, ticks: grid, font, size: model.zone ? 46 : 28, gap: 4,
          splits: (plot, _, begin, end) => this.#ticks(plot, begin, end).ticks,
          values: (plot, ticks) => this.#timeLabels(plot, ticks),
        },
        {
          stroke: ink, grid, ticks: {show: false}, font, size: axisWidth, space: 22, gap: 8,
          incrs: model.log ? undefined : increments(model.unit),
          values: (_, ticks) => axisLabels(ticks.map((tick) => tick ?? 0), model.unit),
        },
      ],
      series: [{}, ...model.lines.map((line) => ({
        show: !line.hidden,
        stroke: cssColor(line.color),
        width: line.strong ? 2 : many ? 1 : 1.25,
        dash: line.dash ? [5, 4] : line.dots && !many ? [1.5, 2] : undefined,
        points: many ? {show: false} : {size: 4},
      }))],
      hooks: {
        setSelect: [(plot) => this.#selected(plot)],
        setCursor: [(plot) => this.#cursorMoved(plot)],
        drawAxes: [(plot) => this.#drawBands(plot)],
        draw: [(plot) => this.#drawMarks(plot)],
      },
    };
  }

  #size() {
    return {width: Math.max(this.root.clientWidth, 160), height: this.height};
  }

  #resize() {
    const size = this.#size();
    if (this.#plot && this.#plot.width !== size.width) this.#plot.setSize(size);
  }

  #ticks(plot, begin, end) {
    const most = Math.max(2, Math.floor(plot.bbox.width / uPlot.pxRatio / 76));
    return timeTicks(begin, end, most, this.#model.zone ?? utc);
  }

  #timeLabels(plot, ticks) {
    if (!this.#model.zone) return ticks.map(elapsedText);
    const {step} = this.#ticks(plot, plot.scales.x.min, plot.scales.x.max);
    return tickLabels(ticks, step, this.#model.zone);
  }

  // valueRange covers the minima and maxima of all visible lines in the visible range.
  #valueRange() {
    const {times, begin, end, unit, log} = this.#model;
    const lines = this.#model.lines.filter((line) => !line.hidden);
    const columns = lines.flatMap((line) => [line.minimum, line.maximum]);
    const [low, high] = extent(columns, nearest(times, begin), nearest(times, end));
    if (log && low <= high) return [Math.min(0, low), high * 1.2 || 1];
    return valueRange(low, high, unit);
  }

  #drawBands(plot) {
    const {ctx, bbox} = plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    const lines = this.#model.lines.filter((line) => !line.hidden && line.minimum !== line.average);
    if (lines.length > manyLines) {
      ctx.globalAlpha = 0.25;
      ctx.fillStyle = cssColor('ink-soft');
      this.#drawBand(plot, envelope(lines));
    } else {
      for (const line of lines) {
        ctx.globalAlpha = line.second ? 0.1 : 0.2;
        ctx.fillStyle = cssColor(line.color);
        this.#drawBand(plot, line);
      }
    }
    ctx.restore();
  }

  // drawBand fills the area between minimum and maximum of each run of values.
  #drawBand(plot, line) {
    const {times} = this.#model;
    const x = (i) => plot.valToPos(times[i], 'x', true);
    const y = (value) => plot.valToPos(value, 'y', true);
    let run = [];
    const flush = () => {
      if (run.length > 0) {
        const half = run.length === 1 ? uPlot.pxRatio : 0;
        plot.ctx.beginPath();
        for (const i of run) plot.ctx.lineTo(x(i) - half, y(line.maximum[i]));
        for (const i of run.reverse()) plot.ctx.lineTo(x(i) + half, y(line.minimum[i]));
        plot.ctx.fill();
      }
      run = [];
    };
    for (let i = 0; i < times.length; i++) {
      if (line.average[i] === undefined) continue;
      if (line.average[i] === null) flush();
      else run.push(i);
    }
    flush();
  }

  // drawMarks draws the marked times as lines, single values as dots, and resets of counters as triangles at
  // the lower edge.
  #drawMarks(plot) {
    const {ctx, bbox} = plot;
    const {times, lines, mark, origin} = this.#model;
    const ratio = uPlot.pxRatio;
    const bottom = bbox.top + bbox.height;
    // at begins a path at a time, if that is visible, and calls draw with its place.
    const at = (time, draw) => {
      const x = plot.valToPos(time, 'x', true);
      if (x < bbox.left || x > bbox.left + bbox.width) return;
      ctx.beginPath();
      draw(x);
    };
    ctx.save();
    ctx.lineWidth = ratio;
    ctx.strokeStyle = cssColor('mark');
    const marked = mark === null ? null : mark - origin;
    for (const [time, dash] of [[marked, []], [this.#mark, [4 * ratio, 3 * ratio]]]) {
      if (time === null) continue;
      ctx.setLineDash(dash);
      at(time, (x) => {
        ctx.moveTo(x, bbox.top);
        ctx.lineTo(x, bottom);
        ctx.stroke();
      });
    }

    for (const line of lines.filter((one) => !one.hidden)) {
      ctx.fillStyle = cssColor(line.color);
      // A value between two gaps is no line.
      for (const i of isolated(line.average)) {
        at(times[i], (x) => {
          ctx.arc(x, plot.valToPos(line.average[i], 'y', true), 1.8 * ratio, 0, 2 * Math.PI);
          ctx.fill();
        });
      }
      for (const time of line.resets) {
        at(time, (x) => {
          ctx.moveTo(x, bottom - 9 * ratio);
          ctx.lineTo(x - 5 * ratio, bottom);
          ctx.lineTo(x + 5 * ratio, bottom);
          ctx.fill();
        });
      }
    }
    ctx.restore();
  }

  #cursorMoved(plot) {
    const {left, top} = plot.cursor;
    const time = left === undefined || left < 0 ? null : plot.posToVal(left, 'x');
    this.#read(time, top);
    moveCursor(time, this);
  }

  #selected(plot) {
    const {left, width} = plot.select;
    if (width < 3) return;
    const begin = plot.posToVal(left, 'x');
    const end = plot.posToVal(left + width, 'x');
    plot.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
    this.#zoom(begin, end);
  }

  #zoom(begin, end) {
    this.app.zoom(Math.round(begin + this.#model.origin), Math.round(end + this.#model.origin));
  }

  #wheel(event) {
    if (!event.ctrlKey) return; // the wheel alone scrolls the page
    event.preventDefault();
    const place = event.offsetX / this.#plot.over.clientWidth;
    this.app.scaleBy(event.deltaY < 0 ? 0.7 : 1 / 0.7, place);
  }

  #click(event) {
    const {times} = this.#model;
    const i = nearest(times, this.#plot.posToVal(event.offsetX, 'x'));
    if (i >= 0 && !event.shiftKey) this.app.mark(times[i] + this.#model.origin);
  }

  // grip moves the range with a finger, or with the mouse and Shift; two fingers also scale it.
  #grip(event) {
    if (event.pointerType !== 'touch' && !event.shiftKey) return;
    const fingers = this.#fingers;
    const box = this.#plot.over.getBoundingClientRect();
    const place = (moved) => (moved.clientX - box.left) / box.width;
    const hold = () => { this.#held = {from: [...fingers.values()], range: this.#view ?? this.#model}; };
    fingers.set(event.pointerId, place(event));
    hold();
    if (fingers.size > 1) return;

    const move = (moved) => {
      if (!fingers.has(moved.pointerId)) return;
      fingers.set(moved.pointerId, place(moved));
      this.#view = gripped(this.#held.range, this.#held.from, [...fingers.values()]);
      this.#plot?.setScale('x', {min: this.#view.begin, max: this.#view.end});
    };
    const stop = (ended) => {
      if (!fingers.delete(ended.pointerId)) return;
      hold();
      if (fingers.size > 0) return;
      for (const [name, listener] of Object.entries(handlers)) document.removeEventListener(name, listener);
      const {begin, end} = this.#view ?? this.#model;
      this.#view = null;
      // The browser cancels the pointer when it scrolls the page.
      const moved = ended.type === 'pointerup' && Math.abs(begin - this.#model.begin) > (end - begin) / 100;
      if (moved) this.#zoom(begin, end);
      else this.#plot?.setScale('x', {min: this.#model.begin, max: this.#model.end});
    };
    const handlers = {pointermove: move, pointerup: stop, pointercancel: stop};
    for (const [name, listener] of Object.entries(handlers)) document.addEventListener(name, listener);
  }

  // key moves the cursor. Space selects a range, Enter marks the time.
  #key(event) {
    const plot = this.#plot;
    if (!plot || event.altKey || event.metaKey || event.shiftKey) return;
    const {times, begin, end} = this.#model;
    const first = nearest(times, begin);
    const last = nearest(times, end);
    const now = plot.cursor.left >= 0 ? nearest(times, plot.posToVal(plot.cursor.left, 'x')) : last;
    const step = event.ctrlKey ? Math.max(1, Math.round((last - first) / 20)) : 1;
    const moves = {ArrowLeft: now - step, ArrowRight: now + step, Home: first, End: last};
    if (event.key in moves) {
      this.#place(times[Math.min(Math.max(moves[event.key], first), last)]);
    } else if (event.key === ' ') {
      this.#select(times[now]);
    } else if (event.key === 'Enter') {
      this.app.mark(times[now] + this.#model.origin);
    } else if (event.key === 'Escape' && this.#mark !== null) {
      this.#mark = null;
      plot.redraw(false);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  #place(time) {
    moveCursor(time, null);
    this.status.textContent = this.app.describe(time, this.#model);
  }

  #select(time) {
    if (this.#mark === null) {
      this.#mark = time;
      this.status.textContent = 'Selection begins. Move the cursor and press Space again to zoom.';
      this.#plot.redraw(false);
      return;
    }
    const [begin, end] = [this.#mark, time].sort((a, b) => a - b);
    this.#mark = null;
    if (begin < end) this.#zoom(begin, end);
    else this.#plot.redraw(false);
  }
}

// legend returns a list of lines with their values. Each row has a swatch, a name and a value.
export function legend(rows, unit) {
  return rows.map(({color, label, text, dash, dots}) => el('li', {},
    swatch(color, dash || dots), el('bdi', {class: 'legend-name', text: middle(label, 28), title: label}),
    el('span', {class: 'legend-value', text: text, 'data-unit': units[unit]?.symbol})));
}

export function swatch(color, dash = false) {
  return el('span', {class: `swatch ${color}${dash ? ' dash' : ''}`, 'aria-hidden': 'true'});
}

// sparkline draws one column into a small picture without axes.
export function sparkline(canvas, values, color) {
  const ratio = globalThis.devicePixelRatio || 1;
  const width = canvas.clientWidth || 90;
  const height = canvas.clientHeight || 22;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const ctx = canvas.getContext('2d');
  const high = Math.max(...numbers(values), 0) || 1;
  const x = (i) => 1 + (i / Math.max(values.length - 1, 1)) * (width - 2);
  const y = (i) => height - 2 - (values[i] / high) * (height - 4);
  ctx.scale(ratio, ratio);
  ctx.strokeStyle = cssColor(color);
  ctx.lineWidth = 1.25;
  ctx.beginPath();
  values.forEach((value, i) => {
    if (typeof value !== 'number') return;
    if (typeof values[i - 1] === 'number') ctx.lineTo(x(i), y(i));
    else ctx.moveTo(x(i), y(i));
  });
  ctx.stroke();
  ctx.fillStyle = cssColor(color);
  for (const i of isolated(values)) ctx.fillRect(x(i) - 1, y(i) - 1, 2, 2);
}

