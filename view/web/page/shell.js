// The frame of the page: header, range of times, timeline and comparison.

import {onCursor} from './chart.js';
import {el, fill, safe} from './text.js';
import {clockText, durationText, elapsedText, offsetText, parseTime, timeText} from './time.js';
import {views} from './state.js';

const menus = '.menu, .columns';
const titles = {overview: 'Overview', charts: 'Charts', values: 'Values'};

export class Shell {
  constructor(app, commands) {
    this.app = app;
    this.banner = el('div', {class: 'banner', role: 'alert', hidden: true});
    this.toast = el('div', {class: 'toast', role: 'status', hidden: true});
    this.keys = el('p', {
      id: 'plot-keys', class: 'sr-only',
      text: 'Arrow keys move the cursor. Space begins and ends a selection to zoom in. Press ? for all keys.',
    });
    this.#header(commands);
    this.#rangeBar(commands);
    this.#compareBar();
    this.#timeline();
    onCursor((time) => this.#showSpan(time));
    this.view = el('main', {id: 'view', tabindex: -1});
    this.progress = el('p', {class: 'progress-line', hidden: true},
      el('progress', {'aria-label': 'Reading the log', max: 1}), el('span'), commands.cancel
        && el('button', {type: 'button', class: 'quiet', text: 'Cancel reading', onclick: commands.cancel}));
  }

  get parts() {
    return [
      el('a', {class: 'skip', href: '#view', text: 'Skip to the view',
        onclick: (event) => { event.preventDefault(); this.view.focus(); }}),
      this.banner, this.header, this.bar, this.view, this.toast,
    ];
  }

  #header({help, theme, csv, png, link, page}) {
    const {app} = this;
    this.tabs = views.map((view) => el('button',
      {type: 'button', text: titles[view], onclick: () => app.set({view})}));
    this.sourceSelect = el('select', {'aria-label': 'Source', class: 'source',
      onchange: () => this.#changeSource(this.sourceSelect.value)});
    this.zoneSelect = el('select', {'aria-label': 'Zone of times',
      onchange: () => app.set({zone: this.zoneSelect.value})});
    this.themeButton = el('button', {type: 'button', text: '◐', 'aria-label': 'Light or dark',
      title: 'Light or dark (d)', onclick: theme});

    const entry = (text, action) => el('button', {type: 'button', text,
      onclick: () => { this.exportMenu.open = false; action(); }});
    this.exportMenu = el('details', {class: 'menu'}, el('summary', {text: 'Export'}),
      el('div', {class: 'menu-list'}, entry('Values as CSV', csv), entry('Charts as PNG', png),
        entry('Copy address', link), page && entry('Save page', page)));
    document.addEventListener('click', (event) => {
      for (const menu of document.querySelectorAll(menus)) menu.open &&= menu.contains(event.target);
    });
    document.addEventListener('keydown', (event) => {
      const menu = event.key === 'Escape' && event.target.closest(menus);
      if (!menu) return;
      menu.open = false;
      menu.querySelector('summary').focus();
    });

    this.header = el('header', {class: 'top'},
      el('span', {class: 'brand', text: 'winperf'}),
      el('nav', {class: 'tabs', 'aria-label': 'Views'}, this.tabs),
      el('div', {class: 'settings'}, this.sourceSelect, this.exportMenu, this.themeButton,
        el('button', {type: 'button', text: '?', 'aria-label': 'Keys and help', title: 'Keys (?)', onclick: help})));
  }

  // changeSource keeps the range if the new source has samples in it.
  #changeSource(id) {
    const {begin, end} = this.app.window;
    const next = this.app.sources.find((one) => one.id === id);
    const overlaps = next && begin < next.end && end > next.begin;
    const {compare} = this.app.state;
    const swapped = compare && this.app.other.id === id ? this.app.source.id : compare?.source;
    this.app.set({source: id, mark: null, ...(overlaps ? {} : {begin: null, end: null, follow: null}),
      compare: compare && {source: swapped, begin: null}});
  }

  #rangeBar({compare}) {
    const {app} = this;
    const button = (text, label, action) => el('button',
      {type: 'button', text, 'aria-label': label, title: label, onclick: action});
    this.begin = timeInput('Begin of the range', () => this.#enterTime(this.begin, 'begin'));
    this.end = timeInput('End of the range', () => this.#enterTime(this.end, 'end'));
    this.span = el('span', {class: 'span'});
    this.follow = el('select', {'aria-label': 'Follow new samples',
      onchange: () => this.#changeFollow(Number(this.follow.value))});
    this.allButton = button('All', 'All: the whole time of the source (0)', () => app.showAll());
    this.compareButton = el('button', {type: 'button', text: 'Compare', 'aria-pressed': 'false',
      title: 'Compare two ranges or sources (c)', onclick: compare});
    this.range = el('div', {class: 'range', role: 'group', 'aria-label': 'Visible range'},
      el('span', {class: 'edges'}, this.begin, el('span', {text: '–'}), this.end, this.span),
      el('span', {class: 'moves'}, button('‹', 'Earlier (←)', () => app.pan(-0.5)),
        button('›', 'Later (→)', () => app.pan(0.5)), button('−', 'Zoom out (-)', () => app.scaleBy(2)),
        button('+', 'Zoom in (+)', () => app.scaleBy(0.5)), this.allButton, this.follow, this.compareButton),
      this.zoneSelect);
  }

  #enterTime(input, field) {
    const {app} = this;
    const now = app.window;
    const time = parseTime(input.value, app.zone, now[field]);
    const range = {begin: now.begin, end: now.end, [field]: time};
    const valid = time !== null && range.begin < range.end;
    input.setAttribute('aria-invalid', String(!valid));
    if (!valid) {
      this.say('Enter a time such as 2024-01-17 23:20:00; the range must not be empty.');
      return;
    }
    if (Math.abs(time - now[field]) < 1) return;
    app.set({begin: Math.round(range.begin), end: Math.round(range.end), follow: 0});
  }

  #changeFollow(follow) {
    const {begin, end} = this.app.window;
    this.app.set(follow > 0 ? {follow, begin: null, end: null}
      : {follow: 0, begin: Math.round(begin), end: Math.round(end)});
  }

  #compareBar() {
    const {app} = this;
    this.otherSelect = el('select', {
      'aria-label': 'Compared source',
      onchange: () => app.set({compare: {source: this.otherSelect.value, begin: null}}),
    });
    this.otherBegin = timeInput('Begin of the compared range', () => {
      const time = parseTime(this.otherBegin.value, app.zone, app.otherWindow.begin);
      this.otherBegin.setAttribute('aria-invalid', String(time === null));
      if (time !== null) app.set({compare: {source: app.other.id, begin: Math.round(time)}});
    });
    this.compare = el('div', {class: 'compare', role: 'group', 'aria-label': 'Comparison', hidden: true},
      el('span', {text: 'Compared with'}), this.otherSelect, el('span', {text: 'from'}), this.otherBegin,
      this.compareNote = el('span', {class: 'note'}),
      el('button', {type: 'button', class: 'quiet', text: 'End comparison',
        onclick: () => app.set({compare: null})}));
  }

  // timeline shows the visible range within the whole time, and the events.
  #timeline() {
    const {app} = this;
    this.thumb = el('span', {class: 'thumb'});
    this.ticks = el('span', {class: 'event-ticks'});
    this.line = el('div', {
      class: 'timeline', role: 'slider', tabindex: 0, 'aria-label': 'Visible range in the whole time',
      'aria-valuemin': 0, 'aria-valuemax': 100,
      onpointerdown: (event) => this.#dragTimeline(event),
      onkeydown: (event) => {
        const direction = {ArrowLeft: -1, ArrowRight: 1}[event.key];
        if (!direction) return;
        event.preventDefault();
        app.pan(direction / 4);
      },
    }, this.ticks, this.thumb);
    this.bar = el('section', {class: 'bar', 'aria-label': 'Time'}, this.range, this.compare, this.line, this.keys);
  }

