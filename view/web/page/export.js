// Exports: values as CSV, charts as a PNG picture, and the address of the view.

import * as data from './data.js';
import {csvText, rangeRows} from './csv.js';
import {cssColor} from './chart.js';
import {el, safe} from './text.js';
import {endOf, formatState, savedView} from './state.js';
import {timeText} from './time.js';
import {formatValue} from './units.js';
import {valueAt} from './series.js';

function save(blob, name) {
  const url = URL.createObjectURL(blob);
  el('a', {href: url, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// fileName returns a name without characters that file systems refuse.
export function fileName(source, window, extension) {
  const begin = new Date(window.begin).toISOString().slice(0, 19).replaceAll(':', '');
  const name = source.replace(/\.[a-z]{1,5}$/i, '').replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 60);
  return `${name || 'winperf'}-${begin}Z.${extension}`;
}

export function saveCsv(app, view) {
  const text = view.csv ? view.csv() : view.range && csvText(rangeRows(view.range));
  if (!text) return false;
  save(new Blob([text], {type: 'text/csv;charset=utf-8'}), fileName(app.source.name, app.window, 'csv'));
  return true;
}

// savePage saves the view with its samples as a page that needs no server.
export async function savePage(app) {
  const {begin, end} = app.window;
  const visible = {source: app.source.id, begin: Math.floor(begin), end: endOf(end)};
  const other = app.other && {source: app.other.id, ...app.otherWindow};
  const {ranges, state} = savedView(app.state, app.window, visible, other);
  save(await data.page(ranges, formatState(state)), fileName(app.source.name, app.window, 'html'));
}

const margin = 16;
const lineHeight = 18;

// savePng draws the pictures {title, unit, canvas, lines, times} below each other, with the last values of
// their lines.
export async function savePng(app, pictures) {
  const shown = pictures.filter((picture) => picture.canvas);
  if (shown.length === 0) return false;
  const ratio = globalThis.devicePixelRatio || 1;
  const width = Math.max(...shown.map(({canvas}) => canvas.width / ratio), 500) + 2 * margin;
  const heights = shown.map(({canvas, lines}) => canvas.height / ratio + (lines.length + 2) * lineHeight);
  const canvas = document.createElement('canvas');
  canvas.width = width * ratio;
  canvas.height = (heights.reduce((a, b) => a + b, 0) + 3 * lineHeight + 2 * margin) * ratio;

  const ctx = canvas.getContext('2d');
  ctx.scale(ratio, ratio);
  ctx.fillStyle = cssColor('surface');
  ctx.fillRect(0, 0, width, canvas.height / ratio);
  let y = margin + lineHeight;
  const text = (line, x, font, color = 'ink') => {
    ctx.font = `${font} system-ui, sans-serif`;
    ctx.fillStyle = cssColor(color);
    ctx.fillText(safe(line), x, y, width - x - margin);
  };

  text(app.source.name, margin, '600 15px');
  y += lineHeight;
  const [begin, end] = [app.window.begin, app.window.end].map((time) => timeText(time, app.zone));
  text(`${begin} to ${end} (${app.zone.label})`, margin, '12px', 'ink-soft');
  y += lineHeight * 1.5;
  for (const picture of shown) {
    text(picture.title, margin, '600 13px');
    y += lineHeight / 2;
    ctx.drawImage(picture.canvas, margin, y, picture.canvas.width / ratio, picture.canvas.height / ratio);
    y += picture.canvas.height / ratio + lineHeight;
    for (const line of picture.lines) {
      ctx.fillStyle = cssColor(line.color);
      ctx.fillRect(margin, y - 8, 14, 4);
      const value = formatValue(valueAt(picture.times, line, null).value, picture.unit);
      text(`${line.label}  ${value}`, margin + 22, '12px');
      y += lineHeight;
    }
    y += lineHeight / 2;
  }
  const blob = await new Promise((resolve) => { canvas.toBlob(resolve, 'image/png'); });
  save(blob, fileName(app.source.name, app.window, 'png'));
  return true;
}
