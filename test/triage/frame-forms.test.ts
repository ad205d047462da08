// Every form of the table of stack frames is read, also behind what loggers put before a line, and the whole trace with its error.
import { describe, expect, it } from 'vitest';
import { findSignals } from '../../src/triage/signals.ts';
import type { Trace } from '../../src/triage/traces/find-traces.ts';
import { FRAME_TABLES } from '../../src/triage/traces/frame-forms.ts';

const traces = (text: string): readonly Trace[] => findSignals(text).traces;
const places = (trace: Trace | undefined): readonly string[] =>
  (trace?.frames ?? []).map((frame) => `${frame.function}@${frame.file || frame.symbol || frame.of}:${frame.line}`);
const heads = (all: readonly Trace[]): readonly (readonly string[])[] =>
  all.map(({ language, errorType, message }) => [language, errorType, message]);

const FORMS = FRAME_TABLES.flatMap(({ forms }) => forms);

/** What some forms need next to them: the frames below the line that raises, the other frames of a list. */
const AROUND: Readonly<Record<string, readonly [above: string, below: string]>> = {
  "lib/shop/cart.rb:12:in `total': no price (KeyError)": ["1: from bin/shop:4:in `<main>'", ''],
  'app/views/carts/show.html.erb:17': ["app/models/cart.rb:3:in `total'", ''],
  'PHP Fatal error:  Uncaught TypeError: no price in /srv/shop/src/Cart.php:12': ['', 'Stack trace:'],
  '[object] (ErrorException(code: 0): no price at /srv/shop/app/Cart.php:12)': ['', '[stacktrace]'],
  '/srv/shop/tests/CartTest.php:15': ['/srv/shop/src/Cart.php:12', ''],
  'test/cart_test.exs:10': ['(shop 1.0.0) lib/shop/cart.ex:12: Shop.Cart.total/1', ''],
  "[C]: in function 'error'": ['', "lua/shop/cart.lua:12: in function 'total'"],
  'no price at lib/Shop/Cart.pm line 12.': ['', 'Shop::Cart::total("apple") called at lib/Shop/Cart.pm line 20'],
};

const framed = (example: string, prefix = ''): readonly Trace[] => {
  const [above, below] = AROUND[example] ?? ['', ''];
  const lines = ['It stops.', above, example, below].filter((line) => line !== '');
  return traces(lines.map((line) => `${prefix}${line}`).join('\n'));
};

describe('each form of the table', () => {
  it.each(FORMS.map(({ language, example }) => [language, example] as const))('%s: %s', (language, example) => {
    const found = framed(example).flatMap(({ frames }) => frames);
    expect(found.map((frame) => frame.language)).toContain(language);
  });

  it.each(['2024-05-01T10:11:12.0000000Z ', 'app-1  | ', '2024-05-01T10:11:12.0000000Z app-1  | ', '[worker] ', '│ '])(
    'is read behind %j as well',
    (prefix) => {
      const read = (before: string) => FORMS.map(({ example }) => [example, framed(example, before).map(places)]);
      expect(read(prefix)).toEqual(read(''));
    },
  );

  it('is told apart from what people write', () => {
    expect(
      traces(
        [
          '1. open app/cart.rb:12 and look at `total`',
          '- see lib/cart.ex:12: it is never called',
          'src/cart.erl:12: Warning: variable X is unused',
          'src/cart.c:12:5: warning: unused variable',
          '#4 is about the same (see cart.dart:12)',
          '#12 in the list',
          '0  nothing to do here',
          'at line 12 of cart.php',
          'In short: it works at home, and at work it does not',
          'I was at the office at 12:30, with tests in Cart.swift',
        ].join('\n'),
      ),
    ).toEqual([]);
  });
});

