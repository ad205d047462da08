// A proof that Causeway itself fails at, try after try.
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createProveHandler } from '../../../src/github/prove/prove-job.ts';
import type { PublishDeps } from '../../../src/github/publish/index.ts';
import { openGithub } from '../../contract/engine.ts';
import { sqlite } from '../../contract/sqlite-place.ts';
import { at, NOW, SHA, WRITER } from '../../support/store-samples.ts';

it('ends, so that the next of the repository has its turn, and what it has made is still taken away', async () => {
  await using opened = await openGithub(sqlite);
  const { store, project } = opened;
  const ask = (id: string, pullRequest: number) =>
    store.askProof(
      { id, projectId: project.id, pullRequest, head: SHA, commentId: pullRequest, askedBy: WRITER, askedAt: NOW },
      { now: NOW, limit: 6 },
    );
  await ask('prf_1', 5);
  expect(await ask('prf_2', 6)).toMatchObject({ ahead: { id: 'prf_1' } });
  const deps = { store, log: pino({ enabled: false }), now: () => new Date(at(1)) } as Partial<PublishDeps>;
  const { dead } = createProveHandler(deps as PublishDeps);
  const claim = { id: 'job_1', kind: 'prove', subject: 'prf_1', attempt: 5 } as const;
  for (const error of [new Error('the mirror is broken'), new Error('and its end as well')]) await dead(claim, error);
  expect(await store.findForeignProof('prf_1')).toMatchObject({
    progress: { phase: 'ended', result: { kind: 'refused', because: { code: 'failed' } }, isTidy: false },
  });
  expect(await ask('prf_3', 7)).toMatchObject({ kind: 'asked', ahead: { id: 'prf_2' } });
  expect((await opened.jobs()).filter(({ kind }) => kind === 'prove').map(({ subject }) => subject)).toEqual(
    expect.arrayContaining(['prf_1', 'prf_2']),
  );
});
