// Units, numbers and the scales of value axes.

// A display unit groups series that share an axis. The API's unit "count" covers bytes and
// numbers, so the name of the counter decides.
export const units = {
  percent: {title: 'Percent', symbol: '%'},
  bytes: {title: 'Bytes', symbol: 'B', binary: true},
  bytesRate: {title: 'Bytes per second', symbol: 'B/s', binary: true},
  bits: {title: 'Bits per second', symbol: 'bit/s'},
  perSecond: {title: 'Per second', symbol: '/s'},
  seconds: {title: 'Seconds', symbol: 's'},
  count: {title: 'Count', symbol: ''},
  id: {title: 'Number', symbol: ''},
};

const multiples = [
  [/\bM(ega)?bytes\b/i, 1 << 20],
  [/\bKBytes\b/i, 1 << 10],
  [/\bBytes\b|^Working Set|^Page File Bytes|^Size$/i, 1],
];

// displayUnit returns the display unit of a counter, and the factor from its values to that unit. Logs in
// text formats have no types, and thus no units; the names of counters follow conventions.
export function displayUnit(unit, counter) {
  if (unit === 'percent' || unit === 'seconds') return {unit, factor: 1};
  const typed = unit === 'per_second' || unit === 'text';
  if (!typed && /^ID |\bProcess ID$/i.test(counter)) return {unit: 'id', factor: 1};
  if (!typed && /^Current Bandwidth$/i.test(counter)) return {unit: 'bits', factor: 1};
  if (!typed && /^%/.test(counter)) return {unit: 'percent', factor: 1};
  if (!typed && /\bsec\//i.test(counter)) return {unit: 'seconds', factor: 1};

  const rate = unit === 'per_second' || /\/sec$/i.test(counter);
  for (const [pattern, factor] of multiples) {
    if (pattern.test(counter)) return {unit: rate ? 'bytesRate' : 'bytes', factor};
  }
  return {unit: rate ? 'perSecond' : 'count', factor: 1};
}

const decimal = [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']];
const ofBytes = [[2 ** 40, 'Ti'], [2 ** 30, 'Gi'], [2 ** 20, 'Mi'], [2 ** 10, 'Ki']];

const whole = new Intl.NumberFormat('en', {maximumFractionDigits: 0});
const short = new Intl.NumberFormat('en', {maximumSignificantDigits: 4});

// formatValue returns a number with its unit, with about three significant digits: 12.5 %,
// 1.25 GiB, 340 µs.
export function formatValue(value, unitName) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (unitName === 'id') return String(value);
  const [divisor, prefix, symbol] = scaleOf(Math.abs(value), unitName);
  const suffix = prefix + symbol;
  return digits(value / divisor) + (suffix && !suffix.startsWith('/') ? '\u00a0' : '') + suffix;
}

// From the first number on, seconds are shown in a unit of the second number. Zero is "0 s".
const durations = [
  [172800, 86400, 'd'], [36000, 3600, 'h'], [600, 60, 'min'], [1, 1, 's'], [1e-3, 1e-3, 'ms'],
  [Number.MIN_VALUE, 1e-6, 'µs'],
];

// scaleOf returns [divisor, prefix, symbol] for a number of this size. Seconds become another unit.
function scaleOf(size, unitName) {
  if (unitName === 'seconds') {
    const [, divisor, symbol] = durations.find(([from]) => size >= from) ?? [0, 1, 's'];
    return [divisor, '', symbol];
  }
  const {symbol, binary} = units[unitName] ?? units.count;
  // Numbers below 10,000 are easier to read in full.
  const table = symbol === '%' || (!binary && size < 1e4) ? [] : binary ? ofBytes : decimal;
  return [...table.find(([divisor]) => size >= divisor) ?? [1, ''], symbol];
}

// digits returns a number with three significant digits and no exponent.
function digits(value) {
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size >= 100 || Number.isInteger(value)) return whole.format(value);
  if (size >= 10) return value.toFixed(1);
  if (size >= 1) return value.toFixed(2);
  return size >= 0.001 ? value.toPrecision(2) : '<0.001';
}

// axisLabels returns labels for the ticks of one axis; all have the same prefix.
export function axisLabels(ticks, unitName) {
  const [divisor, prefix, symbol] = scaleOf(Math.max(...ticks.map(Math.abs), 0), unitName);
  const suffix = prefix + (symbol.startsWith('/') ? '' : symbol);
  return ticks.map((tick) => {
    const number = short.format(tick / divisor);
    return tick === 0 || !suffix ? number : `${number}\u00a0${suffix}`;
  });
}

const roundDurations = [
  ...[-6, -5, -4, -3, -2, -1, 0].flatMap((power) => [1, 2, 5].map((n) => n * 10 ** power)),
  10, 20, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 43200,
  ...[1, 2, 5, 10, 20, 50, 100, 500].map((n) => n * 86400),
];

// increments are the distances between ticks: powers of two for bytes, round times for seconds, otherwise
// 1, 2, 2.5 and 5 times a power of ten.
export function increments(unitName) {
  if (unitName === 'seconds') return roundDurations;
  if (!units[unitName]?.binary) return undefined;
  return Array.from({length: 60}, (_, power) => 2 ** power);
}

// valueRange returns the limits of a value axis for values from low to high. The axis begins at zero
// unless all values are close together and far from zero.
export function valueRange(low, high, unitName) {
  if (!(low <= high)) return unitName === 'percent' ? [0, 100] : [0, 1];
  if (low === high) {
    if (high === 0) return [0, 1];
    return high > 0 ? [0, high * 1.25] : [low * 1.25, 0];
  }
  if (unitName === 'percent' && low >= 0 && high > 60 && high <= 100.5) return [0, 100.5];

  const margin = (high - low) * 0.08;
  const fromZero = low >= 0 && low < high * 0.7;
  const toZero = high <= 0 && high > low * 0.7;
  return [fromZero ? 0 : low - margin, toZero ? 0 : high + margin];
}
