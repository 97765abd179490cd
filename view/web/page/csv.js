// CSV: RFC 4180, with a header of counter paths as in the logs of typeperf.

import {formatPath} from './path.js';

// csvField quotes a field if needed. A spreadsheet would execute a text that begins with = + - @ as a
// formula, so such texts begin with an apostrophe.
export function csvField(value) {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvText(rows) {
  return rows.map((row) => row.map(csvField).join(',') + '\r\n').join('');
}

// rangeRows returns a header and a row for each time. The values are the counter's values, as convert writes
// them, not the ones in the units of the charts. If steps combine samples, each series has three columns.
export function rangeRows(range) {
  const columns = (one) => (one.minimum === one.average ? ['average'] : ['average', 'minimum', 'maximum']);
  const header = ['time (UTC)'];
  for (const one of range.series) {
    const title = formatPath(one.path);
    const words = columns(one);
    header.push(...words.map((word) => (words.length > 1 ? `${title} ${word}` : title)));
  }

  const value = (number, factor) => (typeof number === 'number' ? number / factor : number);
  const rows = range.times.map((time, i) => [
    new Date(time).toISOString(),
    ...range.series.flatMap((one) => columns(one).map((column) => value(one[column][i], one.factor))),
  ]);
  return [header, ...rows];
}
