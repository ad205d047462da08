// What all calls of the publisher to GitHub share: lists of several pages, and failures that are an answer.
import { GithubFailure } from '../clients/github-clients.ts';

const PAGE = 100;

/** At most `most` pages of 100. */
export async function readPages<T>(
  most: number,
  read: (page: { readonly per_page: number; readonly page: number }) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const all: T[] = [];
  for (let page = 1; page <= most; page += 1) {
    const found = await read({ per_page: PAGE, page });
    all.push(...found);
    if (found.length < PAGE) break;
  }
  return all;
}

/** GitHub's answer, or what `recover` makes of one of these failures. All others are thrown. */
export async function recoverFrom<T>(
  kinds: readonly GithubFailure['kind'][],
  call: () => Promise<T>,
  recover: (error: GithubFailure) => T | Promise<T>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof GithubFailure) || !kinds.includes(error.kind)) throw error;
    return await recover(error);
  }
}