describe('Ruby', () => {
  it('reads both ways of quoting, with blocks and the error on the first line', () => {
    for (const [open, name] of [
      ['`', 'total'],
      ["'", 'Shop::Cart#total'],
    ]) {
      const [trace] = traces(
        `lib/shop/cart.rb:12:in ${open}block in ${name}': undefined method ${open}price' for nil (NoMethodError)\n\n      sum + item.price\n                ^^^^^^\n\tfrom lib/shop/cart.rb:9:in ${open}each'\n\tfrom bin/shop:4:in ${open}<main>'\n`,
      );
      expect(trace).toMatchObject({ language: 'ruby', errorType: 'NoMethodError' });
      expect(trace?.message).toBe(`undefined method ${open}price' for nil`);
      expect(places(trace)).toEqual(['total@lib/shop/cart.rb:12', 'each@lib/shop/cart.rb:9', '@bin/shop:4']);
    }
  });

  it('has the innermost last where the frames are numbered', () => {
    const [trace] = traces(
      "Traceback (most recent call last):\n\t2: from bin/shop:4:in `<main>'\n\t1: from lib/shop/cart.rb:9:in `each'\nlib/shop/cart.rb:12:in `total': no price (KeyError)\n",
    );
    expect(trace).toMatchObject({ errorType: 'KeyError', message: 'no price' });
    expect(places(trace)).toEqual(['total@lib/shop/cart.rb:12', 'each@lib/shop/cart.rb:9', '@bin/shop:4']);
  });

  it('reads what Rails logs', () => {
    const [trace] = traces(
      "ActionView::Template::Error (no price for apple):\n    3: <%= cart.total %>\n\napp/models/cart.rb:12:in `total'\napp/views/carts/show.html.erb:3\nactionview (7.0.4) lib/action_view/base.rb:244:in `public_send'\n",
    );
    expect(trace).toMatchObject({ errorType: 'ActionView::Template::Error', message: 'no price for apple' });
    expect(places(trace)).toEqual([
      'total@app/models/cart.rb:12',
      '@app/views/carts/show.html.erb:3',
      'public_send@lib/action_view/base.rb:244',
    ]);
  });
});

it('reads the type and the message of an error from the two lines that RSpec gives them', () => {
  const found = traces(
    "  1) Cart totals\n     Failure/Error: total(nil)\n\n     ArgumentError:\n       wrong number of arguments (given 1, expected 0)\n     # ./lib/cart.rb:3:in `total'\n     # ./spec/cart_spec.rb:8\n",
  );
  expect(heads(found)).toEqual([['ruby', 'ArgumentError', 'wrong number of arguments (given 1, expected 0)']]);
});

it('reads stacks whose line breaks were lost', () => {
  const php = traces(
    'Fatal error: Uncaught TypeError: no price in C:\\shop\\cart.php:62 Stack trace: #0 C:\\shop\\index.php(2): require_once() #1 {main} thrown in C:\\shop\\cart.php on line 62',
  );
  expect(heads(php)).toEqual([['php', 'TypeError', 'no price']]);
  expect(places(php[0])).toEqual(['require_once@C:\\shop\\cart.php:62', '@C:\\shop\\index.php:2']);
  const kotlin = traces(
    'Uncaught Kotlin exception: kotlin.IllegalStateException: no price at 0 shop 0x00000001126ae71b kfun:shop.Cart#total(){} + 11 at 1 shop 0x00000001126cbbb2 Konan_run_start + 10',
  );
  expect(heads(kotlin)).toEqual([['kotlin', 'kotlin.IllegalStateException', 'no price']]);
  expect(places(kotlin[0])).toEqual(['total@shop.Cart:0', 'Konan_run_start@Konan_run_start:0']);
});

