// What a story with the models of real providers needs: a project with a bug, the providers' hosts on loopback, a data folder with a token.

import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import type { Double } from '../../packages/models/test/doubles/double.ts';
import { type Internet, openInternet } from '../model-doubles/internet.ts';
import { PROVIDERS, type Provider, type Settings } from '../model-doubles/providers.ts';
import { apiClient } from './api-client.ts';
import { printedToken, type Service, startService, temporaryFolder } from './service.ts';
import { SHOP, SHOP_REPORT } from './shop-fix.ts';
import { placesWith } from './stored-text.ts';

export interface ProviderGround extends AsyncDisposable {
  readonly internet: Internet;
  readonly repository: string;
  readonly dataDir: string;
  readonly token: string;
  start(settings: Settings): Promise<Service>;
  /** Sends the report, in every life of the service with one idempotency key; gives the investigation's path. */
  report(service: Service, key: string): Promise<string>;
}

export async function providerGround(): Promise<ProviderGround> {
  await using opening = new AsyncDisposableStack();
  const shop = opening.use(await gitRepository());
  await shop.commit(SHOP, 'Shop');
  const { path: dataDir } = opening.use(await temporaryFolder());
  const internet = opening.use(await openInternet(dataDir));
  // Node reads the proxy and its certificate when it starts.
  const start = (env: Settings) => startService({ projects: [shop.path], dataDir, env, ownProcess: true });
  await using first = await start({});
  const token = printedToken(first);
  await first.end('SIGTERM');
  const opened = opening.move();
  return {
    ...{ internet, repository: shop.path, dataDir, token, start },
    report: async (service, key) => {
      const api = apiClient(service.address, token);
      const { id: projectId } = await api.project();
      return await api.report({ projectId, data: `${SHOP_REPORT}\n${key}`, reference: key, fresh: true }, key);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

export function providerNamed(name: string): Provider {
  const found = PROVIDERS.find((provider) => provider.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
}

/** A header that the operator adds to every question. */
export const SECRET_HEADER = 'header-value-5d1c7e90b3a24f68';

/** What must be readable nowhere: of each opaque part a piece, wherever it may have been cut. */
export function secretsOf({ opaque }: Double, settings: Settings): readonly string[] {
  const keys = Object.entries(settings).flatMap(([variable, value]) => (/_KEY$/.test(variable) ? [value] : []));
  return [SECRET_HEADER, ...keys, ...opaque.map((part) => part.slice(-40, -10))];
}

/** The files and tables that hold one of them. */
export async function placesWithAny(dataDir: string, secrets: readonly string[]): Promise<readonly string[]> {
  return (await Promise.all(secrets.map((secret) => placesWith(dataDir, secret)))).flat();
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, number) => all + number, 0);
}
