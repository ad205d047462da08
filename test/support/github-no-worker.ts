// `causeway serve --no-worker` in the place of a stage's service: deliveries are taken and kept, and nothing is done.
import { appSettings, type GithubStage } from './github-stage.ts';
import { residentMemory } from './process-figures.ts';
import { startService } from './service.ts';

export interface Receiving extends AsyncDisposable {
  /** Resident memory in MiB; null where the system does not tell. */
  memory(): Promise<number | null>;
}

/** Ends the stage's service; `stage.restart()` after disposing brings one that works. */
export async function serveWithoutWorker(stage: GithubStage): Promise<Receiving> {
  const { port } = new URL(stage.service().address);
  await stage.service().end('SIGTERM');
  const env = { ...(await appSettings(stage.double, stage.dataDir, undefined)), PORT: port };
  const place = { projects: [], dataDir: stage.dataDir, env };
  const service = await startService({ ...place, command: ['serve', '--no-worker'], ownProcess: true });
  const { pid } = service.process;
  return {
    memory: () => residentMemory(pid),
    [Symbol.asyncDispose]: async () => void (await service.end('SIGTERM')),
  };
}
