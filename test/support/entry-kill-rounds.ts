// Kills the service at random moments while every entry point is in use, looks at the file each time, and measures how soon the next one works.
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { type ApiClient, apiClient } from './api-client.ts';
import { ACTS, type Actor, Refused } from './entry-kill-acts.ts';
import { emptyLedger, type Ledger, type Losses, lossesIn } from './entry-kill-ledger.ts';
import { gitRepository } from './git-repository.ts';
import { printedToken, type Service, startService, temporaryFolder } from './service.ts';
import { webVisitor } from './web-visitor.ts';

export interface EntryGround extends AsyncDisposable {
  readonly actor: Actor;
  readonly dataDir: string;
  start(): Promise<Service>;
}

export interface Round {
  readonly losses: Losses;
  /** Answers that nobody should get, however the service was killed. */
  readonly refusals: readonly string[];
  /** From the start of the process until a run that was waiting has begun; null: none was waiting. */
  readonly toWorkMs: number | null;
  /** From the signal to the end of the process. */
  readonly toEndMs: number;
  readonly exit: number | string;
}

/** Local mode: the API with its token, and the pages with a browser that is signed in. */
export async function entryGround(): Promise<EntryGround> {
  await using opening = new AsyncDisposableStack();
  const repository = opening.use(await gitRepository());
  const files = { 'src/index.js': 'function start(config) {\n  return config.port;\n}\nstart();\n' };
  await repository.commit(files, 'Start');
  const { path: dataDir } = opening.use(await temporaryFolder());
  const plan = { projects: [repository.path], dataDir };
  await using first = await startService({ ...plan, env: { RATE_LIMIT: 'off' } });
  const env = { RATE_LIMIT: 'off', PORT: new URL(first.address).port };
  const token = printedToken(first);
  const { id: projectId } = await apiClient(first.address, token).project();
  let count = 0;
  const next = () => ++count;
  const visitor = webVisitor(first.address);
  const opened = opening.move();
  return {
    actor: { address: first.address, token, visitor, projectId, ledger: emptyLedger(), unanswered: new Map(), next },
    dataDir,
    start: () => startService({ ...plan, env }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Each life prints a code of its own; what needs a recent sign-in has one. */
async function signIn({ actor }: EntryGround, service: Service): Promise<void> {
  const code = /\/sign-in\/local\?code=([\w-]+)/.exec(service.output())?.[1] ?? '';
  const answer = await actor.visitor.send(`/sign-in/local?code=${code}`, '/sign-in/local', { code });
  if (answer.status !== 303) throw new Error(`signing in: ${answer.status}`);
}

/** One life: `afterMs` after it answers it gets the signal, with all acts under way at once. */
export async function entryKillRound(
  ground: EntryGround,
  afterMs: number,
  signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL',
): Promise<Round> {
  const began = performance.now();
  const waiting = waitingRuns(ground.dataDir);
  const service = await ground.start();
  const toWorkMs = waiting.size === 0 ? null : await worksAgain(ground.dataDir, waiting, began);
  await signIn(ground, service);
  const life = new AbortController();
  const refusals: string[] = [];
  const acting = Object.values(ACTS).map(async (act) => {
    try {
      while (!life.signal.aborted) await act(ground.actor);
    } catch (error) {
      // Afterwards any answer will do, and none.
      if (!life.signal.aborted) refusals.push(error instanceof Refused ? error.message : String(error));
    }
  });
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  life.abort();
  const asked = performance.now();
  const exit = await service.end(signal);
  const toEndMs = performance.now() - asked;
  await Promise.all(acting);
  const losses = await lossesIn(ground.dataDir, ground.actor.ledger);
  return { losses, refusals, toWorkMs, toEndMs, exit };
}

/** Investigations that were acknowledged and have no end, after the last life had time for all. */
export async function unended(ground: EntryGround, ledger: Ledger): Promise<readonly string[]> {
  await using service = await ground.start();
  const api = apiClient(service.address, ground.actor.token);
  const left: string[] = [];
  for (const id of ledger.reports.values()) {
    if (ledger.going.has(id)) continue;
    const state = await endOf(api, id);
    if (state !== 'concluded' && state !== 'cancelled') left.push(`${id} ${state}`);
  }
  return left;
}

/** Many wait for each other by now: it is asked for ten minutes. */
async function endOf(api: ApiClient, id: string): Promise<string> {
  let state = 'queued';
  for (let minute = 0; minute < 10 && /^(queued|running)$/.test(state); minute++) {
    ({ state } = await api.end(`/api/v1/investigations/${id}/`));
  }
  return state;
}

/** Runs that wait, with how often each was begun. */
function waitingRuns(dataDir: string): ReadonlyMap<string, number> {
  const database = new Sqlite(path.join(dataDir, 'causeway.db'), { readonly: true });
  try {
    const jobs = database.prepare<[], { id: string; generation: number }>(
      "SELECT id, generation FROM jobs WHERE kind = 'run' AND state != 'dead'",
    );
    return new Map(jobs.all().map(({ id, generation }) => [id, generation]));
  } finally {
    database.close();
  }
}

/** Milliseconds since `began` when one of those was begun again, or is done. */
async function worksAgain(dataDir: string, waiting: ReadonlyMap<string, number>, began: number): Promise<number> {
  for (;;) {
    const now = waitingRuns(dataDir);
    const ms = performance.now() - began;
    if ([...waiting].some(([id, generation]) => now.get(id) !== generation) || ms > 60_000) return ms;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
