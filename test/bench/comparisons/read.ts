// `read`: answers of the API a second, of records as after years.
import path from 'node:path';
import { temporaryFolder } from '../../support/service.ts';
import { startBareApi } from '../bare-api.ts';
import { answerTo, requestsPerSecond } from '../closed-loop.ts';
import type { Comparison, Round } from '../comparison.ts';
import { fillApi } from '../filled-api.ts';
import { benchDatabase, startOwnApi } from '../own-api.ts';

const SECONDS = 1.5;
/** Of each side before each row: in its first three seconds ours gives 4 to 9 thousand answers a second, from the fourth on 10 to 14. */
const WARM_UP_SECONDS = 5;
const CONNECTIONS = 8;
const AGAINST = 'bare Hono with a bearer check and one select of the stored text';
/** What a list shows of each moves on with its run: no text of it could lie ready. */
const AGAINST_LIST = 'bare Hono with a bearer check, one select of the same rows, and their JSON';
const LIST = '/api/v1/investigations/?limit=50';

export const READ: Comparison = {
  name: 'read',
  about: 'answers of GET a second: an Issue, one of 100,000, and a page of the list',
  async *measure({ rounds: count }) {
    await using folder = await temporaryFolder();
    const { token, issueId, amongId } = await fillApi(folder.path, { projects: 1_000, issues: 100_000 });
    await using own = await startOwnApi(folder.path);
    const headers = { Authorization: `Bearer ${token}` };
    const [issue, among] = [`/api/v1/issues/${issueId}/`, `/api/v1/issues/${amongId}/`];
    const bodies = new Map<string, string>();
    for (const asked of [issue, among, LIST]) bodies.set(asked, await bodyOf(own.url, asked, headers));
    const records = { texts: bodies, filled: benchDatabase(folder.path) };
    await using bare = await startBareApi(path.join(folder.path, 'bare.db'), token, records);
    for (const [asked, what, against] of [
      [issue, '`GET` of an Issue, 30 steps and a diff of 200 lines', AGAINST],
      [among, '`GET` of one of 100,000 Issues in 1,000 projects', AGAINST],
      [LIST, '`GET` of a page of 50, of 100,000 investigations', AGAINST_LIST],
    ] as const) {
      const body = bodies.get(asked) ?? '';
      const rate = (url: string, seconds = SECONDS) => answersPerSecond({ url, path: asked, headers, body }, seconds);
      // Untimed: a service runs for weeks, and what is measured is not how code that is new to it is compiled.
      for (const { url } of [own, bare]) await rate(url, WARM_UP_SECONDS);
      const rounds: Round[] = [];
      for (let round = 0; round < count; round++)
        rounds.push({ ours: await rate(own.url), other: await rate(bare.url) });
      yield {
        ...{ what, against, unit: 'a second', rounds },
        aim: { kind: 'ratio-at-least', limit: 0.7 },
      };
    }
  },
};

interface Reading {
  readonly url: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What every answer must be. */
  readonly body: string;
}

function answersPerSecond({ url, path: asked, headers, body }: Reading, seconds: number): Promise<number> {
  return requestsPerSecond({
    ...{ url, connections: CONNECTIONS, seconds },
    ask: () => ({ method: 'GET', path: asked, headers }),
    check: (answer) => {
      if (answer.status !== 200 || answer.body !== body) throw new Error(`${asked} is answered with something else`);
    },
  });
}

async function bodyOf(url: string, asked: string, headers: Reading['headers']): Promise<string> {
  const { status, body } = await answerTo(url, { method: 'GET', path: asked, headers });
  if (status !== 200) throw new Error(`${asked} is answered with ${status}: ${body}`);
  return body;
}
