// A server with made-up data that follows docs/view.md, for tests and for work on the page:
//
//   node view/web/internal/pagetest/fake.js [PORT]
//
// It prints the address. It has a log with a disk stall, a leak, a busy process, a gap, resets and
// hostile names, a second log to compare, a log with only one object, and a live source.

import {createServer} from 'node:http';
import {readFile} from 'node:fs/promises';
import {fileURLToPath} from 'node:url';
import {extname, join, normalize} from 'node:path';

const pageDirectory = fileURLToPath(new URL('../../page', import.meta.url));
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
  + "form-action 'none'; base-uri 'none'; frame-ancestors 'none'";
const minute = 60;
const logBegin = Date.parse('2024-01-17T22:20:00Z');
const token = 'made-up-token';
let tokenUsed = false;

// noise returns a number between 0 and 1 that depends only on its arguments.
function noise(text, second) {
  let hash = 2166136261 ^ Math.floor(second);
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  hash = Math.imul(hash ^ (hash >>> 15), 2246822519);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}

const smooth = (text, second, size) => {
  const part = second / size - Math.floor(second / size);
  return noise(text, Math.floor(second / size)) * (1 - part) + noise(text, Math.floor(second / size) + 1) * part;
};

const between = (second, from, to) => second >= from * minute && second < to * minute;

// Instances: name, pid, first and last second, and the load.
const hostile = ['<img src=x onerror=alert(1)>', 'gpj.\u202eexe.txt', 'line\nbreak\u001b[31m', 'بايثون'];
const processes = [
  ['_Total', null], ['Idle', 0], ['System', 4], ['sqlservr', 1820], ['w3wp', 2204], ['w3wp#1', 2260], ['chrome', 3100], ['chrome#1', 3188],
  ['chrome#2', 3190], ['java', 4012], ['backup', 5120], ['svchost', 800], ['svchost#1', 812], ['svchost#2', 900], ['lsass', 640],
  ['explorer', 2900], ['MsMpEng', 1500], ...hostile.map((name, i) => [name, 7000 + i]),
  ...Array.from({length: 40}, (_, i) => [`worker-with-a-rather-long-name-${i}`, 8000 + i]),
];

const counter = (name, unit, type, help, value) => ({name, unit, type, help, value});

function processorTime(name, second, plan) {
  if (name === '_Total') return ['0', '1', '2', '3'].reduce((sum, one) => sum + processorTime(one, second, plan) / 4, 0);
  const base = 8 + 18 * smooth('cpu' + name, second, 40) + 10 * noise('cpu' + name, second);
  return Math.min(100, base + (plan.busy(second) ? 55 : 0));
}

function processLoad(name, second, plan) {
  if (name === 'Idle') return 280 - 60 * smooth('idle', second, 60);
  if (name === '_Total') return 400;
  if (name === 'backup') return plan.busy(second) ? 180 + 15 * noise(name, second) : 0.3 * noise(name, second);
  const weight = {sqlservr: 40, w3wp: 18, chrome: 14, java: 12, MsMpEng: 6}[name] ?? 3 * noise(name, 0);
  return weight * (0.4 + smooth(name, second, 30)) * (0.7 + 0.6 * noise(name, second));
}

function workingSet(name, second, plan) {
  const base = {sqlservr: 3.1e9, java: 9e8, chrome: 4e8, w3wp: 3e8, _Total: 7e9}[name] ?? 2e7 + 8e7 * noise(name, 1);
  return Math.round(base * (1 + 0.02 * smooth(name, second, 90)) + (name === 'java' ? plan.leak(second) : 0));
}

const stall = (second, plan) => (plan.stall(second) ? 1 : 0);
const disk = (name, second, plan) => (name === '_Total' || name.startsWith('0') ? stall(second, plan) : 0);

