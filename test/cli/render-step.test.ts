import { describe, expect, it } from 'vitest';
import { renderStep } from '../../src/cli/render.ts';

const step = {
  number: 7,
  action: 'blame src/coupons.js:14 at 484f10e',
  result: 'long',
  analysis: 'The line was last changed by 411bc46 on 2025-02-17, which is after the release.',
};

describe('a step in the terminal', () => {
  it('is one line: what was asked, and what it means as far as it fits', () => {
    expect(renderStep(step, { columns: 80, colour: false })).toMatchInlineSnapshot(
      `" 7  blame src/coupons.js:14 at 484f10e · The line was last changed by 411bc46 o…"`,
    );
    expect(renderStep(step, { columns: 120, colour: true })).toMatchInlineSnapshot(
      `"[36m 7[39m  blame src/coupons.js:14 at 484f10e[2m · The line was last changed by 411bc46 on 2025-02-17, which is after the release.[22m"`,
    );
  });

  it('never is wider than the terminal, and is one line whatever it holds', () => {
    const long = { ...step, number: 123, action: `search "${'日本 '.repeat(40)}"\n\u001b[2J`, analysis: 'x\ny' };
    const line = renderStep(long, { columns: 80, colour: false });
    expect(line).toMatch(/^123 {2}search "日本 日本.*…$/);
    expect(line).not.toMatch(/[\n\u001b]/);
  });
});
