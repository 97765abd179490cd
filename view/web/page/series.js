// Series: answers of the API as columns that charts can draw. A column has a value for each time;
// null is a gap, undefined means that another series has a value at this time.

import {displayUnit} from './units.js';
import {isSum, keyOf, parsePath} from './path.js';

// readRange returns the answer of /range as {step, complete, times, series}. Values are in their
// display units. Where no sample exists for longer than usual, all series have a gap.
export function readRange(answer) {
  const {times, insert} = withGaps(answer.times, answer.step * 1000);
  // Instances that existed one after the other may have the same name; their process ids differ.
  const names = answer.series.map((one) => keyOf(one.path));
  const repeated = new Set(names.filter((name, i) => names.indexOf(name) !== i));
  const series = answer.series.map((one, i) => {
    const path = parsePath(one.path) ?? {machine: '', object: '', instance: null, counter: one.path};
    const {unit, factor} = displayUnit(one.unit, path.counter);
    const column = (values) => (values ? insert(scaled(values, factor)) : null);
    const average = column(one.average);
    return {
      key: repeated.has(names[i]) ? `${names[i]} ${one.pid ?? i}` : names[i], repeated: repeated.has(names[i]),
      path, pid: one.pid ?? null, unit, factor, average,
      minimum: column(one.minimum) ?? average, maximum: column(one.maximum) ?? average,
      missing: one.missing ?? [], resets: one.resets ?? [],
    };
  });
  return {step: answer.step, complete: answer.complete !== false, times, series};
}

function scaled(values, factor) {
  return factor === 1 ? values : values.map((value) => (value === null ? null : value * factor));
}

// withGaps returns times with an additional time in each long pause, and a function that inserts null
// at the same places of a column.
export function withGaps(times, step) {
  const distance = Math.max(step, usualDistance(times));
  const afterPause = times.map((time, i) => time - times[i - 1] > 2.5 * distance);
  if (!afterPause.includes(true)) return {times, insert: (values) => values};

  const insert = (values, at = () => null) => {
    const result = [];
    values.forEach((value, i) => {
      if (afterPause[i]) result.push(at(i));
      result.push(value);
    });
    return result;
  };
  return {times: insert(times, (i) => times[i - 1] + distance), insert};
}

// usualDistance returns the median distance of two times.
function usualDistance(times) {
  const distances = times.slice(1).map((time, i) => time - times[i]).sort((a, b) => a - b);
  return distances[Math.floor(distances.length / 2)] ?? 0;
}

// join puts the columns of two ranges on one time axis. Each range is {times, columns}; the result
// is {times, columns}, the columns of the first range first.
export function join(first, second) {
  const times = [...new Set([...first.times, ...second.times])].sort((a, b) => a - b);
  const place = new Map(times.map((time, i) => [time, i]));
  const spread = ({times: own, columns}) => columns.map((column) => {
    const result = new Array(times.length).fill(undefined);
    own.forEach((time, i) => { result[place.get(time)] = column[i]; });
    return widened(result);
  });
  return {times, columns: [...spread(first), ...spread(second)]};
}

// widened extends each gap up to the next values, over times of other series.
function widened(column) {
  const spread = (order) => {
    let gap = false;
    for (const i of order) {
      if (column[i] === undefined && gap) column[i] = null;
      gap = column[i] === null;
    }
  };
  spread([...column.keys()]);
  spread([...column.keys()].reverse());
  return column;
}

// combine puts the series of several ranges of the same window into one range. A series that occurs
// twice is kept once.
export function combine(ranges) {
  let result = ranges[0];
  for (const range of ranges.slice(1)) {
    const known = new Set(result.series.map((one) => one.key));
    const added = range.series.filter((one) => !known.has(one.key));
    result = sameTimes(result.times, range.times)
      ? {...result, series: [...result.series, ...added]}
      : joined(result, {...range, series: added});
    result.complete &&= range.complete;
  }
  return result;
}

function sameTimes(a, b) {
  return a.length === b.length && a.every((time, i) => time === b[i]);
}

const fields = ['average', 'minimum', 'maximum'];

// joined returns a range with the series of two ranges on one time axis.
export function joined(first, second) {
  const columns = (range) => range.series.flatMap((one) => fields.map((field) => one[field]));
  const all = join({...first, columns: columns(first)}, {...second, columns: columns(second)});
  const series = [...first.series, ...second.series].map((one, i) => {
    const [average, minimum, maximum] = all.columns.slice(i * 3, i * 3 + 3);
    const combined = one.minimum !== one.average;
    return {...one, average, minimum: combined ? minimum : average, maximum: combined ? maximum : average};
  });
  return {...first, times: all.times, series};
}

