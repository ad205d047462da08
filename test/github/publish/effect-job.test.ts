// What follows when an effect on GitHub fails: the job comes back, rests, or fails.
import { describe, expect, it } from 'vitest';
import { CausewayError } from '../../../src/core/errors.ts';
import { GithubFailure } from '../../../src/github/clients/github-clients.ts';
import { createEffectHandler, runLater } from '../../../src/github/publish/github-calls.ts';
import { createLog } from '../../../src/log.ts';
import { SIGNAL } from '../../git/open-project.ts';

const NOW = '2026-03-01T12:00:00.000Z';
const house = { log: createLog({ level: 'silent' }), now: () => new Date(NOW) };

/** A job whose effect fails. */
async function failed(error: Error, signal = SIGNAL) {
  const bringUp = async () => {
    throw error;
  };
  const handler = createEffectHandler(house, {
    ...{ subject: 'head', bringUp, shut: 'shut', dead: 'dead' },
    afterOther: (subject, other) => (other === OWN ? { kind: 'later', runAt: `of ${subject}` } : null),
  });
  return await handler.handle({ id: 'job_1', kind: 'check-run', subject: 'hed_1', attempt: 1 }, signal);
}

const OWN = new Error('of the job itself');

function github(kind: GithubFailure['kind'], retryAt: string | null = null): GithubFailure {
  return new GithubFailure(
    { kind, status: null, retryAt: retryAt === null ? null : new Date(retryAt) },
    'GitHub failed.',
  );
}

describe('a job that writes on GitHub', () => {
  it('comes back when GitHub says, a minute later where it names no time, sooner where the answer was lost', async () => {
    const named = '2026-03-01T12:34:56.000Z';
    expect(await failed(github('busy', named))).toEqual({ kind: 'later', runAt: named });
    expect(await failed(github('busy'))).toEqual(runLater(house, 60_000));
    expect(await failed(github('unsure'))).toEqual({ kind: 'later', runAt: '2026-03-01T12:00:15.000Z' });
  });

  it.each(['gone', 'refused'] as const)('rests where something is %s', async (kind) => {
    expect(await failed(github(kind))).toEqual({ kind: 'done' });
  });

  it('knows failures of its own, and fails with any other', async () => {
    expect(await failed(OWN)).toEqual({ kind: 'later', runAt: 'of hed_1' });
    const other = new CausewayError('internal', 'It broke.');
    await expect(failed(other)).rejects.toBe(other);
  });

  it('that was stopped ends with the reason, whatever failed', async () => {
    const reason = new Error('The house stops.');
    await expect(failed(github('unsure'), AbortSignal.abort(reason))).rejects.toBe(reason);
    await expect(failed(OWN, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
