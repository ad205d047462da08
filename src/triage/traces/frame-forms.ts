// How each language prints the frames of a stack and the error above or below them, as a table: a new form is a new row.
// docs/traces.md is held against it by a test. JavaScript, Python, the JVM, .NET, Go and Rust print frames over several
// lines or with source text between them, and have readers of their own in frame-readers.ts.

import type { FrameLanguage } from './frame.ts';

/** One form of a line that is a frame. */
export interface FrameForm {
  readonly language: FrameLanguage;
  /** As a program writes it; the documentation shows it. */
  readonly example: string;
  /**
   * Of the line without what a logger put before it, trimmed. Groups: `file`, `line`, `name` (a function, with its class,
   * its arguments and whatever else is printed with it), `of` (its package, module or library), `type` and `message` (of
   * the error that the same line says).
   */
  readonly line: RegExp;
  /** What the line below must be. */
  readonly before?: RegExp;
  /** What the line above must be. */
  readonly after?: RegExp;
  /** Whether it is a frame only next to others, above or below it: elsewhere such a line is a place that something names. */
  readonly amongOthers?: true;
  /** Whether the line says where an error was raised, so that it begins a trace: the frames are below it. */
  readonly raises?: true;
}

interface ErrorForm {
  /** Groups `type` and `message`. Without a message it is what the next line says. */
  readonly line: RegExp;
  /** What the line below must be. */
  readonly before?: RegExp;
  /** Whether it also stands below the frames. */
  readonly below?: true;
}

/** Forms that programs mix in one trace. */
export interface FrameTable {
  /** Cheap to try; a line that it does not match is not a frame. */
  readonly hint: RegExp;
  readonly innermostLast: boolean;
  /** What the name of a frame is: the function that the line is in, or the one that is called there. */
  readonly names: 'function' | 'called';
  /** Lines other than frames that may be between two frames of one trace. */
  readonly gap: number;
  /** The second line of a frame that is printed over two or more. */
  readonly goesOn?: RegExp;
  /** A frame that is the first of its trace. */
  readonly begins?: RegExp;
  readonly forms: readonly FrameForm[];
  readonly errors: readonly ErrorForm[];
  /** How far above the first frame its error may be. */
  readonly reach: number;
}

