// A fault that nobody caught, in the real process while it works: one line without a payload, a failing exit, nothing lost by the restart.
import path from 'node:path';
import { expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { apiClient } from '../support/api-client.ts';
import { heldModel } from '../support/held-model.ts';
import { modelSettings } from '../support/model-service.ts';
import { printedToken, startService, temporaryFolder } from '../support/service.ts';
import { FIX_TURNS, SHOP, SHOP_REPORT } from '../support/shop-fix.ts';
import { placesWith } from '../support/stored-text.ts';

const QUOTED = 'hunter2 canary';
const FAULT = path.join(import.meta.dirname, '..', 'support', 'fault-on-signal.ts');

it('an uncaught exception and an unhandled rejection end it in order; what was accepted goes on', async () => {
  await using repository = await gitRepository();
  await repository.commit(SHOP, 'Shop');
  await using folder = await temporaryFolder();
  await using model = await heldModel(FIX_TURNS);
  const settings = await modelSettings(model.endpoint, folder.path);
  const env = { ...settings, LOG_LEVEL: 'trace', NODE_OPTIONS: `--import=${FAULT}`, QUOTED };
  const place = { projects: [repository.path], dataDir: folder.path, env, ownProcess: true };

  await using first = await startService(place);
  const token = printedToken(first);
  const api = apiClient(first.address, token);
  const { id: projectId } = await api.project();
  const asked = model.at('asked', 1);
  const investigation = await api.report({ projectId, data: SHOP_REPORT });
  await asked;
  expect(await first.end('SIGUSR2')).toBe(1);
  expect(lastLine(first.output())).toMatchObject({
    level: 'fatal',
    type: 'TypeError',
    code: '',
    at: expect.arrayContaining([expect.stringContaining('fault-on-signal')]),
  });

  const askedAgain = model.at('asked', 1);
  await using second = await startService(place);
  await askedAgain;
  expect(await second.end('SIGWINCH')).toBe(1);
  expect(lastLine(second.output())).toMatchObject({ level: 'fatal', type: 'TypeError' });

  model.release();
  await using third = await startService(place);
  const again = apiClient(third.address, token);
  expect(await again.end(investigation)).toMatchObject({ state: 'concluded' });
  expect((await again.project()).issueIds).toHaveLength(1);
  expect(first.output() + second.output()).not.toContain(QUOTED);
  expect(await placesWith(folder.path, QUOTED)).toEqual([]);
});

function lastLine(output: string): unknown {
  return JSON.parse(output.trimEnd().split('\n').at(-1) ?? '');
}
