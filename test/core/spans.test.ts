// Where definitions end, in each way that languages end them.

import { readOutline } from 'causeway-git-objects';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findDocstring, findSpans } from '../../src/core/source/spans.ts';

/** `first-last owner.name` of each definition. */
function spans(path: string, text: string): readonly string[] {
  return findSpans(path, text, readOutline(path, text)).map(
    ({ line, lastLine, owner, name }) => `${line}-${lastLine} ${owner === '' ? '' : `${owner}.`}${name}`,
  );
}

describe('spans', () => {
  it('of Python end where the indentation does, not at strings, comments or brackets at the margin', () => {
    const text = `import os


@decorated
class Cart(Base):
    """Holds
things."""

    async def total(
        self,
    ) -> int:
        query = """
select 1
"""
# a comment at the margin
        def each(item):
            return item

        return sum(map(each, query))

    limit = 3


def main():
    pass
`;
    expect(spans('cart.py', text)).toEqual(['5-21 Cart', '9-19 Cart.total', '16-17 Cart.total.each', '24-25 main']);
  });

  it('of Python are not confused by three quotes in comments, and in other strings', () => {
    const text = `def is_quoted(value):  # not like """ here
    return value.startswith(('"""', "'''", r'"""'))

def after():
    """A text with a quote ' in it
at the margin
    """
    return 1

def last():
    pass
`;
    expect(spans('lines.py', text)).toEqual(['1-2 is_quoted', '4-8 after', '10-11 last']);
  });

  it('of TypeScript end at the brace that stands where they begin, after parameters over several lines as well', () => {
    const text = `export class Cart<
  T,
> extends Base {
  constructor(private readonly db: Db) {}

  /**
   * Adds up.
   */
  total(
    { prices }: Options = {},
  ): number {
    return prices.map((p) => {
      return p;
    });
  }
}

export function view({
  a,
}: Props) {
  return \`
not the end
\`;
}

export const pick = (a: string) => a;
type Shape = {
  a: 1;
};
`;
    expect(spans('cart.ts', text)).toEqual([
      '1-16 Cart',
      '4-4 Cart.constructor',
      '9-15 Cart.total',
      '18-24 view',
      '26-26 pick',
      '27-29 Shape',
    ]);
  });

  it('of Java leave out the comments and annotations of what follows', () => {
    const text = `class A {
  A() {}

  /** Of b. */
  @Override
  void b(
      int a, int b) {
    run();
  }

  // Of c.
  int c() { return 1; }
}
`;
    expect(spans('A.java', text)).toEqual(['1-13 A', '2-2 A.A', '6-9 A.b', '12-12 A.c']);
    expect(findSpans('A.java', text, readOutline('A.java', text)).map(({ leadLine }) => leadLine)).toEqual([
      1, 2, 4, 11,
    ]);
  });

  it('of Go take labels at the margin as inside, and name the receiver as owner', () => {
    const text = `func (s *Store) Get(
	key string,
) (string, error) {
outer:
	for {
		break outer
	}
	return "", nil
}

type Store struct {
	a int
}
`;
    expect(spans('store.go', text)).toEqual(['1-9 Store.Get', '11-13 Store']);
  });

  it('of Rust go past constraints', () => {
    const text = `impl<T> Cart<T>
where
    T: Into<u32>,
{
    pub fn total(&self) -> u32
    where
        T: Copy,
    {
        1
    }
}

fn one() -> u32 { 1 }
`;
    expect(spans('cart.rs', text)).toEqual(['1-11 Cart', '5-10 Cart.total', '13-13 one']);
  });

  it('of C and C# begin with a brace on a line of its own', () => {
    expect(
      spans('a.c', 'int add(int a)\n{\n#if X\n  return 1;\n#endif\n}\n\nint b(void)\n{\n  return 2;\n}\n'),
    ).toEqual(['1-6 add', '8-11 b']);
    expect(spans('A.cs', 'class A\n{\n  void B()\n  {\n    Run();\n  }\n}\n')).toEqual(['1-7 A', '3-6 A.B']);
  });

  it('of Kotlin, PHP and Ruby', () => {
    expect(spans('a.kt', 'fun a(x: Int): Int =\n    x + 1\n\nfun b() {\n    a(1)\n}\n')).toEqual(['1-2 a', '4-6 b']);
    expect(spans('a.php', '<?php\nclass A\n{\n    public function b()\n    {\n        return 1;\n    }\n}\n')).toEqual([
      '2-8 A',
      '4-7 A.b',
    ]);
    const ruby = 'class A\n  def b\n    run do |x|\n      x\n    end\n  rescue\n    1\n  end\n\n  def c = 2\nend\n';
    expect(spans('a.rb', ruby)).toEqual(['1-11 A', '2-8 A.b', '10-10 A.c']);
  });

  it('of Swift, Dart and Elixir', () => {
    expect(spans('a.swift', 'struct A {\n  func b(\n    c: Int\n  ) -> Int {\n    c\n  }\n}\n')).toEqual([
      '1-7 A',
      '2-6 A.b',
    ]);
    expect(
      spans('a.dart', 'class A {\n  Future<int> b() async {\n    return c();\n  }\n\n  int d() => 1;\n}\n'),
    ).toEqual(['1-7 A', '2-4 A.b', '6-6 A.d']);
    const elixir =
      'defmodule A do\n  def b(x) do\n    if x do\n      1\n    end\n  rescue\n    _ -> 2\n  end\n\n  def c(x), do: x\n\n  def d(\n        x\n      ) do\n    x\n  end\nend\n';
    expect(spans('a.ex', elixir)).toEqual(['1-17 A', '2-8 A.b', '10-10 A.c', '12-16 A.d']);
  });

  it('of lines of a megabyte are found as those of short ones', () => {
    const closing = `}${' '.repeat(1_000_000)}x {`;
    expect(spans('a.ts', `function f() {\n  run();\n${closing}\nfunction g() {}\n`)).toEqual(['1-3 f', '4-4 g']);
    const ruby = `def a\n  run\nend${' '.repeat(1_000_000)}x\ndef b\n  run\nend\n`;
    expect(spans('a.rb', ruby)).toEqual(['1-3 a', '4-6 b']);
  });

  it('of Python have their docstring below the whole head, whatever long lines it has', () => {
    const hostile = `${':#'.repeat(500_000)}\u2028x`;
    const docstring = (...lines: readonly string[]) => {
      const span = {
        name: 'f',
        kind: 'function',
        owner: '',
        leadLine: 1,
        line: 1,
        lastLine: lines.length,
        inner: false,
      } as const;
      return findDocstring((line) => lines[line - 1] ?? '', span);
    };
    expect(docstring('def f(', `    ${hostile}`, '    """Says', '    more."""', '    pass')).toEqual({
      from: 3,
      to: 4,
    });
    expect(docstring('def f(', '    a,', '):  # why', '    """Says."""', '    pass')).toEqual({ from: 4, to: 4 });
    expect(docstring('def f(', '    a: int,', ') -> b:', '    pass')).toEqual({ from: 0, to: -1 });
  });

  it('end where they begin in more depth than anybody nests', () => {
    const depth = 60;
    const open = Array.from({ length: depth }, (_, index) => `${' '.repeat(index)}class C${index} {`);
    const close = Array.from({ length: depth }, (_, index) => `${' '.repeat(depth - 1 - index)}}`);
    const found = spans('a.ts', [...open, ...close].join('\n'));
    expect(found[29]).toMatch(/^30-91 /);
    expect(found[30]).toMatch(/^31-31 /);
  });

  it('mark what lies in a function', () => {
    const text = 'def a():\n    def b():\n        pass\n    return b\n';
    expect(findSpans('a.py', text, readOutline('a.py', text)).map(({ inner }) => inner)).toEqual([false, true]);
  });

  it('hold their first line, lie in the text and within what encloses them, whatever the text', () => {
    const line = fc.constantFrom(
      'def a():',
      '  def b(',
      '    class C:',
      '):',
      '}',
      '{',
      '  }',
      'function f() {',
      'end',
      '"""',
      '',
      '# x',
      '  return 1',
      'class D {',
      '`',
    );
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 40 }),
        fc.constantFrom('a.py', 'a.ts', 'a.rb', 'a.java'),
        (lines, path) => {
          const text = lines.join('\n');
          const found = findSpans(path, text, readOutline(path, text));
          for (const [index, span] of found.entries()) {
            expect(span.leadLine).toBeLessThanOrEqual(span.line);
            expect(span.lastLine).toBeGreaterThanOrEqual(span.line);
            expect(span.lastLine).toBeLessThanOrEqual(Math.max(1, lines.length));
            for (const outer of found.slice(0, index)) {
              if (outer.lastLine >= span.line) expect(span.lastLine).toBeLessThanOrEqual(outer.lastLine);
            }
          }
        },
      ),
    );
  });
});