const objects = [
  {
    name: 'Processor', index: 238, help: 'The Processor object has counters that measure the activity of processors.',
    instances: () => ['_Total', '0', '1', '2', '3'].map((name) => ({name, pid: null})),
    counters: [
      counter('% Processor Time', 'percent', 'PERF_100NSEC_TIMER_INV', '% Processor Time is the percentage of time that the processor is not idle.', processorTime),
      counter('% User Time', 'percent', 'PERF_100NSEC_TIMER', 'Time in user mode.', (n, s, p) => processorTime(n, s, p) * 0.7),
      counter('% Privileged Time', 'percent', 'PERF_100NSEC_TIMER', 'Time in the kernel.', (n, s, p) => processorTime(n, s, p) * 0.3),
      counter('% DPC Time', 'percent', 'PERF_100NSEC_TIMER', 'Time in deferred procedure calls.', (n, s) => 2 * noise('dpc' + n, s)),
      counter('Interrupts/sec', 'per_second', 'PERF_COUNTER_COUNTER', 'Interrupts of all kinds.', (n, s) => 900 + 800 * smooth('int' + n, s, 20)),
    ],
  },
  {
    name: 'Memory', index: 4, help: 'The Memory object has counters of physical and virtual memory.', instances: null,
    counters: [
      counter('Available MBytes', 'count', 'PERF_COUNTER_LARGE_RAWCOUNT', 'Memory available to processes, in megabytes.',
        (_, s, p) => Math.round(6200 - p.leak(s) / 2 ** 20 - 90 * smooth('mem', s, 100))),
      counter('Committed Bytes', 'count', 'PERF_COUNTER_LARGE_RAWCOUNT', 'Committed virtual memory.', (_, s, p) => Math.round(9.4e9 + p.leak(s) + 1e8 * smooth('com', s, 70))),
      counter('Cache Bytes', 'count', 'PERF_COUNTER_LARGE_RAWCOUNT', 'Size of the file cache.', (_, s) => Math.round(1.9e9 + 2e8 * smooth('cache', s, 200))),
      counter('Pages/sec', 'per_second', 'PERF_COUNTER_COUNTER', 'Pages read from and written to disk.', (_, s) => 40 * noise('pages', s)),
      counter('% Committed Bytes In Use', 'percent', 'PERF_RAW_FRACTION', 'Committed Bytes as part of the limit.', (_, s, p) => 45 + p.leak(s) / 2e8),
    ],
  },
  {
    name: 'PhysicalDisk', index: 234, help: 'The PhysicalDisk object has counters of hard disks.',
    instances: () => ['_Total', '0 C:', '1 D:'].map((name) => ({name, pid: null})),
    counters: [
      counter('Disk Bytes/sec', 'per_second', 'PERF_COUNTER_BULK_COUNT', 'Bytes read and written.',
        (n, s, p) => (disk(n, s, p) ? 2e5 * noise(n, s) : 4e6 * smooth('disk' + n, s, 25) + (noise('burst' + n, s) > 0.97 ? 9e7 : 0))),
      counter('Avg. Disk sec/Transfer', 'seconds', 'PERF_AVERAGE_TIMER', 'Average time of a transfer.',
        (n, s, p) => (disk(n, s, p) ? 0.6 + 0.5 * noise('slow', s) : 0.002 + 0.006 * smooth('t' + n, s, 9))),
      counter('Current Disk Queue Length', 'count', 'PERF_COUNTER_RAWCOUNT', 'Requests that wait.', (n, s, p) => (disk(n, s, p) ? 30 + Math.floor(9 * noise('q', s)) : Math.floor(2 * noise('q' + n, s)))),
      counter('% Idle Time', 'percent', 'PERF_PRECISION_100NS_TIMER', 'Time without a request.', (n, s, p) => (disk(n, s, p) ? 0 : 80 + 20 * noise('i' + n, s))),
    ],
  },
  {
    name: 'Network Interface', index: 510, help: 'The Network Interface object has counters of network connections.',
    instances: () => ['Intel[R] Ethernet Connection I219-LM', 'isatap.{4F0A}'].map((name) => ({name, pid: null})),
    counters: [
      counter('Bytes Total/sec', 'per_second', 'PERF_COUNTER_BULK_COUNT', 'Bytes received and sent.', (n, s) => (n[0] === 'i' ? 0 : 3e5 + 2e6 * smooth('net', s, 18) ** 3)),
      counter('Packets/sec', 'per_second', 'PERF_COUNTER_COUNTER', 'Packets received and sent.', (n, s) => (n[0] === 'i' ? 0 : 900 * smooth('pkt', s, 18))),
    ],
  },
  {
    name: 'Process', index: 230, help: 'The Process object has counters of running programs.',
    instances: () => processes.map(([name, pid]) => ({name, pid})),
    counters: [
      counter('% Processor Time', 'percent', 'PERF_100NSEC_TIMER', 'Time of all threads; 100 is one processor.', processLoad),
      counter('Working Set', 'count', 'PERF_COUNTER_LARGE_RAWCOUNT', 'Memory in RAM.', workingSet),
      counter('Private Bytes', 'count', 'PERF_COUNTER_LARGE_RAWCOUNT', 'Memory that no other process shares.', (n, s, p) => Math.round(workingSet(n, s, p) * 0.8)),
      counter('IO Data Bytes/sec', 'per_second', 'PERF_COUNTER_BULK_COUNT', 'Bytes read and written.', (n, s) => 2e5 * noise('io' + n, 0) * noise('io' + n, s)),
      counter('Thread Count', 'count', 'PERF_COUNTER_RAWCOUNT', 'Number of threads.', (n) => 4 + Math.floor(40 * noise('th' + n, 0))),
      counter('Handle Count', 'count', 'PERF_COUNTER_RAWCOUNT', 'Number of open handles.', (n, s, p) => (n === 'java' ? 900 + Math.floor(p.leak(s) / 1e6) : 100 + Math.floor(900 * noise('h' + n, 0)))),
      counter('ID Process', 'count', 'PERF_COUNTER_RAWCOUNT', 'Process id.', (n) => processes.find(([name]) => name === n)[1] ?? 0),
    ],
  },
  {
    name: 'System', index: 2, help: 'The System object has counters of the whole machine. <b>Not bold</b> \u202e.', instances: null,
    counters: [
      counter('Context Switches/sec', 'per_second', 'PERF_COUNTER_COUNTER', 'Switches between threads.', (_, s) => 4000 + 3000 * smooth('ctx', s, 15)),
      counter('Processor Queue Length', 'count', 'PERF_COUNTER_RAWCOUNT', 'Threads that wait for a processor.', (_, s, p) => (p.busy(s) ? 9 : 0) + Math.floor(3 * noise('pq', s))),
      counter('System Up Time', 'seconds', 'PERF_ELAPSED_TIME', 'Time since the start.', (_, s) => 864000 + s),
    ],
  },
  {
    name: 'Thread', index: 232, help: 'The Thread object has counters of threads.',
    instances: () => Array.from({length: 500}, (_, i) => ({name: `program/${i}`, pid: null})),
    counters: [counter('% Processor Time', 'percent', 'PERF_100NSEC_TIMER', 'Time of the thread.', (n, s) => 10 * noise('thread' + n, 0) * noise(n, s))],
  },
];

