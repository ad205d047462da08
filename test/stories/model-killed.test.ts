// A model's investigation that is killed, stopped or cancelled in the middle of a turn: nothing is lost, asked twice or made twice.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiClient } from '../support/api-client.ts';
import { expectOneFix } from '../support/expect-one-fix.ts';
import { turnsAsked } from '../support/held-model.ts';
import { type KillGround, killGround } from '../support/kill-rounds.ts';
import { modelKillRound } from '../support/model-kill-rounds.ts';
import { startService } from '../support/service.ts';
import { storedRun } from '../support/stored-run.ts';

describe('an investigation by a model', () => {
  let ground: KillGround;

  beforeAll(async () => {
    ground = await killGround();
  });
  afterAll(() => ground[Symbol.asyncDispose]());

  it('that is killed before an answer, right after a turn and right after a step ends in exactly one Issue and one webhook', async () => {
    const plan = {
      ...ground,
      kills: [
        { moment: 'asked', count: 1 },
        { recorded: 'turns', count: 2 },
        { recorded: 'steps', count: 1 },
      ] as const,
    };
    const result = await modelKillRound(plan, 'killed');
    // The kills came where they were meant to: in the middle of it.
    for (const [life, turns] of [0, 0, 2].entries()) {
      expect(result.lives[life]?.recorded).toBeGreaterThanOrEqual(turns);
    }
    await expectOneFix(plan, 'killed', result);
  });

  it('that is stopped in the middle of a turn lets the service end within ten seconds, and goes on at the next start', async () => {
    const { model, token, dataDir } = ground;
    const place = { projects: [ground.repository], dataDir, env: ground.settings };
    const held = model.at('asked', 3);
    await using first = await startService(place);
    const api = apiClient(first.address, token);
    const { id: projectId } = await api.project();
    const path = await api.report({ projectId, data: `${ground.report}\nstopped`, reference: 'stopped', fresh: true });
    await held;
    expect(await Promise.race([first.end('SIGTERM'), sleep(10_000, 'still running')])).toBe(0);
    expect((await storedRun(dataDir, 'stopped')).turns).toBe(2);
    model.release();
    const asked = turnsAsked(model).length;
    await using second = await startService(place);
    const issue = await apiClient(second.address, token).issue(path);
    expect(issue.analysis).toMatchObject({ outcome: 'code_fix', partial: false });
    expect(turnsAsked(model).slice(asked)).toEqual([2, 3, 4, 5]);
    expect((await storedRun(dataDir, 'stopped')).money.reserved).toBe(0);
    await second.end('SIGTERM');
  });

  it('that is cancelled in the middle of a turn gives up its question, and asks nothing more', async () => {
    const { model, token, dataDir } = ground;
    await using service = await startService({ projects: [ground.repository], dataDir, env: ground.settings });
    const api = apiClient(service.address, token);
    const { id: projectId } = await api.project();
    const held = model.at('asked', 2);
    const path = await api.report({ projectId, data: `${ground.report}\ncancelled`, reference: 'cancelled' });
    const { closed } = await held;
    const asked = turnsAsked(model).length;
    expect(await api.status(path, 'DELETE')).toBe(200);
    await closed;
    expect(await api.end(path)).toMatchObject({ state: 'cancelled', issueId: null, reason: { code: 'cancelled' } });
    // Another report is investigated meanwhile: were anything more asked about this one, it would be before the end of that.
    model.release();
    const other = await api.report({ projectId, data: `${ground.report}\nother`, reference: 'other', fresh: true });
    expect((await api.issue(other)).analysis.outcome).toBe('code_fix');
    expect(turnsAsked(model).slice(asked)).toEqual([0, 1, 2, 3, 4, 5]);
    const { turns, money, jobs } = await storedRun(dataDir, 'cancelled');
    // Its turns held the report, and there is no Issue whose erasure would take them along.
    expect([turns, money.reserved, jobs]).toEqual([0, 0, []]);
    await service.end('SIGTERM');
  });
});
