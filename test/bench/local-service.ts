// The service in local mode, started as a newcomer starts it but for the launcher, with the few calls that measurements make.
import path from 'node:path';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { printedToken, type Service, startService, temporaryFolder } from '../support/service.ts';

export interface LocalService extends AsyncDisposable {
  readonly service: Service;
  readonly api: ApiClient;
  readonly dataDir: string;
  readonly projectId: string;
  /** From the report to its Issue, in milliseconds. */
  solve(report: { readonly title: string; readonly body: string }): Promise<number>;
}

/** `project`: path of a repository, the only one. `dataDir`: kept afterwards; absent: a temporary folder. */
export async function openLocalService(
  project: string,
  { env = {}, dataDir }: { readonly env?: Readonly<Record<string, string>>; readonly dataDir?: string } = {},
): Promise<LocalService> {
  await using opening = new AsyncDisposableStack();
  const folder = dataDir ?? opening.use(await temporaryFolder()).path;
  const service = await startService({
    projects: [project],
    dataDir: folder,
    // As the launcher sets it: what the code compiles to is kept from the second start on.
    env: { NODE_COMPILE_CACHE: path.join(folder, 'cache', 'compiled'), RATE_LIMIT: 'off', ...env },
  });
  opening.defer(async () => void (await service.end('SIGTERM')));
  const api = apiClient(service.address, printedToken(service));
  const { id } = await api.project();
  const opened = opening.move();
  return {
    ...{ service, api, dataDir: folder, projectId: id },
    solve: async ({ title, body }) => {
      const begun = performance.now();
      const investigation = await api.report({ projectId: id, data: `${title}\n\n${body}` });
      const issue = await api.issue(investigation);
      const ms = performance.now() - begun;
      const named = issue.analysis.suspects.slice(0, 10).filter(({ file }) => body.includes(file));
      if (named.length === 0) throw new Error('no file of the trace in the report is among the first ten suspects');
      return ms;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