// largest returns the n series with the highest averages, without sums over instances.
// measure computes the rank of a column.
export function largest(series, n, measure = mean) {
  const candidates = series.filter((one) => !isSum(one.path));
  const rank = new Map(candidates.map((one) => [one, measure(one.average)]));
  return candidates.sort((a, b) => rank.get(b) - rank.get(a)).slice(0, n);
}

// numbers returns the values of a column, without gaps.
export const numbers = (column) => column.filter((value) => typeof value === 'number');

// mean returns the average of a column, or -Infinity without values.
export function mean(column, count) {
  const list = numbers(column);
  return list.length > 0 ? list.reduce((a, b) => a + b) / (count ?? list.length) : -Infinity;
}

// share returns the average of a column over the whole range; a missing value counts as zero. A process
// that existed shortly has a small share.
export const share = (column) => mean(column, column.length);

// relativeTo returns a range with times relative to a start, for comparisons of aligned ranges.
export function relativeTo(range, start) {
  const moved = (time) => time - start;
  return {
    ...range,
    times: range.times.map(moved),
    series: range.series.map((one) => ({
      ...one, resets: one.resets.map(moved),
      missing: one.missing.map(([time, status]) => [moved(time), status]),
    })),
  };
}

// pairs matches the series or lines of two ranges by key. One without partner is with null.
export function pairs(first, second) {
  const keyOfPair = (one) => one.pair ?? one.key;
  const others = new Map(second.map((one) => [keyOfPair(one), one]));
  const keys = new Set(first.map(keyOfPair));
  return [
    ...first.map((one) => [one, others.get(keyOfPair(one)) ?? null]),
    ...[...others].filter(([key]) => !keys.has(key)).map(([, one]) => [null, one]),
  ];
}

// nearest returns the index of the time closest to at, or -1 without times.
export function nearest(times, at) {
  if (times.length === 0) return -1;
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] < at) low = middle + 1;
    else high = middle;
  }
  return low > 0 && at - times[low - 1] <= times[low] - at ? low - 1 : low;
}

// valueAt returns the value closest to a time, and the status if it is missing. Without a time it is
// the last value.
export function valueAt(times, one, at) {
  if (at === null) {
    const value = one.average.findLast((each) => typeof each === 'number') ?? null;
    return {value, status: value === null ? one.missing[0]?.[1] ?? 'no value' : 'ok'};
  }
  const i = nearest(times, at);
  const value = i < 0 ? null : one.average[i];
  if (value !== null && value !== undefined) return {value, status: 'ok'};
  const run = one.missing.filter(([time]) => time <= (i < 0 ? at : times[i])).at(-1);
  return {value: null, status: run?.[1] ?? 'no sample'};
}

// extent returns the smallest and largest value of columns between two indices, both included.
export function extent(columns, from, to) {
  let low = Infinity;
  let high = -Infinity;
  for (const column of columns) {
    for (let i = from; i <= to; i++) {
      if (typeof column[i] !== 'number') continue;
      low = Math.min(low, column[i]);
      high = Math.max(high, column[i]);
    }
  }
  return [low, high];
}

// envelope returns one line with the smallest minima and the largest maxima of all lines.
export function envelope(lines) {
  const over = (field, choose) => lines[0].average.map((_, i) => {
    let best = null;
    for (const line of lines) {
      const value = line[field][i];
      if (typeof value === 'number') best = best === null ? value : choose(best, value);
    }
    return best;
  });
  const minimum = over('minimum', Math.min);
  return {average: minimum, minimum, maximum: over('maximum', Math.max)};
}

// isolated returns the indices of values between two gaps.
export function isolated(column) {
  const missing = (i) => i < 0 || i >= column.length || column[i] === null;
  const result = [];
  for (let i = 0; i < column.length; i++) {
    if (typeof column[i] === 'number' && missing(i - 1) && missing(i + 1)) result.push(i);
  }
  return result;
}

// alignDown returns a time rounded down to a multiple of a step in seconds. A moving range that
// begins at such a time keeps its steps.
export function alignDown(time, step) {
  return step > 0 ? Math.floor(time / (step * 1000)) * step * 1000 : time;
}

// commonParts reports which parts of the paths are equal in all series, for short names.
export function commonParts(series) {
  const all = (part) => series.every((one) => one.path[part] === series[0].path[part]);
  return {object: all('object'), counter: all('counter')};
}
