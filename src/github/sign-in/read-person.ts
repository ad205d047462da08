// What the person's own token is asked: who they are, and which installations of the App they can reach.
import { z } from 'zod';
import type { Person } from '../../core/thread.ts';
import { hasNext } from '../projects/listings.ts';
import { type AskWays, askGithub, type GithubAnswer, noUse, oddity } from './ask-github.ts';

export interface PersonOptions {
  /** Base address of the API, such as https://api.github.com, without a slash at its end. */
  readonly apiUrl: string;
  readonly userAgent: string;
}

interface SignedIn {
  readonly person: Person;
  /** GitHub's numbers: of the first thousand at most. */
  readonly installationIds: readonly number[];
}

/** An installation is about 2 KB, with all its permissions and events. */
const MOST_BYTES = 2 * 1024 * 1024;
const MOST_PAGES = 10;
const PAGE = 100;

const User = z.object({ id: z.int().positive(), login: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/) });
const Page = z.object({ installations: z.array(z.object({ id: z.int().positive() })) });

/** Throws `github_failed` where GitHub gives no answer that can be used. */
export async function readPerson(options: PersonOptions, token: string, ways: AskWays): Promise<SignedIn> {
  const ask = (path: string) => get(options, { path, token }, ways);
  const user = User.safeParse(dataOf(await ask('/user')));
  if (!user.success) throw noUse('other data than was asked for', 'GHE_HOST');
  const { id, login } = user.data;
  const installationIds: number[] = [];
  for (let page = 1; page <= MOST_PAGES; page++) {
    const answer = await ask(`/user/installations?per_page=${PAGE}&page=${page}`);
    const listed = Page.safeParse(dataOf(answer));
    if (!listed.success) throw noUse('other data than was asked for', 'GHE_HOST');
    installationIds.push(...listed.data.installations.map((one) => one.id));
    if (answer.kind === 'answered' && !hasNext(answer.link)) break;
  }
  return { person: { id, login }, installationIds };
}

function get(
  { apiUrl, userAgent }: PersonOptions,
  { path, token }: { readonly path: string; readonly token: string },
  ways: AskWays,
): Promise<GithubAnswer> {
  const headers = {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${token}`,
    'user-agent': userAgent,
    'x-github-api-version': '2022-11-28',
  };
  const [route = ''] = path.split('?');
  return askGithub({ url: `${apiUrl}${path}`, method: 'GET', route, headers, body: null, maxBytes: MOST_BYTES }, ways);
}

function dataOf(answer: GithubAnswer): unknown {
  if (answer.kind === 'answered' && answer.status === 200 && answer.data !== undefined) return answer.data;
  throw noUse(oddity(answer), 'GHE_HOST');
}
