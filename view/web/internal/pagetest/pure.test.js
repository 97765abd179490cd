// Tests of the modules that use no browser. Run them with: node --test view/web/internal/pagetest

import assert from 'node:assert/strict';
import {readFile, readdir} from 'node:fs/promises';
import {fileURLToPath} from 'node:url';
import {test} from 'node:test';

import {csvField, csvText, rangeRows} from '../../page/csv.js';
import {formatEntry, formatPath, isSum, keyOf, label, parseEntry, parsePath} from '../../page/path.js';
import * as series from '../../page/series.js';
import {
  endOf, formatState, gripped, parseState, savedView, start, takeToken, windowOf, within, zoomed,
} from '../../page/state.js';
import {hasWords, middle, prose, safe, shortName, words} from '../../page/text.js';
import * as time from '../../page/time.js';
import {axisLabels, displayUnit, formatValue, valueRange} from '../../page/units.js';
import {eventText, planCard} from '../../page/overview.js';
import {compare, difference} from '../../page/explorer.js';
import {fileName} from '../../page/export.js';

const nbsp = '\u00a0';
const berlin = time.logZone('Europe/Berlin', [[0, 3600], [1711846800000, 7200]]);

test('safe escapes hidden characters as in Go strings', () => {
  assert.equal(safe('a\n\u001b[31m\u202e\u200b\u0085\u{e0041}é 名 % <b>'), 'a\\n\\x1b[31m\\u202e\\u200b\\u0085\\U000e0041é 名 % <b>');
  assert.equal(safe('\ud800'), '\\ud800');
  assert.equal(safe(null), '');
  assert.equal(prose(' One\r\n  two\u202e '), 'One two\\u202e');
});

test('a search finds all words in any order', () => {
  assert.deepEqual(words('  Disk  read '), ['disk', 'read']);
  assert.ok(hasWords('% Read Time of a DISK', ['disk', 'read']));
  assert.ok(!hasWords('Disk', ['disk', 'read']));
});

test('paths', async (t) => {
  const cases = [
    ['\\Memory\\Available Bytes', {machine: '', object: 'Memory', instance: null, counter: 'Available Bytes'}],
    ['\\\\HOST\\Process(a/b#1)\\% Processor Time', {machine: 'HOST', object: 'Process', instance: 'a/b#1', counter: '% Processor Time'}],
    ['\\Process(a(1)\\x)\\ID', {machine: '', object: 'Process', instance: 'a(1)\\x', counter: 'ID'}],
    ['\\Net(C:\\dir)\\Bytes/sec', {machine: '', object: 'Net', instance: 'C:\\dir', counter: 'Bytes/sec'}],
    ['\\Object()\\Counter', {machine: '', object: 'Object', instance: '', counter: 'Counter'}],
  ];
  for (const [text, want] of cases) {
    await t.test(text, () => {
      assert.deepEqual(parsePath(text), want);
      assert.equal(formatPath(want), text.replace('\\\\HOST', ''));
    });
  }
  for (const text of ['', 'Memory', '\\', '\\Memory', '\\\\HOST', '\\\\\\A\\B', '\\(x)\\y', '\\Process(x', '\\Process(x)\\', '\\Memory\\']) {
    assert.equal(parsePath(text), null, text);
  }
});

test('a path has no hidden characters', () => {
  assert.equal(formatPath({object: 'Process', instance: 'a\nb\u202ec', counter: 'ID'}), '\\Process(a?b?c)\\ID');
  assert.equal(parseEntry('5:\\Process(a\u202e)\\ID').path, '\\Process(a?)\\ID');
});

test('keys ignore the machine and case', () => {
  assert.equal(keyOf('\\\\A\\Process(X)\\ID Process'), keyOf('\\\\b\\process(x)\\id process'));
});

test('chart entries have an optional limit', () => {
  assert.deepEqual(parseEntry('10:\\Process(*)\\ID'), {top: 10, path: '\\Process(*)\\ID'});
  assert.deepEqual(parseEntry('\\Process(1:2)\\ID'), {top: 0, path: '\\Process(1:2)\\ID'});
  assert.equal(parseEntry('10:ID'), null);
  assert.equal(formatEntry({top: 10, path: '\\A\\B'}), '10:\\A\\B');
  assert.equal(formatEntry({top: 0, path: '\\A\\B'}), '\\A\\B');
});

