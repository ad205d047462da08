// The GitHub double and the real service beside it in its own process, with the moment of everything that the double was asked.
import { setTimeout as wait } from 'node:timers/promises';
import { asManifestSays } from '../github-double/as-manifest-says.ts';
import type { GithubDouble } from '../github-double/double.ts';
import { startGithubDouble } from '../github-double/start.ts';
import type { State } from '../github-double/state.ts';
import { type WebhookSender, webhookSender } from '../github-double/webhooks/sender.ts';
import { appSettings, OWNER } from '../support/app-settings.ts';
import { startService, temporaryFolder } from '../support/service.ts';
import { openSlowWire } from './slow-wire.ts';

export interface Seen {
  /** Milliseconds, as `performance.now()`. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

/** An event as the double announced it, before it was delivered. */
interface Told {
  readonly at: number;
  readonly event: string;
  readonly payload: object;
}

export interface BenchStage extends AsyncDisposable {
  readonly double: GithubDouble;
  readonly sender: WebhookSender;
  /** Its data folder. */
  readonly folder: string;
  /** Every answer of the API so far; git's requests are in `double.requests`. */
  readonly seen: readonly Seen[];
  readonly told: readonly Told[];
  /** Resolves when nothing was asked for half a second. */
  quiet(): Promise<void>;
  /** What the service printed. */
  output(): string;
}

export interface BenchStageOptions {
  readonly prepare: (double: GithubDouble) => Promise<void>;
  /** Added to every answer of the API; default 0. */
  readonly delayMs?: number;
  /** What a scripted model plays; absent: facts only. */
  readonly script?: object;
  /** More settings of the service's process, such as a profiler in NODE_OPTIONS. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Resolves when the service knows its installation and rests. */
export async function openBenchStage(options: BenchStageOptions): Promise<BenchStage> {
  await using opening = new AsyncDisposableStack();
  const folder = opening.use(await temporaryFolder()).path;
  const seen: Seen[] = [];
  const told: Told[] = [];
  const senders: WebhookSender[] = [];
  const sink = (state: State): WebhookSender => {
    const made = webhookSender(state);
    senders.push(made);
    const emit: WebhookSender['emit'] = (event, payload, installationId) => {
      told.push({ at: performance.now(), event, payload });
      made.emit(event, payload, installationId);
    };
    return { ...made, emit };
  };
  // What is measured is the service, so exchanges are noted here instead of being held against GitHub's description.
  const validate = ({ method, path: where, status }: { method: string; path: string; status: number }) => {
    seen.push({ at: performance.now(), method, path: where, status });
    return [];
  };
  const double = opening.use(await startGithubDouble({ basePath: '/api/v3', sink, validate }));
  const [sender] = senders;
  if (sender === undefined) throw new Error('the double took no sender');
  await asManifestSays(double.app);
  double.people.organization(OWNER, { owners: ['nora'] });
  await options.prepare(double);
  const wire = options.delayMs ? opening.use(await openSlowWire(double.apiUrl, options.delayMs)) : null;
  const address = wire === null ? {} : { GHE_HOST: new URL(wire.url).host };
  const env = { ...(await appSettings(double, folder, options.script)), ...address, ...options.env };
  const service = opening.use(await startService({ projects: [], dataDir: folder, env }));
  opening.defer(async () => void (await service.end('SIGTERM')));
  double.app.webhookUrl = `${service.address}/api/github/webhooks`;
  double.people.install(OWNER, { by: 'nora' });
  const quiet = () => quietOf(double, seen, sender);
  // What it asks at its start is none of a label's business.
  for (const end = Date.now() + START_MS; !STARTED.every((path) => seen.some((one) => one.path === path)); ) {
    if (Date.now() > end) throw new Error(`The service did not ask at its start:\n${service.output()}`);
    await wait(20);
  }
  await quiet();
  const opened = opening.move();
  return {
    ...{ double, sender, folder, seen, told, quiet },
    output: () => service.output(),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const START_MS = 30_000;
const STARTED = ['/app/hook/deliveries', '/installation/repositories'];
const QUIET_MS = 600;

async function quietOf(double: GithubDouble, seen: readonly Seen[], sender: WebhookSender): Promise<void> {
  for (let [before, since] = [-1, 0]; performance.now() - since < QUIET_MS; await wait(20)) {
    await sender.settled();
    const count = seen.length + double.requests.length;
    if (count !== before) [before, since] = [count, performance.now()];
  }
}