const eventful = {
  busy: (s) => between(s, 12, 15), stall: (s) => between(s, 31, 33), leak: (s) => Math.max(0, s - 20 * minute) * 7e5,
  gap: (s) => between(s, 40, 42.5), reset: 44 * minute + 7,
};
const quiet = {busy: () => false, stall: () => false, leak: () => 0, gap: () => false, reset: -1};

const german = {zone: 'Europe/Berlin', offsets: [[0, 3600], [1711846800000, 7200]]};
const log = {live: false, format: 'PDH binary (.blg)', system: 'Windows 6.2, build 9200', raw: true, interval: 1, since: null, damage: [], ...german};
const sources = [
  {...log, id: '0', name: '/logs/server.blg', host: 'SERVER1', begin: logBegin, seconds: 55 * minute, plan: eventful, objects},
  {...log, id: '1', name: 'yesterday.blg', host: 'SERVER1', begin: logBegin - 86400e3, seconds: 55 * minute, plan: quiet, objects},
  {...log, id: '2', name: 'only-network.csv', format: 'CSV', host: 'EDGE', begin: logBegin, seconds: 20 * minute, plan: quiet, objects: [objects[3]], interval: 10,
    damage: ['line 77: 12 fields, expected 3']},
  {...log, id: '3', name: 'this machine', live: true, format: 'live', system: 'Linux 6.1', host: 'VM', zone: 'UTC', offsets: [[0, 0]], plan: quiet, objects},
];