test('labels omit the parts that all series share', () => {
  const path = parsePath('\\Process(x)\\ID');
  assert.equal(label(path, {object: true, counter: true}), 'x');
  assert.equal(label(path, {object: true}), 'x · ID');
  assert.equal(label(path), 'Process · x · ID');
  assert.equal(label(parsePath('\\Memory\\Pages'), {object: true, counter: true}), 'Pages');
});

test('sums are no candidates for the largest series', () => {
  for (const text of ['\\Process(_Total)\\x', '\\Processor Information(0,_Total)\\x', '\\Thread(a/_Total)\\x', '\\Process(Idle)\\x']) {
    assert.ok(isSum(parsePath(text)), text);
  }
  for (const text of ['\\Process(idle2)\\x', '\\Disk(Idle)\\x', '\\Memory\\x', '\\Process(my_total)\\x']) {
    assert.ok(!isSum(parsePath(text)), text);
  }
});

test('times in zones', () => {
  const winter = Date.parse('2024-01-17T22:20:00Z');
  assert.equal(time.timeText(winter, berlin), '2024-01-17 23:20:00');
  assert.equal(time.timeText(winter + 5, time.utc), '2024-01-17 22:20:00.005');
  assert.equal(time.timeText(Date.parse('2024-07-01T22:20:00Z'), berlin), '2024-07-02 00:20:00');
  assert.equal(time.offsetText(-5.5 * 3600e3), '−05:30');
  assert.equal(time.logZone('', []).label, 'UTC');
});

test('entered times', () => {
  const near = Date.parse('2024-01-17T22:20:00Z');
  const parse = (text) => {
    const parsed = time.parseTime(text, berlin, near);
    return parsed === null ? null : new Date(parsed).toISOString();
  };
  assert.equal(parse('2024-01-17 23:20'), '2024-01-17T22:20:00.000Z');
  assert.equal(parse('2024-07-01 12:00:01.5'), '2024-07-01T10:00:01.500Z');
  assert.equal(parse('2024-01-17'), '2024-01-16T23:00:00.000Z');
  assert.equal(parse('08:05'), '2024-01-17T07:05:00.000Z');
  assert.equal(parse('+5m'), '2024-01-17T22:25:00.000Z');
  assert.equal(parse('-1.5 h'), '2024-01-17T20:50:00.000Z');
  assert.equal(parse('2024-01-17T10:00:00+02:00'), '2024-01-17T08:00:00.000Z');
  for (const text of ['', 'noon', '25:00', '12:60', '5', '2024-01', '+5']) assert.equal(parse(text), null, text);
});

test('entered times are the inverse of shown times on both sides of a change', () => {
  for (let at = Date.parse('2024-03-30T20:00:00Z'); at < Date.parse('2024-03-31T06:00:00Z'); at += 600e3) {
    assert.equal(time.parseTime(time.timeText(at, berlin), berlin, 0), at);
  }
});

test('durations', () => {
  assert.equal(time.durationText(55 * 60e3), `55${nbsp}min`);
  assert.equal(time.durationText(3900e3), `1${nbsp}h 5${nbsp}min`);
  assert.equal(time.durationText(3600e3 + 1e3), `1${nbsp}h`);
  assert.equal(time.durationText(250), `250${nbsp}ms`);
  assert.equal(time.durationText(0), `0${nbsp}s`);
  assert.equal(time.elapsedText(3723004), '1:02:03.004');
  assert.equal(time.elapsedText(-5000), '−0:00:05');
});

test('ticks are round local times', () => {
  const begin = Date.parse('2024-01-17T22:20:10Z');
  const {step, ticks} = time.timeTicks(begin, begin + 55 * 60e3, 6, berlin);
  assert.equal(step, 600e3);
  assert.deepEqual(time.tickLabels(ticks, step, berlin), ['23:30\n2024-01-17', '23:40', '23:50', '00:00\n2024-01-18', '00:10']);

  const days = time.timeTicks(Date.parse('2024-03-29T00:00:00Z'), Date.parse('2024-04-02T00:00:00Z'), 5, berlin);
  assert.deepEqual(days.ticks.map((at) => time.timeText(at, berlin)),
    ['2024-03-30 00:00:00', '2024-03-31 00:00:00', '2024-04-01 00:00:00', '2024-04-02 00:00:00'],
    'midnights, although one day has 23 hours');
});