describe('PHP', () => {
  it('reads what debug_print_backtrace prints, also into a page', () => {
    const [trace] = traces(
      "Exception: no price\n<pre>#0  Shop\\Prices->find('apple') called at [/srv/shop/src/Cart.php:12]\n#1  Shop\\Cart->total() called at [/srv/shop/public/index.php:3]\n#2  include(/srv/shop/public/index.php) called at [/srv/shop/run.php:8]",
    );
    expect(trace?.language).toBe('php');
    expect(trace?.frames.map(({ file, line }) => `${file}:${line}`)).toEqual([
      '/srv/shop/src/Cart.php:12',
      '/srv/shop/public/index.php:3',
      '/srv/shop/run.php:8',
    ]);
  });

  it('begins at the call where a function is refused what it is passed', () => {
    const message = 'Too few arguments to function Shop\\Prices::find()';
    const [alone] = traces(
      `PHP Fatal error:  Uncaught ArgumentCountError: ${message}, 0 passed in /srv/shop/src/Cart.php on line 12 and exactly 1 expected in /srv/shop/src/Prices.php:8
Stack trace:
#0 /srv/shop/public/index.php(5): Shop\\Cart->total()
#1 {main}`,
    );
    expect(places(alone)[0]).toBe('total@/srv/shop/src/Cart.php:12');
    expect(alone?.errorType).toBe('ArgumentCountError');
  });

  it('has the place of the error first, and each function at the place that is in it', () => {
    const [trace] =
      traces(`PHP Fatal error:  Uncaught TypeError: Shop\\Prices::find(): Argument #1 must be of type string, null given, called in /srv/shop/src/Cart.php on line 12 and defined in /srv/shop/src/Prices.php:8
Stack trace:
#0 /srv/shop/src/Cart.php(12): Shop\\Prices->find(NULL)
#1 [internal function]: Shop\\Cart->{closure}(Object(Item))
#2 /srv/shop/src/Cart.php(14): array_map(Object(Closure), Array)
#3 /srv/shop/public/index.php(5): Shop\\Cart->total()
#4 {main}
  thrown in /srv/shop/src/Prices.php on line 8`);
    expect(heads(trace ? [trace] : [])).toEqual([
      ['php', 'TypeError', 'Shop\\Prices::find(): Argument #1 must be of type string, null given'],
    ]);
    expect(places(trace)).toEqual([
      '@/srv/shop/src/Cart.php:12',
      'array_map@array_map(Object(Closure), Array):0',
      'total@/srv/shop/src/Cart.php:14',
      '@/srv/shop/public/index.php:5',
    ]);
  });

  it('puts the cause before what it led to', () => {
    const found = traces(
      'RuntimeException: no row in /srv/src/Db.php:3\nStack trace:\n#0 /srv/src/Cart.php(4): Db->row()\n#1 {main}\n\nNext LogicException: no cart in /srv/src/Cart.php:6\nStack trace:\n#0 /srv/index.php(2): Cart->load()\n#1 {main}\n',
    );
    expect(found.map(({ errorType, depth }) => [errorType, depth])).toEqual([
      ['RuntimeException', 0],
      ['LogicException', 1],
    ]);
  });

  it('reads the commands of Symfony and the call stack of Xdebug', () => {
    const [symfony] = traces(
      'In CartCommand.php line 30:\n\n  [ErrorException]\n  Undefined array key 0\n\n\nException trace:\n App\\Prices->find() at src/CartCommand.php:21\n App\\CartCommand->execute() at vendor/symfony/console/Command/Command.php:251\n',
    );
    expect(heads(symfony ? [symfony] : [])).toEqual([['php', 'ErrorException', 'Undefined array key 0']]);
    expect(places(symfony)).toEqual([
      'find@CartCommand.php:30',
      'execute@src/CartCommand.php:21',
      '@vendor/symfony/console/Command/Command.php:251',
    ]);
    const [xdebug] = traces(
      'TypeError: no price in /srv/src/Cart.php on line 12\n\nCall Stack:\n    0.0002     491064   1. {main}() /srv/index.php:0\n    0.0037    1047904   2. Shop\\Cart->total() /srv/index.php:7\n    0.0047    1217712   3. substr() /srv/src/Cart.php:12\n',
    );
    expect(heads(xdebug ? [xdebug] : [])).toEqual([['php', 'TypeError', 'no price']]);
    expect(places(xdebug)).toEqual(['total@/srv/src/Cart.php:12', '@/srv/index.php:7', '@/srv/index.php:0']);
  });
});