const liveBegin = Date.now() - 10 * minute * 1000;
const endOf = (source) => (source.live ? Math.floor(Date.now() / 1000) * 1000 : source.begin + source.seconds * 1000);
const beginOf = (source) => (source.live ? Math.floor(liveBegin / 1000) * 1000 : source.begin);

function describe({seconds, plan, objects: _, ...source}) {
  const [begin, end] = [beginOf(source), endOf({seconds, ...source})];
  return {
    ...source, begin: new Date(begin).toISOString(), end: new Date(end).toISOString(),
    samples: Math.round((end - begin) / 1000 / source.interval), done: 1059100092, of: 1059100092,
  };
}

class RequestError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// matches returns {object, counter, instance} of all series of a path.
function matches(source, text) {
  const parsed = /^(?:\\\\[^\\]+)?\\([^\\(]+)(?:\((.*)\))?\\(.+)$/s.exec(text);
  if (!parsed) throw new RequestError(400, `"${text}" is no counter path`);
  const pattern = (glob) => new RegExp(`^${glob.replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*').replaceAll('?', '.')}$`, 'is');
  const [object, instance, counterName] = [pattern(parsed[1]), pattern(parsed[2] ?? ''), pattern(parsed[3])];
  return source.objects.filter(({name}) => object.test(name)).flatMap((one) => one.counters.filter(({name}) => counterName.test(name)).flatMap((found) => {
    if ((one.instances === null) !== (parsed[2] === undefined)) return [];
    const list = one.instances ? one.instances().filter(({name}) => instance.test(name)) : [{name: null, pid: null}];
    return list.map(({name, pid}) => ({object: one, counter: found, name, pid}));
  }));
}

const pathOf = (source, {object, counter: found, name}) => `\\\\${source.host}\\${object.name}${name === null ? '' : `(${name})`}\\${found.name}`;

function valueOf(source, {counter: found, name}, time) {
  const second = (time - beginOf(source)) / 1000;
  if (source.plan.gap(second)) return null;
  if (name === 'chrome#2' && second < 18 * minute) return null; // appeared later
  return found.value(name ?? '', source.live ? time / 1000 : second, source.plan);
}

const stepChoices = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];

function windowOf(source, query) {
  const time = (text, otherwise) => (text === null ? otherwise : /^\d+$/.test(text) ? Number(text) : Date.parse(text));
  const begin = Math.max(time(query.get('begin'), beginOf(source)), beginOf(source));
  const end = Math.min(time(query.get('end'), endOf(source)), endOf(source));
  if (Number.isNaN(begin + end)) throw new RequestError(400, 'begin or end is no time');
  return {begin, end};
}

function range(source, query) {
  const {begin, end} = windowOf(source, query);
  const points = Number(query.get('points') ?? 0);
  let step = Number(query.get('step') ?? 0);
  if (points > 0) step = stepChoices.find((one) => (end - begin) / 1000 / one <= points) ?? 7200;
  const raw = step <= source.interval;
  const size = raw ? source.interval : step;
  if (query.getAll('path').length > 100) throw new RequestError(400, 'the request has more than 100 paths');
  const list = query.getAll('path').flatMap((path) => matches(source, path));
  if (list.length > 2000) throw new RequestError(400, 'the request has more than 2,000 series');

  const times = [];
  for (let time = Math.ceil(begin / size / 1000) * size * 1000; time <= end; time += size * 1000) {
    if (!source.plan.gap((time - beginOf(source)) / 1000)) times.push(time);
  }
  const series = list.map((one) => seriesOf(source, one, times, raw ? 0 : size));
  const top = Number(query.get('top') ?? 0);
  const shown = top > 0 ? series.filter((one) => one.instance !== '_Total').sort((a, b) => average(b.average) - average(a.average)).slice(0, top) : series;
  return {source: source.id, begin: new Date(begin).toISOString(), end: new Date(end).toISOString(), step: raw ? 0 : size, complete: true, times, series: shown};
}