test('display units', () => {
  assert.deepEqual(displayUnit('count', 'Available MBytes'), {unit: 'bytes', factor: 1048576});
  assert.deepEqual(displayUnit('count', 'Free Megabytes'), {unit: 'bytes', factor: 1048576});
  assert.deepEqual(displayUnit('count', 'Committed Bytes'), {unit: 'bytes', factor: 1});
  assert.deepEqual(displayUnit('per_second', 'Disk Read Bytes/sec'), {unit: 'bytesRate', factor: 1});
  assert.deepEqual(displayUnit('per_second', 'Disk Reads/sec'), {unit: 'perSecond', factor: 1});
  assert.deepEqual(displayUnit('count', 'Thread Count'), {unit: 'count', factor: 1});
  assert.deepEqual(displayUnit('count', 'ID Process'), {unit: 'id', factor: 1});
  assert.deepEqual(displayUnit('percent', '% Committed Bytes In Use'), {unit: 'percent', factor: 1});
  assert.deepEqual(displayUnit('count', 'Current Disk Queue Length'), {unit: 'count', factor: 1});
});

test('counters of text logs have the units of their names', () => {
  for (const [counter, unit] of [['% Processor Time', 'percent'], ['Avg. Disk sec/Read', 'seconds'], ['Disk Reads/sec', 'perSecond'],
    ['Disk Read Bytes/sec', 'bytesRate'], ['Available Bytes', 'bytes'], ['ID Process', 'id'], ['Threads', 'count']]) {
    assert.equal(displayUnit('none', counter).unit, unit, counter);
  }
});

test('values', () => {
  assert.equal(formatValue(12.345, 'percent'), `12.3${nbsp}%`);
  assert.equal(formatValue(1.5 * 2 ** 30, 'bytes'), `1.50${nbsp}GiB`);
  assert.equal(formatValue(1023, 'bytesRate'), `1,023${nbsp}B/s`);
  assert.equal(formatValue(0.00034, 'seconds'), `340${nbsp}µs`);
  assert.equal(formatValue(864000, 'seconds'), `10${nbsp}d`);
  assert.equal(formatValue(1234, 'count'), '1,234');
  assert.equal(formatValue(12345678, 'count'), `12.3${nbsp}M`);
  assert.equal(formatValue(950.4, 'perSecond'), '950/s');
  assert.equal(formatValue(4812, 'id'), '4812');
  assert.equal(formatValue(0, 'count'), '0');
  assert.equal(formatValue(null, 'count'), '–');
});

test('axis labels share a prefix', () => {
  assert.deepEqual(axisLabels([0, 2 ** 29, 2 ** 30], 'bytes'), ['0', `0.5${nbsp}GiB`, `1${nbsp}GiB`]);
  assert.deepEqual(axisLabels([0, 5000, 10000], 'count'), ['0', `5${nbsp}k`, `10${nbsp}k`]);
});

test('value axes begin at zero, unless all values are far from it', () => {
  assert.deepEqual(valueRange(0, 80, 'percent'), [0, 100.5]);
  assert.deepEqual(valueRange(2, 10, 'count'), [0, 10.64]);
  assert.deepEqual(valueRange(Infinity, -Infinity, 'count'), [0, 1]);
  const [low, high] = valueRange(1000, 1010, 'bytes');
  assert.ok(low > 990 && low < 1000 && high > 1010 && high < 1020);
  assert.deepEqual(valueRange(-10, -1, 'count'), [-10.72, 0]);
  assert.deepEqual(valueRange(5, 5, 'count'), [0, 6.25]);
});

const answer = (times, columns, step = 0) => ({
  begin: '', end: '', step, times,
  series: columns.map((average, i) => ({path: `\\\\H\\Object(${i})\\Value`, unit: 'count', average})),
});

