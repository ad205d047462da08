// Stack traces of each language are read as people paste them.
import { describe, expect, it } from 'vitest';
import { NODE_TAP, NODE_TAP_ASSERT } from '../../packages/ci-log/test/logs.ts';
import { findSignals } from '../../src/triage/signals.ts';
import type { Trace } from '../../src/triage/traces/find-traces.ts';

const traces = (text: string): readonly Trace[] => findSignals(text).traces;
const places = (trace: Trace | undefined): readonly string[] =>
  (trace?.frames ?? []).map((frame) => `${frame.function}@${frame.file || frame.symbol}:${frame.line}`);

describe('Node and TypeScript', () => {
  it('reads named, anonymous, async, aliased and constructor frames with the error above', () => {
    const [trace] = traces(`Our server dies:

\`\`\`
/srv/app/dist/http/header.js:41
    const [name, value] = line.split(':');
                               ^

TypeError: Cannot read properties of undefined (reading 'split')
    at parseHeader (/srv/app/dist/http/header.js:41:32)
    at new Request (file:///srv/app/dist/http/request.js:12:5)
    at async Server.handle [as onRequest] (/srv/app/node_modules/tiny-http/lib/server.js:7:3)
    at /srv/app/dist/main.js:3:1
    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)
\`\`\``);
    expect(trace).toMatchObject({ language: 'javascript', errorType: 'TypeError', depth: 0 });
    expect(trace?.message).toBe("Cannot read properties of undefined (reading 'split')");
    expect(places(trace)).toEqual([
      'parseHeader@/srv/app/dist/http/header.js:41',
      'Request@file:///srv/app/dist/http/request.js:12',
      'handle@/srv/app/node_modules/tiny-http/lib/server.js:7',
      '@/srv/app/dist/main.js:3',
      'processTicksAndRejections@node:internal/process/task_queues:105',
    ]);
  });

  it('reads what node:test writes as TAP, whose frames have no `at`', () => {
    const all = traces(NODE_TAP.join('\n'));
    expect(all.map(({ errorType, message }) => [errorType, message])).toEqual([
      ['TypeError', "Cannot destructure property 'percent' of 'find(...)' as it is undefined."],
    ]);
    expect(places(all[0]).slice(0, 3)).toEqual([
      'apply@file:///home/ada/shop/src/coupons.js:14',
      '@file:///home/ada/shop/test/coupons.test.js:5',
      'runInAsyncScope@node:async_hooks:206',
    ]);
    const [compared] = traces(NODE_TAP_ASSERT.join('\n'));
    expect(compared?.errorType).toBe('AssertionError');
    expect(compared?.message).toBe('Expected values to be strictly equal:');
  });

  it('puts the cause before the error that it led to', () => {
    const found = traces(`Error: could not start
    at boot (/a/src/boot.ts:5:9) {
  [cause]: RangeError: port 99999 is too high
      at listen (/a/src/listen.ts:8:11)
}`);
    expect(found.map(({ message, depth }) => [message, depth])).toEqual([
      ['port 99999 is too high', 0],
      ['could not start', 1],
    ]);
  });

  it('reads a trace folded into a JSON log line', () => {
    const [trace] = traces(
      String.raw`{"level":50,"err":{"stack":"Error: no row\n    at load (/srv/src/store.ts:9:13)\n    at run (/srv/src/run.ts:2:1)"}}`,
    );
    expect(places(trace)).toEqual(['load@/srv/src/store.ts:9', 'run@/srv/src/run.ts:2']);
  });

  it('reads Firefox frames', () => {
    const [trace] = traces(
      'TypeError: items is undefined\nrender@http://localhost:5173/src/list.tsx:14:9\nupdate@http://localhost:5173/src/app.tsx:3:1\n',
    );
    expect(places(trace)).toEqual([
      'render@http://localhost:5173/src/list.tsx:14',
      'update@http://localhost:5173/src/app.tsx:3',
    ]);
  });
});

