// Kills the service at a write of a proof of somebody else's pull request, and looks at what is left: one of each.
import type { FaultRule, Moment } from 'causeway-github-double';
import { expect } from 'vitest';
import { openProvingShop, SHOWS, writeTests } from './foreign-proof.ts';
import type { GithubStage } from './github-stage.ts';

/** In their order. The pull request is number 1 of its repository, the draft number 2. */
export const FOREIGN_WRITES: Readonly<Record<string, Pick<FaultRule, 'method'> & { readonly below: string }>> = {
  eyes: { method: 'POST', below: '/issues/comments/\\d+/reactions' },
  reply: { method: 'POST', below: '/issues/1/comments' },
  'check run': { method: 'POST', below: '/check-runs' },
  tree: { method: 'POST', below: '/git/trees' },
  commit: { method: 'POST', below: '/git/commits' },
  branch: { method: 'POST', below: '/git/refs' },
  draft: { method: 'POST', below: '/pulls' },
  lock: { method: 'PUT', below: '/issues/2/lock' },
  'check run again': { method: 'PATCH', below: '/check-runs/\\d+' },
  closing: { method: 'PATCH', below: '/pulls/2' },
  deletion: { method: 'DELETE', below: '/git/refs/.*' },
};

export async function expectOneForeignProof(stage: GithubStage, write: string, moment: Moment): Promise<void> {
  const name = `corner/killed-${write.replaceAll(' ', '-')}-${moment.replace('_', '-')}`;
  const shop = await openProvingShop(stage, name);
  const pull = await shop.pull({
    'test/lower-case.test.js': writeTests({ 'takes lower case': SHOWS }),
    'src/coupons.js': await shop.mended(),
  });
  let up: Promise<unknown> | null = null;
  const { method, below } = FOREIGN_WRITES[write]!;
  const act = async () => {
    await stage.service().end('SIGKILL');
    up = stage.restart();
  };
  const where = { ...(method !== undefined && { method }), path: new RegExp(`^/repos/${name}${below}$`) };
  stage.double.faults.add({ ...where, fault: { kind: 'meanwhile', moment, act } });
  stage.double.people.comment(name, pull.number, { by: 'mara', body: '/analyse prove' });
  const sha = pull.pull?.headSha ?? '';
  await stage.until('the end of the proof', async () => {
    await up;
    await shop.settle();
    return up !== null && shop.proofAt(sha)?.conclusion === 'success' && (await shop.branches()).length === 0;
  });
  await shop.settle();
  const runs = [...stage.double.repository(name).checkRuns.values()];
  expect(runs.filter((run) => run.name === 'Causeway / proof')).toHaveLength(1);
  expect(shop.drafts().map(({ state, locked }) => [state, locked])).toEqual([['closed', true]]);
  expect(shop.started().filter((event) => event === 'pull_request')).toHaveLength(2);
  expect(stage.ourComments(name, pull.number)).toHaveLength(1);
}