test('a pause in the samples is a gap', () => {
  const {times, insert} = series.withGaps([0, 1000, 2000, 9000, 10000], 0);
  assert.deepEqual(times, [0, 1000, 2000, 3000, 9000, 10000]);
  assert.deepEqual(insert([1, 2, 3, 4, 5]), [1, 2, 3, null, 4, 5]);
  assert.deepEqual(series.withGaps([0, 1000, 3000], 1000).times, [0, 1000, 3000], 'one missing sample is no pause');
  assert.deepEqual(series.withGaps([], 0).times, []);
});

test('a range has values in display units', () => {
  const range = series.readRange({
    begin: '', end: '', step: 10, times: [0, 10000],
    series: [{
      path: '\\\\H\\Memory\\Available MBytes', unit: 'count', minimum: [1, null], average: [2, null], maximum: [3, null],
      missing: [[10000, 'no_instance']], resets: [4000],
    }],
  });
  const [one] = range.series;
  assert.equal(one.key, '\\memory\\available mbytes');
  assert.equal(one.unit, 'bytes');
  assert.deepEqual([one.minimum, one.average, one.maximum], [[2 ** 20, null], [2 ** 21, null], [3 * 2 ** 20, null]]);
  assert.deepEqual(one.resets, [4000]);
});

test('join keeps gaps, and skips times of other series', () => {
  const joined = series.join({times: [0, 10, 20], columns: [[1, null, 3]]}, {times: [5, 10, 15], columns: [[4, 5, 6]]});
  assert.deepEqual(joined.times, [0, 5, 10, 15, 20]);
  assert.deepEqual(joined.columns, [[1, null, null, null, 3], [undefined, 4, 5, 6, undefined]]);
});

test('combine keeps each series once', () => {
  const first = series.readRange(answer([0, 1000], [[1, 2], [3, 4]]));
  const second = series.readRange(answer([0, 1000], [[9, 9]]));
  const combined = series.combine([first, second]);
  assert.deepEqual(combined.series.map((one) => one.average), [[1, 2], [3, 4]]);
  const other = {...series.readRange(answer([500], [[7]]))};
  other.series[0].key = 'other';
  assert.deepEqual(series.combine([first, other]).series[2].average, [undefined, 7, undefined]);
});

test('the largest series by average, without sums', () => {
  const list = [['_Total', [100]], ['a', [1, null]], ['b', [5, 1]], ['c', [null]]].map(([instance, average]) => ({
    path: {object: 'Process', instance, counter: 'x'}, average,
  }));
  assert.deepEqual(series.largest(list, 2).map((one) => one.path.instance), ['b', 'a']);
});

test('the value at a time', () => {
  const one = {average: [1, null, 3], missing: [[1000, 'no_instance']]};
  const times = [0, 1000, 2000];
  assert.deepEqual(series.valueAt(times, one, 1900), {value: 3, status: 'ok'});
  assert.deepEqual(series.valueAt(times, one, 1200), {value: null, status: 'no_instance'});
  assert.deepEqual(series.valueAt(times, one, null), {value: 3, status: 'ok'});
  assert.equal(series.nearest([], 5), -1);
  assert.equal(series.nearest([0, 10], 4), 0);
  assert.equal(series.nearest([0, 10], 100), 1);
});

test('instances of the same name are told apart by their process ids', () => {
  const range = series.readRange({begin: '', end: '', step: 0, times: [0], series: [
    {path: '\\\\H\\P(a)\\x', unit: 'count', pid: 7, average: [1]}, {path: '\\\\H\\P(b)\\x', unit: 'count', pid: 8, average: [2]},
    {path: '\\\\H\\P(a)\\x', unit: 'count', pid: 9, average: [3]},
  ]});
  assert.deepEqual(range.series.map((one) => [one.key, one.repeated]), [['\\p(a)\\x 7', true], ['\\p(b)\\x', false], ['\\p(a)\\x 9', true]]);
});

test('a short process has a small share', () => {
  assert.equal(series.share([8, null, null, 4]), 3);
  assert.equal(series.share([null]), -Infinity);
});

test('values between gaps', () => {
  assert.deepEqual(series.isolated([1, null, 2, 3, null, 4]), [0, 5]);
  assert.deepEqual(series.isolated([undefined, 1, undefined]), [], 'a line continues over times of other series');
});