const average = (list) => {
  const numbers = list.filter((value) => value !== null);
  return numbers.length ? numbers.reduce((a, b) => a + b, 0) / numbers.length : 0;
};

function seriesOf(source, one, times, step) {
  const result = {path: pathOf(source, one), unit: one.counter.unit, instance: one.name, pid: one.pid, average: [], missing: [], resets: []};
  if (step > 0) Object.assign(result, {minimum: [], maximum: []});
  for (const time of times) {
    const values = [];
    for (let k = 0; k < Math.max(step, 1); k += Math.max(1, Math.floor(step / 20))) values.push(valueOf(source, one, time - k * 1000));
    const numbers = values.filter((value) => value !== null);
    result.average.push(numbers.length ? average(numbers) : null);
    if (numbers.length === 0 && result.average.at(-2) !== null) result.missing.push([time, 'no_instance']);
    if (step > 0) {
      result.minimum.push(numbers.length ? Math.min(...numbers) : null);
      result.maximum.push(numbers.length ? Math.max(...numbers) : null);
    }
  }
  const reset = beginOf(source) + source.plan.reset * 1000;
  if (one.name === 'sqlservr' && reset >= times[0] && reset <= times.at(-1)) result.resets.push(reset);
  return result;
}

function values(source, query) {
  const {end} = windowOf(source, query);
  const time = Math.floor(end / 1000) * 1000;
  const readings = query.getAll('path').flatMap((path) => matches(source, path)).map((one) => {
    const value = valueOf(source, one, time);
    return {
      time: new Date(time).toISOString(), path: pathOf(source, one), value, unit: one.counter.unit,
      status: value === null ? 'no_instance' : 'ok', object: one.object.name, instance: one.name, counter: one.counter.name,
    };
  });
  return {source: source.id, time: new Date(time).toISOString(), readings};
}

function statistics(source, query) {
  const window = windowOf(source, query);
  const series = query.getAll('path').flatMap((path) => matches(source, path)).map((one) => {
    const list = [];
    for (let time = window.begin; time <= window.end; time += Math.max(1000, (window.end - window.begin) / 600)) list.push(valueOf(source, one, Math.floor(time / 1000) * 1000));
    const numbers = list.filter((value) => value !== null).sort((a, b) => a - b);
    return {
      path: pathOf(source, one), unit: one.counter.unit, last: list.at(-1), average: average(numbers), minimum: numbers[0] ?? null, maximum: numbers.at(-1) ?? null,
      at: null, deviation: 0, count: numbers.length, missing: list.length - numbers.length,
      median: numbers[numbers.length >> 1] ?? null, p95: numbers[Math.floor(numbers.length * 0.95)] ?? null,
    };
  });
  return {series};
}

function changed(source) {
  if (source.plan === quiet) return {changed: []};
  const at = (minutes) => new Date(source.begin + minutes * minute * 1000).toISOString();
  const row = (path, unit, inside, outside, minutes) => ({
    path: `\\\\${source.host}${path}`, unit, time: at(minutes), inside, outside,
    difference: `${inside > outside ? '+' : ''}${((inside / outside - 1) * 100).toFixed(2)}% (p=0.000 n=120+3180)`,
  });
  return {changed: [
    row('\\PhysicalDisk(0 C:)\\Avg. Disk sec/Transfer', 'seconds', 0.853, 0.0048, 31.7),
    row('\\Process(backup)\\% Processor Time', 'percent', 187.2, 0.151, 13.1),
    row('\\PhysicalDisk(0 C:)\\Current Disk Queue Length', 'count', 34.1, 0.52, 32.2),
    row('\\Process(java)\\Working Set', 'count', 2.21e9, 9.1e8, 54.9),
    row('\\Processor(_Total)\\% Processor Time', 'percent', 78.4, 22.5, 13.6),
    row('\\Memory\\Available MBytes', 'count', 4870, 6150, 54.9),
    row('\\System\\Processor Queue Length', 'count', 10.1, 1.02, 14.0),
    row('\\Process(java)\\Handle Count', 'count', 2210, 900, 54.9),
    row('\\PhysicalDisk(0 C:)\\% Idle Time', 'percent', 0, 90.1, 31.2),
    row(`\\Process(${hostile[0]})\\% Processor Time`, 'percent', 2.2, 1.1, 5),
  ]};
}

