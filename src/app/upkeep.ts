// What a service over GitHub does from time to time, whoever asks for it or not.

import type { ReadinessCheck } from '../api/api-deps.ts';
import { ignoredText, installText } from '../cli/github-start.ts';
import { appPage } from '../github/setup/made-app.ts';
import type { GithubService } from './github-service.ts';
import type { House } from './house.ts';
import { type Recurring, startRecurring } from './recurring.ts';
import type { ServeOptions } from './serve-options.ts';

const RECONCILED_EVERY_MS = 6 * 60 * 60 * 1_000;
const REDELIVERED_EVERY_MS = 15 * 60 * 1_000;

/** Installations and missed deliveries, read from GitHub at the start and from time to time, by one process over a database. */
export function startUpkeep(
  open: AsyncDisposableStack,
  { house, parts }: GithubService,
  { config, io }: Pick<ServeOptions, 'config' | 'io'>,
): Recurring {
  const { log, store, leads: isOurs } = house;
  let isTold = false;
  const reconcile = async (signal: AbortSignal) => {
    await parts.sync.reconcile(signal);
    if (isTold || (await store.installations()).length > 0) return;
    isTold = true;
    const { slug } = await parts.clients.identity(signal);
    const page = appPage(config.githubWebUrl, slug);
    const ignored = parts.sync.ignoredOwners();
    io.out(`\n${ignored.length === 0 ? installText(page) : ignoredText(page, ignored)}`);
  };
  const what = 'reading the installations of the App';
  const installations = open.use(startRecurring({ what, everyMs: RECONCILED_EVERY_MS, work: reconcile, log, isOurs }));
  open.use(
    startRecurring({
      ...{ what: 'asking again for missed deliveries', everyMs: REDELIVERED_EVERY_MS, log, isOurs },
      work: (signal) => parts.redelivery.askAgain(signal),
    }),
  );
  return installations;
}

/** What `/readyz` says of GitHub, from the calls that are made anyhow: it is asked nothing for this. */
export function githubCheck(
  { leads, telemetry }: Pick<House, 'leads' | 'telemetry'>,
  installations: Recurring,
): ReadinessCheck {
  const lastCall = telemetry.github.answers();
  const silent = lastCall === false ? 'the last call got no answer, or a fault of its own' : '';
  const fault = (leads() ? installations.fault() : '') || silent;
  if (fault) return { name: 'github', ok: false, isVital: false, detail: `does not answer as it should: ${fault}` };
  if (lastCall === true) return { name: 'github', ok: true, isVital: false, detail: 'answers' };
  const detail = leads() ? 'not asked yet' : 'asked by another process';
  return { name: 'github', ok: !leads(), isVital: false, detail };
}