test('one band for many lines', () => {
  const lines = [{minimum: [1, null], average: [2, null], maximum: [3, null]}, {minimum: [0, undefined], average: [1, undefined], maximum: [9, undefined]}];
  const {minimum, average, maximum} = series.envelope(lines);
  assert.deepEqual([minimum, average, maximum], [[0, null], [0, null], [9, null]]);
});

test('events are sentences', () => {
  assert.equal(eventText({kind: 'instances_came', object: 'Process', instance: 'a', text: ''}), 'Process a appeared');
  assert.equal(eventText({kind: 'counter_reset', object: 'Process', instance: 'a', text: 'ID'}), 'Process a counter began again: ID');
  assert.equal(eventText({kind: 'schema_changed', object: 'Process', instance: '', text: 'the object is new'}),
    'Process: the object is new');
  assert.equal(eventText({kind: 'clock_set', object: '', instance: '', text: '5 s'}), 'clock set: 5 s');
});

test('short names of sources', () => {
  const list = [{name: '/a/x.blg'}, {name: 'C:\\b\\y.blg'}, {name: '/c/x.blg'}, {name: 'local:', live: true, host: 'VM'}];
  assert.deepEqual(list.map((one) => shortName(one, list)), ['/a/x.blg', 'y.blg', '/c/x.blg', 'VM']);
});

test('a moving range keeps its steps', () => {
  assert.equal(series.alignDown(12345, 5), 10000);
  assert.equal(series.alignDown(12345, 0), 12345);
});

test('two logs are compared from their starts', () => {
  const first = series.readRange(answer([100000, 101000], [[1, 2]]));
  const second = series.readRange(answer([500000, 501000], [[3, 4], [5, 6]]));
  const palette = {assign: (keys) => keys.map((key) => ({color: key}))};
  const {model, lines} = compare(first, second, {begin: 100000, end: 101000}, {begin: 500000}, palette,
    {hidden: ['\\object(1)\\value'], names: ['after.blg', 'before.blg']});
  assert.deepEqual(model.times, [0, 1000]);
  assert.deepEqual([model.zone, model.origin], [null, 100000]);
  assert.deepEqual(lines.map((line) => line.label), ['0 (after.blg)', '0 (before.blg)', '1 (before.blg)']);
  assert.deepEqual(lines.map((line) => [line.pair ?? line.key, line.dash, line.hidden, line.average]), [
    ['\\object(0)\\value', false, false, [1, 2]],
    ['\\object(0)\\value', true, false, [3, 4]],
    ['\\object(1)\\value', true, true, [5, 6]],
  ]);
  assert.equal(lines[0].color, lines[1].color);
});

test('differences of averages', () => {
  assert.equal(difference(110, 100), '+10.0 %');
  assert.equal(difference(50, 100), '−50.0 %');
  assert.equal(difference(5000, 10), '×500');
  assert.equal(difference(1, 0), 'new');
  assert.equal(difference(0, 0), '0 %');
  assert.equal(difference(undefined, 1), '–');
});

test('the address restores the state', () => {
  const state = {
    ...start, view: 'charts', source: '1', begin: 1705530000000, end: 1705533600123, mark: 1705530005000, log: true, follow: 0,
    entries: [{path: '\\Process(a b+c&d#1)\\% Processor Time', top: 10}, {path: '\\Memory\\Pages/sec', top: 0}],
    hidden: ['\\process(x)\\y'], columns: ['A', 'B'], compare: {source: '2', begin: 1705530000000}, object: 'Process', filter: 'ä', sort: '-x',
    by: 'memory', zone: 'utc', theme: 'dark', search: 'disk read',
  };
  assert.deepEqual(parseState('#' + formatState(state)), state);
  assert.equal(formatState(start), '');
  assert.deepEqual(parseState(''), {...start});
});

test('damaged parts of an address are ignored', () => {
  const state = parseState('#view=nothing&begin=x&follow=-1&path=Memory&zone=mars&begin=2&end=1&with=7');
  assert.deepEqual(state, {...start, compare: {source: '7', begin: null}});
  assert.equal(formatState(parseState('#begin=9999999999999999')), '');
  assert.equal(parseState('#begin=2024-01-02T00:00:00Z&end=2024-01-01T00:00:00Z').begin, null);
});