describe('Dart', () => {
  it('reads frames on one line and on two, and those of tests', () => {
    const expected = ['total@package:shop/src/cart.dart:12', 'main@package:shop/main.dart:3'];
    const two = traces(
      'E/flutter ( 5090): [ERROR] Unhandled Exception: no price\nE/flutter ( 5090): #0      Cart.total\npackage:shop/src/cart.dart:12\nE/flutter ( 5090): <asynchronous suspension>\nE/flutter ( 5090): #1      main\npackage:shop/main.dart:3\n',
    );
    expect(heads(two)).toEqual([['dart', '', 'no price']]);
    expect(places(two[0])).toEqual(expected);
    const one = traces(
      'Unhandled exception:\nBad state: No element\n#0      Cart.total.<anonymous closure> (package:shop/src/cart.dart:12:5)\n<asynchronous suspension>\n#1      main (package:shop/main.dart:3)\n',
    );
    expect(heads(one)).toEqual([['dart', '', 'Bad state: No element']]);
    expect(places(one[0])).toEqual(expected);
    const terse = traces('package:shop/src/cart.dart 12:5  Cart.total\npackage:shop/main.dart 3:1         main.<fn>\n');
    expect(places(terse[0])).toEqual(expected);
  });
});

describe('Elixir', () => {
  it('reads applications, Erlang and anonymous functions, below long arguments', () => {
    const found = traces(`** (FunctionClauseError) no function clause matching in Shop.Cart.total/1

    The following arguments were given to Shop.Cart.total/1:

        # 1
        nil

    Attempted function clauses (showing 1 out of 1):

        def total(%Shop.Cart{items: items})

    (shop 1.0.0) lib/shop/cart.ex:12: Shop.Cart.total/1
    (elixir 1.17.3) lib/enum.ex:1714: Enum."-map/2-lists^map/1-1-"/2
    (shop 1.0.0) lib/shop/report.ex:7: anonymous fn/2 in Shop.Report.rows/1
    (stdlib 6.2) gen_server.erl:2345: :gen_server.try_handle_info/3
`);
    expect(heads(found)).toEqual([
      ['elixir', 'FunctionClauseError', 'no function clause matching in Shop.Cart.total/1'],
    ]);
    expect(places(found[0])).toEqual([
      'total@lib/shop/cart.ex:12',
      '@lib/enum.ex:1714',
      'rows@lib/shop/report.ex:7',
      'try_handle_info@gen_server.erl:2345',
    ]);
  });

  it('has the innermost first where a service prints it as Python', () => {
    const found = traces(
      'Traceback (most recent call last):\n  File "lib/shop/cart.ex", line 12, in Shop.Cart.total/1 (shop)\n  File "gen_server.erl", line 637, in :gen_server.try_dispatch/4 (stdlib)\nGenServer terminating (KeyError): key :price not found\n',
    );
    expect(heads(found)).toEqual([['elixir', 'KeyError', 'key :price not found']]);
    expect(places(found[0])).toEqual(['total@lib/shop/cart.ex:12', 'try_dispatch@gen_server.erl:637']);
  });
});

