// One slot, and a morning's red checks wait for it: whoever hands in a report is not behind them.
import path from 'node:path';
import { expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { fails, modelEndpoint } from '../../packages/models/test/model-endpoint.ts';
import { openSqlite } from '../contract/sqlite-place.ts';
import { apiClient } from '../support/api-client.ts';
import { modelSettings } from '../support/model-service.ts';
import { until } from '../support/patience.ts';
import { textsIn } from '../support/played-model.ts';
import { printedToken, startService, temporaryFolder } from '../support/service.ts';
import { acceptance, accepted, found } from '../support/store-samples.ts';

const NAMED = /(?:automatic \d+|from a person)/;

/** What red checks have begun while nobody worked: a run for each. */
async function redMorning(dataDir: string, count: number): Promise<void> {
  await using opened = await openSqlite(path.join(dataDir, 'causeway.db'));
  const { store } = opened;
  const [[account], [project]] = await Promise.all([store.listAccounts(), store.listProjects({})]);
  if (!account || !project) throw new Error('the service has left no account and project');
  for (let i = 0; i < count; i++) {
    const thread = found(`fal_${i}`, { threadId: `thr_${i}`, subject: { kind: 'failure', failureId: `fal_${i}` } });
    const about = { text: `TypeError: automatic ${i}`, origin: 'check-run', fingerprint: `f${i}`, thread } as const;
    await accepted(store, acceptance({ account, project }, { ...about, now: new Date().toISOString() }));
  }
}

it('with CONCURRENCY=1 and 20 runs of red checks waiting, the run of a report by REST begins next', async () => {
  await using repository = await gitRepository();
  await repository.commit({ 'a.js': 'a();\n' }, 'First');
  await using folder = await temporaryFolder();
  const dataDir = folder.path;
  const gate = Promise.withResolvers<void>();
  await using model = await modelEndpoint(async (response, request) => {
    await gate.promise;
    await fails(400, 'not today')(response, request);
  });
  const place = { projects: [repository.path], dataDir };
  await using first = await startService(place);
  const token = printedToken(first);
  await first.end('SIGTERM');
  await redMorning(dataDir, 21);
  const env = { ...(await modelSettings(model, dataDir)), CONCURRENCY: '1' };
  await using service = await startService({ ...place, env });
  const begun = () => [
    ...new Set(model.requests.map((asked) => NAMED.exec(textsIn(asked).join('\n'))?.[0] ?? 'unknown')),
  ];
  await until(() => begun().length === 1);
  const api = apiClient(service.address, token);
  const { id: projectId } = await api.project();
  await api.report({ projectId, data: 'TypeError: from a person', reference: 'person', fresh: true });
  gate.resolve();
  await until(() => begun().length >= 3);
  expect(begun().slice(0, 3)).toEqual(['automatic 0', 'from a person', 'automatic 1']);
});
