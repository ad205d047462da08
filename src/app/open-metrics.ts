// `/metrics`: the figures of this process and its house, for whoever has the token, or reaches the port of their own.
import { createHash, timingSafeEqual } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { type RunningServer, startServer } from '../api/server.ts';
import type { Config } from '../config.ts';
import { readMirrorsSize } from '../git/mirror-records.ts';
import type { DiskUse } from '../telemetry/house-readings.ts';
import type { Exposition } from '../telemetry/telemetry.ts';
import { openDataFolder } from './data-folder.ts';
import type { House } from './house.ts';
import { isLoopback } from './local-mode.ts';
import { pausedIn } from './pause.ts';
import type { Readiness } from './readiness.ts';

export type MetricsHouse = Pick<House, 'telemetry' | 'queue' | 'log' | 'now' | 'holds' | 'isPaused'>;

export interface MetricsOptions {
  readonly config: Pick<Config, 'metrics' | 'dataDir' | 'mirrorsMaxBytes'>;
  readonly ready: Readiness;
}

export interface Metrics extends AsyncDisposable {
  /** Answers `GET /metrics` on a port that others reach, too; without a token it says how to turn it on, and nothing else. */
  readonly answer: (request: Request) => Promise<Response>;
  /** Of the port of their own; null where there is none. */
  readonly address: string | null;
}

/** Once for a house. Opens the port where there is to be one; throws `usage` where it is taken. */
export async function openMetrics(house: MetricsHouse, { config, ready }: MetricsOptions): Promise<Metrics> {
  const { port, host, token } = config.metrics;
  if (port === null && token === null) return { answer: OFF, address: null, [Symbol.asyncDispose]: async () => {} };
  const { telemetry, queue, now, holds } = house;
  const paused = pausedIn(house, config.dataDir);
  const mirrorLimit = config.mirrorsMaxBytes === 0 ? null : config.mirrorsMaxBytes;
  const exposition = telemetry.open({
    ...{ queue, now, ready, mirrorLimit, holds, paused },
    disk: () => diskUse(config.dataDir),
  });
  const answer = answering(exposition, token);
  const server = port === null ? null : await ownPort(house, answer, { host, port });
  return {
    answer: token === null ? ELSEWHERE : answer,
    address: server?.address ?? null,
    [Symbol.asyncDispose]: async () => void (await server?.[Symbol.asyncDispose]()),
  };
}

type Answering = (request: Request) => Promise<Response>;

function answering(exposition: Exposition, token: string | null): Answering {
  return async (request) => {
    if (token !== null && !isToken(request.headers.get('Authorization') ?? '', token)) {
      return said(401, 'Send METRICS_TOKEN as "Authorization: Bearer …".', { 'WWW-Authenticate': 'Bearer' });
    }
    if (request.method !== 'GET') return said(405, 'Metrics are read with GET.', { Allow: 'GET' });
    const headers = { 'Content-Type': exposition.contentType, 'Cache-Control': 'no-store' };
    return new Response(await exposition.text(), { headers });
  };
}

const OFF: Answering = async () =>
  said(
    404,
    'Metrics are off. Set METRICS_TOKEN to read them here, or METRICS_PORT to read them on a port of their own.',
    {},
  );
const ELSEWHERE: Answering = async () =>
  said(404, 'Metrics are served on METRICS_PORT. Set METRICS_TOKEN to read them here as well.', {});

/** In the same time however much of it is right: the digests are of one length, and no guess tells how far it came. */
function isToken(header: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(header), digest(`Bearer ${token}`));
}

function said(status: number, words: string, headers: Readonly<Record<string, string>>): Response {
  return new Response(`${words}\n`, { status, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers } });
}

function ownPort(
  { log }: MetricsHouse,
  answer: Answering,
  place: { readonly host: string; readonly port: number },
): Promise<RunningServer> {
  return startServer({
    ...place,
    loopbackOnly: isLoopback(place.host),
    log,
    fetch: async (request) => {
      const isMetrics = new URL(request.url).pathname === '/metrics';
      return isMetrics ? await answer(request) : said(404, 'Here is /metrics alone.', {});
    },
  });
}

async function diskUse(dataDir: string): Promise<DiskUse> {
  const { mirrors, lexicon } = openDataFolder(dataDir, null);
  const { bavail, blocks, bsize } = await statfs(dataDir);
  const { bytes } = await readMirrorsSize(mirrors);
  const both = await readMirrorsSize(mirrors, lexicon);
  return { mirrors: bytes, lexicon: both.bytes - bytes, free: bavail * bsize, size: blocks * bsize };
}
