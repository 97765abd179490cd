// Keys of the whole page, and the dialog that lists them.

import {el} from './text.js';

// Where these elements have the focus, arrow keys and letters have another meaning.
const typing = 'input, select, textarea, dialog';
const moving = '[role=tree], [role=grid], .plot, [role=slider]';

const chartKeys = [
  ['← →', 'move the cursor; with Ctrl in larger steps'],
  ['Home End', 'move the cursor to the edge of the range'],
  ['Space', 'begin a selection; again: zoom to it'],
  ['Enter', 'mark this time; the address contains the mark'],
  ['Click', 'mark this time, or remove the mark'],
  ['Drag', 'zoom to the selection'],
  ['Shift + drag', 'move the range'],
  ['Ctrl + wheel', 'zoom'],
  ['Double-click', 'zoom out'],
  ['One finger', 'move the range'],
  ['Two fingers', 'zoom'],
];

const listKeys = [
  ['↑ ↓ ← →', 'move in the counters and in the table of values'],
  ['Enter', 'draw the counter or the value'],
];

// install handles keys. commands are [keys, text, action].
export function install(commands) {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest(typing)) return;
    if (event.key.startsWith('Arrow') && event.target.closest(moving)) return;
    const command = commands.find(([keys]) => keys.includes(event.key));
    if (!command) return;
    event.preventDefault();
    command[2](event);
  });
}

const names = {ArrowLeft: '←', ArrowRight: '→'};

// helpDialog returns a dialog that lists the keys.
export function helpDialog(commands) {
  const page = commands.map(([keys, text]) => [keys.map((key) => names[key] ?? key).join(' '), text]);
  const dialog = el('dialog', {class: 'help', 'aria-labelledby': 'help-title'},
    el('div', {class: 'dialog-head'},
      el('h2', {id: 'help-title', text: 'Keys'}),
      el('button', {type: 'button', onclick: () => dialog.close(), text: 'Close'})),
    section('Everywhere', page), section('In a chart', chartKeys), section('In lists', listKeys));
  return dialog;
}

function section(title, rows) {
  return el('section', {},
    el('h3', {text: title}),
    el('dl', {}, rows.map(([keys, text]) => el('div', {},
      el('dt', {}, keys.split(' ').map((key) => (/^[+]$/.test(key) && keys.length > 3 ? ' + '
        : el('kbd', {text: key})))),
      el('dd', {text})))));
}
