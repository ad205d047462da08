// Secrets in whatever GitHub says of red checks: nothing that is stored holds one, and checks are known by their names all the same.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { noise } from '../../packages/redact/test/planted.ts';
import type { Checks } from '../../src/core/check/check.ts';
import { createBackfillHandler } from '../../src/services/backfill.ts';
import {
  BASE,
  CODE_LOG,
  HEAD,
  type HeadGround,
  headGround,
  OTHER_LOG,
  pullRequestPlace,
} from '../support/head-ground.ts';
import { ON_MAIN, ofActions, at as time } from '../support/store-samples.ts';
import { rowsOf } from '../support/stored-text.ts';

interface Planting {
  /** A token that is known by its form, another for each place. */
  token(place: string): string;
  /** A password that no rule knows: where it stands has to go. */
  password(place: string): string;
  /** Where what was planted stands in the database now. */
  found(): readonly string[];
  readonly file: string;
}

async function planted(work: (at: HeadGround, planting: Planting) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-secrets-'));
  try {
    const file = join(folder, 'causeway.db');
    await using at = await headGround(file);
    await work(at, plantingIn(file));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function plantingIn(file: string): Planting {
  const secrets = new Map<string, string>();
  const plant = (place: string, secret: string) => {
    secrets.set(secret, place);
    return secret;
  };
  return {
    file,
    token: (place) => plant(place, ['gh', 'p_', noise(36, secrets.size + 1)].join('')),
    password: (place) => plant(place, `pass${noise(9, secrets.size + 100)}`),
    found: () => {
      const rows = rowsOf(file);
      return [...secrets].flatMap(([secret, place]) =>
        rows.filter((row) => row.includes(secret)).map((row) => `${place} in ${row.slice(0, row.indexOf(':'))}`),
      );
    },
  };
}

function addressOf({ token, password }: Planting, which: string): string {
  const login = `robot:${password(`${which} login`)}`;
  return `https://${login}@ci.test/run/${token(`${which} path`)}?key=${password(`${which} query`)}#${password(`${which} fragment`)}`;
}

/** A log with a token in a step's name, in its headline, and next to it. */
function logOf({ token }: Planting, which: string, log = CODE_LOG): string {
  return log
    .replace('##[group]Run pytest', `##[group]Run pytest --token ${token(`${which} step`)}`)
    .replace("'sum'", `'${token(`${which} headline`)}'`)
    .replace('Traceback', `using ${token(`${which} line`)}\nTraceback`);
}

function redCheck(at: HeadGround, planting: Planting, which: string, log?: string): void {
  const { token } = planting;
  const annotation = { path: `src/${token(`${which} path of an annotation`)}.py`, line: 1, endLine: 1 };
  const texts = { title: token(`${which} annotation title`), message: token(`${which} annotation`) };
  at.run(`deploy ${token(`${which} name`)}`, 'red', {
    log: logOf(planting, which, log),
    url: addressOf(planting, which),
    ...{ title: token(`${which} title`), summary: token(`${which} summary`), text: token(`${which} text`) },
    words: { annotations: [{ ...annotation, ...texts, level: 'failure' }] },
  });
  const status = { app: '', runId: null, url: addressOf(planting, `${which} status`) };
  at.run(`status ${token(`${which} status name`)}`, 'red', { ...status, title: token(`${which} description`) });
}

/** Reads a range whose commits hold tokens. */
function rangeWith(at: HeadGround, { token }: Planting): { readonly checks: Checks } {
  const range: Checks['readRange'] = async (...asked) => {
    const found = await at.deps.checks.readRange(...asked);
    if (found === null) return null;
    const commits = found.commits.map(({ sha }) => ({
      sha,
      author: token('author'),
      subject: `Use ${token('subject')} ${'x'.repeat(165)} ${token('end of a subject')}`,
    }));
    return { ...found, commits };
  };
  return { checks: { ...at.deps.checks, readRange: range } };
}

describe('secrets in what is said of red checks', () => {
  it('of a pull request are not stored', () =>
    planted(async (at, planting) => {
      const base = { branch: `release-${planting.token('base branch')}`, sha: BASE };
      at.world.places.set(HEAD, pullRequestPlace({ branch: `feature-${planting.token('branch')}`, base }));
      redCheck(at, planting, 'red');
      const left = `left out ${planting.token('left out')}`;
      at.run(left, 'red', { log: OTHER_LOG });
      at.world.rules = { ...at.world.rules, exclude: ['left out *'] };
      at.run(`slow ${planting.token('waiting')}`, 'waiting');
      at.seconds = 20 * 60;
      const { head } = await at.look();
      expect(head).toMatchObject({ state: 'red', stillWaiting: ['slow [redacted]'] });
      expect(head.leftOut).toMatchObject([{ name: 'left out [redacted]' }]);
      expect(head.findings.flatMap(({ checks }) => checks.map(({ url }) => url))).toContain(
        'https://ci.test/run/[redacted]',
      );
      expect(rowsOf(planting.file).join('\n')).toContain('deploy [redacted]');
      expect(planting.found()).toEqual([]);
    }));

  it('of the default branch are not stored, nor those of what lies between green and red', () =>
    planted(async (at, planting) => {
      const name = `deploy ${planting.token('name')}`;
      const between = ['a'.repeat(40), HEAD];
      at.world.history.push(BASE, ...between);
      at.world.places.set(HEAD, ON_MAIN);
      await at.store.recordPassingCheck(at.project.id, {
        check: ofActions('deploy [redacted]'),
        sha: BASE,
        at: time(-100),
      });
      at.run(name, 'red', { log: logOf(planting, 'red') });
      const { head } = await at.look(HEAD, rangeWith(at, planting));
      const { failureId, investigationId } = head.findings[0]!;
      expect((await at.store.findFailure(failureId))?.range).toMatchObject({
        total: 2,
        commits: between
          .toReversed()
          .map((sha) => ({ sha, author: '[redacted]', subject: `Use [redacted] ${'x'.repeat(165)} [redacted]` })),
      });
      expect(await at.reportOf(investigationId)).toContain('Use [redacted]');
      expect(planting.found()).toEqual([]);
    }));

  it('leave a check known by its name: green again, it closes what it was red of', () =>
    planted(async (at, planting) => {
      const name = `deploy ${planting.token('name')}`;
      at.world.places.set(HEAD, ON_MAIN);
      at.run(name, 'red', { log: CODE_LOG });
      const { head } = await at.look();
      const next = 'd'.repeat(40);
      at.world.history.push(HEAD, next);
      at.world.places.set(next, ON_MAIN);
      at.seconds = 60;
      at.run(name, 'green', { sha: next });
      await at.look(next);
      expect(await at.store.findFailure(head.findings[0]!.failureId)).toMatchObject({ state: 'closed' });
      expect(planting.found()).toEqual([]);
    }));

  it('of the past are not stored', () =>
    planted(async (at, planting) => {
      redCheck(at, planting, 'past');
      at.run('test', 'red', { branch: `feature-${planting.token('branch')}`, pullRequest: 3, log: OTHER_LOG });
      const since = time(-14 * 24 * 3_600);
      const begun = { state: 'waiting', since, forecast: null } as const;
      await at.store.saveBackfill({ projectId: at.project.id, ...begun }, time(0));
      const job = { id: 'job_1', kind: 'backfill', subject: at.project.id, attempt: 1 } as const;
      const handler = createBackfillHandler({ ...at.deps, store: at.store });
      await handler.handle(job, new AbortController().signal);
      const seen = rowsOf(planting.file).join('\n');
      expect(seen).toContain('deploy [redacted]');
      expect(seen).toContain('feature-[redacted]');
      expect(planting.found()).toEqual([]);
    }));
});
