// A caller of the REST API: speaks HTTP with a token and reads JSON.
import type { Issue } from '../../src/core/issue/issue.ts';
import { recordExchange } from './exchange-record.ts';

export interface ApiClient {
  get<T>(path: string): Promise<T>;
  status(path: string, method?: string): Promise<number>;
  /** POSTs a report; the answer must be 202. Gives the investigation's path. */
  report(body: Readonly<Record<string, unknown>>, idempotencyKey?: string): Promise<string>;
  /** POSTs JSON; the answer as it comes. */
  post(path: string, body: object): Promise<Response>;
  text(path: string): Promise<string>;
  /** The answer as it comes, until the signal aborts. */
  open(path: string, signal: AbortSignal): Promise<Response>;
  /** The investigation once it has ended. */
  end(investigation: string): Promise<EndedInvestigation>;
  /** The Issue in which it ended. */
  issue(investigation: string): Promise<Issue>;
  /** The first one, or the one of that name. */
  project(name?: string): Promise<ProjectAnswer>;
}

interface EndedInvestigation {
  readonly id: string;
  readonly state: string;
  readonly issueId: string | null;
  readonly reason: { readonly code: string; readonly detail: string } | null;
}

interface ProjectAnswer {
  readonly id: string;
  readonly name: string;
  readonly issueIds: readonly string[];
}

export function apiClient(address: string, token: string): ApiClient {
  const call = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(path, address);
    const answer = await fetch(url, { ...init, headers: { Authorization: `Bearer ${token}`, ...init.headers } });
    await recordExchange(init.method ?? 'GET', url.href, answer);
    return answer;
  };
  const get = async <T>(path: string): Promise<T> => {
    const answer = await call(path);
    if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const end = (investigation: string) => get<EndedInvestigation>(`${investigation}?wait=60`);
  return {
    get,
    end,
    status: async (path, method = 'GET') => (await call(path, { method })).status,
    post: (path, body) =>
      call(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    text: async (path) => (await call(path)).text(),
    open: (path, signal) => fetch(new URL(path, address), { headers: { Authorization: `Bearer ${token}` }, signal }),
    report: async (body, key) => {
      const headers = { 'Content-Type': 'application/json', ...(key === undefined ? {} : { 'Idempotency-Key': key }) };
      const answer = await call('/api/v1/issues/', { method: 'POST', headers, body: JSON.stringify(body) });
      const keys = Object.keys((await answer.json()) as object);
      if (answer.status !== 202 || keys.join() !== 'message') throw new Error(`POST: ${answer.status} with ${keys}`);
      return answer.headers.get('Location') ?? '';
    },
    issue: async (investigation) => get(`/api/v1/issues/${(await end(investigation)).issueId}/`),
    project: async (name) => {
      const all = await get<readonly ProjectAnswer[]>('/api/v1/projects/');
      const project = all.find((one) => name === undefined || one.name === name);
      if (project === undefined) throw new Error('there is no project');
      return project;
    },
  };
}
