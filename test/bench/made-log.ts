// Writes long logs of made lines, the same in each run.
import { open } from 'node:fs/promises';

/** What broke it. */
export const CAUSE = 'TypeError: Cannot read properties of undefined (reading total)';

/** About so many bytes: the log of a job of Actions, its cause near its beginning. */
export async function writeMadeLog(file: string, size: number): Promise<void> {
  await using out = await open(file, 'w');
  const next = made();
  let written = 0;
  const put = async (lines: readonly string[]) => {
    const text = `${lines.map((line) => `2024-05-01T10:00:00.1234567Z ${line}`).join('\n')}\n`;
    await out.write(text);
    written += Buffer.byteLength(text);
  };
  await put(['##[group]Run npm test', '\u001b[36;1mnpm test\u001b[0m', '##[endgroup]', ...lines(next, 2_000)]);
  await put([`  ● cart › adds`, `    ${CAUSE}`, '      at add (src/cart.ts:12:3)']);
  while (written < size - 4_000) await put(lines(next, Math.min(500, Math.ceil((size - written) / 90))));
  await put([
    'Tests:       1 failed, 20000 passed',
    '##[error]Process completed with exit code 1.',
    'Post job cleanup.',
  ]);
}

function lines(next: (below: number) => number, count: number): readonly string[] {
  return Array.from({ length: count }, () => line(next));
}

const SYLLABLES = [
  'ca',
  'rt',
  'shop',
  'ta',
  'lo',
  'gu',
  'mer',
  'chant',
  'or',
  'der',
  'si',
  'ze',
  'ped',
  'al',
  'bu',
  'ild',
];

/** One line of 25 holds words of a failure, of which most tell nothing. */
function line(next: (below: number) => number): string {
  const word = () => Array.from({ length: 2 + next(3) }, () => SYLLABLES[next(SYLLABLES.length)]).join('');
  switch (next(25)) {
    case 0:
      return (
        [
          `warning: ${word()} failed to load ${word()}`,
          `${word()}: 0 errors, ${next(90)} warnings`,
          `Error: ${word()} of ${word()} ${next(9_000)}`,
        ][next(3)] ?? ''
      );
    case 1:
      return `  PASS test/${word()}/${word()}.test.ts (${next(9)}.${next(999)} s)`;
    case 2:
      return `      at ${word()} (/home/runner/work/shop/shop/src/${word()}.ts:${next(900)}:${next(80)})`;
    default:
      return `[${next(100)}%] Building ${word()} ${word()}/${word()}/${word()}.o ${next(1_000_000).toString(16)} ${word()} in ${next(9_000)} ms`;
  }
}

/** The same numbers in each run. */
function made(): (below: number) => number {
  let state = 7;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
