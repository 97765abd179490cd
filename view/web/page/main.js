// The start of the page: sign in, read the sources, show the view, and follow new samples.
//
// The modules, in an order in which each imports only modules before it:
//
//   text, path, units, time, series, csv, state   pure functions, tested in Node
//   request, data                                 the connection, all requests
//   chart                                         one panel with uPlot
//   app                                           state, sources, visible range, running requests
//   keys, export, tree, overview, explorer, values, shell   the parts of the page

import {controls, login, onSource} from './request.js';
import * as data from './data.js';
import {App} from './app.js';
import {Shell} from './shell.js';
import {Overview} from './overview.js';
import {Explorer} from './explorer.js';
import {Values} from './values.js';
import {helpDialog, install} from './keys.js';
import {formatState, parseState, takeToken} from './state.js';
import {saveCsv, savePage, savePng} from './export.js';
import {safe} from './text.js';

const viewClasses = {overview: Overview, charts: Explorer, values: Values};

const nextZone = {log: 'utc', utc: 'browser', browser: 'log'};

let view = null;
let viewName = '';
const app = new App(render);
app.onEvents = (events) => shell.drawEvents(events);

const commands = [
  [['?'], 'show these keys', () => dialog.showModal()],
  [['1'], 'overview', () => app.set({view: 'overview'})],
  [['2'], 'charts', () => app.set({view: 'charts'})],
  [['3'], 'values', () => app.set({view: 'values'})],
  [['/'], 'search counters, or filter values', search],
  [['ArrowLeft'], 'earlier', () => app.pan(-0.5)],
  [['ArrowRight'], 'later', () => app.pan(0.5)],
  [['+', '='], 'zoom in', () => app.scaleBy(0.5)],
  [['-'], 'zoom out', () => app.scaleBy(2)],
  [['0'], 'whole time', () => app.showAll()],
  [['f'], 'follow new samples, or stop', follow],
  [['c'], 'compare, or stop', compare],
  [['z'], 'next zone: log, UTC, browser', () => app.set({zone: nextZone[app.state.zone]})],
  [['d'], 'light or dark', theme],
  [['e'], 'export values as CSV', csv],
  [['p'], 'export charts as PNG', png],
];
if (data.page) commands.push([['s'], 'save this view with its samples as a page', page]);

const shell = new Shell(app, {
  help: () => dialog.showModal(), theme, csv, png, link, compare, page: data.page && page,
  cancel: data.cancel && (() => data.cancel(app.source.id).catch(fail)),
});
const dialog = helpDialog(commands);
const dark = matchMedia('(prefers-color-scheme: dark)');

function search() {
  if (app.state.view === 'overview') app.set({view: 'charts'});
  document.querySelector('.sidebar')?.setAttribute('open', '');
  document.querySelector('#counter-search, #value-filter')?.focus();
}

function follow() {
  if (!app.source.live && !app.source.grows) shell.say('A log does not grow.');
  else if (app.window.follow) app.set({begin: app.window.begin, end: app.window.end, follow: 0});
  else app.set({begin: null, end: null, follow: 300});
}

function compare() {
  if (app.state.compare) {
    app.set({compare: null});
    return;
  }
  const other = app.sources.find((one) => one !== app.source && !one.live) ?? app.source;
  // A moving range stops. The whole of a log is compared with itself by halves.
  const {begin, end, follow: moving, whole} = app.window;
  const range = other === app.source && whole ? {begin: Math.round((begin + end) / 2), end}
    : moving ? {begin, end} : {};
  app.set({view: 'charts', follow: 0, ...range, compare: {source: other.id, begin: null}});
}

function theme() {
  app.set({theme: document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'}, {quiet: true});
}

function csv() {
  if (!saveCsv(app, view)) shell.say('There are no values to export.');
}

async function png() {
  if (!view.pictures || !await savePng(app, view.pictures())) shell.say('There are no charts to export.');
}

async function page() {
  shell.say('Reading the samples …');
  await savePage(app).then(() => shell.say('The page was saved.'), (error) => shell.say(error.message));
}

async function link() {
  try {
    await navigator.clipboard.writeText(location.href);
    shell.say('The address was copied.');
  } catch {
    shell.say('The browser refused the clipboard; copy the address from the address bar.');
  }
}

function render() {
  if (!app.source) return;
  const {state} = app;
  const usual = dark.matches ? 'dark' : 'light';
  document.documentElement.dataset.theme = state.theme === 'auto' ? usual : state.theme;
  document.title = `${safe(app.source.name)} – winperf`;
  shell.update();
  if (viewName !== state.view) {
    view?.destroy();
    viewName = state.view;
    view = new viewClasses[viewName](app);
    shell.view.replaceChildren(view.root);
  }
  app.pending(1);
  view.update().catch(fail).finally(() => app.pending(-1));
}

function fail(error) {
  if (error.name === 'AbortError') return;
  const hint = error.status === 401 ? 'Open the address that winperf printed. Each address can be used once.'
    : error.message;
  shell.fail(hint);
}

// readAgain reads the sources again.
async function readAgain() {
  const before = app.sources;
  await app.readSources();
  shell.fail(null);
  app.forgetObjects(before);
  if (JSON.stringify(app.sources) !== JSON.stringify(before)) render();
}

// showSource shows a source that was opened; null means that the shown one stays.
async function showSource(source) {
  await readAgain().catch(fail);
  if (source !== null) app.set({source, begin: null, end: null, mark: null});
}

// poll reads the sources often if the shown one is live or is being read.
async function poll() {
  let seconds = 15;
  try {
    if (!document.hidden) await readAgain();
    const {live, grows, interval} = app.source;
    if (live) seconds = Math.max(interval ?? 1, 1);
    else if (app.reading) seconds = 1;
    else if (grows) seconds = 2;
  } catch (error) {
    fail(error);
    seconds = 5;
  }
  setTimeout(poll, seconds * 1000);
}

function readAddress() {
  app.state = parseState(location.hash);
  render();
}

function showShell() {
  if (!shell.view.isConnected) document.body.replaceChildren(...shell.parts, dialog);
}

async function start() {
  document.documentElement.dataset.theme = dark.matches ? 'dark' : 'light';
  shell.header.lastChild.prepend(...controls());
  const {token, rest} = takeToken(location.hash);
  if (token !== null) {
    history.replaceState(null, '', '#' + formatState(parseState(rest)));
    // A used token is no error if the cookie is still valid; the next request shows it.
    await login(token).catch((error) => { if (error.status === 0) throw error; });
  }
  await app.readSources();
  if (app.sources.length === 0) throw new Error('There is no source.');
  showShell();
  readAddress();
  addEventListener('popstate', readAddress);
  dark.addEventListener('change', render);
  install(commands);
  onSource(showSource);
  setTimeout(poll, 1000);
}

start().catch((error) => {
  if (error.status === 401) document.body.replaceChildren(shell.banner); // no control has a use
  else showShell();
  fail(error);
});