test('the token leaves the address', () => {
  assert.deepEqual(takeToken('#token=abc&view=charts'), {token: 'abc', rest: 'view=charts'});
  assert.deepEqual(takeToken('#view=charts'), {token: null, rest: '#view=charts'});
});

test('the visible range', () => {
  assert.equal(endOf(Date.parse('2024-01-17T23:14:59.5990001Z')), Date.parse('2024-01-17T23:14:59.600Z'));
  const log = {live: false, begin: 1000, end: 9000};
  const live = {live: true, begin: 0, end: 600000};
  assert.deepEqual(windowOf(start, log), {begin: 1000, end: 9000, follow: 0, whole: true});
  assert.deepEqual(windowOf({...start, begin: 2000}, log), {begin: 2000, end: 9000, follow: 0, whole: false});
  assert.deepEqual(windowOf(start, {...live, begin: 500000}), {begin: 500000, end: 600000, follow: 300, whole: false});
  assert.deepEqual(windowOf(start, live), {begin: 300000, end: 600000, follow: 300, whole: false});
  assert.deepEqual(windowOf({...start, follow: 0}, live), {begin: 0, end: 600000, follow: 0, whole: true});
  assert.deepEqual(windowOf({...start, follow: 60}, log).follow, 0, 'a log does not move');
  assert.equal(windowOf({...start, follow: 2}, {...log, grows: true}).follow, 2, 'a directory moves on request');
  assert.deepEqual(gripped({begin: 0, end: 1000}, [0.25], [0.75]), {begin: -500, end: 500});
  assert.deepEqual(gripped({begin: 0, end: 1000}, [0.5, 0.75], [0.25, 0.75]), {begin: 375, end: 875});
  assert.deepEqual(zoomed({begin: 0, end: 1000}, 0.5), {begin: 250, end: 750});
  assert.deepEqual(zoomed({begin: 0, end: 1000}, 0.5, 1), {begin: 500, end: 1000});
  assert.deepEqual(within({begin: -500, end: 500}, {begin: 0, end: 2000}), {begin: 0, end: 1000});
  assert.deepEqual(within({begin: 1500, end: 2500}, {begin: 0, end: 2000}), {begin: 1000, end: 2000});
  assert.deepEqual(within({begin: -1, end: 2001}, {begin: 0, end: 2000}), {begin: null, end: null});
});

test('a saved view has its ranges and a state without ids', () => {
  const visible = {source: '3', begin: 2000, end: 3001};
  const window = {begin: 2000.5, end: 3000, whole: false};
  const state = {...start, view: 'charts', source: '3', follow: 60};
  const fixed = {...state, source: '', follow: null, begin: 2000.5, end: 3000};
  assert.deepEqual(savedView(state, window, visible, null), {ranges: [visible], state: {...fixed, compare: null}});
  assert.deepEqual(savedView(state, {...window, whole: true}, visible, null).state,
    {...fixed, begin: null, end: null, compare: null}, 'the whole log');

  const other = {source: '1', begin: 7000, end: 8001};
  assert.deepEqual(savedView(state, window, visible, other),
    {ranges: [visible, other], state: {...fixed, compare: {source: '1', begin: 7000}}});
  const same = {source: '3', begin: 1000, end: 2001};
  assert.deepEqual(savedView(state, window, visible, same),
    {ranges: [{source: '3', begin: 1000, end: 3001}], state: {...fixed, compare: {source: '0', begin: 1000}}});
});

test('long names keep their ends', () => {
  assert.equal(middle('service', 7), 'service');
  assert.equal(middle('long-name-of-service-07', 9), 'long…e-07');
  assert.equal([...middle('🙂'.repeat(30), 10)].length, 10);
});

