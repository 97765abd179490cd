// Tests of the requests of a view.

import assert from 'node:assert/strict';
import {test} from 'node:test';

import {Loader} from '../../page/app.js';

// tools returns a loader with a fake application, and a log of what happened.
function tools() {
  const log = [];
  const app = {pending: (change) => log.push(change), render: () => log.push('render')};
  return {log, loader: new Loader(app, (error) => log.push(error.message))};
}

test('the same request is sent once', async () => {
  const {log, loader} = tools();
  await loader.load({key: 'a'}, async () => 1, (answer) => { log.push(answer); });
  await loader.load({key: 'a'}, async () => 2, (answer) => { log.push(answer); });
  assert.deepEqual(log, [1, 1, -1]);
});

test('a new request replaces the running one', async () => {
  const {log, loader} = tools();
  let signal;
  const first = loader.load({key: 'a'}, (given) => { signal = given; return new Promise((resolve) => setTimeout(resolve, 5, 'old')); },
    (answer) => { log.push(answer); });
  await loader.load({key: 'b'}, async () => 'new', (answer) => { log.push(answer); });
  await first;
  assert.ok(signal.aborted);
  assert.deepEqual(log.filter((one) => typeof one === 'string'), ['new']);
  assert.equal(log.filter(Number.isInteger).reduce((a, b) => a + b, 0), 0, 'no request is pending');
});

test('a moving range waits for the answer of the same group', async () => {
  const {log, loader} = tools();
  const first = loader.load({key: 'a1', group: 'a'}, () => new Promise((resolve) => setTimeout(resolve, 5, 'first')),
    (answer) => { log.push(answer); });
  await loader.load({key: 'a2', group: 'a'}, async () => 'second', (answer) => { log.push(answer); });
  await first;
  await loader.load({key: 'a3', group: 'a'}, async () => 'third', (answer) => { log.push(answer); });
  assert.deepEqual(log.filter((one) => typeof one === 'string'), ['first', 'third']);
});

test('after an error the same request is sent again', async () => {
  const {log, loader} = tools();
  await loader.load({key: 'a'}, async () => { throw new Error('failed'); }, () => {});
  await loader.load({key: 'a'}, async () => 'answer', (answer) => { log.push(answer); });
  assert.deepEqual(log.filter((one) => typeof one === 'string'), ['failed', 'answer']);
});

test('an answer that is not complete is requested again', async (t) => {
  t.mock.timers.enable({apis: ['setTimeout']});
  const {log, loader} = tools();
  let requests = 0;
  const load = () => loader.load({key: 'a'}, async () => ++requests, (answer) => answer > 1);
  await load();
  t.mock.timers.tick(1000);
  assert.ok(log.includes('render'));
  await load();
  await load();
  assert.equal(requests, 2);
});
