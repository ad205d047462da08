// Red checks that could not be compared with green runs: they are judged all the same, and at once.
import { describe, expect, it } from 'vitest';
import { ChecksBusy } from '../../../src/core/check.ts';
import { asked, GREEN, green, greenGround, headline, redLog, SHOWN_ALONE } from '../../support/green-ground.ts';
import { HEAD, type HeadGround } from '../../support/head-ground.ts';
import { at as time } from '../../support/store-samples.ts';

describe('a verdict waits for no green run', () => {
  const busy = (at: HeadGround, verb: string, nth: number) => {
    at.world.before = (called) => {
      if (called === verb && asked(at, verb).length === nth) {
        throw new ChecksBusy('GitHub is busy.', new Date(time(600)));
      }
    };
  };

  it('whose log cannot be read just now, and asks for no other in that look', async () => {
    await using at = await greenGround();
    for (const name of ['sign', 'pack']) {
      await green(at, { name });
      at.run(name, 'red', { log: redLog(name) });
    }
    busy(at, 'said', 3);
    const { head, result } = await at.look();
    expect(result).toEqual({ kind: 'done' });
    expect(head.findings.map(({ excerpt }) => excerpt.headline.includes('no key'))).toEqual([false, false]);
    expect(asked(at, 'said')).toHaveLength(3);
  });

  it('whose commit cannot be placed just now, and what comes after asks again', async () => {
    await using at = await greenGround();
    await green(at);
    at.run('sign', 'red', { log: redLog() });
    busy(at, 'leads', 1);
    expect(await headline(at)).toBe(SHOWN_ALONE);
    const [failure] = await at.store.listFailures(at.project.id, { limit: 1 });
    expect(failure!.range).toMatchObject({ from: GREEN, to: HEAD });
  });

  it('that is read for too long: what was read without it stays', async () => {
    await using at = await greenGround();
    await green(at);
    at.run('sign', 'red', { log: redLog() });
    const { readCheck } = at.deps;
    const reading: typeof readCheck = (texts) =>
      readCheck(texts.passing === undefined ? texts : { name: texts.name, output: '', log: '', annotations: [] });
    const { head } = await at.look(HEAD, { readCheck: reading });
    expect(head.findings[0]!.excerpt.headline).toBe(SHOWN_ALONE);
  });
});
