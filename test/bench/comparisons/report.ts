// `report`: reports that the API accepts a second, each kept on the disk before it is answered.
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { temporaryFolder } from '../../support/service.ts';
import { bareReports, startBareApi } from '../bare-api.ts';
import { type Answer, requestsPerSecond } from '../closed-loop.ts';
import type { Comparison, Round } from '../comparison.ts';
import { benchDatabase, benchToken, openBenchHouse, startOwnApi } from '../own-api.ts';

const SECONDS = 2.5;
/** Untimed: a service runs for weeks, and what is measured is not how code that is new to it is compiled. */
const WARM_UP_SECONDS = 5;
const CONNECTIONS = [1, 64];
const AGAINST = 'bare Hono with a bearer check and one insert of better-sqlite3 (`synchronous=FULL`)';

interface Side {
  readonly url: string;
  readonly token: string;
  readonly projectId: string;
  /** How many reports are kept. */
  readonly kept: () => number;
}

export const REPORT: Comparison = {
  name: 'report',
  about: 'reports accepted a second over REST, kept on disk, over 1 and 64 connections',
  async *measure({ rounds: count }) {
    await using folder = await temporaryFolder();
    const { token, projectId } = await prepare(folder.path);
    const bareFile = path.join(folder.path, 'bare.db');
    await using own = await startOwnApi(folder.path);
    await using bare = await startBareApi(bareFile, token, { texts: new Map() });
    const ours = { url: own.url, token, projectId, kept: () => keptIn(folder.path) };
    const other = { url: bare.url, token, projectId, kept: () => bareReports(bareFile) };
    for (const side of [ours, other]) await accepted(side, 8, WARM_UP_SECONDS);
    for (const connections of CONNECTIONS) {
      const rounds: Round[] = [];
      for (let round = 0; round < count; round++) {
        rounds.push({
          ours: await accepted(ours, connections, SECONDS),
          other: await accepted(other, connections, SECONDS),
        });
      }
      const over = connections === 1 ? 'one connection' : `${connections} connections`;
      yield {
        ...{ what: `\`POST /api/v1/issues/\`, accepted and kept, ${over}`, against: AGAINST, unit: 'a second', rounds },
        aim: { kind: 'ratio-at-least', limit: 0.8 },
      };
    }
  },
};

async function prepare(dataDir: string): Promise<{ readonly token: string; readonly projectId: string }> {
  await using house = await openBenchHouse(dataDir);
  const wanted = [{ name: 'local/shop', source: { kind: 'path', path: '/srv/shop' } as const }];
  const [project] = await house.store.syncProjects(wanted, new Date().toISOString());
  return { token: await benchToken(house), projectId: project?.id ?? '' };
}

/** Every one that was answered with 202 must be kept: as an investigation, a run and a job where it is ours. */
async function accepted(side: Side, connections: number, seconds: number): Promise<number> {
  const before = side.kept();
  const headers = { Authorization: `Bearer ${side.token}`, 'Content-Type': 'application/json' };
  const places = new Set<string>();
  const rate = await requestsPerSecond({
    ...{ url: side.url, connections, seconds },
    ask: (number) => ({
      ...{ method: 'POST', path: '/api/v1/issues/', headers },
      body: JSON.stringify({ projectId: side.projectId, data: reportOf(before + number) }),
    }),
    check: ({ status, headers: { location = '' }, body }: Answer) => {
      if (status !== 202) throw new Error(`a report was answered with ${status}: ${body}`);
      places.add(location);
    },
  });
  const kept = side.kept() - before;
  if (kept !== places.size) throw new Error(`${places.size} reports were accepted, ${kept} are kept`);
  return rate;
}

/** A stack trace of 1.5 kB, no two alike. */
function reportOf(number: number): string {
  const frames = Array.from(
    { length: 16 },
    (_, at) =>
      `    at handle${number}Step${at} (/srv/shop/src/orders/handle-${number % 97}-${at}.js:${10 + at}:${3 + at})`,
  );
  return `Checkout ${number} stops\n\nTypeError: Cannot read properties of undefined (reading 'total${number}')\n${frames.join('\n')}`;
}

function keptIn(dataDir: string): number {
  const database = new Sqlite(benchDatabase(dataDir), { readonly: true });
  const count = (rows: string) => Number(database.prepare(`SELECT count(*) FROM ${rows}`).pluck().get());
  const [investigations, runs] = [count('investigations'), count('runs')];
  const jobs = count(`jobs WHERE kind = 'run' AND state = 'waiting'`);
  database.close();
  if (investigations !== runs || runs !== jobs) {
    throw new Error(`${investigations} investigations, ${runs} runs and ${jobs} jobs are kept`);
  }
  return jobs;
}
