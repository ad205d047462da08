// Which files a report points at, and which it only mentions: each kind of passing mention as people write it.
import { describe, expect, it } from 'vitest';
import { findMeantPlaces } from '../../src/triage/passing-mentions.ts';

const meant = (...lines: readonly string[]) => [...findMeantPlaces(lines.join('\n'))];

describe('a file that the report points at', () => {
  it.each([
    ['See src/useCart.ts:73, where the total is lost.', ['src/useCart.ts:73']],
    ['Source Location: crates/shop/src/utils.rs:109:13', ['crates/shop/src/utils.rs:109']],
    ['https://github.com/o/shop/blob/main/lib/watcher.js#L11', ['lib/watcher.js:11']],
    ['The problem is here: https://github.com/o/shop/blob/main/src/index.js#L254', ['src/index.js:254']],
    ['`incdec_number` in `shop/utils/urlutils.py` fails for ports.', ['shop/utils/urlutils.py:0']],
    ['I was able to fix this by extending **runtime/src/renderer.ts** like this:', ['runtime/src/renderer.ts:0']],
    ['The tests were moved from `log.py` to `qtlog.py`.', ['log.py:0', 'qtlog.py:0']],
    ['See src/index.ts:73 for it', ['src/index.ts:73']],
    ['[3/9] src/deep/cart.cpp:7:2: error: no such member', ['src/deep/cart.cpp:7']],
    ['FAIL src/deep/cart.test.ts', ['src/deep/cart.test.ts:0']],
    ['| src/deep/cart.ts | 12 | loses the total |', ['src/deep/cart.ts:0']],
    ['The overload from color.h is not called, but that of format.h', ['color.h:0', 'format.h:0']],
  ])('%s', (line, places) => {
    expect(meant(line)).toEqual(places);
  });
});

describe('a passing mention', () => {
  it.each([
    ['is what a log says of its own work', ['```', 'DEBUG|rg::args|crates/core/args.rs:527: not reading files', '```']],
    ['is what a log says with a time', ['2024-05-02T10:11:12Z INFO src/pool.ts:12 connected']],
    ['is an import of the sample', ['```c++', '#include <fmt/core.h>', '```']],
    [
      'is how the compiler came to the file that it complains of',
      ['```', 'In file included from ../../src/deep/cart.h:4,', '                 from src/shop.cpp:1:', '```'],
    ],
    ['is an import in a module', ['```ts', "import { cart } from './src/shop/cart.ts';", '```']],
    ['is a script of a page', ['```html', '<script type="module" src="/src/entry/cart.ts"></script>', '```']],
    ['is a file in the address of a playground', ['https://codesandbox.io/s/shop-2bbjn?file=/src/deep/cart.js']],
    [
      'is a script that a form asks to run',
      ['Run the script at https://github.com/o/shop/blob/main/tools/info.sh and'],
    ],
    ['is what was run', ['I run `python scripts/lib/report.py --all` and it prints nothing']],
    ['is what the reporter was told to open', ['1. Open `CartView.vue`', '2. Click on the button']],
    ['is a file of the reporter', ['In your Gruntfile.js file the proxies are set; my deep/cart.ts has none.']],
    ['is what anybody has', ['The error comes up in src/main.ts and in index.js']],
    ['is the caption of the sample', ['src/deep/CartView.vue', '```vue', '<b/>', '```']],
    ['is the first comment of the sample', ['```ts', '// src/deep/cart.ts', 'start();', '```']],
    ['is a heading', ['### `lib/deep/cart.py`', 'text']],
    ['is a folder drawn as a tree', ['├── src/deep/cart.ts', '└── src/deep/total.ts']],
    ['is what was run after a prompt', ['```', '$ cargo +nightly -Zscript suggest-deep.rs', '```']],
    [
      'is what was run within a sentence',
      ['`ktlint --format Deep.kt` changes nothing, nor does `pylint deep.py --notes=x`'],
    ],
    ['is the value of an option', ['```', 'cargo:rerun-if-changed=src/deep/cli.rs', '```']],
    ['is a name in an output', ['```', 'Internal error (rule wrapping) in DataFrameDeep.kt at 0:0', '```']],
    ['is what is shown below', ['Let us say we have this code in orders.py:', '```python', 'x = 1', '```']],
    [
      "is anybody's in an output",
      ['```', 'error[E0277]: the bound is not satisfied', '   --> src/main.rs:15:16', '```'],
    ],
    ['is of every project', ['Prepend it in settings.py or in `__init__.py`, and run ./manage.py']],
    ['is one of a list', ['Touched: a/b.ts, a/c.ts, a/d.ts, a/e.ts']],
    ['is a comparison', ['This works fine in shop/order.ts, unlike in shop/basket.ts']],
    ['is a row of columns drawn', [' lib/ref.ts         |   80.00 |    70.00 |   90.00 |   80.10 | 12-40,99 ']],
    ['is a row of columns', ['src/click/_winconsole.py      142    142     0%   1-290']],
    ['is the last column of a function', ['shop/cart.go:12:\tAddItem\t\t85.7%']],
    ['is a row of what a commit changed', ['```', ' src/click/decorators.py | 12 +++---', '```']],
    ['is changed here', ['```', ' M src/click/formatting.py', '\tmodified:   src/click/core.py', '```']],
    ['is one whose tests pass', ['ok src/deep/cart.go 0.3s', 'PASS src/deep/cart.test.ts (5.1 s)']],
    ['is what a build is at', ['[12/30] Building CXX object src/deep/cart.cpp', '  Compiling src/deep/cart.cpp']],
    ['is said to be right', ['shop/order.ts looks fine']],
  ])('%s', (_, lines) => {
    expect(meant(...lines)).toEqual([]);
  });

  it('does not take back what is pointed at elsewhere', () => {
    expect(meant('```', 'DEBUG: shop/order.ts:3: x', '```', 'The fault is in shop/order.ts:3')).toEqual([
      'shop/order.ts:3',
    ]);
  });
});
