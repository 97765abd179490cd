// The counter tree: objects with their counters, a search, and the details of the selected counter.

import * as data from './data.js';
import {Loader} from './app.js';
import {el, fill, hasWords, name, prose, safe, words} from './text.js';
import {formatPath, parsePath} from './path.js';
import {displayUnit, units} from './units.js';

const manyInstances = 10; // above, a new chart draws the largest ones only

export class Tree {
  #open = new Set();
  #objects = [];
  #current = null; // {object, counter}; counter is null on an object
  #shown = ''; // the content of the list

  constructor(app) {
    this.app = app;
    this.search = el('input', {
      type: 'search', id: 'counter-search', placeholder: 'Search counters',
      'aria-label': 'Search counters and help texts',
      oninput: () => app.set({search: this.search.value}, {quiet: true}),
      onkeydown: (event) => this.#searchKey(event),
    });
    this.list = el('ul', {
      role: 'tree', 'aria-label': 'Counters', class: 'tree', onkeydown: (event) => this.#key(event),
      onclick: (event) => this.#click(event), onfocusin: (event) => this.#focused(event),
    });
    this.details = el('div', {class: 'details'});
    this.names = el('datalist', {id: 'instance-names'}); // of the instances of an object
    this.root = el('div', {class: 'tree-box'}, this.search, this.list, this.details);
    this.instanceLoader = new Loader(app, () => {});
  }

  update(objects) {
    this.#objects = objects;
    if (document.activeElement !== this.search) this.search.value = this.app.state.search;
    this.#draw();
  }