const RUBY_PLACE =
  /(?<file>(?:[A-Za-z]:)?[\\/][^'"`:]{0,400}|[^\s'"`:]{1,400}):(?<line>\d{1,7}):in [`'](?<name>.{1,300}?)'/.source;

const RUBY_ERROR = /(?:: (?<message>.{0,1500}?)(?: \((?<type>[A-Z][\w:]{1,120})\))?)?/.source;

const RUBY_ERRORS: readonly ErrorForm[] = [
  { line: /^(?<type>(?:[A-Z]\w{0,60}::){1,8}[A-Z]\w{0,80}): (?<message>.{1,500})$/ },
  { line: /(?:^|: )\[(?<type>(?:[A-Z]\w{0,60}::){0,8}[A-Z]\w{0,80}(?:Error|Exception))\]:? (?<message>.{1,500})$/ },
  { line: /^(?<type>(?:[A-Z]\w{0,60}::){0,8}\w{0,80}(?:Error|Exception)) \((?<message>.{1,500})\):?$/ },
  {
    line: /^(?<message>(?:undefined (?:local variable or )?method|uninitialized constant|wrong number of arguments|no implicit conversion|comparison of) .{1,400})$/,
  },
];

/** Ruby 2.5 to 2.7 on a terminal: numbered, and the innermost last. */
const RUBY_NUMBERED: FrameTable = {
  hint: /:\d{1,7}:in [`']/,
  innermostLast: true,
  names: 'function',
  gap: 1,
  forms: [
    {
      language: 'ruby',
      example: "2: from bin/shop:4:in `<main>'",
      line: new RegExp(`^\\d{1,4}: from ${RUBY_PLACE}$`),
    },
    {
      language: 'ruby',
      example: "lib/shop/cart.rb:12:in `total': no price (KeyError)",
      line: new RegExp(`^${RUBY_PLACE}${RUBY_ERROR}$`),
      after: /^\s*1: from /,
    },
  ],
  errors: [],
  reach: 0,
};

const RUBY: FrameTable = {
  hint: /:\d{1,7}(?::in [`']|$| ?→| - )|^(?:\d{1,3} )?File "| -> \*\*/,
  innermostLast: false,
  names: 'function',
  gap: 5,
  begins: /\([A-Z][\w:]{1,120}\)$/,
  forms: [
    {
      language: 'ruby',
      example: "/srv/shop/lib/shop/cart.rb:12:in 'Shop::Cart#total': no price (KeyError)",
      line: new RegExp(`^${RUBY_PLACE}${RUBY_ERROR}$`),
    },
    {
      language: 'ruby',
      example: "from /srv/shop/lib/shop/cart.rb:8:in `block in total'",
      line: new RegExp(`^(?:from|#) ${RUBY_PLACE}$`),
    },
    {
      language: 'ruby',
      example: "actionpack (7.0.4) lib/action_controller/metal.rb:227:in `dispatch'",
      line: new RegExp(`^(?<of>[\\w-]{1,80}) \\(\\d[\\w.]{0,30}\\) ${RUBY_PLACE}$`),
    },
    {
      language: 'ruby',
      example: '# ./spec/cart_spec.rb:12',
      line: /^# (?<file>\.?\/[^\s:]{1,400}\.rb):(?<line>\d{1,7})$/,
    },
    {
      language: 'ruby',
      example: 'app/views/carts/show.html.erb:17',
      line: /^(?<file>(?:app|lib|config)\/[^\s:]{1,300}\.(?:erb|haml|slim|rb)):(?<line>\d{1,7})$/,
      amongOthers: true,
    },
    {
      language: 'ruby',
      example: '[PROJECT_ROOT]/app/models/cart.rb:18 → total',
      line: /^(?<file>\S{1,400}):(?<line>\d{1,7}) ?→ ?(?<name>\S.{0,200})$/,
    },
    {
      language: 'ruby',
      example: 'File "/srv/shop/app/models/cart.rb", line 12, in Cart#total',
      line: /^(?:\d{1,3} )?File "(?<file>[^"]{1,400}\.(?:rb|rake|erb|haml))",? line (?<line>\d{1,7}),? in (?<name>\S.{0,200})$/,
    },
    {
      language: 'ruby',
      example: '12:  app/models/cart.rb -> **total**',
      line: /^(?<line>\d{1,7}):\s{1,4}(?<file>\S{1,400}) -> \*\*(?<name>.{1,200})\*\*$/,
    },
    {
      language: 'ruby',
      example: 'app/models/cart.rb:12 - total',
      line: /^(?<file>\S{1,400}\.(?:rb|rake|erb|haml)):(?<line>\d{1,7}) - (?<name>\S.{0,200})$/,
    },
  ],
  errors: RUBY_ERRORS,
  reach: 12,
};

const PHP_FILE = /(?<file>(?:\w{1,10}:\/\/)?(?:[A-Za-z]:)?[^\s:]{1,300})/.source;

/** Xdebug's: outermost first. */
const PHP_CALL_STACK: FrameTable = {
  hint: /\d\. .{1,400}\) \S/,
  innermostLast: true,
  names: 'called',
  gap: 1,
  forms: [
    {
      language: 'php',
      example: '0.0037    1047904   2. Shop\\Cart->total() /srv/shop/src/Cart.php:12',
      line: new RegExp(
        `^(?:[\\d.]{1,12}\\s{1,12}\\d{1,12}\\s{1,6}|PHP\\s{1,4})?\\d{1,4}\\. (?<name>[\\w\\\\:{}>-]{1,300}\\(.{0,300}\\)) ${PHP_FILE}:(?<line>\\d{1,7})$`,
      ),
    },
  ],
  errors: [
    {
      line: /^(?:.{0,40}Uncaught )?(?<type>[\w\\]{1,160}(?:Error|Exception)): (?<message>.{1,1200}?) in \S{1,300} on line \d{1,7}$/,
    },
  ],
  reach: 6,
};

