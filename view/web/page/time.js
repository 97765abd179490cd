// Times: zones, text, and the ticks of the time axis. All times are milliseconds since
// 1970-01-01 UTC.

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

// A zone has a label, and offset(time) returns its distance from UTC in milliseconds.
export const utc = {label: 'UTC', offset: () => 0};

// logZone returns the zone of a source. offsets has pairs of a time and the offset in seconds that is
// valid from then on.
export function logZone(name, offsets) {
  if (!offsets?.length) return {...utc, label: name || 'UTC'};
  const valid = (time) => offsets.findLast(([from]) => from <= time) ?? offsets[0];
  return {label: name || 'log', offset: (time) => valid(time)[1] * second};
}

// browserZone returns the zone of the browser.
export function browserZone() {
  return {
    label: Intl.DateTimeFormat().resolvedOptions().timeZone || 'browser',
    offset: (time) => -new Date(time).getTimezoneOffset() * minute,
  };
}

// offsetText returns an offset such as +02:00.
export function offsetText(milliseconds) {
  const rounded = Math.round(Math.abs(milliseconds) / minute) * minute;
  return `${milliseconds < 0 ? '−' : '+'}${clockText(rounded, utc).slice(0, 5)}`;
}

// local returns a Date whose UTC fields are the local time of the zone.
const local = (time, zone) => new Date(time + zone.offset(time));

// timeText returns a date and a time, such as 2024-01-17 23:20:05, with milliseconds if the time has some.
export function timeText(time, zone) {
  return local(time, zone).toISOString().replace('T', ' ').replace(/(\.000)?Z/, '');
}

const dateText = (time, zone) => timeText(time, zone).split(' ')[0];

// clockText returns hours, minutes and seconds, and milliseconds if the time has some.
export const clockText = (time, zone) => timeText(time, zone).split(' ')[1];

// parseTime returns the time of a text such as "2024-01-17 23:20", "23:20:05" (on the day of near),
// "+5m", "-1h" (relative to near) or RFC 3339. It returns null for other texts.
export function parseTime(text, zone, near) {
  const trimmed = text.trim();
  if (/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(trimmed)) {
    const time = Date.parse(trimmed);
    return Number.isNaN(time) ? null : time;
  }

  const relative = /^([+-])(\d+(?:\.\d+)?)\s*(ms|s|m|min|h|d)$/.exec(trimmed);
  if (relative) {
    const size = {ms: 1, s: second, m: minute, min: minute, h: hour, d: day}[relative[3]];
    const time = near + Number(relative[1] + relative[2]) * size;
    return Math.abs(time) < 8e15 ? time : null; // a Date ends there
  }

  const absolute = /^(?:(\d{4})-(\d\d)-(\d\d)(?:[ T]+|$))?(?:(\d\d?):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?)?$/.exec(trimmed);
  if (!absolute || !trimmed) return null;
  const [, year, month, date, hours = 0, minutes = 0, seconds = 0, fraction = ''] = absolute;
  const today = local(near, zone);
  const fields = [
    year ?? today.getUTCFullYear(), year ? month - 1 : today.getUTCMonth(), year ? date : today.getUTCDate(),
    hours, minutes, seconds, fraction.padEnd(3, '0'),
  ].map(Number);
  if (fields[3] > 23 || fields[4] > 59 || fields[5] > 59) return null;
  return fromLocal(Date.UTC(...fields), zone);
}

// fromLocal returns the time at which a clock in the zone shows the UTC fields of wall.
function fromLocal(wall, zone) {
  const guess = wall - zone.offset(wall);
  return wall - zone.offset(guess);
}

// durationText returns a span such as "55 min" or "1 h 5 min".
export function durationText(milliseconds) {
  const parts = [[day, 'd'], [hour, 'h'], [minute, 'min'], [second, 's'], [1, 'ms']];
  let rest = Math.round(milliseconds);
  if (rest >= minute) rest = Math.round(rest / second) * second;
  const shown = [];
  for (const [size, unit] of parts) {
    const number = Math.floor(rest / size);
    rest -= number * size;
    if (number > 0 && shown.length < 2) shown.push(`${number}\u00a0${unit}`);
    else if (shown.length > 0) break;
  }
  return shown.join(' ') || '0\u00a0s';
}

const steps = [
  1, 2, 5, 10, 20, 50, 100, 200, 500,
  ...[1, 2, 5, 10, 15, 30].map((n) => n * second),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * minute),
  ...[1, 2, 3, 6, 12].map((n) => n * hour),
  ...[1, 2, 7, 14, 28, 91, 182, 365].map((n) => n * day),
];

// timeTicks returns {step, ticks}: at most "most" round times of the zone between begin and end.
export function timeTicks(begin, end, most, zone) {
  const step = steps.find((size) => (end - begin) / size <= most) ?? steps.at(-1);
  const ticks = [];
  // Steps of a day or less divide a day, so local multiples are round times of the zone's clock.
  let wall = Math.ceil((begin + zone.offset(begin)) / step) * step;
  for (let guard = 0; guard < 1000; guard++, wall += step) {
    const time = fromLocal(wall, zone);
    if (time > end) break;
    if (time >= begin && time !== ticks.at(-1)) ticks.push(time);
  }
  return {step, ticks};
}

// tickLabels returns a label for each tick. The first tick, and the first of each day, have the date
// in a second line.
export function tickLabels(ticks, step, zone) {
  let last = '';
  return ticks.map((time) => {
    const date = dateText(time, zone);
    const clock = step >= day ? '' : step >= minute ? clockText(time, zone).slice(0, 5) : clockText(time, zone);
    const label = date === last ? clock : clock ? `${clock}\n${date}` : date;
    last = date;
    return label;
  });
}

// elapsedText returns the time since the start of a range, such as 0:05:00.
export function elapsedText(milliseconds) {
  const sign = milliseconds < 0 ? '−' : '';
  const size = Math.abs(Math.round(milliseconds));
  return `${sign}${Math.floor(size / hour)}${clockText(size % hour, utc).slice(2)}`;
}