describe('C and C++', () => {
  it('reads sanitizers: each stack by itself, with the error of the first', () => {
    const found =
      traces(`==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x602 at pc 0x49a bp 0x7ff sp 0x7ff
READ of size 4 at 0x602 thread T0
    #0 0x49a95d in shop::Cart::total(std::vector<int, std::allocator<int> > const&) const /src/shop/cart.cpp:12:5
    #1 0x49dad2 in (anonymous namespace)::run(int) /src/shop/main.cpp:8
    #2 0x7ffff in __libc_start_main (/lib/x86_64-linux-gnu/libc.so.6+0x2082f)

freed by thread T0 here:
    #0 0x7f029 in free (/usr/lib/libasan.so.2+0x98961)
    #1 0x49a11d in shop::Cart::clear() /src/shop/cart.cpp:20:3
`);
    expect(heads(found)).toEqual([
      ['native', 'AddressSanitizer', 'heap-use-after-free'],
      ['native', '', ''],
    ]);
    expect(found.map(places)).toEqual([
      ['total@/src/shop/cart.cpp:12', 'run@/src/shop/main.cpp:8', '__libc_start_main@__libc_start_main:0'],
      ['free@free:0', 'clear@/src/shop/cart.cpp:20'],
    ]);
  });

  it('reads gdb, also wrapped, with its source lines', () => {
    const found = traces(`Program received signal SIGSEGV, Segmentation fault.
#0  0x00005555 in shop::Cart::total (this=0x0) at src/cart.cpp:12
12        return items.size();
(gdb) bt
#0  0x00005555 in shop::Cart::total (this=0x0) at src/cart.cpp:12
#1  0x00005556 in run (count=<optimized out>, callback=0x5555 <on_done(void*)>)
    at src/main.cpp:8
#2  0x00007fff in ?? () from /lib/libc.so.6
`);
    expect(heads(found)).toEqual([['native', 'SIGSEGV', 'Segmentation fault']]);
    expect(places(found[0])).toEqual(['total@src/cart.cpp:12', 'run@src/main.cpp:8', '@?? ():0']);
    expect(traces('#0  total () at cart.c:12\n12        return n;\n')[0]?.frames[0]?.code).toBe('return n;');
  });

  it('keeps a frame that is printed once with its source line and once without', () => {
    const found = traces(
      'Program terminated with signal 11, Segmentation fault.\n#0  total (cart=0x0) at cart.c:12\n12        return n->count;\n(gdb) backtrace full\n#0  total (cart=0x0) at cart.c:12\n        n = 0x0\n',
    );
    expect(heads(found)).toEqual([['native', '', 'Segmentation fault']]);
    expect(found[0]?.frames.map(({ code }) => code)).toEqual(['return n->count;']);
  });

  it('reads lldb, Valgrind, WinDbg and glibc', () => {
    const lldb = traces(
      '* thread #1, stop reason = EXC_BAD_ACCESS (code=1, address=0x0)\n  * frame #0: 0x000000010003e239 shop`shop::Cart::total(this=0x0) at cart.cpp:12:5\n    frame #1: 0x000000010003e300 shop`main + 12 at main.cpp:8\n',
    );
    expect(heads(lldb)).toEqual([['native', '', 'EXC_BAD_ACCESS (code=1, address=0x0)']]);
    expect(places(lldb[0])).toEqual(['total@cart.cpp:12', 'main@main.cpp:8']);
    const valgrind = traces(
      "==9== Invalid read of size 8\n==9==    at 0x403B006: rindex (vg_replace_strmem.c:210)\n==9==    by 0x10AB71: main (main.c:116)\n==9==  Address 0x0 is not stack'd\n",
    );
    expect(heads(valgrind)).toEqual([['native', '', 'Invalid read of size 8']]);
    expect(places(valgrind[0])).toEqual(['rindex@vg_replace_strmem.c:210', 'main@main.c:116']);
    const windows = traces(
      '00d3bdd0 750f43a1 00000000 USER32!DialogBox2+0x13f\n00d3c588 011c11a5 011c2254 shop!Cart::total+0x47 [c:\\shop\\cart.cpp @ 40]\n',
    );
    expect(places(windows[0])).toEqual(['DialogBox2@DialogBox2:0', 'total@c:\\shop\\cart.cpp:40']);
    const glibc = traces('./shop(_ZN4shop4Cart5totalEv+0x11)[0x5cbb71]\n/lib/libc.so.6(+0xfcb0)[0x7fd187870cb0]\n');
    expect(places(glibc[0])).toEqual(['total@shop::Cart::total:0', '@/lib/libc.so.6:0']);
  });
});