const PHP: FrameTable = {
  hint: /^(?:<pre>)?#\d|:\d{1,7}\)?$|\.php\b/,
  innermostLast: false,
  names: 'called',
  gap: 8,
  begins: /^(?:In \S{1,300}\.php line|Next )|Uncaught |exception '/,
  forms: [
    {
      language: 'php',
      example: 'PHP Fatal error:  Uncaught TypeError: no price in /srv/shop/src/Cart.php:12',
      line: new RegExp(
        `(?:Uncaught |Next |exception |^)'?(?<type>[A-Z][\\w\\\\]{1,160})'?(?: with message '|: )(?<message>.{0,1200}?)'?(?:(?:, called| passed) in (?<caller>\\S{1,300}) on line (?<callerLine>\\d{1,7}) and (?:defined|(?:exactly|at least) \\d{1,3} expected))? in ${PHP_FILE}:(?<line>\\d{1,7})$`,
      ),
      before: /^\s*(?:Stack trace:|#0 )/,
      raises: true,
    },
    {
      language: 'php',
      example: '[object] (ErrorException(code: 0): no price at /srv/shop/app/Cart.php:12)',
      line: new RegExp(
        `(?:^|\\s)\\((?<type>[\\w\\\\]{1,160})\\(code: \\d{1,9}\\): (?<message>.{0,1200}) at ${PHP_FILE}:(?<line>\\d{1,7})\\)$`,
      ),
      before: /^\s*(?:\[stacktrace\]|#0 )/,
      raises: true,
    },
    {
      language: 'php',
      example: 'In CartCommand.php line 12:',
      line: /^In (?<file>\S{1,300}\.php) line (?<line>\d{1,7}):$/,
      raises: true,
    },
    {
      language: 'php',
      example: "#0 /srv/shop/src/Cart.php(12): Shop\\Prices->find('apple')",
      line: /^#\d{1,4} (?<file>(?:\w{1,10}:\/\/)?(?:[A-Za-z]:)?[^\s(:][^(]{0,300})\((?<line>\d{1,7})\): (?<name>.{1,1500})$/,
    },
    {
      language: 'php',
      example: "#0  Shop\\Prices->find('apple') called at [/srv/shop/src/Cart.php:12]",
      line: /^(?:<pre>)?#\d{1,4}\s{1,4}(?<name>\S.{0,1500}) called at \[(?<file>[^\]]{1,300}):(?<line>\d{1,7})\]$/,
    },
    {
      language: 'php',
      example: '#1 [internal function]: Shop\\Cart->{closure}(Object(Item))',
      line: /^#\d{1,4} \[internal function\]: (?<name>.{1,1500})$/,
    },
    {
      language: 'php',
      example: 'Shop\\Cart->total() at /srv/shop/src/Cart.php:12',
      line: new RegExp(`^(?<name>[\\w\\\\:{}>-]{0,300}\\(\\)) at ${PHP_FILE}:(?<line>\\d{1,7})$`),
    },
    {
      language: 'php',
      example: '/srv/shop/tests/CartTest.php:15',
      line: /^(?:\d{1,3}\s{1,4})?(?<file>(?:[A-Za-z]:)?[^\s:'"()]{1,300}\.php):(?<line>\d{1,7})$/,
      after: /^\s*$|\.php:\d{1,7}$/,
    },
  ],
  errors: [{ line: /^\[(?<type>(?:\w{1,60}\\){0,8}\w{1,80})\]$/ }],
  reach: 12,
};

const DART: FrameTable = {
  hint: /^#\d|\.dart[: ]\d|^(?:package|dart):/,
  innermostLast: false,
  names: 'function',
  gap: 3,
  begins: /^#0\s/,
  goesOn: /^(?:package:|dart:|file:\/\/)\S{1,300}\.dart:\d{1,7}/,
  forms: [
    {
      language: 'dart',
      example: '#1      Cart.total (package:shop/src/cart.dart:12:5)',
      line: /^#\d{1,4}\s{1,10}(?<name>\S.{0,300}) \((?<file>(?:package:|dart:|file:|https?:|[A-Za-z]:|\/|\.)[^\s()]{1,300}?|[\w./-]{1,200}\.dart):(?<line>\d{1,7})(?::\d{1,7})?\)$/,
    },
    {
      language: 'dart',
      example: '#1      Cart.total package:shop/src/cart.dart:12',
      line: /^#\d{1,4}\s{1,10}(?<name>\S{1,200}(?: \S{1,200}){0,8})\s{1,120}(?<file>(?:package:|dart:|file:\/\/)\S{1,300}?\.dart):(?<line>\d{1,7})(?::\d{1,7})?$/,
    },
    {
      language: 'dart',
      example: 'package:shop/src/cart.dart 12:5  Cart.total.<fn>',
      line: /^(?<file>(?:package:|dart:)\S{1,300}|\S{1,300}\.dart) (?<line>\d{1,7})(?::\d{1,7})?\s{2,200}(?<name>\S.{0,200})$/,
    },
    {
      language: 'dart',
      example: 'dart:core  Iterable.first',
      line: /^(?<file>(?:dart|package):[\w./]{1,200})\s{2,200}(?<name>\S.{0,200})$/,
    },
  ],
  errors: [
    { line: /Unhandled [Ee]xception:\s*(?<message>.{0,1200})$/ },
    { line: /^(?<type>\w{1,80}(?:Error|Exception)) (?<message>\(\w{1,40}\): .{1,1200})$/ },
    { line: /^(?<message>Bad state: .{1,600})$/ },
    { line: /^The following (?<type>\w{1,80}) was thrown\b.{0,300}:$/ },
  ],
  reach: 12,
};

const ELIXIR_APP = /(?:\((?<of>[a-z]\w{0,60})(?: \d[\w.+-]{0,40})?\) )/.source;

/** Of a call: what a compiler says of a line looks alike. */
const ELIXIR_NAME = /(?:anonymous fn.{1,1500}|:?[A-Za-z][\w.]{0,200}\.[\w"!?].{0,1500}|\((?:file|test|module)\))/
  .source;

const ELIXIR: FrameTable = {
  hint: /\.(?:exs?|[eh]?eex|l?eex|[eh]rl|xrl|yrl)["':]|:\d{1,7}: \(file\)|\.[\w!?]{1,80}(?:\/\d|\()/,
  innermostLast: false,
  names: 'function',
  gap: 1,
  forms: [
    {
      language: 'elixir',
      example: '(shop 1.0.0) lib/shop/cart.ex:12: Shop.Cart.total/1',
      line: new RegExp(
        `^${ELIXIR_APP}?(?<file>(?:[A-Za-z]:)?[^\\s:()]{1,300}\\.(?:exs?|[lh]?eex|[eh]rl|xrl|yrl)):(?<line>\\d{1,7}): (?<name>${ELIXIR_NAME})$`,
      ),
    },
    {
      language: 'elixir',
      example: '(shop 1.0.0) Shop.Cart.total([])',
      line: new RegExp(`^${ELIXIR_APP}(?<name>(?::\\w{1,60}|[A-Z][\\w.]{0,200})\\.\\S.{0,1500})$`),
    },
    {
      language: 'elixir',
      example: ':erlang.apply(nil, :total, [])',
      line: /^(?<name>:[a-z]\w{0,40}\.[\w!?]{1,80}(?:\/\d{1,3}|\(.{0,1500}\)))$/,
    },
    {
      language: 'elixir',
      example: 'test/cart_test.exs:10',
      line: /^(?<file>(?:test|lib|src|apps)\/[^\s:]{1,300}\.exs?):(?<line>\d{1,7})$/,
      amongOthers: true,
    },
    {
      language: 'elixir',
      example: '/usr/local/bin/mix:2: (file)',
      line: /^(?<file>\/[^\s:]{1,300}):(?<line>\d{1,7}): \(file\)$/,
    },
    {
      language: 'elixir',
      example: 'File "lib/shop/cart.ex", line 12, in Shop.Cart.total/1 (shop)',
      line: /^File "(?<file>[^"]{1,400}\.(?:exs?|[eh]rl))", line (?<line>\d{1,7}), in (?<name>\S.{0,200}?)(?: \((?<of>[\w-]{1,60})\))?$/,
    },
  ],
  errors: [
    { line: /\*{1,2} \((?<type>[A-Z][\w.]{0,120})\) (?<message>.{1,1800})$/ },
    { line: /terminating \((?<type>[A-Z][\w.]{0,120})\): (?<message>.{1,1800})$/, below: true },
  ],
  reach: 40,
};

const NATIVE_FILE = /(?<file>(?:[A-Za-z]:)?[^\s()]{1,300}?)/.source;

const NATIVE_MODULE = /(?: \((?<of>[^()]{1,300}?) ?\+ ?0x[0-9a-f]{1,16}\))?(?: \(BuildId: \w{1,64}\))?/.source;

/** Programs without a runtime of their own: C, C++, Swift, Kotlin/Native; by sanitizers, debuggers and crash reporters. */
const NATIVE: FrameTable = {
  hint: /^(?:\* )?(?:at |by |frame )?#?\d|0x[0-9a-fA-F]{3}|![\w?:~<$@]|[Ff]atal error: |\.swift:\d|\) \+ \d{1,9}$|, line \d|kfun:/,
  innermostLast: false,
  names: 'function',
  gap: 40,
  begins: /^(?:\* )?(?:frame )?#0{1,2}\b|^(?:at )?0\s|^at 0x/,
  goesOn: /^\s{1,40}at \S{1,300}:\d{1,7}$/,
  forms: [
    {
      language: 'native',
      example: '#1  0x00005555 in shop::Cart::total (this=0x0) at src/cart.cpp:12',
      line: /^#\d{1,4}\s{1,4}(?:0x[0-9a-f]{1,16} in )?(?<name>\S.{0,1800}) at (?<file>\S{1,300}?):(?<line>\d{1,7})(?::\d{1,7})?$/,
    },
    {
      language: 'native',
      example: '#1 0x49a95d in shop::Cart::total(int) /src/shop/cart.cpp:12:5',
      line: new RegExp(
        `^#\\d{1,4}\\s{1,4}0x[0-9a-f]{1,16} (?:in )?(?<name>.{1,1500}) ${NATIVE_FILE}:(?<line>\\d{1,7})(?::\\d{1,7})?${NATIVE_MODULE}$`,
      ),
    },
    {
      language: 'native',
      example: '#1 0x49a95d in total (/src/shop/build/shop+0x5b6c2)',
      line: /^#\d{1,4}\s{1,4}0x[0-9a-f]{1,16}(?: in)? (?<name>.{0,1500}?) ?\((?<of>[^()]{1,300}?) ?\+ ?0x[0-9a-f]{1,16}\)(?: \(BuildId: \w{1,64}\))?$/,
    },
    {
      language: 'native',
      example: '#1 0x49a95d in total /src/shop/cart.c',
      line: /^#\d{1,4} 0x[0-9a-f]{1,16} in (?<name>.{1,1500}) (?<file>(?:[A-Za-z]:)?[^\s()]{1,300}\.\w{1,4})$/,
    },
    {
      language: 'native',
      example: '#1  0x00005555 in total (cart=0x0) from /usr/lib/libshop.so',
      line: /^#\d{1,4}\s{1,4}0x[0-9a-f]{1,16} in (?<name>\S.{0,1800}\))(?: from (?<of>\S{1,300}))?$/,
    },
    {
      language: 'native',
      example: '#1  0x00007efe3c30a31b total (libshop.so)',
      line: /^#\d{1,4}\s{1,4}0x[0-9a-f]{8,16} (?<name>\S{1,300}) \((?<of>[\w.+/-]{1,200})\)$/,
    },
    {
      language: 'native',
      example: '#1 shop::Cart::total(int) src/cart.cpp:12:5 (shop+0x9acb)',
      line: /^#\d{1,4} (?<name>.{1,1500}) (?<file>[^\s()]{1,300}?)(?::(?<line>\d{1,7}))?(?::\d{1,7})? \((?<of>[^()]{1,300})\+0x[0-9a-f]{1,16}\)(?: \(BuildId: \w{1,64}\))?$/,
    },
    {
      language: 'native',
      example: '#01 pc 0000000000037c94  /data/app/lib/arm64/libshop.so (total+180)',
      line: /^#\d{2} pc [0-9a-f]{8,16}\s{1,3}(?<of>\S{1,300})(?: \((?<name>.{1,1000}?)(?:\+\d{1,9})?\))?(?: \(BuildId: \w{1,64}\))?$/,
    },
    {
      language: 'native',
      example: 'frame #1: 0x000000010003e239 shop`shop::Cart::total(this=0x0) + 12 at cart.cpp:12:5',
      line: /^(?:\* )?frame #\d{1,4}: 0x[0-9a-f]{8,16} (?<of>[^`]{1,200})`(?<name>.{1,1800}?)(?: \+ \d{1,9})?(?: at (?<file>\S{1,300}?):(?<line>\d{1,7})(?::\d{1,7})?)?$/,
    },
    {
      language: 'native',
      example: './shop(_ZN4shop4Cart5totalEv+0x11)[0x5cbb71]',
      line: /^(?<of>[^\s()[\]]{1,300})\((?<name>[\w.@$]{0,1500})(?:\+0x[0-9a-f]{1,16})?\) ?\[0x[0-9a-f]{1,16}\](?: (?<file>[^\s:]{1,300}):(?<line>\d{1,7}))?$/,
    },
    {
      language: 'native',
      example: './shop[0x5cbb71]',
      line: /^(?<of>[\w./+-]{1,300})\[0x[0-9a-f]{4,16}\]$/,
    },
    {
      language: 'native',
      example: 'by 0x10AB71: total (cart.c:116)',
      line: /^(?:at|by) 0x[0-9A-Fa-f]{4,16}: (?<name>.{1,1500}) \((?:in (?<of>[^()]{1,300})|(?<file>[^():]{1,300}):(?<line>\d{1,7}))\)$/,
    },
    {
      language: 'native',
      example: 'total(cart = 0x10021a340), line 480 in "cart.c"',
      line: /^(?:=>\[\d{1,4}\] )?(?<name>[\w:~<>]{1,200}\(.{0,1500}\)), (?:line (?<line>\d{1,7}) in "(?<file>[^"]{1,300})"|at 0x[0-9a-f]{4,16})$/,
    },
    {
      language: 'native',
      example: 'c:\\shop\\cart.cpp (35): shop.exe!shop::Cart::total() + 0xA bytes',
      line: /^(?:(?<file>\S[^()]{0,300}) \((?<line>\d{1,7})\): )?(?<of>[\w.-]{1,80}\.(?:exe|dll))!(?<name>\S.{0,1500}?\))(?: \+ 0x[0-9A-F]{1,8} bytes| Line \d{1,7}\b.{0,40})?$/,
    },
    {
      language: 'native',
      example: '00d3c588 011c11a5 shop!Cart::total+0x47 [c:\\shop\\cart.cpp @ 40]',
      line: /^(?:[0-9a-f`]{8,17}\s.{0,300}\s)?(?<of>[\w.-]{1,80})!(?<name>[\w?:~<$@`][^![\]]{0,1500}?) ?\+ ?0x[0-9a-f]{1,8}(?: \[(?<file>[^\][@]{1,300}) @ (?<line>\d{1,7})\])?$/,
    },
    {
      language: 'kotlin',
      example: 'at 7   shop.kexe  0x0000000109c43237 kfun:com.acme.shop.Cart#total(){} + 87 (/src/shop/Cart.kt:12:37)',
      line: /^(?:at )?\d{1,4}\s{1,8}(?<of>\S{1,60}(?: \S{1,60}){0,3})\s{1,60}0x[0-9a-f]{4,16}\s{1,2}(?<name>kfun:.{1,1800}?)(?: \+ \d{1,20})?(?: \((?<file>[^()\s]{1,300}?):(?<line>\d{1,7})(?::\d{1,7})?\))?$/,
    },
    {
      language: 'kotlin',
      example: 'at 4   kfun:com.acme.shop.Cart#total(){}kotlin.Int',
      line: /^(?:at )?\d{1,4}\s{1,8}(?:(?<of>\S{1,60})\s{1,60})?(?<name>kfun:.{1,1800})$/,
    },
    {
      language: 'native',
      example: 'at 1   shop::total(int, char const*)',
      line: /^at \d{1,4}\s{2,8}(?<name>[\w:~]{2,200}(?:\(.{0,800}\))?)$/,
    },
    {
      language: 'swift',
      example: '1 [ra] 0x00007f6c06cfff30 Cart.total(items:) + 19 in shop at /src/shop/Sources/Shop/Cart.swift:12:5',
      line: /^\d{1,4}\s{1,30}(?:\[\w{2,12}\] {1,30}){0,3}0x[0-9a-f]{4,16} (?<name>\S.{0,1500}?)(?: \+ \d{1,9})? in (?<of>[\w.+-]{1,80})(?: at (?:(?<file>\S[^:]{0,300}):(?<line>\d{1,7})(?::\d{1,7})?|\S[^:]{0,300}))?$/,
    },
    {
      language: 'swift',
      example: '1 Cart.total(items:) + 19 in shop at /src/shop/Sources/Shop/Cart.swift:12:5',
      line: /^\d{1,4}\s{1,30}(?:\[\w{2,12}\] {1,30}){0,3}(?<name>\S.{0,1500}?)(?: \+ \d{1,9})? in (?<of>[\w.+-]{1,80}) at (?<file>\S[^:]{0,300}):(?<line>\d{1,7})(?::\d{1,7})?$/,
    },
    {
      language: 'swift',
      example: '4   Shop  0x000000010b2376a5 Cart.total(items:) + 917 (Cart.swift:187)',
      line: /^(?:at )?\d{1,4}\s{1,8}(?<of>\S{1,60}(?: \S{1,60}){0,3})\s{1,60}0x[0-9a-f]{4,16}\s{1,2}(?<name>\S.{0,1800}?)(?: \+ \d{1,20})? \((?<file>[^()\s:]{1,300}\.swift)(?::(?<line>\d{1,20}))?\)$/,
    },
    {
      language: 'native',
      example: '4   Shop  0x000000010b2376a5 cart_total + 917 (cart.c:187)',
      line: /^(?:at )?\d{1,4}\s{1,8}(?<of>\S{1,60}(?: \S{1,60}){0,3})\s{1,60}0x[0-9a-f]{4,16}\s{1,2}(?<name>\S.{0,1800}?)(?: \+ \d{1,20})?(?: \((?<file>[^()\s:]{1,300})(?::(?<line>\d{1,20}))?\))?$/,
    },
    {
      language: 'swift',
      example: 'Fatal error: Index out of range: file Shop/Cart.swift, line 12',
      line: /(?:^|: )[Ff]atal error: (?<message>.{1,1200}): file (?<file>\S.{0,300}), line (?<line>\d{1,7})$/,
      raises: true,
    },
    {
      language: 'swift',
      example: 'Shop/Cart.swift:12: Fatal error: Index out of range',
      line: /^(?<file>[^\s:]{1,300}\.swift):(?<line>\d{1,7}): (?:Fatal error|Assertion failed|Precondition failed): (?<message>.{1,1200})$/,
      raises: true,
    },
    {
      language: 'swift',
      example: '0x55f9ab8dc82b, Shop.Cart.total(items: Swift.Int) -> () at /src/shop/Sources/Shop/Cart.swift:80',
      line: /^(?:\+ )?0x[0-9a-f]{4,16}, (?<name>\S.{0,1500}) at (?<file>\/[^:]{1,300}|[^\s:]{1,300}):(?<line>\d{1,7})$/,
    },
    {
      language: 'swift',
      example: 'specialized Cart.total(items:) + 4 (Cart.swift:59)',
      line: /^(?<name>[\w.@$ ]{1,300}(?:\([\w:]{0,200}\))?) \+ \d{1,9} \((?<file>[^()\s:]{1,200}\.swift):(?<line>\d{1,7})\)$/,
    },
    {
      language: 'swift',
      example: 'specialized Cart.total(items:) + 260',
      line: /^(?<name>(?:specialized )?\w{1,100}\.[\w.]{1,200}\([\w:]{0,200}\)) \+ \d{1,9}$/,
    },
  ],
  errors: [
    {
      line: /(?:ERROR|WARNING): (?<type>\w{1,20}Sanitizer): (?<message>[^(]{1,200}?)(?: on (?:unknown )?address.{0,400}| \(p(?:id=|c ).{0,400})?$/,
    },
    { line: /: (?<type>runtime error): (?<message>.{1,400})$/ },
    { line: /(?:received|terminated with) signal (?:(?<type>SIG[A-Z]{2,8})|\d{1,2}), (?<message>[^.]{1,80})\.?$/ },
    { line: /^\*{3} Program crashed: (?<message>.{1,300}?) \*{3}$/ },
    { line: /\bstop reason = (?<message>.{1,300})$/ },
    { line: /throwing an instance of '(?<type>[^']{1,200})'$/ },
    { line: /(?<type>Assertion) [`'](?<message>.{1,400})' failed\b/ },
    {
      line: /^(?<message>(?:Invalid (?:read|write|free)|Conditional jump or move|Use of uninitiali[sz]ed|Syscall param|Mismatched free)\b.{0,200})$/,
    },
    { line: /^Fatal Exception: (?<type>[\w.]{1,200})(?:: (?<message>.{1,600}))?$/ },
    { line: /^[Ff]atal error: (?<message>.{1,1200})$/ },
    { line: /: (?<message>[A-Z][\w ]{3,60} - code [0-9a-f]{8}) / },
  ],
  reach: 14,
};

const HASKELL: FrameTable = {
  hint: /, called at /,
  innermostLast: false,
  names: 'called',
  gap: 1,
  forms: [
    {
      language: 'haskell',
      example: 'error, called at src/Shop/Cart.hs:12:10 in shop-1.0:Shop.Cart',
      line: /^(?<name>\S{1,100}), called at (?<file>[^\s:]{1,300}):(?<line>\d{1,7}):\d{1,7} in (?<of>[^\s:]{1,100}):\S{1,200}$/,
    },
  ],
  errors: [{ line: /^(?:[\w.-]{1,60}: )?(?<message>\S.{0,600})$/, before: /^\s*CallStack \(from / }],
  reach: 2,
};

const LUA: FrameTable = {
  hint: /:\d{1,7}: in |\[C\]: in /,
  innermostLast: false,
  names: 'function',
  gap: 1,
  forms: [
    {
      language: 'lua',
      example: "lua/shop/cart.lua:12: in function 'total'",
      line: /^(?:\[string ")?(?<file>[^\s'"]{1,300}?)(?:"\])?:(?<line>\d{1,7}): in (?:(?:upvalue|local|field|method|global|function) '(?<name>[^']{1,100})'|function <.{1,300}>|main chunk)$/,
    },
    {
      language: 'lua',
      example: "[C]: in function 'error'",
      line: /^\[C\]: in (?:(?:upvalue|local|field|method|global|function) '(?<name>[^']{1,100})'|\?)$/,
      amongOthers: true,
    },
  ],
  errors: [{ line: /:\d{1,7}: (?<message>\S.{0,600})$/, before: /^\s*stack traceback:/ }],
  reach: 2,
};

const PERL: FrameTable = {
  hint: / at \S{1,300} line \d/,
  innermostLast: false,
  names: 'called',
  gap: 1,
  forms: [
    {
      language: 'perl',
      example: 'Shop::Cart::total("apple") called at lib/Shop/Cart.pm line 12',
      line: /^(?<name>[\w:]{1,200})\(.{0,1500}\) called at (?<file>\S{1,300}) line (?<line>\d{1,7})\.?$/,
    },
    {
      language: 'perl',
      example: 'no price at lib/Shop/Cart.pm line 12.',
      line: /^(?<message>\S.{0,800}?) at (?<file>\S{1,300}) line (?<line>\d{1,7})\.?$/,
      before: /\) called at \S{1,300} line \d/,
      raises: true,
    },
  ],
  errors: [],
  reach: 0,
};

/** Each line belongs to the first that reads it: the strictest come first. */
export const FRAME_TABLES: readonly FrameTable[] = [
  RUBY_NUMBERED,
  PHP_CALL_STACK,
  HASKELL,
  LUA,
  PERL,
  ELIXIR,
  DART,
  NATIVE,
  PHP,
  RUBY,
];