describe('Python', () => {
  const TRACEBACK = `Traceback (most recent call last):
  File "/app/shop/views.py", line 30, in checkout
    total = cart.total()
            ^^^^^^^^^^^^
  File "/app/shop/cart.py", line 12, in total
    return sum(self.prices[i] for i in items)
  File "/app/shop/cart.py", line 12, in <genexpr>
    return sum(self.prices[i] for i in items)
KeyError: 'apple'
`;

  it('has the last printed frame innermost', () => {
    const [trace] = traces(TRACEBACK);
    expect(trace).toMatchObject({ errorType: 'KeyError', message: "'apple'" });
    expect(places(trace)).toEqual([
      '@/app/shop/cart.py:12',
      'total@/app/shop/cart.py:12',
      'checkout@/app/shop/views.py:30',
    ]);
  });

  it('keeps the root of a chain first', () => {
    const found = traces(`${TRACEBACK}
During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/app/shop/api.py", line 8, in post
    checkout()
shop.errors.CheckoutFailed: cannot check out
`);
    expect(found.map(({ errorType, depth }) => [errorType, depth])).toEqual([
      ['KeyError', 0],
      ['shop.errors.CheckoutFailed', 1],
    ]);
  });

  it('reads the long form of pytest', () => {
    const [trace] = traces(`    def test_total():
>       assert total([1]) == 2

tests/test_cart.py:7:
_ _ _ _ _ _ _ _ _ _ _ _ _ _

items = [1]
    def total(items):
>       raise ValueError("no price for 1")
E       ValueError: no price for 1

shop/cart.py:14: ValueError`);
    expect(trace).toMatchObject({ errorType: 'ValueError', message: 'no price for 1' });
    expect(places(trace)).toEqual(['@shop/cart.py:14', '@tests/test_cart.py:7']);
  });
});

describe('any log', () => {
  it('reads frames behind colours, CI times and container names', () => {
    const [trace] = traces(
      '2024-05-01T10:11:12.0000000Z api_1  | \u001b[31mError: boom\u001b[0m\n2024-05-01T10:11:12.0000000Z api_1  |     at f (/srv/src/a.ts:3:1)\n',
    );
    expect(trace).toMatchObject({ errorType: 'Error', message: 'boom' });
    expect(places(trace)).toEqual(['f@/srv/src/a.ts:3']);
  });

  it('counts equal traces once', () => {
    const once = 'Error: boom\n    at f (/srv/src/a.ts:3:1)\n\nretrying\n\n';
    expect(traces(once.repeat(500))).toHaveLength(1);
  });

  it('counts the first frames of a trace and all of it once', () => {
    const frames = Array.from({ length: 8 }, (_, at) => `    at f${at} (/srv/src/a.ts:${at + 3}:1)\n`);
    const text = `Error: boom\n${frames.slice(0, 5).join('')}\nready\n\nError: boom\n${frames.join('')}`;
    expect(traces(text).map((trace) => trace.frames.length)).toEqual([8]);
    expect(traces(`${text}\nready\n\nError: other\n${frames.slice(0, 5).join('')}`)).toHaveLength(2);
  });

  it('takes prose for prose', () => {
    expect(
      traces('I looked at the docs (see https://example.com) and at Foo.bar (v1.2.3).\n- at least 3\n1. open the page'),
    ).toEqual([]);
  });
});

describe('the source text of a frame', () => {
  it('is kept where Python and Node print it', () => {
    const python = traces(
      'Traceback (most recent call last):\n  File "/a/x.py", line 3, in run\n    total = cart.total()\n            ^^^^^^^^^^^^\n  File "/a/y.py", line 9, in total\n  File "/a/z.py", line 1, in get\n    key = "[redacted]"\nKeyError: 1\n',
    );
    expect(python[0]?.frames.map(({ code }) => code)).toEqual(['', '', 'total = cart.total()']);
    const node = traces(
      "/srv/a.js:41\n    const x = line.split(':');\n                   ^\n\nTypeError: no\n    at f (/srv/a.js:41:32)\n    at g (/srv/b.js:1:1)\n",
    );
    expect(node[0]?.frames.map(({ code }) => code)).toEqual(["const x = line.split(':');", '']);
  });

  it('and what else only repeats a frame is no signal of its own', () => {
    const { identifiers, places } = findSignals(
      'It fails\n\nfile:///srv/a.js:41\n    const x = parseLine(text);\n              ^\n\nTypeError: no\n    at f (file:///srv/a.js:41:32)\n',
    );
    expect(places).toEqual([]);
    expect(identifiers.map(({ name }) => name)).not.toContain('parseLine');
  });
});