  #searchKey(event) {
    if (event.key !== 'ArrowDown' && event.key !== 'Enter') return;
    event.preventDefault();
    this.#items()[0]?.focus();
  }

  // matches returns the objects with the counters that the search finds. Matches in names are listed
  // before matches in help texts.
  #matches() {
    const list = words(this.app.state.search);
    if (list.length === 0) {
      const open = (object) => this.#open.has(safe(object.name));
      return this.#objects.map((object) => ({object, counters: object.counters, open: open(object)}));
    }
    const found = (object) => object.counters.filter(
      (counter) => hasWords(`${object.name} ${counter.name} ${counter.help ?? ''}`, list));
    const named = ({object, counters}) => counters.some(
      (counter) => hasWords(`${object.name} ${counter.name}`, list));
    return this.#objects.map((object) => ({object, counters: found(object), open: true}))
      .filter(({counters}) => counters.length > 0).sort((a, b) => named(b) - named(a));
  }

  #draw() {
    const drawn = new Set(this.app.state.entries.map((entry) => counterKey(parsePath(entry.path))));
    const matches = this.#matches();
    const shown = JSON.stringify([
      this.app.source.id, [...drawn],
      matches.map(({object, counters, open}) => [object.name, open, open && counters.length]),
      this.app.state.search,
    ]);
    if (shown === this.#shown) return;
    this.#shown = shown;

    const focus = this.list.contains(document.activeElement);
    fill(this.list, matches.map((match) => this.#objectItem(match, drawn)), matches.length === 0 && el('li', {
      role: 'treeitem', 'aria-disabled': 'true', class: 'note', text: 'No counter has these words.',
    }));
    this.#setTabStop(focus);
  }

  #objectItem({object, counters, open}, drawn) {
    const group = open && el('ul', {role: 'group'}, counters.map((counter) => {
      const checked = drawn.has(counterKey({object: object.name, counter: counter.name}));
      return el('li', {
        role: 'treeitem', tabindex: -1, 'aria-checked': String(checked), class: 'counter',
        'data-object': object.name, 'data-counter': counter.name,
      }, el('span', {class: 'check', 'aria-hidden': 'true'}), name(counter.name));
    }));
    return el('li', {
      role: 'treeitem', tabindex: -1, 'aria-expanded': String(open), class: 'object', 'data-object': object.name,
    }, el('span', {class: 'object-line'}, el('span', {class: 'arrow', 'aria-hidden': 'true'}), name(object.name),
      object.instances > 0 && el('span', {class: 'count', text: object.instances, title: 'instances'})), group);
  }

  #items() {
    return [...this.list.querySelectorAll('[role=treeitem]')];
  }

  // setTabStop makes one item of the tree reachable with the Tab key.
  #setTabStop(focus) {
    const items = this.#items();
    const same = (item) => this.#current && item.dataset.object === this.#current.object
      && (item.dataset.counter ?? null) === this.#current.counter;
    const stop = items.find(same) ?? items[0];
    if (!stop) return;
    for (const item of items) item.tabIndex = item === stop ? 0 : -1;
    if (focus) stop.focus();
  }

  #focused(event) {
    const item = event.target.closest('[role=treeitem]');
    if (!item?.dataset.object) return;
    this.#select(item.dataset.object, item.dataset.counter ?? null);
    for (const other of this.#items()) other.tabIndex = other === item ? 0 : -1;
  }

  #click(event) {
    const item = event.target.closest('[role=treeitem]');
    if (!item?.dataset.object) return;
    item.focus();
    if (item.dataset.counter === undefined) this.#toggle(item.dataset.object);
    else this.#draws(item.dataset.object, item.dataset.counter);
  }

  // find returns the object of an item. The attributes of an item have safe texts.
  #find(object) {
    return this.#objects.find((one) => safe(one.name) === object);
  }

  #counter(object, counter) {
    return this.#find(object).counters.find((one) => safe(one.name) === counter);
  }

  #toggle(object, open = !this.#open.has(object)) {
    if (open) this.#open.add(object);
    else this.#open.delete(object);
    this.#draw();
  }

  // draws adds a counter to the charts, or removes it.
  #draws(objectName, counterName) {
    const object = this.#find(objectName);
    const {name: counter} = this.#counter(objectName, counterName);
    const key = counterKey({object: object.name, counter});
    const entries = this.app.state.entries.filter((entry) => counterKey(parsePath(entry.path)) !== key);
    if (entries.length < this.app.state.entries.length) {
      this.app.set({entries});
      return;
    }
    this.app.add([defaultEntry(object, counter)]);
  }

  #key(event) {
    const items = this.#items();
    const item = event.target.closest('[role=treeitem]');
    const place = items.indexOf(item);
    if (place < 0) return;
    const {object, counter} = item.dataset;
    const isCounter = counter !== undefined;
    const keys = {
      ArrowDown: () => items[place + 1]?.focus(),
      ArrowUp: () => (place > 0 ? items[place - 1].focus() : this.search.focus()),
      Home: () => items[0].focus(),
      End: () => items.at(-1).focus(),
      ArrowRight: () => (isCounter || this.#open.has(object) ? keys.ArrowDown() : this.#toggle(object, true)),
      ArrowLeft: () => (isCounter ? item.parentElement.closest('[role=treeitem]').focus()
        : this.#toggle(object, false)),
      Enter: () => (isCounter ? this.#draws(object, counter) : this.#toggle(object)),
    };
    keys[' '] = keys.Enter;
    if (!keys[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    keys[event.key]();
  }

  // select shows the details of an object or counter.
  #select(objectName, counterName) {
    if (this.#current?.object === objectName && this.#current?.counter === counterName) return;
    this.#current = {object: objectName, counter: counterName};
    const object = this.#find(objectName);
    if (!object) return;
    const counter = this.#counter(objectName, counterName);
    if (!counter) {
      fill(this.details, el('h3', {}, name(object.name)),
        el('p', {text: prose(object.help) || 'No description.'}),
        object.costly && el('p', {class: 'note', text: 'Reading this object takes long.'
          + (this.app.source.live ? ' It is measured only while a chart or table shows it.' : '')}));
      return;
    }
    const {unit} = displayUnit(counter.unit, counter.name);
    fill(this.details, el('h3', {}, name(counter.name)),
      el('p', {class: 'note', text: [units[unit].title, counter.type].filter(Boolean).join(' · ')}),
      el('p', {text: prose(counter.help) || 'No description.'}),
      object.instances !== null && this.#chooser(object, counter));
  }

  // chooser returns a form that draws single instances, a pattern, or the largest ones.
  #chooser(object, counter) {
    const input = el('input', {
      type: 'text', value: '*', list: 'instance-names', autocomplete: 'off', spellcheck: 'false',
      'aria-label': 'Instances: a name, or a pattern with * and ?',
    });
    const top = topSelect(object.instances > manyInstances ? 10 : 0);
    const draw = (event) => {
      event.preventDefault();
      const path = formatPath({object: object.name, instance: input.value, counter: counter.name});
      if (parsePath(path)) this.app.add([{path, top: Number(top.value)}]);
    };
    if (this.names.dataset.object !== object.name) fill(this.names); // until the new ones arrive
    this.names.dataset.object = object.name;
    this.instanceLoader.load({key: `${this.app.source.id}\n${object.name}`},
      (signal) => data.instances(this.app.source.id, object.name, this.app.query, signal),
      (list) => {
        const names = list.map((one) => (one.parent ? `${one.parent}/${one.name}` : one.name));
        const plain = names.filter((one) => safe(one) === one).slice(0, 1000);
        fill(this.names, plain.map((value) => el('option', {value})));
      });
    return el('form', {class: 'chooser', onsubmit: draw},
      el('label', {class: 'field'}, 'Instances', input), this.names,
      el('label', {class: 'field'}, 'Draw', top),
      el('button', {type: 'submit', text: 'Add to the charts'}));
  }
}

// counterKey identifies a counter without instances.
export function counterKey({object, counter}) {
  return formatPath({object, instance: null, counter}).toLowerCase();
}

// defaultEntry draws all instances of a counter, or the largest ones of many.
function defaultEntry(object, counter) {
  const instance = object.instances === null ? null : '*';
  const top = object.instances > manyInstances || object.costly ? 10 : 0;
  return {path: formatPath({object: object.name, instance, counter}), top};
}

// topSelect returns a control for the number of drawn instances.
export function topSelect(value, properties = {}) {
  const choices = [[0, 'all'], [5, 'top 5'], [10, 'top 10'], [20, 'top 20'], [50, 'top 50']];
  if (!choices.some(([number]) => number === value)) choices.push([value, `top ${value}`]);
  const select = el('select', properties, choices.map(([number, text]) => el('option', {value: number, text})));
  select.value = value;
  return select;
}
