// Stack traces of compiled languages are read as people paste them.
import { describe, expect, it } from 'vitest';
import { findSignals } from '../../src/triage/signals.ts';
import type { Trace } from '../../src/triage/traces/find-traces.ts';

const traces = (text: string): readonly Trace[] => findSignals(text).traces;
const places = (trace: Trace | undefined): readonly string[] =>
  (trace?.frames ?? []).map((frame) => `${frame.function}@${frame.file || frame.symbol}:${frame.line}`);

describe('the JVM', () => {
  it('has the last cause first, with lambdas and modules', () => {
    const found = traces(`Exception in thread "main" java.lang.IllegalStateException: cannot open store
	at com.acme.shop.Store.open(Store.java:41)
	at com.acme.shop.Main.lambda$main$0(Main.kt:9)
	at java.base/java.lang.Thread.run(Thread.java:833)
Caused by: java.io.FileNotFoundException: prices.csv (No such file or directory)
	at java.base/java.io.FileInputStream.open0(Native Method)
	at com.acme.shop.Prices$Reader.<init>(Prices.java:17)
	... 2 more
`);
    expect(found.map(({ errorType, depth }) => [errorType, depth])).toEqual([
      ['java.io.FileNotFoundException', 0],
      ['java.lang.IllegalStateException', 1],
    ]);
    expect(found[0]?.frames[1]).toMatchObject({ symbol: 'com.acme.shop.Prices$Reader', file: 'Prices.java', line: 17 });
    expect(places(found[1])).toEqual(['open@Store.java:41', 'main@Main.kt:9', 'run@Thread.java:833']);
  });
});

describe('Go', () => {
  it('reads a panic and each goroutine of the dump', () => {
    const found = traces(`panic: runtime error: index out of range [3] with length 3 [recovered]

goroutine 7 [running]:
example.com/shop/cart.(*Cart).Total(0xc000012345, 0x3)
	/home/ci/shop/cart/cart.go:52 +0x1d
main.main.func1()
	/home/ci/shop/main.go:12 +0x25
created by main.main in goroutine 1
	/home/ci/shop/main.go:10 +0x44

goroutine 9 [chan receive]:
example.com/shop/worker.Run(...)
	/home/ci/shop/worker/worker.go:33
`);
    expect(found).toHaveLength(2);
    expect(found[0]).toMatchObject({
      errorType: 'panic',
      message: 'runtime error: index out of range [3] with length 3',
    });
    expect(places(found[0])).toEqual([
      'Total@/home/ci/shop/cart/cart.go:52',
      'main@/home/ci/shop/main.go:12',
      'main@/home/ci/shop/main.go:10',
    ]);
    expect(places(found[1])).toEqual(['Run@/home/ci/shop/worker/worker.go:33']);
  });
});

describe('Rust', () => {
  it.each([
    ["thread 'main' panicked at src/parser.rs:41:13:\nunexpected token", 'unexpected token'],
    ["thread 'main' panicked at 'unexpected token', src/parser.rs:41:13", 'unexpected token'],
  ])('reads the panic of both forms', (text, message) => {
    const [trace] = traces(text);
    expect(trace).toMatchObject({ errorType: 'panic', message });
    expect(places(trace)).toEqual(['@src/parser.rs:41']);
  });

  it('reads a backtrace with and without places', () => {
    const [trace] = traces(`stack backtrace:
   0: rust_begin_unwind
             at /rustc/90c541806f23a127002de5b4038be731ba1458ca/library/std/src/panicking.rs:578:5
   1: shop::cart::Cart::total
             at ./src/cart.rs:12:9
   2: shop::main::h0123456789abcdef
`);
    expect(places(trace)).toEqual([
      'rust_begin_unwind@/rustc/90c541806f23a127002de5b4038be731ba1458ca/library/std/src/panicking.rs:578',
      'total@./src/cart.rs:12',
      'main@shop::main:0',
    ]);
  });
});

describe('C#', () => {
  it('reads places, async methods and the inner error', () => {
    const [trace] = traces(`Unhandled exception. System.InvalidOperationException: could not load
 ---> System.IO.FileNotFoundException: no prices.csv
   at Acme.Shop.Prices.<LoadAsync>d__4.MoveNext() in /src/Shop/Prices.cs:line 12
--- End of stack trace from previous location ---
   at Acme.Shop.Store.Open(String path) in C:\\code\\Shop\\Store.cs:line 41
   at System.Threading.Tasks.Task.Execute()
`);
    expect(trace).toMatchObject({
      language: 'csharp',
      errorType: 'System.IO.FileNotFoundException',
      message: 'no prices.csv',
    });
    expect(places(trace)).toEqual([
      'LoadAsync@/src/Shop/Prices.cs:12',
      'Open@C:\\code\\Shop\\Store.cs:41',
      'Execute@System.Threading.Tasks.Task:0',
    ]);
  });
});