function events(source) {
  if (source.plan === quiet) return {events: [], more: 0, complete: true};
  const event = (minutes, kind, object, instance, text) => ({time: new Date(source.begin + minutes * minute * 1000).toISOString(), kind, object, instance, text});
  return {more: 12, complete: true, events: [
    event(12, 'instances_came', 'Process', 'backup', ''),
    event(18, 'instances_came', 'Process', 'chrome#2', ''),
    event(40, 'sample_missed', '', '', '150 samples'),
    event(44.1, 'counter_reset', 'Process', 'sqlservr', '% Processor Time'),
    event(50, 'instances_came', 'Process', hostile[1], ''),
  ]};
}

const answers = {
  sources: () => ({sources: sources.map(describe)}),
  objects: (source) => ({objects: source.objects.map(({name, index, help, instances, counters}) => ({
    name, index, guid: null, help, costly: false, instances: instances ? instances().length : null,
    counters: counters.map(({value: _, ...one}, i) => ({...one, index: index + 2 * i + 2})),
  }))}),
  instances: (source, query) => {
    const object = source.objects.find(({name}) => name === query.get('object'));
    if (!object) throw new RequestError(400, `the source has no object ${query.get('object')}`);
    return {instances: (object.instances?.() ?? []).map(({name, pid}) => ({name, parent: null, pid, start: null, first: null, last: null}))};
  },
  values, range, statistics, events, changed,
};

function stream(source, query, response) {
  response.writeHead(200, {'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store'});
  const send = () => response.write(`event: values\ndata: ${JSON.stringify(values(source, query))}\n\n`);
  send();
  const timer = setInterval(send, 1000);
  response.on('close', () => clearInterval(timer));
}

async function answer(request, response) {
  const url = new URL(request.url, 'http://localhost');
  const json = (status, body) => {
    response.writeHead(status, {'Content-Type': 'application/json', 'Cache-Control': 'no-store'});
    response.end(JSON.stringify(body));
  };
  if (!url.pathname.startsWith('/api/v1/')) return sendFile(url.pathname, response);
  try {
    const name = url.pathname.slice('/api/v1/'.length);
    if (name === 'login' && request.method === 'POST') return await login(request, response);
    if (!/(^|;\s*)winperf=yes/.test(request.headers.cookie ?? '')) throw new RequestError(401, 'no cookie');
    const source = sources.find(({id}) => id === (url.searchParams.get('source') ?? '0'));
    if (!source) throw new RequestError(404, 'no such source');
    if (!answers[name]) throw new RequestError(404, 'no such request');
    if (name === 'values' && source.live && request.headers.accept === 'text/event-stream') return stream(source, url.searchParams, response);
    return json(200, answers[name](source, url.searchParams));
  } catch (error) {
    return json(error.status ?? 500, {error: error.message});
  }
}

async function login(request, response) {
  let body = '';
  for await (const part of request) body += part;
  if (body !== token || tokenUsed) throw new RequestError(401, 'the token is wrong or was used');
  tokenUsed = process.env.FAKE_REUSE !== '1';
  response.writeHead(204, {'Set-Cookie': 'winperf=yes; HttpOnly; SameSite=Strict; Path=/'});
  response.end();
}

const types = {'.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.svg': 'image/svg+xml'};

async function sendFile(path, response) {
  const name = normalize(path === '/' ? '/index.html' : path);
  try {
    const body = await readFile(join(pageDirectory, name));
    response.writeHead(200, {
      'Content-Type': types[extname(name)] ?? 'text/plain; charset=utf-8', 'Content-Security-Policy': policy, 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store',
    });
    response.end(body);
  } catch {
    response.writeHead(404);
    response.end();
  }
}

export {answers, sources};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = createServer(answer);
  server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
    console.log(`http://127.0.0.1:${server.address().port}/#token=${token}`);
  });
}