test('CSV', () => {
  assert.equal(csvField('a,"b"'), '"a,""b"""');
  assert.equal(csvField('=1+1'), "'=1+1");
  assert.equal(csvField(null), '');
  assert.equal(csvField(-1.5), '-1.5');
  const range = series.readRange(answer([0, 1000], [[1, null], [2.5, 3]]));
  assert.equal(csvText(rangeRows(range)),
    'time (UTC),\\Object(0)\\Value,\\Object(1)\\Value\r\n1970-01-01T00:00:00.000Z,1,2.5\r\n1970-01-01T00:00:01.000Z,,3\r\n');
  const combined = series.readRange({...answer([0], [[2]], 10)});
  Object.assign(combined.series[0], {minimum: [1], maximum: [3]});
  assert.equal(csvText(rangeRows(combined)).split('\r\n')[1], '1970-01-01T00:00:00.000Z,2,1,3');
  const megabytes = series.readRange({step: 10, times: [0], series: [{path: '\\\\H\\Memory\\Available MBytes', unit: 'count', pid: null,
    minimum: [78], average: [79], maximum: [80]}]});
  assert.equal(megabytes.series[0].average[0], 79 * 2 ** 20, 'a chart has bytes');
  const titles = ['average', 'minimum', 'maximum'].map((word) => `\\Memory\\Available MBytes ${word}`).join(',');
  assert.equal(csvText(rangeRows(megabytes)), `time (UTC),${titles}\r\n1970-01-01T00:00:00.000Z,79,78,80\r\n`);
  assert.equal(fileName('a/b\u202e<c>.blg', {begin: 0}, 'csv'), 'a-b-c--1970-01-01T000000Z.csv');
});

test('the first screen shows what exists', () => {
  const object = (name, names, instances = 2) => ({name, instances, counters: names.map((one) => ({name: one}))});
  const card = {title: 'Disk', objects: ['PhysicalDisk', 'LogicalDisk'], counters: [['Missing', 'disk bytes/sec']]};
  assert.equal(planCard(card, [object('Memory', ['x'], null)]), null);
  assert.deepEqual(planCard(card, [object('LogicalDisk', ['Disk Bytes/sec'])]).paths, ['\\LogicalDisk(*)\\Disk Bytes/sec']);
  assert.deepEqual(planCard(card, [object('PhysicalDisk', ['Other']), object('LogicalDisk', ['Disk Bytes/sec'], 500)]).paths,
    ['\\LogicalDisk(_Total)\\Disk Bytes/sec'], 'an object without the counter is passed over; very many instances are one sum');
});

// These rules protect the page from the texts in logs, and keep it in one piece for a single file.
test('rules of the source text', async () => {
  const directory = fileURLToPath(new URL('../../page/', import.meta.url));
  const names = (await readdir(directory)).filter((name) => name.endsWith('.js'));
  for (const name of names) {
    const text = await readFile(directory + name, 'utf8');
    assert.ok(!/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|setAttribute\('style'/.test(text), `${name} writes HTML, code or inline styles`);
    assert.ok(name === 'request.js' || !/\bfetch\(|EventSource|XMLHttpRequest|WebSocket|sendBeacon/.test(text), `${name} fetches data`);
    // scripts that put all modules into one file need only these forms.
    for (const line of text.match(/^(import|export)\b.*$/gm) ?? []) {
      assert.match(line, /^import (\* as \w+|\{[^}]*\}) from '\.\/\w+\.js';$|^import \{$|^export (async )?(function|class|const) /, `${name}: ${line}`);
    }
    assert.ok(!/\bimport\(/.test(text), `${name} imports at run time`);
    assert.ok(!/https?:\/\//.test(text), `${name} names another origin`);
  }
});

test('rules of the source text of the page without a server', async () => {
  const directory = fileURLToPath(new URL('../onepage/', import.meta.url));
  const names = (await readdir(directory)).filter((name) => name.endsWith('.js'));
  assert.equal(names.length, 3);
  for (const name of names) {
    const text = await readFile(directory + name, 'utf8');
    assert.ok(!/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|setAttribute\('style'/.test(text), `${name} writes HTML, code or inline styles`);
    assert.ok(!/\bfetch\(|EventSource|XMLHttpRequest|WebSocket|sendBeacon|https?:\/\//.test(text), `${name} fetches data`);
  }
});

test('the page has at most 4,000 lines, with the page without a server', async () => {
  let lines = 0;
  for (const path of ['../../page/', '../onepage/']) {
    const directory = fileURLToPath(new URL(path, import.meta.url));
    for (const name of (await readdir(directory)).filter((one) => one.endsWith('.js'))) {
      lines += (await readFile(directory + name, 'utf8')).split('\n').length - 1;
    }
  }
  assert.ok(lines > 0 && lines <= 4000, `${lines} lines of JavaScript`);
});