  #dragTimeline(event) {
    const {app} = this;
    const {source} = app;
    const box = this.line.getBoundingClientRect();
    const size = app.window.end - app.window.begin;
    const share = (moved) => (moved.clientX - box.left) / box.width;
    const center = (moved) => source.begin + share(moved) * (source.end - source.begin);
    const place = (moved) => Math.min(Math.max(center(moved) - size / 2, source.begin),
      Math.max(source.end - size, source.begin));
    const move = (moved) => this.#placeThumb(place(moved), place(moved) + size);
    const stop = (moved) => {
      document.removeEventListener('pointermove', move);
      document.removeEventListener('pointerup', stop);
      app.zoom(Math.round(place(moved)), Math.round(place(moved) + size));
    };
    if (app.window.whole) return;
    move(event);
    document.addEventListener('pointermove', move);
    document.addEventListener('pointerup', stop);
  }

  #placeThumb(begin, end) {
    const {source, zone} = this.app;
    const whole = Math.max(source.end - source.begin, 1);
    const part = (time) => Math.min(Math.max((time - source.begin) / whole, 0), 1) * 100;
    this.thumb.style.left = part(begin) + '%';
    this.thumb.style.width = Math.max(part(end) - part(begin), 0.5) + '%';
    this.line.setAttribute('aria-valuenow', Math.round((part(begin) + part(end)) / 2));
    this.line.setAttribute('aria-valuetext', `${timeText(begin, zone)} to ${timeText(end, zone)}`);
  }

  drawEvents(events) {
    const {source} = this.app;
    const whole = Math.max(source.end - source.begin, 1);
    fill(this.ticks, events.slice(0, 300).map((event) => {
      const tick = el('span', {class: 'tick'});
      tick.style.left = ((Date.parse(event.time) - source.begin) / whole) * 100 + '%';
      return tick;
    }));
  }

  // update shows the state in all controls.
  update() {
    const {app} = this;
    const {state, source, sources, window, zone} = app;
    views.forEach((view, i) => {
      this.tabs[i].ariaCurrent = view === state.view ? 'page' : null;
    });
    options(this.sourceSelect, sources.map((one) => [one.id, one.name]), source.id);
    this.sourceSelect.disabled = sources.length < 2;
    const own = source.live ? 'Machine' : 'Log';
    options(this.zoneSelect, [
      ['log', `${own}: ${source.zone || 'UTC'}`], ['utc', 'UTC'], ['browser', 'Browser'],
    ], state.zone);
    this.zoneSelect.title = `UTC${offsetText(zone.offset(window.begin))}`;

    const rounded = (time) => Math.round(time / 1000) * 1000;
    const precision = window.end - window.begin > 10000 ? rounded : Math.round;
    const shown = (time) => timeText(precision(time), zone);
    for (const [input, text] of [[this.begin, shown(window.begin)], [this.end, shown(window.end)]]) {
      if (document.activeElement === input && input.getAttribute('aria-invalid') === 'true') continue;
      if (document.activeElement === input && window.follow) continue;
      input.value = text;
      input.removeAttribute('aria-invalid');
    }
    this.#showSpan();
    this.allButton.disabled = window.whole;
    this.follow.hidden = !source.live && !source.grows;
    const spans = [[0, 'Follow: off'], [60, 'Follow 1 min'], [300, 'Follow 5 min'], [900, 'Follow 15 min']];
    if (!spans.some(([seconds]) => seconds === window.follow)) {
      spans.push([window.follow, `Follow ${durationText(window.follow * 1000)}`]);
    }
    options(this.follow, spans, window.follow);

    this.compareButton.setAttribute('aria-pressed', String(Boolean(state.compare)));
    this.compare.hidden = !state.compare;
    if (state.compare) {
      options(this.otherSelect, sources.map((one) => [one.id, one.name]), app.other.id);
      this.compareNote.textContent = state.view === 'charts'
        ? safe(`Solid: ${app.names[0]}; dashed: ${app.names[1]}; aligned at the start`) : '';
      const begin = timeText(rounded(app.otherWindow.begin), zone);
      if (document.activeElement !== this.otherBegin) this.otherBegin.value = begin;
    }
    this.#placeThumb(window.begin, window.end);
    this.#showProgress(source);
  }

  // showSpan shows the time below the cursor, or the length of the visible range.
  #showSpan(time = null) {
    const {state, window, zone} = this.app;
    if (time === null) {
      this.span.textContent = durationText(window.end - window.begin);
      return;
    }
    const relative = state.compare && state.view === 'charts';
    const precision = window.end - window.begin > 60000 ? 1000 : 1;
    const at = Math.round(time / precision) * precision;
    this.span.textContent = `at ${relative ? elapsedText(at) : clockText(at, zone)}`;
  }

  #showProgress(source) {
    this.progress.hidden = !this.app.reading;
    if (!this.app.reading) return;
    const [bar, text] = this.progress.children;
    bar.value = source.done / source.of;
    text.textContent = ` Reading the log: ${Math.floor((source.done / source.of) * 100)} %`;
    if (!this.progress.isConnected) this.bar.append(this.progress);
  }

  // fail shows an error that concerns the whole page; null removes it.
  fail(message) {
    this.banner.hidden = message === null;
    this.banner.textContent = message ?? '';
  }

  // say shows a message for some seconds.
  say(message) {
    clearTimeout(this.timer);
    this.toast.textContent = message;
    this.toast.hidden = false;
    this.timer = setTimeout(() => { this.toast.hidden = true; }, 5000);
  }
}

// timeInput returns an input for a time. enter is called after the user has changed it.
function timeInput(label, enter) {
  return el('input', {
    type: 'text', class: 'time-input', 'aria-label': label, autocomplete: 'off', spellcheck: 'false',
    title: '2024-01-17 23:20, 23:20:05, or +5m from this time', onchange: enter,
  });
}

// options sets the entries of a select, if they changed, and its value.
function options(select, list, value) {
  const text = JSON.stringify(list);
  if (select.dataset.options !== text) {
    fill(select, list.map(([key, label]) => el('option', {value: key, text: label})));
    select.dataset.options = text;
  }
  select.value = value;
}
