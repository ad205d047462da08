// What every kill round needs: a project, a data folder, a model that can be held, and somebody who is told.
import { gitRepository } from './git-repository.ts';
import { type HeldModel, heldModel } from './held-model.ts';
import type { ModelKillPlan } from './model-kill-rounds.ts';
import { modelSettings } from './model-service.ts';
import { printedToken, startService, temporaryFolder } from './service.ts';
import { FIX_TURNS, SHOP, SHOP_REPORT } from './shop-fix.ts';
import { webhookReceiver } from './webhook-receiver.ts';

export type KillGround = Omit<ModelKillPlan, 'kills'> & {
  readonly model: HeldModel;
  readonly sha: string;
} & AsyncDisposable;

export async function killGround(): Promise<KillGround> {
  await using opening = new AsyncDisposableStack();
  const repository = opening.use(await gitRepository());
  const sha = await repository.commit(SHOP, 'Shop');
  const { path: dataDir } = opening.use(await temporaryFolder());
  const receiver = opening.use(await webhookReceiver());
  const model = opening.use(await heldModel(FIX_TURNS));
  const settings = await modelSettings(model.endpoint, dataDir);
  await using first = await startService({ projects: [repository.path], dataDir, env: settings });
  const token = printedToken(first);
  await first.end('SIGTERM');
  const opened = opening.move();
  return {
    ...{ repository: repository.path, sha, dataDir, receiver, model, settings, token, report: SHOP_REPORT },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
