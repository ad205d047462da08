// Whether a change breaks a file, by real grammars.
import { describe, expect, it } from 'vitest';
import { checkSyntax } from '../../../src/investigate/tools/syntax.ts';
import { cpuTime } from '../../support/cpu-time.ts';

const SOUND: Readonly<Record<string, string>> = {
  'a.ts': 'export const a: number = 1 satisfies number;\n',
  'a.tsx': 'export const A = () => <b>{1}</b>;\n',
  'a.js': 'class A { #x = 1; has(o) { return #x in o; } }\n',
  'a.jsx': 'const a = <></>;\n',
  'a.py': 'def f[T](x: T) -> T:\n    match x:\n        case _:\n            return x\n',
  'a.go': 'package a\n\nfunc F[T any](x T) T { return x }\n',
  'A.java': 'record P(int x) { int y() { return switch (x) { case 1 -> 2; default -> 3; }; } }\n',
  'a.rs': 'fn f() { let Some(x) = g() else { return; }; }\n',
  'a.rb': 'def f(x) = x + 1\n',
  'a.php': '<?php\nfinal readonly class A { public function __construct(private int $x) {} }\n',
  'a.cs': 'record P(int X) { int[] Y => [1, ..Z]; }\n',
  'a.cpp': 'template <typename T> auto f(T x) { return x; }\n',
  'a.css': '.a { color: red; }\n',
  'a.sh': 'if [ -n "$1" ]; then echo x; fi\n',
  'a.json': '{ "a": [1, 2] }\n',
};
const BROKEN = '\n}} ((( "\n';

describe('a file that parsed', () => {
  it.each(Object.entries(SOUND))(
    '%s still parses as it is, and does not with rubbish at its end',
    async (path, text) => {
      expect(await checkSyntax(path, text, text)).toEqual({ ok: true });
      expect(await checkSyntax(path, text, text + BROKEN)).toMatchObject({ ok: false, line: expect.any(Number) });
    },
  );

  it('gets the line of the fault and what is there', async () => {
    const before = 'const a = 1;\nconst b = 2;\nconst c = 3;\n';
    expect(await checkSyntax('x.ts', before, before.replace('b = 2', 'b = = 2'))).toMatchInlineSnapshot(`
      {
        "line": 2,
        "ok": false,
        "what": "cannot read "="",
      }
    `);
    expect(await checkSyntax('x.json', '{}', '{\n  "a": 1\n  "b": 2\n}')).toMatchInlineSnapshot(`
      {
        "line": 3,
        "ok": false,
        "what": "it is not valid JSON",
      }
    `);
    expect(await checkSyntax('x.py', 'f()\n', 'f(\n')).toMatchObject({ ok: false });
  });

  it('may begin with a byte order mark and end its lines with CRLF', async () => {
    expect(await checkSyntax('x.ts', '\ufeffa();\r\n', '\ufeffb();\r\n')).toEqual({ ok: true });
    expect(await checkSyntax('x.json', '\ufeff{}\r\n', '\ufeff[]\r\n')).toEqual({ ok: true });
  });

  it('is judged soon however hard it is made for the parser', async () => {
    // Without a limit the first of these takes minutes.
    for (const path of ['a.cpp', 'a.ts', 'a.py']) {
      expect(await checkSyntax(path, SOUND[path] ?? '', '}{)(<>;*&'.repeat(14_000))).toMatchObject({ ok: false });
    }
  });

  it('is judged the same way again and again', async () => {
    for (let round = 0; round < 300; round += 1) {
      expect(await checkSyntax('x.py', 'f()\n', `f(${round})\n`)).toEqual({ ok: true });
      expect(await checkSyntax('x.py', 'f()\n', `f(${round}))\n`)).toMatchObject({ ok: false });
    }
  });
});

describe('what is not judged', () => {
  it('is a file that did not parse before', async () => {
    expect(await checkSyntax('x.ts', 'const = ;', 'const = = ;')).toEqual({ ok: true });
    expect(await checkSyntax('x.json', '{,}', '{,,}')).toEqual({ ok: true });
  });

  it('is a language that no grammar knows, or a file without one', async () => {
    for (const path of ['x.txt', 'Makefile', 'x.constructor', '.ts', 'x.unknown']) {
      expect(await checkSyntax(path, 'a', BROKEN)).toEqual({ ok: true });
    }
  });

  it('is a file over 128 KiB', async () => {
    expect(await checkSyntax('x.ts', 'a();\n'.repeat(30_000), BROKEN)).toEqual({ ok: true });
  });

  it('is a new file in a language of macros and dialects, or with types that no grammar here knows', async () => {
    expect(await checkSyntax('x.h', null, 'Q_OBJECT slots: (((')).toEqual({ ok: true });
    expect(await checkSyntax('x.js', null, '// @flow\ntype A = {| a: ?string |};\n')).toEqual({ ok: true });
  });

  it('is no comment in a JSON file that is read with comments', async () => {
    const text = '{\n  // "why": http://x\n  "a": "// no comment, }", /* b */\n  "c": [1,],\n}\n';
    expect(await checkSyntax('tsconfig.json', null, text)).toEqual({ ok: true });
    expect(await checkSyntax('packages/a/tsconfig.build.json', '{}', text)).toEqual({ ok: true });
    expect(await checkSyntax('.vscode/settings.json', null, text)).toEqual({ ok: true });
    expect(await checkSyntax('tsconfig.json', null, `${text}}`)).toMatchObject({ ok: false });
    expect(await checkSyntax('package.json', '{}', text)).toMatchObject({ ok: false });
  });
});

describe('a new file', () => {
  it('is judged where the grammar is sure', async () => {
    expect(await checkSyntax('x.py', null, 'def f(:\n')).toMatchObject({ ok: false });
    expect(await checkSyntax('x.json', null, '{')).toMatchObject({ ok: false });
    expect(await checkSyntax('x.ts', null, 'export const a = 1;\n')).toEqual({ ok: true });
  });
});

it('a file that is read with comments is judged at once, though a string or a comment never ends', async () => {
  const work = async () => {
    for (const piece of ['\\"', '/*', '"\\']) {
      const text = `{"a":1} ${piece.repeat(60_000)}`;
      expect(await checkSyntax('tsconfig.json', '{}', text)).toMatchObject({ ok: false });
    }
  };
  expect(await cpuTime(work)).toBeLessThan(3_000);
  expect(await checkSyntax('tsconfig.json', '{}', '{ /* a */ "a": "/* b", // c\n "d": [1,], }')).toEqual({ ok: true });
});