it('takes no frame for a message, and a library by its whole name', () => {
  const found = traces(
    'Fatal Exception: NSRangeException\n0  CoreFoundation    0x181ba2d8c __exceptionPreprocess\n1  Shop  0x102cc1bd8 Cart.total() (Cart.swift:12)\n',
  );
  expect(heads(found)).toEqual([['swift', 'NSRangeException', '']]);
  expect(
    traces('    #0 0x41 in total() (libc++.so.1+0xd086f)\n    #1 <null> <null> (libstdc++.so.6+0xd086f)\n'),
  ).toMatchObject([{ frames: [{ of: 'libc++.so.1' }, { of: 'libstdc++.so.6' }] }]);
});

describe('Swift and Kotlin/Native', () => {
  it('has the place of a fatal error before the stack below it', () => {
    const found =
      traces(`Fatal error: Unexpectedly found nil while unwrapping an Optional value: file Shop/Cart.swift, line 12
Current stack trace:
0    libswiftCore.so    0x00007fc4f9554fc0 swift_reportError + 117
1    shop               0x000000000042c086 specialized Cart.total(items:) + 31
2    shop               0x000000000042c16a closure #1 in Report.rows() + 8 (Report.swift:7)
`);
    expect(heads(found)).toEqual([['swift', '', 'Unexpectedly found nil while unwrapping an Optional value']]);
    expect(places(found[0])).toEqual([
      '@Shop/Cart.swift:12',
      'swift_reportError@swift_reportError:0',
      'total@specialized Cart.total(items:):0',
      'rows@Report.swift:7',
    ]);
  });

  it('reads Kotlin with classes and functions of both notations', () => {
    const found = traces(`Uncaught Kotlin exception: kotlin.IllegalStateException: no price
    at 0   shop.kexe  0x0000000109c43237 kfun:kotlin.Throwable#<init>(kotlin.String?){} + 87 (/kotlin/runtime/src/main/kotlin/kotlin/Throwable.kt:24:37)
    at 1   shop.kexe  0x0000000109c3c4f5 kfun:com.acme.shop.Cart#total(){}kotlin.Int + 85 (/src/shop/Cart.kt:12:44)
    at 2   shop.kexe  0x0000000109c3c695 kfun:com.acme.shop.main()ValueType + 85
    at 3   shop.kexe  0x0000000109c3c700 Konan_run_start + 12
`);
    expect(heads(found)).toEqual([['kotlin', 'kotlin.IllegalStateException', 'no price']]);
    expect(places(found[0])).toEqual([
      '@/kotlin/runtime/src/main/kotlin/kotlin/Throwable.kt:24',
      'total@/src/shop/Cart.kt:12',
      'main@com.acme.shop:0',
      'Konan_run_start@Konan_run_start:0',
    ]);
  });
});

describe('Haskell, Lua and Perl', () => {
  it('reads their stacks', () => {
    const haskell = traces(
      'shop: no price\nCallStack (from HasCallStack):\n  error, called at src/Cart.hs:12:10 in shop-1.0:Cart\n  total, called at app/Main.hs:4:3 in main:Main\n',
    );
    expect(heads(haskell)).toEqual([['haskell', '', 'no price']]);
    expect(places(haskell[0])).toEqual(['total@src/Cart.hs:12', '@app/Main.hs:4']);
    const lua = traces(
      "lua/cart.lua:12: no price\nstack traceback:\n\t[C]: in function 'error'\n\tlua/cart.lua:12: in function 'total'\n\tmain.lua:3: in main chunk\n",
    );
    expect(heads(lua)).toEqual([['lua', '', 'no price']]);
    expect(places(lua[0])).toEqual(['error@error:0', 'total@lua/cart.lua:12', '@main.lua:3']);
    const perl = traces('no price at lib/Cart.pm line 12.\n\tShop::Cart::total("apple") called at shop.pl line 3\n');
    expect(heads(perl)).toEqual([['perl', '', 'no price']]);
    expect(places(perl[0])).toEqual(['total@lib/Cart.pm:12', '@shop.pl:3']);
  });
});
