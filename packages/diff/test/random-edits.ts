// Random texts and edits of them, with what line differs get wrong: CR, CRLF, no final newline, empty lines, repeats, look-alikes.
import fc from 'fast-check';

const COMMON = [
  '',
  '',
  'a',
  'b',
  '}',
  '  }',
  'a\r',
  'b\r',
  '\r',
  'x\ry',
  ' ',
  '\tz',
  'é',
  'e\u0301',
  '😀',
  '\ufeffa',
  '\u2028',
];
const LOOK_ALIKES = [
  'diff --git a/x b/x',
  '-- a/x',
  '++ b/x',
  '@@ -1 +1 @@',
  '\\ No newline at end of file',
  '+',
  '-',
  '/dev/null',
];

const line = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...COMMON) },
  { weight: 1, arbitrary: fc.constantFrom(...LOOK_ALIKES) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => text.replace(/[\n\0]/g, '')) },
);
const lines = fc.array(line, { maxLength: 12 });

function join(parts: readonly string[], final: boolean): string {
  return parts.length > 0 && final ? `${parts.join('\n')}\n` : parts.join('\n');
}

/** Any text: from the empty one to a dozen lines, with and without a final newline. */
export const randomText = fc.tuple(lines, fc.boolean()).map(([parts, final]) => join(parts, final));

const place = fc.oneof(fc.constant(0), fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true }));
const step = fc.record({
  kind: fc.constantFrom('insert', 'delete', 'replace', 'repeat', 'move', 'crlf', 'lf', 'clear'),
  at: place,
  count: fc.integer({ min: 1, max: 4 }),
  fresh: fc.array(line, { minLength: 1, maxLength: 4 }),
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function edit(parts: readonly string[], { kind, at, count, fresh }: Step): string[] {
  const out = [...parts];
  const index = Math.round(at * out.length);
  switch (kind) {
    case 'insert':
      out.splice(index, 0, ...fresh);
      break;
    case 'delete':
      out.splice(Math.max(0, index - 1), count);
      break;
    case 'replace':
      out.splice(Math.max(0, index - 1), count, ...fresh);
      break;
    case 'repeat':
      out.splice(index, 0, ...out.slice(index, index + count));
      break;
    case 'move':
      out.unshift(...out.splice(index, count));
      break;
    case 'crlf':
      return out.map((text) => (text.endsWith('\r') ? text : `${text}\r`));
    case 'lf':
      return out.map((text) => text.replace(/\r$/, ''));
    case 'clear':
      return count === 1 ? [] : out;
  }
  return out;
}

/** A text and what a few edits make of it; sometimes the same, sometimes with nothing in common. */
export const randomEdit = fc
  .tuple(lines, fc.array(step, { maxLength: 4 }), fc.boolean(), fc.boolean())
  .map(([parts, steps, finalBefore, finalAfter]) => ({
    before: join(parts, finalBefore),
    after: join(steps.reduce<string[]>(edit, [...parts]), finalAfter),
  }));
